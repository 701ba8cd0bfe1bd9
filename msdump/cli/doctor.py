"""`msdump doctor`: which extras and external programs are there."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib import metadata

import click

from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option, styled
from msdump.version import VERSION

# Distribution → the extra that brings it ("" is always needed), and what it is for.
PACKAGES: dict[str, tuple[str, str]] = {
    "protobuf": ("", "graph and dump schemas"),
    "numpy": ("", "arrays"),
    "click": ("", "the command line"),
    "rich": ("", "progress bars, tables"),
    "ml_dtypes": ("", "bfloat16, int4, float8"),
    "pyarrow": ("parquet", "Parquet files"),
    "safetensors": ("safetensors", "its own loader; msdump reads and writes the format itself"),
    "pandas": ("pandas", "data frames"),
    "openpyxl": ("xlsx", "Excel files"),
    "onnx": ("onnx", "ONNX models"),
    "PyYAML": ("yaml", "YAML settings"),
    "fsspec": ("remote", "files on remote storage"),
    "dask": ("dask", "work on a cluster"),
    "mpi4py": ("mpi", "work over MPI"),
    "mindspore": ("-", "not needed; its tensors are taken as they are"),
}
# Program → the arguments that make it tell its version, and what it is for.
PROGRAMS: dict[str, tuple[tuple[str, ...], str]] = {
    "dot": (("-V",), "pictures of graphs (Graphviz)"),
    "git": (("--version",), "`msdump git setup`"),
    "chromium": (("--version",), "a look at reports; any browser does"),
}


@click.command()
@json_option
@color_option
def command(as_json: bool, color: bool) -> int:
    """Say which extras and external programs are there. Exit status 1 when a needed package is not."""
    packages = [(name, extra, what, _version(name)) for name, (extra, what) in PACKAGES.items()]
    programs = [(name, what, _program_version(name, arguments)) for name, (arguments, what) in PROGRAMS.items()]
    missing = any(version is None and not extra for _, extra, _, version in packages)
    if as_json:
        document = {
            "schema": "msdump.doctor/1",
            "msdump": VERSION,
            "python": platform.python_version(),
            "packages": [
                {"name": n, "version": v, "extra": None if e in ("", "-") else e, "needed": not e, "what": w}
                for n, e, w, v in packages
            ],
            "programs": [{"name": n, "version": v, "what": w} for n, w, v in programs],
        }
        emit_json(document, indent=1)
        return int(missing)
    from msdump.render.table import table

    emit_lines([f"msdump {VERSION}, Python {platform.python_version()} on {platform.platform()}", ""])
    rows = [[name, version or "not there", what, _remedy(extra, version)] for name, extra, what, version in packages]
    rows += [[name, version or "not there", what, ""] for name, what, version in programs]
    header, *lines = table(("what", "version", "for", "to get it"), rows)
    emit_lines([styled(header, color, bold=True)])
    for row, line in zip(rows, lines, strict=True):
        emit_lines([styled(line, color and row[1] == "not there", dim=True)])
    return int(missing)


def _remedy(extra: str, version: str | None) -> str:
    if version is not None or extra == "-":
        return ""
    return f"pip install 'msdump[{extra}]'" if extra else "pip install msdump"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _program_version(name: str, arguments: tuple[str, ...]) -> str | None:
    program = shutil.which(name) or (shutil.which("google-chrome") if name == "chromium" else None)
    if program is None:
        return None
    try:
        said = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "does not run"
    return (said.stdout or said.stderr).strip().split("\n")[0] or "there"

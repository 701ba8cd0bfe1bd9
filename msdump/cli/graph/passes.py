"""`msdump graph passes DIR`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from msdump.cli.graph.reading import painter
from msdump.cli.terminal import Bar, color_option, emit_json, emit_lines, json_option
from msdump.diff.labels import Ignore
from msdump.diff.passes import (
    StageFile,
    diff_stages,
    find_in_stages,
    find_parting,
    in_write_order,
    stage_label,
    stage_number,
)
from msdump.errors import MsdumpError, UnknownFormatError
from msdump.graph.find import Query
from msdump.io import read_graph
from msdump.numerals import integer
from msdump.pipes import is_special
from msdump.render.graph_diff import diff_lines
from msdump.render.graph_passes import parting_lines, sighting_lines, stage_lines
from msdump.source import WHOLE, BytePlace

if TYPE_CHECKING:
    from msdump.graph import Graph

_NOT_STAGES = re.compile(r"^(?:final_)?(?:\d+_)?actor_set|^somas|^analyze_fail|^\.")
# What two prints of one graph differ in: heap addresses, the phase with its clock.
_NOISE = re.compile(rb"0x[0-9a-f]+|^compile_phase: .*$", re.MULTILINE)


@click.command()
@click.argument("folder", metavar="DIR")
@click.argument("other", metavar="[DIR2]", required=False)
@click.option("--all", "everything", is_flag=True, help="Also the stages that changed nothing.")
@click.option(
    "--find", "query", metavar="QUERY", help="Which stage brought nodes in or out: op=Cast, scope=…, net.py:25."
)
@click.option("--until", metavar="STAGE", help="Stop after this stage.")
@click.option("--show", "shown", metavar="STAGE", help="The full diff of one stage.")
@click.option("--ignore", multiple=True, metavar="WHAT", help="Leave out: types, attrs, attr:KEY, scope, names.")
@json_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    folder: str,
    other: str | None,
    everything: bool,
    query: str | None,
    until: str | None,
    shown: str | None,
    ignore: tuple[str, ...],
    as_json: bool,
    color: bool,
) -> None:
    """The compile stages in a folder, in the order they were written, and what each one changed.

    With two folders: the first stage where the two compilations part.
    """
    try:
        what = Ignore.parse(word for words in ignore for word in words.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{error} cannot be ignored", param_hint="--ignore") from None
    files = _until(stage_files(folder), until)
    if other is not None:
        _two(ctx, files, _until(stage_files(other), until), what, as_json)
        return
    if query is not None:
        _find(files, query, as_json)
        return
    paint = painter(color)
    if shown is not None:
        wanted = _named(files, shown)
        for stage in diff_stages(_progress(files[: wanted + 1]), what):
            if stage.file == files[wanted].name:
                if stage.diff is None:
                    click.echo(f"{stage.file}: {stage.error or 'the first stage, nothing to compare with'}")
                elif as_json:
                    emit_json(stage.diff.to_json(), indent=1)
                else:
                    click.echo(f"{stage.file} against {stage.compared_with}\n")
                    emit_lines(diff_lines(stage.diff, paint))
        return
    stages = list(diff_stages(_progress(files), what))
    if as_json:
        document = {"schema": "msdump.graph-passes/1", "stages": [stage.to_json() for stage in stages]}
        emit_json(document, indent=1)
    else:
        emit_lines(stage_lines(stages, everything, paint))
    ctx.exit(2 if all(stage.error for stage in stages) else 0)


def _find(files: Sequence[StageFile], text: str, as_json: bool) -> None:
    sightings = list(find_in_stages(_progress(files), Query.parse(text)))
    if as_json:
        rows = [
            {"file": s.file, "graph": s.graph, "before": s.before, "after": s.after, "nodes": list(s.nodes)}
            for s in sightings
        ]
        emit_json({"schema": "msdump.graph-find/1", "query": text, "stages": rows}, indent=1)
    else:
        emit_lines(sighting_lines(text, sightings))


def _two(ctx: click.Context, a: Sequence[StageFile], b: Sequence[StageFile], what: object, as_json: bool) -> None:
    assert isinstance(what, Ignore)
    parting, same = find_parting(a, b, what)
    if as_json:
        document: dict[str, object] = {"schema": "msdump.graph-parting/1", "same": parting is None, "agree": list(same)}
        if parting is not None:
            document["first"] = {"a": parting.a, "b": parting.b, "diff": parting.diff.to_json()}
            document["only_a"], document["only_b"] = list(parting.only_a), list(parting.only_b)
        emit_json(document, indent=1)
    else:
        emit_lines(parting_lines(parting, same))
        if parting is not None:
            emit_lines(["", *diff_lines(parting.diff)])
    if parting is None and not same:
        raise UnknownFormatError("the two folders have no stage in common", BytePlace(a[0].name if a else "", 0))
    ctx.exit(0 if parting is None else 1)


def stage_files(folder: str) -> list[StageFile]:
    """The stages in a folder and the folders below it, in the order they were written."""
    root = Path(folder)
    if not root.is_dir():
        raise UnknownFormatError("is not a folder of compile stages", BytePlace(folder, WHOLE))
    paths: dict[str, Path] = {}
    for path in sorted(_below(root)):
        name = path.name
        graph = name.endswith(".ir") or name.startswith("trace_code_graph_") or re.fullmatch(r"hwopt_\w+_\d+", name)
        if graph and not _NOT_STAGES.match(name) and "actor_set" not in path.parts:
            paths.setdefault(name, path)
    if not paths:
        raise UnknownFormatError(
            "holds no compile stages (.ir)", BytePlace(folder, WHOLE), "set save_graphs to write them"
        )
    return [StageFile(name, _fingerprint(paths[name]), _loader(paths[name])) for name in in_write_order(paths)]


def _below(root: Path) -> Iterator[Path]:
    """Files below a folder, pipes and such left out; of several ranks only the first one."""
    for here, folders, names in os.walk(root):
        ranks = sorted(name for name in folders if re.fullmatch(r"rank_?\d+", name))
        folders[:] = sorted(name for name in folders if name not in ranks[1:])
        for path in (Path(here) / name for name in names):
            if not is_special(path):
                yield path


def _fingerprint(path: Path) -> str:
    try:
        return hashlib.sha256(_NOISE.sub(b"", path.read_bytes())).hexdigest()
    except OSError:
        return ""


def _loader(path: Path) -> Callable[[], Graph]:
    def load() -> Graph:
        try:
            return read_graph(path)
        except OSError as error:
            raise MsdumpError(f"{error.strerror or error}") from error

    return load


def _until(files: list[StageFile], until: str | None) -> list[StageFile]:
    return files if until is None else files[: _named(files, until) + 1]


def _named(files: Sequence[StageFile], name: str) -> int:
    """A stage by its file name, its label, its number or a part of its name."""
    for fits in (
        lambda f: f.name == name or f.name == os.path.basename(name),
        lambda f: stage_label(f.name) == name,
        lambda f: stage_number(f.name) is not None and stage_number(f.name) == integer(name),
        lambda f: name in f.name,
    ):
        for position, file in enumerate(files):
            if fits(file):
                return position
    raise click.BadParameter(f"no stage is called {name!r}")


def _progress(files: Iterable[StageFile]) -> list[StageFile]:
    """The same files; a bar on standard error follows their reading."""
    listed = list(files)
    bar = Bar("reading stages", len(listed))

    def watched(number: int, file: StageFile) -> StageFile:
        def load() -> Graph:
            bar.at(number)
            return file.load()

        return StageFile(file.name, file.fingerprint, load)

    click.get_current_context().call_on_close(lambda: bar.__exit__())
    return [watched(number, file) for number, file in enumerate(listed, 1)]

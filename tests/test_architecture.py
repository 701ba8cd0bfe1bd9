"""Who may import whom: the rooms of ARCHITECTURE.md, held by reading every import."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "msdump"
# Room → rooms it may import, beside itself and the ground floor.
GROUND = {"errors", "source", "dtype", "facts", "version", "ms_text", "collector", "json_text", "pipes", "tensor_stats"}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "source": set(),
    "dtype": set(),
    "facts": set(),
    "version": set(),
    "ms_text": set(),
    "collector": set(),
    "json_text": set(),
    "pipes": set(),
    "tensor": set(),
    "records": {"tensor"},
    "json_values": {"records"},
    "tensor_stats": set(),
    "graph": {"tensor"},
    "formats": {"tensor", "records", "json_values", "graph", "_proto"},
    "io": {"tensor", "records", "graph", "formats"},
    "conversion": {"tensor", "records", "json_values", "graph", "formats", "io"},
    "diff": {"tensor", "records", "graph"},
    "render": {"tensor", "records", "json_values", "graph", "diff"},
    "runtime": {"tensor", "records", "graph"},
}


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imports(path: Path) -> set[str]:
    """The rooms a module imports at run time; what stands under TYPE_CHECKING is for readers only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "msdump":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("msdump.")}
    return found


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if "_proto" not in p.parts)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_what_lies_below_it(path: Path) -> None:
    here = room(path)
    if here in ALLOWED:
        assert imports(path) - {here} <= ALLOWED[here] | GROUND


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_command_line_imports_click_and_rich(path: Path) -> None:
    if room(path) == "cli":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert not {n.split(".")[0] for n in names} & {"click", "rich"}


def test_no_file_is_long() -> None:
    written = [*MODULES, *(p for folder in ("tests", "benchmarks", "proto") for p in (ROOT / folder).rglob("*.py"))]
    lengths = {str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in written}
    assert len(lengths) > len(MODULES)
    assert {name: length for name, length in lengths.items() if length > 500} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_format_imports_no_other_format(path: Path) -> None:
    if room(path) != "formats":
        return
    own = path.relative_to(PACKAGE / "formats").with_suffix("").parts[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    others = {
        n.module.split(".")[2]
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom) and n.module and n.module.startswith("msdump.formats.")
    }
    assert others - {own} <= {
        *("format", "framing", "atomic", "mapped", "elements", "packed", "window"),
        *("checksum", "print_meta", "print_encode", "pasted"),
    }

"""Who may import whom: the rooms of ARCHITECTURE.md, held by reading every import.

Imports count wherever they stand: at the top, inside functions, and by name in a string, since a table
of modules to import later is an import too. What stands under `if TYPE_CHECKING:` is for readers only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "msdump"
GROUND = {
    *("errors", "source", "dtype", "capability", "version", "ms_text", "collector", "json_text", "numerals", "pipes"),
    "tensor_stats",
}
"""What every room may import."""
MODEL = {"tensor", "records", "graph"}
FORMATS = {*MODEL, "json_values", "formats"}
ALL = {*FORMATS, "io", "dumps", "conversion", "diff", "render", "runtime"}
ALLOWED: dict[str, set[str]] = {
    **{room: set() for room in (*GROUND, "tensor")},
    "records": {"tensor"},
    "json_values": {"records"},
    "graph": {"tensor"},
    "formats": {*FORMATS, "_proto"},
    "io": FORMATS,
    "dumps": {*FORMATS, "io", "diff", "runtime"},
    "conversion": {*FORMATS, "io"},
    "diff": MODEL,
    "render": {*MODEL, "json_values", "diff"},
    "runtime": MODEL,
    # front doors, where rooms are wired together
    "__init__": {
        *ALL,
        "explanation",
        "context",
        "ops",
        "nn",
        "common",
        "communication",
        "testing",
        "pytest_plugin",
        "cli",
        "__main__",
    },
    "context": ALL,
    "communication": ALL,
    "ops": ALL,
    "nn": {*ALL, "context"},
    "common": {"runtime"},
    "testing": ALL,
    "pytest_plugin": {"testing"},
    "explanation": {*FORMATS, "io", "runtime"},
    "cli": {*ALL, "__init__", "context", "ops", "nn", "explanation"},
    "__main__": {"cli"},
}
"""Room → rooms it may import, beside itself and the ground."""
SHARED = {
    *("format", "framing", "atomic", "mapped", "elements", "packed", "window"),
    *("brackets", "checksum", "pasted", "signatures", "print_meta", "print_encode"),
}
"""Modules of `formats` that are no format, but the ground that formats share."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py")) if "_proto" not in path.parts}
NAMES = [name for name in MODULES if name != "msdump"]


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, but for the bodies of `if TYPE_CHECKING:`."""
    yield node
    if isinstance(node, ast.Compare) or _signs(node):
        return  # a module named here is compared with, or signed as, and not imported
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        inside: list[ast.AST] = list(node.orelse)
    else:
        inside = list(ast.iter_child_nodes(node))
    for inner in inside:
        yield from at_run_time(inner)


def _signs(node: ast.AST) -> bool:
    return isinstance(node, ast.Dict) and any(
        isinstance(k, ast.Constant) and k.value == "__module__" for k in node.keys
    )


def target(name: str) -> str:
    """The module of ours that a dotted name lies in, or "" when it is another's."""
    while name and name not in MODULES and not name.startswith("msdump._proto"):
        name = name.rpartition(".")[0]
    return name


def absolute(node: ast.ImportFrom, module: str) -> str:
    """The module that `from … import` names, its dots resolved."""
    if not node.level:
        return node.module or ""
    is_package = MODULES[module].name == "__init__.py"
    parts = module.split(".")[: None if is_package and node.level == 1 else -node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of ours that a module imports, now or later."""
    found: set[str] = set()
    for node in at_run_time(tree_of(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{absolute(node, module)}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES:
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            # f"msdump.formats.{name}": any module of that folder
            folder = str(node.values[0].value)
            found |= {name for name in NAMES if folder.startswith("msdump.") and _begins(name, folder)}
    return frozenset({target(name) for name in found} - {"", module})


def _begins(name: str, beginning: str) -> bool:
    return name.startswith(beginning) and "." not in name[len(beginning) :]


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def test_every_room_has_its_place_in_the_table() -> None:
    assert {room(module) for module in MODULES} == set(ALLOWED)


@pytest.mark.parametrize("module", MODULES)
def test_a_room_imports_only_what_lies_below_it(module: str) -> None:
    here = room(module)
    assert {room(other) for other in imports(module)} - {here} <= ALLOWED[here] | GROUND


@pytest.mark.parametrize("module", NAMES)
def test_a_format_imports_no_other_format(module: str) -> None:
    parts = module.split(".")
    if parts[1] == "formats" and len(parts) > 2:
        others = {other.split(".")[2] for other in imports(module) if other.startswith("msdump.formats.")}
        assert others - {parts[2]} <= SHARED


@pytest.mark.parametrize("module", NAMES)
def test_only_the_command_line_imports_click_and_rich(module: str) -> None:
    names = {n.module or "" for n in ast.walk(tree_of(module)) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(tree_of(module)) if isinstance(n, ast.Import) for a in n.names}
    assert room(module) == "cli" or not {n.split(".")[0] for n in names} & {"click", "rich"}


@pytest.mark.parametrize("module", MODULES)
def test_code_in_strings_imports_nothing(module: str) -> None:
    called = {n.func.id for n in ast.walk(tree_of(module)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    assert not called & {"exec", "eval", "__import__"}


def test_no_module_imports_one_that_imports_it() -> None:
    assert set(rings()) == set()


def rings() -> Iterator[frozenset[str]]:
    """The sets of modules that import one another through any chain."""
    reach = {module: reached(module) for module in MODULES}
    seen: set[str] = set()
    for module in MODULES:
        ring = frozenset(other for other in reach[module] if module in reach[other])
        if ring and module not in seen:
            seen |= ring
            yield ring


def reached(module: str) -> set[str]:
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for other in imports(waiting.pop()):
            if other not in found and other in MODULES:
                found.add(other)
                waiting.append(other)
    return found


STATE = {"Lock", "RLock", "WeakKeyDictionary", "WeakSet", "WeakValueDictionary", "count", "local"}
"""What is made to be changed; an empty dict, list or set is, too."""
IDENTITIES = {
    "msdump.runtime.ops.registry.OPERATORS",
    "msdump.runtime.initializer._BY_NAME",
    "msdump.runtime.parameter._count",
}
"""What is no state of a run: operators and initializers, registered while they are imported, and a counter
that gives each Parameter another name.
"""


@pytest.mark.parametrize("module", [name for name in NAMES if room(name) in ("runtime", "context", "nn", "ops")])
def test_what_the_runtime_knows_lies_in_its_session_and_in_no_module(module: str) -> None:
    tree = tree_of(module)
    assert not [node.names for node in ast.walk(tree) if isinstance(node, ast.Global)]
    kept = [
        f"{module}.{ast.unparse(target)}"
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _changes(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    assert set(kept) <= IDENTITIES


def _changes(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).rpartition(".")[2] in STATE or (
            not value.args and ast.unparse(value.func) in ("dict", "list", "set")
        )
    return (isinstance(value, ast.Dict) and not value.keys) or (isinstance(value, ast.List) and not value.elts)


def test_no_file_is_long() -> None:
    written = [*MODULES.values(), *(p for d in ("tests", "benchmarks", "proto") for p in (ROOT / d).rglob("*.py"))]
    lengths = {str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in written}
    assert len(lengths) > len(MODULES)
    assert {name: length for name, length in lengths.items() if length > 500} == {}

"""One module a file format; a format never imports another format.

A module has a `FORMAT` (or `FORMATS`) and its heavy imports inside functions, so that listing all
formats costs nothing. `all_formats()` imports the modules named here.
"""

from __future__ import annotations

import functools
from importlib import import_module

from msdump.formats.format import Format, Kind

MODULES: tuple[str, ...] = (
    "print_pb",
    "print_streams",
    "print_arrays",
    "print_parquet",
    "print_screen",
    "mindir",
    "anf_pb",
    "ir",
    "graph_json",
    "ir_report",
    "dat",
    "dot",
    "graphml",
    "mermaid",
    "graphviz",
    "onnx",
    "dump",
)
"""Names of the modules of this package that hold formats, in the order they are asked."""
WITHOUT_GRAPHS = frozenset(("print_pb", "print_streams", "print_arrays", "print_parquet", "print_screen", "dump"))
"""Those that hold no format of a graph: reading a graph need not import them (nor numpy with them)."""


@functools.cache
def all_formats() -> tuple[Format, ...]:
    """Every format, in the order of MODULES."""
    found: list[Format] = []
    for name in MODULES:
        module = import_module(f"msdump.formats.{name}")
        found.extend(module.FORMATS)
    return tuple(found)


@functools.cache
def formats_of(kind: Kind) -> tuple[Format, ...]:
    """The formats of one kind, in the order of MODULES."""
    if kind != "graph":
        return tuple(found for found in all_formats() if found.kind == kind)
    modules = (import_module(f"msdump.formats.{name}") for name in MODULES if name not in WITHOUT_GRAPHS)
    return tuple(found for module in modules for found in module.FORMATS if found.kind == kind)


__all__ = ["MODULES", "Format", "Kind", "all_formats", "formats_of"]

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
    "print_log",
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


@functools.cache
def all_formats() -> tuple[Format, ...]:
    """Every format, in the order of MODULES."""
    found: list[Format] = []
    for name in MODULES:
        module = import_module(f"msdump.formats.{name}")
        found.extend(module.FORMATS)
    return tuple(found)


__all__ = ["MODULES", "Format", "Kind", "all_formats"]

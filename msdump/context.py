"""`context` as MindSpore has it: `from msdump import context`, then `context.set_context(…)`.

Modes, devices, saving of graphs, printing to a file, dumps, profiling; see
`msdump.runtime.settings.TABLE` for every key, its type, range, default and what it does here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msdump.formats.print_writer import open_print_writer
from msdump.runtime.context import (
    GRAPH_MODE,
    PYNATIVE_MODE,
    ContextError,
    ParallelMode,
    get_auto_parallel_context,
    get_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
    set_context,
)
from msdump.runtime.profiler import provide_profile_writer
from msdump.runtime.sink import provide_graph_writer, provide_print_sink

if TYPE_CHECKING:
    from msdump.graph import Graph
    from msdump.records import Profile


def _write_graph(graph: Graph, path: str, kind: str, dialect: str) -> None:
    if kind == "dot":
        from msdump.formats import dot

        dot.write(graph, path, force=True)
    else:
        from msdump.formats import ir

        ir.write(graph, path, dialect=dialect, force=True)


def _write_profile(profile: Profile, folder: str, tables: tuple[str, ...]) -> None:
    from msdump.formats.profile import write_profile

    write_profile(profile, folder, tables=tables)


def connect() -> None:
    """Have what the runtime makes written by this package's formats; done when the module is imported."""
    provide_print_sink(open_print_writer)
    provide_graph_writer(_write_graph)
    provide_profile_writer(_write_profile)


connect()

__all__ = [
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "ContextError",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "reset_auto_parallel_context",
    "set_auto_parallel_context",
    "set_context",
]

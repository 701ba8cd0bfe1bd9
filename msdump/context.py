"""`context` as MindSpore has it: `from msdump import context`, then `context.set_context(…)`.

Modes, devices, saving of graphs, printing to a file, dumps, profiling; see
`msdump.runtime.settings.TABLE` for every key, its type, range, default and what it does here.
"""

from __future__ import annotations

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
from msdump.runtime.sink import provide_print_sink

provide_print_sink(open_print_writer)

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

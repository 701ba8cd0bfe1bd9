"""What a call of a cell or a primitive does now: run, be compiled, be watched.

The context tells of each change here, so that a call itself asks for nothing but its hook: with
nothing to watch, in PYNATIVE_MODE, there is none.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

from msdump.graph import CNode, FuncGraph, Graph
from msdump.runtime import cell as cells
from msdump.runtime import dumping, primitive, profiler
from msdump.runtime.cell import Cell
from msdump.runtime.context import GRAPH_MODE, get_context, profiling_options, watch_context
from msdump.runtime.dump_settings import DumpSettings
from msdump.runtime.dumping import Dumping
from msdump.runtime.parallel_context import rank
from msdump.runtime.primitive import Primitive


class _Nesting(threading.local):
    """Where this thread is: the scopes of the cells around, and how often each operator ran in them."""

    def __init__(self) -> None:
        self.scopes: list[str] = []
        self.marked: list[bool] = []
        self.counts: dict[str, int] = {}


_nesting = _Nesting()
_dumping: Dumping | None = None
_profiled = ""


def _call(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The hook of cells: compiled in GRAPH_MODE, else run, with what it does watched."""
    from msdump.runtime.tracing.recorder import is_recording

    if is_recording():
        from msdump.runtime.tracing.cells import record_cell

        return record_cell(cell, args, kwargs)
    outermost = not _nesting.scopes
    if not outermost:
        return _inside(cell, args, kwargs)
    _nesting.counts = {}
    began = profiler.active.begin_iteration() if profiler.active is not None else 0
    try:
        if get_context("mode") == GRAPH_MODE:
            from msdump.runtime.tracing.compile import call_cell

            return call_cell(cell, args, kwargs, _observe if _watching() else None)
        cell.generate_scope()
        if _dumping is not None:
            _dumping.begin(None)
        return _inside(cell, args, kwargs)
    finally:
        if _dumping is not None:
            _dumping.end()
        if profiler.active is not None:
            profiler.active.end_iteration(type(cell).__name__, began)


def _inside(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    _nesting.scopes.append(cell.get_scope() or "Default")
    _nesting.marked.append(dumping.is_marked(cell) or bool(_nesting.marked and _nesting.marked[-1]))
    try:
        return cell.run(args, kwargs)
    finally:
        _nesting.scopes.pop()
        _nesting.marked.pop()


def _watching() -> bool:
    return _dumping is not None or profiler.active is not None


class _Observer:
    """Told of a compiled graph's run and of each of its operators."""

    marked: frozenset[str] = frozenset()

    def begin(self, graph: Graph, cell: Cell) -> None:
        if _dumping is not None:
            _dumping.begin(graph)
            self.marked = dumping.marked_scopes(cell)
        self.graph = graph

    def __call__(self, func: FuncGraph, node: CNode, inputs: Sequence[Any], output: Any, begin: int, end: int) -> None:
        if profiler.active is not None and node.op not in dumping.GLUE:
            profiler.active.operator(node.op, node.fullname, begin, end)
        if _dumping is not None:
            _dumping.node(self.graph, node, inputs, output, self.marked)


_observe = _Observer()


def _watched(called: Primitive, arguments: tuple[Any, ...]) -> Any:
    """The hook of primitives while something watches."""
    begin = perf_counter_ns()
    output = called.run(arguments)
    end = perf_counter_ns()
    scope = _nesting.scopes[-1] if _nesting.scopes else "Default"
    number = _nesting.counts.get(called.name, 0)
    _nesting.counts[called.name] = number + 1
    full_name = f"{scope}/{called.name}-op{number}"
    if profiler.active is not None:
        profiler.active.operator(called.name, full_name, begin, end)
    if _dumping is not None:
        if not _nesting.scopes:
            _dumping.begin(None)
        marked = bool(_nesting.marked and _nesting.marked[-1])
        _dumping.primitive(called.name, full_name, arguments, output, marked)
    return output


def apply_context() -> None:
    """Put the hooks in place that the context asks for."""
    _apply_profiling()
    _apply_dumping(dumping.settings_now())
    graph_mode = get_context("mode") == GRAPH_MODE
    cells.set_call_hook(_call if graph_mode or _watching() else None)
    primitive.set_call_hook(_watched if _watching() else None)


def _apply_profiling() -> None:
    global _profiled
    wanted = get_context("profiling_options") if get_context("enable_profiling") else ""
    if wanted == _profiled:
        return
    _profiled = wanted
    if wanted:
        profiler.start(profiling_options(), rank()[0])
    else:
        profiler.stop()


def _apply_dumping(settings: DumpSettings | None) -> None:
    global _dumping
    if (None if _dumping is None else _dumping.settings) == settings:
        return
    if _dumping is not None:
        _dumping.end()
    _dumping = None if settings is None else Dumping(settings)


def _end() -> None:
    profiler.stop()
    if _dumping is not None:
        _dumping.end()


def follow_context() -> None:
    """Keep the hooks as the context asks from now on."""
    watch_context(apply_context)
    apply_context()
    atexit.register(_end)

"""What a call of a cell or a primitive does now: run, be compiled, be watched.

The Session sends calls here when the mode is GRAPH_MODE, or a dump or a profile is on; with nothing to
watch, in PYNATIVE_MODE, a call itself asks for nothing but that.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

from msdump.graph import CNode, FuncGraph, Graph
from msdump.runtime import dumping, profiler
from msdump.runtime.cell import Cell
from msdump.runtime.context import GRAPH_MODE, get_context, profiling_options
from msdump.runtime.dump_settings import DumpSettings
from msdump.runtime.dumping import Dumping, DumpRun
from msdump.runtime.primitive import Primitive
from msdump.runtime.profiler import Profiler
from msdump.runtime.session import Session, Thread, current
from msdump.runtime.tracing.cells import record_cell
from msdump.runtime.tracing.compiled import call_cell


def _call(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a cell: compiled in GRAPH_MODE, else run, with what it does watched."""
    session = current()
    thread = session.thread
    if thread.recorder is not None:
        return record_cell(cell, args, kwargs)
    if thread.scopes:
        return _inside(thread, cell, args, kwargs)
    thread.counts = {}
    watching, dump = session.profiler, session.dumping
    began = watching.begin_iteration() if watching is not None else 0
    try:
        if get_context("mode") == GRAPH_MODE:
            return call_cell(cell, args, kwargs, Observer(watching, dump) if watching or dump else None)
        cell.generate_scope()
        thread.dump = None if dump is None else dump.begin(None)
        return _inside(thread, cell, args, kwargs)
    finally:
        thread.dump = None
        if dump is not None:
            dump.end()
        if watching is not None:
            watching.end_iteration(type(cell).__name__, began)


def _inside(thread: Thread, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thread.scopes.append(cell.get_scope() or "Default")
    thread.marked.append(dumping.is_marked(cell) or bool(thread.marked and thread.marked[-1]))
    try:
        return cell.run(args, kwargs)
    finally:
        thread.scopes.pop()
        thread.marked.pop()


class Observer:
    """Told of one run of a compiled graph, and of each of its operators."""

    def __init__(self, watching: Profiler | None, dump: Dumping | None) -> None:
        self._watching, self._dump = watching, dump
        self._run: DumpRun | None = None

    def begin(self, graph: Graph, cell: Cell) -> None:
        """The graph is about to run."""
        self._run = None if self._dump is None else self._dump.begin(graph, cell)

    def __call__(self, func: FuncGraph, node: CNode, inputs: Sequence[Any], output: Any, begin: int, end: int) -> None:
        """An operator has run; times in nanoseconds."""
        if self._watching is not None and node.op not in dumping.GLUE:
            self._watching.operator(node.op, node.fullname, begin, end)
        if self._run is not None:
            self._run.node(node, inputs, output)


def _watched(called: Primitive, arguments: tuple[Any, ...]) -> Any:
    """A call of a primitive while something watches."""
    session = current()
    thread = session.thread
    begin = perf_counter_ns()
    output = called.run(arguments)
    end = perf_counter_ns()
    number = thread.counts.get(called.name, 0)
    thread.counts[called.name] = number + 1
    full_name = f"{thread.scopes[-1] if thread.scopes else 'Default'}/{called.name}-op{number}"
    if session.profiler is not None:
        session.profiler.operator(called.name, full_name, begin, end)
    if session.dumping is not None:
        run = thread.dump or session.dumping.begin(None)
        marked = bool(thread.marked and thread.marked[-1])
        run.dumping.write(run, called.name, full_name, arguments, output, marked)
    return output


def apply_context() -> None:
    """Put in place what the context asks for."""
    session = current()
    _apply_profiling(session)
    _apply_dumping(session, dumping.settings_now())
    watching = session.dumping is not None or session.profiler is not None
    on_cell = _call if watching or get_context("mode") == GRAPH_MODE else None
    session.watch(on_cell, _watched if watching else None)


def _apply_profiling(session: Session) -> None:
    wanted = profiling_options() if get_context("enable_profiling") else None
    on = session.profiler
    if wanted is None:
        profiler.stop()
    elif on is None or on.asked != wanted:
        profiler.start(wanted)


def _apply_dumping(session: Session, settings: DumpSettings | None) -> None:
    on = session.dumping
    if (None if on is None else on.settings) == settings:
        return
    if on is not None:
        on.end()
    session.dumping = None if settings is None else Dumping(settings)


def follow_context() -> None:
    """Keep to what the context asks from now on."""
    Session.followers.append(apply_context)
    apply_context()

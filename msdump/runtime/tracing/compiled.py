"""Networks that are compiled: kept for each signature of their inputs, and run as graphs."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from msdump.collector import collector_paused
from msdump.graph import CNode, FuncGraph, Graph
from msdump.runtime.cell import Cell
from msdump.runtime.context import get_context
from msdump.runtime.session import current
from msdump.runtime.tracing.compile import Compiled, compile_cell
from msdump.runtime.tracing.signature import is_input, signature, states
from msdump.runtime.tracing.structure import flatten


class GraphObserver(Protocol):
    """Told of a run: first of the graph, then of each operator, as the executor's Observer."""

    def begin(self, graph: Graph, cell: Cell) -> None:
        """A graph is about to run."""

    def __call__(self, func: FuncGraph, node: CNode, inputs: Sequence[Any], output: Any, begin: int, end: int) -> None:
        """An operator has run; times in nanoseconds."""


@dataclass(slots=True, eq=False)
class Network:
    """What a network was compiled to.

    Attributes:
        compiled: by signature.
        lock: held while it is compiled; other networks may be compiled meanwhile, by other threads.
    """

    compiled: dict[Any, Compiled] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    _states: tuple[Any, ...] = ()
    _seen: int = -1

    def states(self, cell: Cell) -> tuple[Any, ...]:
        """The attributes that its construct may decide by, looked up anew when any cell has changed."""
        if self._seen != Cell.changes:
            self._seen, self._states = Cell.changes, states(cell)
        return self._states


def call_cell(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any], observer: GraphObserver | None = None) -> Any:
    """Call a network in GRAPH_MODE: compiled when its inputs' signature is new, then run."""
    # by the names construct has for them; what is variable stays a tuple or dict
    bound = dict(inspect.signature(cell.construct).bind(*args, **kwargs).arguments)
    leaves, _, form = flatten(bound)
    session = current()
    with session.lock:
        network = session.networks.setdefault(cell, Network())
    with network.lock:
        key = (form, signature(leaves), network.states(cell), get_context("max_call_depth"))
        compiled = network.compiled.get(key)
        if compiled is None:
            with _Room(), collector_paused():  # nodes have no cycles to look for
                compiled = network.compiled[key] = compile_cell(cell, bound)
            session.frozen_by.add(cell)
    if get_context("precompile_only"):
        return None
    if observer is not None:
        observer.begin(compiled.graph, cell)
    return compiled.run([leaf for leaf in leaves if is_input(leaf)], observer)


class _Room:
    """Lets calls nest as max_call_depth says, as far as Python's stack bears it, while one is inside.

    The limit is the interpreter's own: whoever comes first raises it, and the last one puts it back.
    """

    FRAMES: ClassVar[int] = 8
    """Frames of Python's that one call of the user's takes while it is recorded, at most."""
    DEEPEST: ClassVar[int] = 12_000
    _lock: ClassVar[threading.Lock] = threading.Lock()
    _inside: ClassVar[int] = 0
    _before: ClassVar[int] = 0

    def __enter__(self) -> None:
        with _Room._lock:
            now = sys.getrecursionlimit()
            if not _Room._inside:
                _Room._before = now
            _Room._inside += 1
            wanted = _Room._before + self.FRAMES * get_context("max_call_depth")
            sys.setrecursionlimit(max(now, min(self.DEEPEST, wanted)))

    def __exit__(self, *_: object) -> None:
        with _Room._lock:
            _Room._inside -= 1
            if not _Room._inside:
                sys.setrecursionlimit(_Room._before)

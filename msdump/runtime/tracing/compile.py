"""GRAPH_MODE: a network compiled once for each signature of its inputs, then run as a Graph."""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any, Protocol

import numpy as np

from msdump.collector import collector_paused
from msdump.dtype import DType
from msdump.errors import MsdumpError, TraceError
from msdump.graph import CNode, FuncGraph, Graph
from msdump.runtime import cell as cells
from msdump.runtime import profiler
from msdump.runtime.cell import Cell
from msdump.runtime.context import get_context, note_compiled
from msdump.runtime.executor import Executor
from msdump.runtime.ops.registry import TensorSpec
from msdump.runtime.parallel import check_parallel_mode, share_parameters, with_parallel_mode
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive, wrap
from msdump.runtime.saving import GraphSaver
from msdump.runtime.stages import iter_stages
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing import flow
from msdump.runtime.tracing.calls import call
from msdump.runtime.tracing.constants import abstract_of
from msdump.runtime.tracing.graph_builder import depth_error
from msdump.runtime.tracing.places import failure_place, is_own
from msdump.runtime.tracing.recorder import Recorder
from msdump.runtime.tracing.results import pack
from msdump.runtime.tracing.structure import Rebuild, flatten
from msdump.runtime.tracing.traced import Traced
from msdump.source import TextPlace

_lock = threading.RLock()


@dataclass(slots=True)
class Compiled:
    """A network made ready for one signature.

    Attributes:
        graph: what runs.
        executor: runs it.
        weights: the network's parameters by name.
        outputs: the leaves of what construct returned; None stands for a tensor of the graph's output.
    """

    graph: Graph
    executor: Executor
    weights: dict[str, Parameter]
    outputs: list[Any]
    rebuild: Rebuild

    def run(self, inputs: Sequence[Tensor]) -> Any:
        """Run on tensors; gives what construct returns."""
        weights = {name: parameter.init_data()._data for name, parameter in self.weights.items()}
        values = [value.init_data()._data for value in inputs]
        result = self.executor.run(values, weights)
        tensors = sum(leaf is None for leaf in self.outputs)
        found = iter([result] if tensors <= 1 else result)
        return self.rebuild(iter([wrap(next(found)) if leaf is None else leaf.value for leaf in self.outputs]))


@dataclass(frozen=True, slots=True)
class _Static:
    """A leaf of construct's result that is no tensor."""

    value: Any


_compiled: weakref.WeakKeyDictionary[Cell, dict[Any, Compiled]] = weakref.WeakKeyDictionary()


class GraphObserver(Protocol):
    """Told of a run: first of the graph, then of each operator, as the executor's Observer."""

    def begin(self, graph: Graph, cell: Cell) -> None:
        """A graph is about to run."""

    def __call__(self, func: FuncGraph, node: CNode, inputs: Sequence[Any], output: Any, begin: int, end: int) -> None:
        """An operator has run; times in nanoseconds."""


def call_cell(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any], observer: GraphObserver | None = None) -> Any:
    """Call a network in GRAPH_MODE: compiled when its inputs' signature is new, then run."""
    bound = _bind(cell, args, kwargs)
    leaves, _, form = flatten(bound)
    key = (form, tuple(map(_signature, leaves)), _states(cell), get_context("max_call_depth"))
    with _lock:
        known = _compiled.setdefault(cell, {})
        compiled = known.get(key)
        if compiled is None:
            with _room_to_compile():
                compiled = known[key] = compile_cell(cell, bound)
            note_compiled(cell)
    if get_context("precompile_only"):
        return None
    compiled.executor.observer = observer
    if observer is not None:
        observer.begin(compiled.graph, cell)
    return compiled.run([leaf for leaf in leaves if _is_input(leaf)])


def _bind(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names construct has for them; what is variable stays a tuple or dict."""
    bound = inspect.signature(cell.construct).bind(*args, **kwargs)
    return dict(bound.arguments)


def _is_input(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and not isinstance(leaf, Parameter)


def _signature(leaf: Any) -> Any:
    if _is_input(leaf):
        return leaf.shape, leaf._data.dtype
    return _state(leaf)


class _Same:
    """An object in a key: equal to itself alone, as long as it lives.

    An id alone would not do: another object may get it. Tensors and primitives, which a graph takes its
    constants from, are held; cells and functions are not, since they may hold the network.
    """

    __slots__ = ("_id", "_of")

    def __init__(self, value: Any) -> None:
        self._id = id(value)
        self._of: Callable[[], Any] = lambda: value
        if not isinstance(value, (Tensor, Primitive)):
            with suppress(TypeError):
                self._of = weakref.ref(value)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._id == other._id and self._of() is other._of() is not None


_DEEPEST_VALUE = 20
"""Lists in lists that are looked into; deeper ones, such as a list in itself, count by identity."""


def _state(value: Any, depth: int = 0) -> Any:
    """What tells two values apart that construct may decide by."""
    if isinstance(value, (*_PLAIN, DType)):
        return type(value), value
    if depth < _DEEPEST_VALUE:
        if type(value) in (tuple, list):
            return type(value), tuple(_state(v, depth + 1) for v in value)
        if type(value) is dict:
            return dict, tuple((_state(k, depth + 1), _state(v, depth + 1)) for k, v in value.items())
    if isinstance(value, np.ndarray) and value.dtype != object:
        return np.ndarray, value.shape, value.dtype, value.tobytes()
    return _Same(value)


_seen: weakref.WeakKeyDictionary[Cell, tuple[int, Any]] = weakref.WeakKeyDictionary()
_PLAIN = (bool, int, float, str, type(None))


def _states(cell: Cell) -> Any:
    """What construct may decide by: the attributes of a network and of the cells in it."""
    known = _seen.get(cell)
    if known is not None and known[0] == cells.changes:
        return known[1]
    made = tuple(
        (key, _state(value))
        for _, inner in cell.cells_and_names()
        for key, value in (*inner.__dict__.items(), *inner._params.items(), *inner._cells.items())
        if key not in _UNSEEN
    )
    _seen[cell] = cells.changes, made
    return made


_UNSEEN = frozenset(("_scope", "requires_grad"))


def compile_cell(cell: Cell, arguments: dict[str, Any]) -> Compiled:
    """Record a network on arguments' shapes and types, and take it through the stages.

    Args:
        cell: the network.
        arguments: by the names of construct's parameters; tensors in them become the graph's inputs.

    Raises:
        TraceError: at the user's line, for what cannot be compiled; analyze_fail.ir is left then.
    """
    began = perf_counter_ns()
    cell.generate_scope()
    saver = GraphSaver.from_context()
    name = f"{type(cell).__module__.replace('.', '_')}_{type(cell).__name__}_construct"
    recorder = Recorder(name, flow, get_context("max_call_depth"))
    try:
        outputs, rebuild, graph = _record(recorder, cell, arguments)
        graph = with_parallel_mode(graph)
        for stage in iter_stages(graph):
            saver.save(stage)
            check_parallel_mode()
            graph = stage.graph
    except Exception as error:
        told = _told(error, recorder)
        if told is None:
            raise
        recorder.stop_at(told.where if isinstance(told.where, TextPlace) else None)
        saver.save_failure(recorder.open_graph(), told)
        raise told from error
    share_parameters(recorder.weights.values())
    if profiler.active is not None:
        profiler.active.compiled(type(cell).__name__, began)
    executor = Executor(graph, max_call_depth=get_context("max_call_depth"))
    return Compiled(graph, executor, dict(recorder.weights), outputs, rebuild)


def _told(error: Exception, recorder: Recorder) -> TraceError | None:
    """What the user is told: at the line it came from. None: the error is the user's own."""
    if isinstance(error, TraceError) and error.where is not None:
        return error
    place = failure_place(error, recorder.codes)
    if isinstance(error, RecursionError):
        return depth_error(get_context("max_call_depth"), place)
    if isinstance(error, MsdumpError):
        return TraceError(error.what, place, error.hint)
    return TraceError(str(error) or type(error).__name__, place) if is_own(error) else None


def _record(recorder: Recorder, cell: Cell, arguments: dict[str, Any]) -> tuple[list[Any], Rebuild, Graph]:
    entry = recorder.entry
    inner: dict[str, Any] = {}
    for name, value in arguments.items():
        leaves, rebuild_argument, _ = flatten(value)
        made = [_input(recorder, name, leaf) if _is_input(leaf) else leaf for leaf in leaves]
        inner[name] = rebuild_argument(iter(made))
    positional, named = _as_called(cell, inner)
    if cell._cast_to is not None:
        positional = [cell._cast(value) for value in positional]
    with recorder.recording(), np.errstate(all="ignore"):
        value = call(cell.construct, *positional, **named)
        leaves, rebuild, _ = flatten(value)
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        output, abstract, _ = pack(recorder, tensors or [Tensor(True)])
        recorder.finish(entry, output, abstract)
    outputs = [None if isinstance(leaf, Tensor) else _Static(leaf) for leaf in leaves]
    return outputs, rebuild, recorder.graph()


_FRAMES = 8
"""Frames of Python's that one call of the user's takes while it is recorded, at most."""
_DEEPEST = 12_000


@contextmanager
def _room_to_compile() -> Iterator[None]:
    """While it lasts, Python lets calls nest as max_call_depth says, as far as its stack bears it, and
    does not look for cycles, which nodes have none of.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, min(_DEEPEST, before + _FRAMES * get_context("max_call_depth"))))
    try:
        with collector_paused():
            yield
    finally:
        sys.setrecursionlimit(before)


def _input(recorder: Recorder, name: str, leaf: Tensor) -> Traced:
    spec = TensorSpec(leaf.shape, leaf._data.dtype)
    entry = recorder.entry
    return Traced.of(spec, entry, entry.add_parameter(name, abstract_of(spec)))


def _as_called(cell: Cell, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in inspect.signature(cell.construct).parameters.items():
        if name not in arguments:
            continue
        value = arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            positional.append(value)
    return positional, named

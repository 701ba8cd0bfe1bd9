"""A network recorded on the shapes and types of its arguments, and taken through the stages to what runs."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np

from msdump.errors import MsdumpError, TraceError
from msdump.graph import Graph
from msdump.runtime.cell import Cell
from msdump.runtime.context import get_context
from msdump.runtime.executor import Executor, Observer
from msdump.runtime.ops.registry import TensorSpec
from msdump.runtime.parallel import check_parallel_mode, share_parameters, with_parallel_mode
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import wrap
from msdump.runtime.saving import GraphSaver
from msdump.runtime.session import current
from msdump.runtime.stages import iter_stages
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing import flow
from msdump.runtime.tracing.calls import call
from msdump.runtime.tracing.constants import abstract_of
from msdump.runtime.tracing.graph_builder import depth_error
from msdump.runtime.tracing.places import failure_place, is_own
from msdump.runtime.tracing.recorder import Recorder
from msdump.runtime.tracing.results import pack
from msdump.runtime.tracing.signature import is_input
from msdump.runtime.tracing.structure import Rebuild, flatten
from msdump.runtime.tracing.traced import Traced
from msdump.source import TextPlace


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

    def run(self, inputs: Sequence[Tensor], observer: Observer | None = None) -> Any:
        """Run on tensors; gives what construct returns. `observer` is told of this run."""
        weights = {name: parameter.init_data()._data for name, parameter in self.weights.items()}
        values = [value.init_data()._data for value in inputs]
        result = self.executor.run(values, weights, observer)
        tensors = sum(leaf is None for leaf in self.outputs)
        found = iter([result] if tensors <= 1 else result)
        return self.rebuild(iter([wrap(next(found)) if leaf is None else leaf.value for leaf in self.outputs]))


@dataclass(frozen=True, slots=True)
class _Static:
    """A leaf of construct's result that is no tensor."""

    value: Any


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
    profiler = current().profiler
    if profiler is not None:
        profiler.compiled(type(cell).__name__, began)
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
        made = [_input(recorder, name, leaf) if is_input(leaf) else leaf for leaf in leaves]
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

"""The parallel mode of a network that is compiled: noted in its graph, done for data_parallel, else refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from msdump.errors import TraceError
from msdump.graph import Attrs, Graph
from msdump.graph.value import Str
from msdump.runtime import communication
from msdump.runtime.context import ParallelMode, get_auto_parallel_context
from msdump.runtime.parallel_context import rank
from msdump.runtime.parameter import Parameter

_DONE = (ParallelMode.STAND_ALONE, ParallelMode.DATA_PARALLEL)
_NOTED = ("parallel_mode", "auto_parallel_search_mode", "pipeline_stages", "full_batch", "gradients_mean")


def with_parallel_mode(graph: Graph) -> Graph:
    """The graph with the auto-parallel context in its attributes, unless it stands alone."""
    if get_auto_parallel_context("parallel_mode") == ParallelMode.STAND_ALONE:
        return graph
    here, processes = rank()
    told = {name: str(get_auto_parallel_context(name)) for name in _NOTED}
    told |= {"device_num": str(processes), "global_rank": str(here)}
    return replace(graph, attrs=Attrs({**graph.attrs, **{name: Str(value) for name, value in told.items()}}))


def check_parallel_mode() -> None:
    """TraceError for a mode in which operators themselves are shared between processes."""
    mode = get_auto_parallel_context("parallel_mode")
    if mode not in _DONE:
        raise TraceError(
            f"parallel_mode {mode} is noted in the graph, and cannot be compiled on the host",
            hint="set parallel_mode to data_parallel or stand_alone, and exchange tensors with ops.AllReduce",
        )


def share_parameters(parameters: Iterable[Parameter]) -> None:
    """In data_parallel with parameter_broadcast: the parameters of rank 0, on all processes."""
    if get_auto_parallel_context("parallel_mode") == ParallelMode.DATA_PARALLEL and get_auto_parallel_context(
        "parameter_broadcast"
    ):
        for parameter in parameters:
            parameter._data = communication.broadcast(parameter.init_data()._data, 0, "parameter_broadcast")

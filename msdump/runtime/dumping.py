"""Dumping data: which tensors of a run go into the dump, as the settings say."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msdump.graph import CALL, CALL_VAR, CNode, Graph, TensorType, ValueNode
from msdump.graph.value import TensorValue
from msdump.runtime.cell import Cell
from msdump.runtime.context import get_context
from msdump.runtime.dump_settings import DumpSettings, read_dump_settings
from msdump.runtime.executor.values import to_python
from msdump.runtime.parallel_context import rank
from msdump.runtime.session import current
from msdump.runtime.sink import DumpSink
from msdump.runtime.spelling import in_words_of
from msdump.runtime.tensor import Tensor

Array = np.ndarray[Any, Any]
ENVIRONMENT = "MINDSPORE_DUMP_CONFIG"
"""Environment variable that names the dump configuration."""

GLUE = frozenset(
    (
        *("Depend", "Load", "MakeTuple", "MakeList", "Partial", "Return", "Switch", "SwitchLayer", "TupleGetItem"),
        *("ListGetItem", "UpdateState", "make_tuple", "make_list", "switch", "tuple_getitem", "depend", CALL, CALL_VAR),
    )
)
"""What no device runs as a kernel, so no dump has it."""


def set_dump(target: Cell, enabled: bool = True) -> None:
    """Mark a cell, and all inside it, for `dump_mode` 2; or take the mark away.

    TypeError when the target is no Cell, or `enabled` no bool.
    """
    if not isinstance(target, Cell):
        raise TypeError(f"set_dump takes a Cell, but got {type(target).__name__}")
    if not isinstance(enabled, bool):
        raise TypeError(f"'enabled' should be of type bool, but got {enabled!r} of type {type(enabled).__name__}")
    for _, cell in target.cells_and_names():
        cell.__dict__["_dumped"] = enabled


def settings_now() -> DumpSettings | None:
    """What the configuration file or enable_dump ask for at this moment; None is no dump.

    ParseError names a bad key of the file.
    """
    file = os.environ.get(ENVIRONMENT)
    if file:
        return read_dump_settings(file)
    if get_context("enable_dump"):
        return DumpSettings(os.path.abspath(get_context("save_dump_path")))
    return None


class Dumping:
    """A dump that is on: counts iterations and graphs, and chooses what is written."""

    def __init__(self, settings: DumpSettings) -> None:
        self.settings = settings
        self._sink: DumpSink | None = None
        self._opened = False
        devices = settings.devices
        self._wanted_here = devices is None or get_context("device_id") in devices
        self._graphs: dict[int, int] = {}
        self._kept: list[Graph] = []
        self._iteration = -1
        self._lock = threading.RLock()

    def begin(self, graph: Graph | None, cell: Cell | None = None) -> DumpRun:
        """A network runs once more; `graph` is what runs, None operator by operator."""
        with self._lock:
            if not self._opened:  # not before: the rank may still be set
                self._opened = True
                writers = current().writers
                if writers is not None:
                    self._sink = writers.dump(self.settings, rank()[0], get_context("device_target"))
            self._iteration += 1
            # Operators that run one by one are a graph of their own, beside those that are compiled.
            key = 0 if graph is None else id(graph)
            if key not in self._graphs:
                self._graphs[key] = len(self._graphs)
                if graph is not None:
                    self._kept.append(graph)  # an id is only good while its object lives
                    self._describe(graph)
            scopes = frozenset() if graph is None or cell is None else marked_scopes(cell)
            return DumpRun(self, self._graphs[key], self._iteration, scopes)

    def _describe(self, graph: Graph) -> None:
        """What a graph is, beside its tensors: its text and its constants."""
        writers, sink = current().writers, self._sink
        if writers is None or sink is None or not self._wanted_here:
            return
        number = self._graphs[id(graph)]
        folder = os.path.join(sink.rank_folder, "graphs")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"ms_output_trace_code_graph_{number}.ir")
        dialect = get_context("save_graphs_dialect")
        writers.graph(in_words_of(graph, dialect), path, "ir", dialect)
        for index, value in enumerate(_constants(graph)):
            sink.constant(number, index, value)

    def end(self) -> None:
        """A network has returned, or the dump is over: what stands beside the tensors is written."""
        with self._lock:
            if self._sink is not None:
                self._sink.close()

    def write(self, run: DumpRun, op: str, full_name: str, inputs: Sequence[Any], output: Any, marked: bool) -> None:
        """An operator has run."""
        settings, sink = self.settings, self._sink
        if sink is None or not self._wanted_here or not settings.wants_iteration(run.iteration):
            return
        with self._lock:
            sink.ran(run.graph, run.iteration, full_name)
            if not settings.wants_operator(op, full_name, marked):
                return
            outputs = _tensors(output if isinstance(output, (tuple, list)) else (output,))
            if settings.overflow_only and not any(_overflows(array) for _, array in outputs):
                return
            taken = _tensors(inputs) if "input" in settings.io else ()
            given = outputs if "output" in settings.io else ()
            sink.operator(run.graph, run.iteration, op, full_name, taken, given)


@dataclass(frozen=True, slots=True)
class DumpRun:
    """One run of a network, as a dump numbers it: what its operators give goes there, and nothing else.

    Attributes:
        graph: number of the graph, or of what runs operator by operator.
        iteration: number of the run.
        scopes: of the network's marked cells.
    """

    dumping: Dumping
    graph: int
    iteration: int
    scopes: frozenset[str] = frozenset()

    def node(self, node: CNode, inputs: Sequence[Any], output: Any) -> None:
        """An operator of the graph has run."""
        if node.op not in GLUE:
            marked = any(node.scope == s or node.scope.startswith(f"{s}/") for s in self.scopes)
            full_name = node.fullname or f"{node.scope}/{node.op}-{node.name}"
            self.dumping.write(self, node.op, full_name, inputs, output, marked)


def marked_scopes(cell: Cell) -> frozenset[str]:
    """The scopes of a network's marked cells."""
    return frozenset(inner.get_scope() or "Default" for _, inner in cell.cells_and_names() if is_marked(inner))


def is_marked(cell: Cell) -> bool:
    """Whether set_dump marked a cell."""
    return bool(cell.__dict__.get("_dumped"))


def _tensors(values: Sequence[Any]) -> list[tuple[int, Array]]:
    """(slot, tensor) of the tensors among values, those in tuples counted through."""
    leaves = [v.init_data()._data if isinstance(v, Tensor) else v for v in _leaves(values)]
    return [(slot, value) for slot, value in enumerate(leaves) if isinstance(value, np.ndarray)]


def _leaves(values: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found.extend(_leaves(value) if isinstance(value, (tuple, list)) else [value])
    return found


def _overflows(array: Array) -> bool:
    if array.dtype.kind in "biuSU":
        return False
    return not bool(np.isfinite(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)).all())


def _constants(graph: Graph) -> list[Array]:
    return [
        to_python(operand.value)
        for _, node in graph.iter_nodes()
        for operand in node.inputs
        if isinstance(operand, ValueNode)
        and isinstance(operand.value, TensorValue)
        and isinstance(operand.abstract, TensorType)
    ]

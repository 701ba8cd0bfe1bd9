"""Dumping data: which tensors of a run go into the dump, as the settings say."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from msdump.graph import CALL, CALL_VAR, CNode, Graph, TensorType, ValueNode
from msdump.graph.value import TensorValue
from msdump.runtime.context import get_context
from msdump.runtime.dump_settings import DumpSettings, read_dump_settings
from msdump.runtime.executor.values import to_python
from msdump.runtime.parallel_context import rank
from msdump.runtime.sink import DumpSink, open_dump_sink, write_graph
from msdump.runtime.spelling import in_words_of
from msdump.runtime.tensor import Tensor

if TYPE_CHECKING:
    from msdump.runtime.cell import Cell

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


# By id, since a user's cell need not be hashable; gone with the cell, whose id another may get.
_marked: weakref.WeakValueDictionary[int, Cell] = weakref.WeakValueDictionary()


def set_dump(target: Cell, enabled: bool = True) -> None:
    """Mark a cell, and all inside it, for `dump_mode` 2; or take the mark away.

    TypeError when the target is no Cell, or `enabled` no bool.
    """
    from msdump.runtime.cell import Cell

    if not isinstance(target, Cell):
        raise TypeError(f"set_dump takes a Cell, but got {type(target).__name__}")
    if not isinstance(enabled, bool):
        raise TypeError(f"'enabled' should be of type bool, but got {enabled!r} of type {type(enabled).__name__}")
    for _, cell in target.cells_and_names():
        if enabled:
            _marked[id(cell)] = cell
        else:
            _marked.pop(id(cell), None)


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
    """The dump of this process: counts iterations and graphs, and chooses what is written."""

    def __init__(self, settings: DumpSettings) -> None:
        self.settings = settings
        self._sink: DumpSink | None = None
        self._opened = False
        devices = settings.devices
        self._wanted_here = devices is None or get_context("device_id") in devices
        self._graphs: dict[int, int] = {}
        self._kept: list[Graph] = []
        self.iteration = -1

    def begin(self, graph: Graph | None) -> None:
        """A network runs once more; `graph` is what runs, None operator by operator."""
        if not self._opened:  # not before: the rank may still be set
            self._opened = True
            self._sink = open_dump_sink(self.settings, rank()[0], get_context("device_target"))
        self.iteration += 1
        if graph is not None and id(graph) not in self._graphs:
            self._graphs[id(graph)] = len(self._graphs)
            self._kept.append(graph)  # an id is only good while its object lives
            if self._sink is not None and self._wanted_here:
                self._describe(graph, self._sink)

    def _describe(self, graph: Graph, sink: DumpSink) -> None:
        """What a graph is, beside its tensors: its text and its constants."""
        number = self._graphs[id(graph)]
        folder = os.path.join(sink.rank_folder, "graphs")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"ms_output_trace_code_graph_{number}.ir")
        dialect = get_context("save_graphs_dialect")
        write_graph(in_words_of(graph, dialect), path, "ir", dialect)
        for index, value in enumerate(_constants(graph)):
            sink.constant(number, index, value)

    def end(self) -> None:
        """The network has returned."""
        if self._sink is not None:
            self._sink.close()

    def node(self, graph: Graph, node: CNode, inputs: Sequence[Any], output: Any, scopes: Iterable[str]) -> None:
        """An operator of a graph has run; `scopes` are those that are marked in its network."""
        if node.op not in GLUE:
            marked = any(node.scope == s or node.scope.startswith(f"{s}/") for s in scopes)
            full_name = node.fullname or f"{node.scope}/{node.op}-{node.name}"
            self._operator(self._graphs.get(id(graph), 0), node.op, full_name, inputs, output, marked)

    def primitive(self, op: str, full_name: str, inputs: Sequence[Any], output: Any, marked: bool) -> None:
        """An operator has run by itself."""
        self._operator(0, op, full_name, inputs, output, marked)

    def _operator(self, graph: int, op: str, full_name: str, inputs: Sequence[Any], output: Any, marked: bool) -> None:
        settings, sink = self.settings, self._sink
        if sink is None or not self._wanted_here or not settings.wants_iteration(self.iteration):
            return
        sink.ran(graph, self.iteration, full_name)
        if not settings.wants_operator(op, full_name, marked):
            return
        outputs = _tensors(output if isinstance(output, (tuple, list)) else (output,))
        if settings.overflow_only and not any(_overflows(array) for _, array in outputs):
            return
        sink.operator(
            graph,
            self.iteration,
            op,
            full_name,
            _tensors(inputs) if "input" in settings.io else (),
            outputs if "output" in settings.io else (),
        )


def marked_scopes(cell: Cell) -> frozenset[str]:
    """The scopes of a network's marked cells."""
    if not _marked:
        return frozenset()
    return frozenset(inner.get_scope() or "Default" for _, inner in cell.cells_and_names() if is_marked(inner))


def is_marked(cell: Cell) -> bool:
    """Whether set_dump marked a cell."""
    return _marked.get(id(cell)) is cell


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

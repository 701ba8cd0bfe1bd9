"""`--dump DIR`: what every operator took and gave, in the layout of MindSpore's own dumps."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from msdump.dtype import by_numpy
from msdump.errors import WriteError
from msdump.formats.dump.names import DumpName, mangle, npy_name
from msdump.formats.dump.npy import write_npy
from msdump.graph import CALL, CALL_VAR, CNode, FuncGraph, Graph
from msdump.version import VERSION

_GLUE = frozenset(
    {
        "Depend", "Load", "MakeTuple", "MakeList", "Partial", "Switch", "SwitchLayer", "TupleGetItem", "ListGetItem",
        "UpdateState", "make_tuple", "make_list", "switch", "tuple_getitem", "depend", CALL, CALL_VAR,
    }
)  # fmt: skip
"""What no device runs as a kernel, so no dump has it."""


class NodeDump:
    """The observer of an Executor that writes a dump directory; `close` writes what stands beside.

    Args:
        root: the directory; made if missing, must be empty.
        graph: the graph that will run, for full names.
    """

    def __init__(self, root: str, graph: Graph) -> None:
        if os.path.isdir(root) and os.listdir(root):
            raise WriteError(f"{root}: is not empty", hint="give the name of a new directory")
        self._rank = os.path.join(root, "rank_0")
        self._folder = os.path.join(self._rank, "Net", "0", "0")
        for folder in (self._folder, *(os.path.join(self._rank, n) for n in (".dump_metadata", "execution_order"))):
            os.makedirs(folder, exist_ok=True)
        self._names = full_names(graph)
        self._ran: list[str] = []
        self._stamp = 0

    def __call__(self, func: FuncGraph, node: CNode, inputs: Sequence[Any], output: Any, begin: int, end: int) -> None:
        """Write one operator's inputs and outputs."""
        if node.op in _GLUE:
            return
        name = self._names[func.name, node.name]
        self._ran.append(name)
        for io, values in (("input", inputs), ("output", output if isinstance(output, tuple | list) else (output,))):
            for slot, array in enumerate(_arrays(values)):
                self._write(node.op, name, io, slot, array)

    def parameters(self, values: Mapping[str, Any]) -> None:
        """Write the values the entry's parameters have."""
        for name, value in values.items():
            for slot, array in enumerate(_arrays((value,))):
                self._write("Parameter", name, "output", slot, array)

    def _write(self, op: str, name: str, io: str, slot: int, array: np.ndarray[Any, Any]) -> None:
        # Files of one operator run again are told apart by their microsecond.
        self._stamp = max(self._stamp + 1, time.time_ns() // 1000)
        dtype = by_numpy(array.dtype)
        made = DumpName("npy", op, mangle(name), io, slot, 0, 0, self._stamp, dtype=dtype.name if dtype else "")
        write_npy(array, os.path.join(self._folder, npy_name(made)))

    def close(self) -> None:
        """Write execution order and metadata."""
        order = os.path.join(self._rank, "execution_order")
        lines = ["NodeExecutionOrder-FullNameWithScope", *dict.fromkeys(self._ran)]
        _text(os.path.join(order, "ms_execution_order_graph_0.csv"), "\n".join(lines) + "\n")
        _text(os.path.join(order, "ms_global_execution_order_graph_0.csv"), "0\n")
        config = json.dumps({"device_target": "CPU", "ms_version": f"msdump {VERSION}"})
        _text(os.path.join(self._rank, ".dump_metadata", "config.json"), config)


def _text(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def _arrays(values: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """The tensors among values, those in tuples included, in order."""
    found: list[np.ndarray[Any, Any]] = []
    for value in values:
        if isinstance(value, np.ndarray):
            found.append(value)
        elif isinstance(value, tuple | list):
            found.extend(_arrays(value))
    return found


def full_names(graph: Graph) -> dict[tuple[str, str], str]:
    """(FuncGraph, node) → full name with scope: the file's, else one made of scope, operator and a number."""
    names: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}
    taken = {node.fullname for _, node in graph.iter_nodes()}
    for func, node in graph.iter_nodes():
        name = node.fullname
        while not name or (node.fullname == "" and name in taken):
            number = counts.get(node.op, 0)
            counts[node.op] = number + 1
            name = f"{node.scope or 'Default'}/{node.op}-op{number}"
        names[func.name, node.name] = name
    return names

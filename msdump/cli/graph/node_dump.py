"""`--dump DIR`: what every operator took and gave, in the layout of MindSpore's own dumps."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from msdump.errors import WriteError
from msdump.formats.dump.writing import DumpWriter
from msdump.graph import CNode, FuncGraph, Graph
from msdump.runtime.dumping import GLUE
from msdump.version import VERSION


class NodeDump:
    """The observer of an Executor that writes a dump directory; `close` writes what stands beside.

    Args:
        root: the directory; made if missing, must be empty.
        graph: the graph that will run, for full names.
    """

    def __init__(self, root: str, graph: Graph) -> None:
        if os.path.isdir(root) and os.listdir(root):
            raise WriteError(f"{root}: is not empty", hint="give the name of a new directory")
        self._writer = DumpWriter(root, config={"device_target": "CPU", "ms_version": f"msdump {VERSION}"})
        self._names = full_names(graph)

    def __call__(self, func: FuncGraph, node: CNode, inputs: Sequence[Any], output: Any, begin: int, end: int) -> None:
        """Write one operator's inputs and outputs."""
        if node.op in GLUE:
            return
        outputs = output if isinstance(output, tuple | list) else (output,)
        slots = (list(enumerate(_arrays(values))) for values in (inputs, outputs))
        self._writer.operator(0, 0, node.op, self._names[func.name, node.name], *slots)

    def parameters(self, values: Mapping[str, Any]) -> None:
        """Write the values the entry's parameters have."""
        for name, value in values.items():
            for array in _arrays((value,)):
                self._writer.parameter(0, 0, name, array)

    def close(self) -> None:
        """Write execution order and metadata."""
        self._writer.close()


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

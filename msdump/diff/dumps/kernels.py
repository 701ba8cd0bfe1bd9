"""Which node of a graph a dumped operator is, told by its name and by what its tensors look like.

Its full name tells where it is known; else (the number behind `-op` in a file name may be another than
the graph's, see formats/dump/resolve) it is the one node of its name whose inputs and outputs have the
dumped types and sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from msdump.diff.dumps.launches import Launched
from msdump.diff.dumps.operators import OperatorIndex
from msdump.dtype import by_name
from msdump.errors import MsdumpError
from msdump.graph import Abstract, CNode, NodeRef, RefType, SequenceType, TensorType, ValueNode
from msdump.graph.names import scope_label
from msdump.records import DumpRecord, mangle, op_number


class Kernels:
    """Nodes for the operators of one run of one graph: `node(op_name)`, None where it is ambiguous."""

    def __init__(self, tensors: Iterable[Launched], places: OperatorIndex, graph_id: str) -> None:
        self._places = places
        seen: dict[tuple[str, str], list[DumpRecord]] = {}
        for launched in tensors:
            if launched.occurrence == 0:
                r = launched.record
                seen.setdefault((r.op_type, r.op_name), []).append(r)
        self._nodes: dict[tuple[str, str], CNode] = {}
        groups: dict[frozenset[int], list[tuple[tuple[str, str], list[CNode]]]] = {}
        for key, records in seen.items():
            full = records[0].scope_name
            exact = places.node(full, "", graph_id) if full else None
            if exact is not None and self._fits(exact, records):
                self._nodes[key] = exact
                continue
            fitting = [n for n in places.alike(full or key[1], graph_id) if self._fits(n, records)]
            if fitting:
                groups.setdefault(frozenset(id(n) for n in fitting), []).append((key, fitting))
        for members in groups.values():
            nodes = members[0][1]
            by_number = {op_number(n.fullname): n for n in nodes}
            for key, _ in members:
                # Releases before 2.1 leave the scope out, and number operators once in a program.
                scoped = mangle(scope_label(nodes[0].fullname)) == mangle(scope_label(key[1]))
                if len(nodes) == len(members) == 1:
                    self._nodes[key] = nodes[0]
                elif not scoped and op_number(key[1]) in by_number:
                    self._nodes[key] = by_number[op_number(key[1])]

    def node(self, op_type: str, op_name: str) -> CNode | None:
        """The node of an operator."""
        return self._nodes.get((op_type, op_name))

    def _fits(self, node: CNode, records: list[DumpRecord]) -> bool:
        for r in records:
            if r.tensor is None:
                continue
            expected = self.abstract(node, r.io, r.slot)
            if expected is None:
                continue
            try:
                dtype, shape = r.tensor.dtype, r.tensor.shape
            except MsdumpError:
                continue
            known = by_name(expected.dtype)
            if known is not None and known.name != dtype.name:
                return False
            size = _size(expected)
            if size is not None and size != math.prod(shape):
                return False
        return True

    def abstract(self, node: CNode, io: str, slot: int) -> TensorType | None:
        """The type of an input or output of a node; None when the graph does not tell."""
        if io == "output":
            return _tensor(node.abstract, slot)
        if slot >= len(node.inputs):
            return None
        operand = node.inputs[slot]
        if isinstance(operand, ValueNode):
            return _tensor(operand.abstract, 0)
        if isinstance(operand, NodeRef):
            made = self._places.operand(node, operand)
            return _tensor(made.abstract, 0) if made is not None else None
        return None


def _tensor(abstract: Abstract, slot: int) -> TensorType | None:
    if isinstance(abstract, SequenceType):
        elements = abstract.elements or ()
        return _tensor(elements[slot], 0) if slot < len(elements) else None
    if isinstance(abstract, RefType):
        return abstract.tensor if slot == 0 else None
    return abstract if isinstance(abstract, TensorType) and slot == 0 else None


def _size(tensor: TensorType) -> int | None:
    if tensor.shape is None or any(d < 0 for d in tensor.shape):
        return None
    return math.prod(tensor.shape)

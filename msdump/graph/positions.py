"""What equality of graphs goes by: nodes named by position, and no fact told twice.

No file has the names of nodes: a reader makes them up ("%0", "%1", …), and so does whoever adds
nodes. The type of a Return is the one of its operand: no text file has another place for it. Input
and output are the FuncGraphs of one graph, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from msdump.graph.abstract import NULL_TYPE
from msdump.graph.node import RETURN, CNode, NodeRef, Operand

if TYPE_CHECKING:
    from msdump.graph.graph import FuncGraph


def by_position(funcs: Mapping[str, FuncGraph]) -> dict[str, FuncGraph]:
    """The FuncGraphs with node i of each named "%i", every reference following its node, and no type
    at a Return.

    Parameters keep their names, which a file does have. A reference that nothing defines stays, and
    so does one to a FuncGraph that is not among these.
    """
    named = _Positions(funcs)
    return {key: named.func(func) for key, func in funcs.items()}


class _Positions:
    def __init__(self, funcs: Mapping[str, FuncGraph]) -> None:
        self._funcs = funcs
        self._names: dict[str, dict[str, str]] = {}
        for func in funcs.values():
            names = self._names[func.name] = {p.name: p.name for p in func.parameters}
            for position, node in enumerate(func.nodes):
                names.setdefault(node.name, f"%{position}")

    def func(self, func: FuncGraph) -> FuncGraph:
        own = self._names[func.name]
        nodes = tuple(self._node(func.name, f"%{i}", node) for i, node in enumerate(func.nodes))
        order = None if func.order is None else tuple(own.get(name, name) for name in func.order)
        return replace(func, nodes=nodes, order=order)

    def _node(self, func: str, name: str, node: CNode) -> CNode:
        return replace(
            node,
            name=name,
            abstract=NULL_TYPE if node.op == RETURN else node.abstract,
            inputs=tuple(self._operand(func, operand) for operand in node.inputs),
            callee=None if node.callee is None else self._operand(func, node.callee),
            targets=tuple(self._operand(func, operand) for operand in node.targets),
        )

    def _operand(self, func: str, operand: Operand) -> Operand:
        if not isinstance(operand, NodeRef) or operand.graph == "":
            return operand
        if operand.graph is not None:
            name = self._names.get(operand.graph, {}).get(operand.name, operand.name)
            return replace(operand, name=name, graph=None if operand.graph == func else operand.graph)
        owner: str | None = func
        seen: set[str] = set()
        while owner in self._names and owner not in seen:
            if operand.name in self._names[owner]:
                found = None if owner == func else owner
                return replace(operand, name=self._names[owner][operand.name], graph=found)
            seen.add(owner)
            owner = self._funcs[owner].parent if owner in self._funcs else None
        return operand

"""Scope and source line of dumped operators, from a graph that holds them."""

from __future__ import annotations

from collections.abc import Iterable

from msdump.diff.dumps.result import Spot
from msdump.graph import CNode, FuncGraph, Graph, NodeRef, Parameter
from msdump.graph.find import own_line
from msdump.graph.names import file_label, scope_label
from msdump.records import mangle


class OperatorIndex:
    """Finds operators of dumps in graphs.

    Args:
        graphs: each with the graph id of the dump it belongs to, "" for any.

    Attributes:
        names: full names of the graphs' operators, in the order of the graphs.
    """

    def __init__(self, graphs: Iterable[tuple[str, Graph]]) -> None:
        self.names: list[str] = []
        self._ids: set[str] = set()
        self._alike: dict[tuple[str, str], list[CNode]] = {}
        self._owners: dict[int, FuncGraph] = {}
        for graph_id, graph in graphs:
            self._ids.add(graph_id)
            for func, node in graph.iter_nodes():
                self._owners[id(node)] = func
                if node.fullname:
                    self.names.append(node.fullname)
                    label = scope_label(node.fullname)
                    # Releases before 2.1 leave the scope out of file names.
                    for key in dict.fromkeys((mangle(label), mangle(label.rpartition("/")[2]))):
                        self._alike.setdefault((graph_id, key), []).append(node)

    def alike(self, op_name: str, graph_id: str) -> list[CNode]:
        """The nodes called like an operator of a dump, but for the number behind `-op`."""
        where = [graph_id] if graph_id in self._ids else sorted(self._ids)
        found = [n for g in where for n in self._alike.get((g, mangle(scope_label(op_name))), ())]
        scoped = [n for n in found if mangle(scope_label(n.fullname)) == mangle(scope_label(op_name))]
        return scoped or found

    def node(self, full: str, op_name: str, graph_id: str = "") -> CNode | None:
        """The node of an operator, by its full name or its name in file names; None when it is not
        there, or when it is ambiguous."""
        candidates = self.alike(full or op_name, graph_id)
        for name in dict.fromkeys(n for n in (full, op_name) if n):
            exact = [n for n in candidates if name in (n.fullname, mangle(n.fullname), n.fullname.rpartition("/")[2])]
            if len(exact) == 1:
                return exact[0]
        return None

    def operand(self, user: CNode, operand: NodeRef) -> CNode | Parameter | None:
        """What makes an operand in the same FuncGraph; None when it is a free variable."""
        func = self._owners.get(id(user))
        if func is None or operand.graph is not None:
            return None
        makers: list[CNode | Parameter] = [*func.parameters, *func.nodes]
        return next((item for item in makers if item.name == operand.name), None)

    def spot(self, full: str, op_name: str, graph_id: str = "") -> Spot | None:
        """Where an operator comes from; None when no graph tells."""
        node = self.node(full, op_name, graph_id) if full else None
        if node is not None:
            return spot_of(node)
        # Numbers may differ between a dump and a graph; one line for all of a kind is an answer.
        alike = [spot_of(n) for n in self.alike(full or op_name, graph_id)]
        if len({(s.source, s.code) for s in alike}) == 1:
            return Spot(full or (alike[0].full_name if len(alike) == 1 else ""), alike[0].source, alike[0].code)
        return None


def spot_of(node: CNode) -> Spot:
    """Full name, source and code of a node."""
    line = own_line(node)
    if line is None:
        return Spot(node.fullname)
    where = f"{file_label(line.file)}:{line.line}" if line.line else file_label(line.file)
    return Spot(node.fullname, where, _code(line.code))


def _code(text: str) -> str:
    # 2.x marks lines that several nodes share; that is no part of the user's line.
    return text.partition("/<~~")[0].strip()

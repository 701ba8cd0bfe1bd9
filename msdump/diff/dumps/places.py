"""Scope and source line of dumped operators, from a graph that holds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msdump.diff.dumps.renames import plain
from msdump.diff.graphs import own_line
from msdump.graph import CNode, FuncGraph, Graph, NodeRef
from msdump.graph.names import file_label, scope_label


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an operator comes from: full name with scope, "net.py:41", and that line's text."""

    full_name: str
    source: str = ""
    code: str = ""


class Places:
    """Finds operators of dumps in graphs.

    Attributes:
        names: full names of the graphs' operators, in the order of the graphs.
    """

    def __init__(self, graphs: Iterable[Graph]) -> None:
        self.names: list[str] = []
        self._nodes: dict[str, list[CNode]] = {}
        self._alike: dict[str, list[CNode]] = {}
        self._owners: dict[int, FuncGraph] = {}
        for graph in graphs:
            for func, node in graph.iter_nodes():
                self._owners[id(node)] = func
                full = full_name(node)
                if full:
                    self.names.append(full)
                    self._nodes.setdefault(plain(full), []).append(node)
                    self._alike.setdefault(plain(scope_label(full)), []).append(node)

    def node(self, full: str, op_name: str) -> CNode | None:
        """The node of an operator, by its full name or its name in file names; None when it is not
        there, or when it is ambiguous."""
        for name in dict.fromkeys(n for n in (full, op_name) if n):
            exact = [n for n in self._nodes.get(plain(name), ()) if name == op_name or full_name(n) == name]
            if len(exact) == 1:
                return exact[0]
        return None

    def operand(self, user: CNode, operand: NodeRef) -> CNode | None:
        """The node of the same FuncGraph that makes an operand; None for parameters and others."""
        func = self._owners.get(id(user))
        if func is None or operand.graph is not None:
            return None
        return next((n for n in func.nodes if n.name == operand.name), None)

    def spot(self, full: str, op_name: str) -> Spot | None:
        """Where an operator comes from; None when no graph tells."""
        node = self.node(full, op_name)
        if node is not None:
            return _spot(node)
        # Numbers differ between the stages of a compilation; one line for all of a kind is an answer.
        alike = [_spot(n) for n in self._alike.get(plain(scope_label(full or op_name)), ())]
        lines = {(s.source, s.code) for s in alike}
        if len(lines) == 1:
            return Spot(full, alike[0].source, alike[0].code)
        return None


def full_name(node: CNode) -> str:
    """The full name with scope; "" when the graph has none for the node."""
    return node.fullname


def _spot(node: CNode) -> Spot:
    line = own_line(node)
    if line is None:
        return Spot(full_name(node))
    where = f"{file_label(line.file)}:{line.line}" if line.line else file_label(line.file)
    return Spot(full_name(node), where, line.code.strip())

"""Who makes what and who uses it: the edges of a graph, both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msdump.graph.node import CNode, NodeRef, Parameter
from msdump.graph.walk import called, operands, operands_within, postorder, preorder

if TYPE_CHECKING:
    from msdump.graph.graph import FuncGraph, Graph


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a node's output.

    Attributes:
        graph: name of the FuncGraph the user stands in.
        node: the using CNode.
        slot: index into its inputs, from 0; CALLEE (-1) when it is what the node calls.
    """

    graph: str
    node: CNode
    slot: int


class GraphIndex:
    """The edges of one Graph, made once in time and memory linear in its size.

    Nodes and parameters are told by (FuncGraph name, node name).
    """

    __slots__ = ("_producers", "_users", "graph")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._producers: dict[tuple[str, str], CNode | Parameter] = {}
        self._users: dict[tuple[str, str], list[Use]] | None = None
        for func in graph.funcs.values():
            for parameter in func.parameters:
                self._producers.setdefault((func.name, parameter.name), parameter)
            for node in func.nodes:
                self._producers.setdefault((func.name, node.name), node)

    def owner(self, func: str, ref: NodeRef) -> str | None:
        """The name of the FuncGraph that holds what `ref`, standing in `func`, refers to.

        That is the graph it names, else `func`, else its parents, else the entry graph (whose
        parameters every graph may use); None when it dangles.
        """
        if ref.graph is not None:
            return ref.graph if (ref.graph, ref.name) in self._producers else None
        seen: set[str] = set()
        at: str | None = func
        while at is not None and at not in seen:
            if (at, ref.name) in self._producers:
                return at
            seen.add(at)
            holder = self.graph.funcs.get(at)
            at = holder.parent if holder is not None else None
        return self.graph.entry if (self.graph.entry, ref.name) in self._producers else None

    def producer(self, func: str, ref: NodeRef) -> CNode | Parameter | None:
        """The node or parameter that `ref`, standing in FuncGraph `func`, refers to."""
        owner = self.owner(func, ref)
        return None if owner is None else self._producers[owner, ref.name]

    def users(self, func: str, name: str) -> tuple[Use, ...]:
        """Every use of the node or parameter `name` of FuncGraph `func`, in the order of the file."""
        if self._users is None:
            self._users = self._uses()
        return tuple(self._users.get((func, name), ()))

    def _uses(self) -> dict[tuple[str, str], list[Use]]:
        found: dict[tuple[str, str], list[Use]] = {}
        for func, node in self.graph.iter_nodes():
            for slot, operand in operands(node):
                if isinstance(operand, NodeRef) and (owner := self.owner(func.name, operand)) is not None:
                    found.setdefault((owner, operand.name), []).append(Use(func.name, node, slot))
        return found

    def order(self, func: str) -> tuple[CNode, ...]:
        """The CNodes of a FuncGraph, each after what it uses within that FuncGraph.

        Nodes the file lists in such an order keep it. A node on a cycle comes where the cycle is
        entered; `verify` reports it.
        """
        nodes = self.graph.funcs[func].nodes
        here = {node.name: node for node in reversed(nodes)}
        return tuple(here[name] for name in postorder((n.name for n in nodes), operands_within(func, here)))

    def callees(self, func: FuncGraph) -> tuple[str, ...]:
        """Names of the FuncGraphs a FuncGraph calls or passes on, in order, each once."""
        return tuple(dict.fromkeys(name for name in called(func.nodes) if name in self.graph.funcs))

    def reachable(self) -> set[str]:
        """Names of the FuncGraphs that can be reached from the entry graph."""
        funcs = self.graph.funcs
        return set(preorder((self.graph.entry,) if self.graph.entry in funcs else (), lambda n: self.callees(funcs[n])))

"""A graph made as small as it can be while it stays interesting, as llvm-reduce does it.

Each step tries a smaller graph and keeps it where it is still interesting: a subgraph alone, fewer
nodes (what the rest took of them becomes a parameter), a call inlined, a node passed over, facts
that mean nothing left out. Steps are tried until none helps any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from msdump.errors import GraphError
from msdump.graph.edit.extract import extract
from msdump.graph.edit.inline import inline
from msdump.graph.edit.single import delete
from msdump.graph.graph import Graph
from msdump.graph.node import CALL, RETURN, NodeRef
from msdump.graph.value import NO_ATTRS

Interesting = Callable[[Graph], bool]
Item = TypeVar("Item")
_BARE: dict[str, Any] = {
    "locations": (),
    "comments": (),
    "cnode_attrs": NO_ATTRS,
    "primal_attrs": NO_ATTRS,
    "other_attrs": (),
    "primitive_attrs": NO_ATTRS,
}
"""Fields of nodes that are left out where they do not matter, the least telling first."""


def reduce(graph: Graph, interesting: Interesting) -> Graph:
    """The smallest graph found that is still interesting.

    Args:
        graph: the graph to begin with.
        interesting: whether a graph still shows what is looked for. It is asked many times: some
            dozens for a graph of a hundred nodes.

    Raises:
        GraphError: the graph itself is not interesting.
    """
    if not interesting(graph):
        raise GraphError("the graph itself is not interesting: there is nothing to reduce")
    reduction = _Reduction(graph, interesting)
    while reduction.round():
        pass
    return reduction.graph


def _size(graph: Graph) -> tuple[int, int]:
    nodes = [node for _, node in graph.iter_nodes()]
    facts = sum(bool(getattr(node, field)) for node in nodes for field in _BARE)
    return len(nodes) + len(graph.funcs), facts


class _Reduction:
    """The smallest interesting graph so far."""

    def __init__(self, graph: Graph, interesting: Interesting) -> None:
        self.graph = graph
        self._interesting = interesting

    def round(self) -> bool:
        """Try every step once; whether the graph has become smaller."""
        before = _size(self.graph)
        for step in (self._alone, self._fewer_nodes, self._inline, self._pass_over, self._bare):
            step()
        return _size(self.graph) < before

    def _take(self, make: Callable[[], Graph]) -> bool:
        """Take another graph, when it can be made, is smaller and is interesting."""
        try:
            made = make()
        except GraphError:
            return False
        if _size(made) >= _size(self.graph) or not self._interesting(made):
            return False
        self.graph = made
        return True

    def _alone(self) -> None:
        """A subgraph, with what it calls, as the whole; the smallest first."""
        for func in sorted(self.graph.funcs.values(), key=lambda func: len(func.nodes)):
            if self._take(partial(extract, self.graph, [node.name for node in func.nodes], func.name)):
                return

    def _fewer_nodes(self) -> None:
        """Nodes of the entry left out in ever smaller runs; what used them takes parameters."""
        whole = self.graph
        _fewest([node.name for node in whole.root.nodes], lambda names: self._take(partial(extract, whole, names)))

    def _inline(self) -> None:
        for func, node in list(self.graph.iter_nodes()):
            if node.op == CALL:  # GraphError, and so no step, where an earlier one took it away
                self._take(partial(inline, self.graph, node.name, func.name))

    def _pass_over(self) -> None:
        """Nodes whose place an operand of the same type can take."""
        for func, node in list(self.graph.iter_nodes()):
            for operand in node.inputs if node.op != RETURN else ():
                if isinstance(operand, NodeRef):
                    producer = self.graph.index().producer(func.name, operand)
                    same = producer is not None and producer.abstract == node.abstract
                    if same and self._take(partial(delete, self.graph, node.name, func.name, by=operand)):
                        break

    def _bare(self) -> None:
        """Facts of nodes left out, a field at a time, in all nodes or in as many as can be."""
        for field in _BARE:
            self._bare_field(field)

    def _bare_field(self, field: str) -> None:
        whole = self.graph
        having = [(func.name, node.name) for func, node in whole.iter_nodes() if getattr(node, field)]
        _fewest(having, lambda kept: self._take(partial(_stripped, whole, field, kept)))


def _stripped(graph: Graph, field: str, kept: Sequence[tuple[str, str]]) -> Graph:
    keep, usual = set(kept), {field: _BARE[field]}
    funcs = {
        key: replace(func, nodes=tuple(n if (key, n.name) in keep else replace(n, **usual) for n in func.nodes))
        for key, func in graph.funcs.items()
    }
    return replace(graph, funcs=MappingProxyType(funcs))


def _fewest(items: Sequence[Item], holds: Callable[[Sequence[Item]], bool]) -> None:
    """Take runs of items out, halves first, single ones last, as long as it holds without them."""
    items = list(items)
    if not items or holds([]):
        return
    run = max(len(items) // 2, 1)
    while run:
        at = 0
        while at < len(items):
            fewer = [*items[:at], *items[at + run :]]
            if fewer and holds(fewer):
                items = fewer
            else:
                at += run
        run //= 2

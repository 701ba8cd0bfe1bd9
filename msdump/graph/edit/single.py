"""One edit of a graph by itself: the methods of a `Rewriter` as functions from Graph to Graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msdump.graph.edit.rewriter import Rewriter
from msdump.graph.graph import Graph
from msdump.graph.index import Use
from msdump.graph.node import CNode, Operand


def change(graph: Graph, name: str, func: str = "", /, **fields: Any) -> Graph:
    """The graph with other fields in a node; see `Rewriter.change`."""
    return _edited(graph, lambda rewriter: rewriter.change(name, func, **fields))


def replace(graph: Graph, name: str, node: CNode, func: str = "") -> Graph:
    """The graph with another node in a node's place; see `Rewriter.replace`."""
    return _edited(graph, lambda rewriter: rewriter.replace(name, node, func))


def replace_uses(
    graph: Graph, name: str, by: Operand, func: str = "", *, where: Callable[[Use], bool] = lambda use: True
) -> Graph:
    """The graph with another operand where a node or parameter is used; see `Rewriter.replace_uses`."""
    return _edited(graph, lambda rewriter: rewriter.replace_uses(name, by, func, where=where))


def delete(graph: Graph, name: str, func: str = "", *, by: Operand | None = None) -> Graph:
    """The graph without a node; `by` takes its place where it is used; see `Rewriter.delete`."""
    return _edited(graph, lambda rewriter: rewriter.delete(name, func, by=by))


def insert_before(graph: Graph, anchor: str, node: CNode, func: str = "") -> Graph:
    """The graph with a new node in front of another; see `Rewriter.insert_before`."""
    return _edited(graph, lambda rewriter: rewriter.insert_before(anchor, node, func))


def insert_after(graph: Graph, anchor: str, node: CNode, func: str = "") -> Graph:
    """The graph with a new node behind another; see `Rewriter.insert_after`."""
    return _edited(graph, lambda rewriter: rewriter.insert_after(anchor, node, func))


def _edited(graph: Graph, edit: Callable[[Rewriter], Any]) -> Graph:
    rewriter = Rewriter(graph)
    edit(rewriter)
    return rewriter.graph()

"""Change a graph: each function gives a new Graph, and refuses what would leave a reference without its target.

A node or parameter is told by its name and the FuncGraph it stands in (`func`, the entry by itself).
Several edits in a row cost less with one `Rewriter`, whose methods have the names of the functions.

>>> from msdump.graph import CNode, FuncGraph, Graph, NodeRef, Parameter
>>> neg, end = CNode("%0", "Neg", (NodeRef("x"),)), CNode("%1", "Return", (NodeRef("%0"),))
>>> graph = Graph("g", {"g": FuncGraph("g", (Parameter("x"),), (neg, end))})
>>> [node.op for node in insert_after(graph, "%0", CNode("", "Exp", (NodeRef("%0"),))).root.nodes]
['Neg', 'Exp', 'Return']
"""

from __future__ import annotations

from msdump.graph.edit.extract import extract, neighbours
from msdump.graph.edit.inline import inline
from msdump.graph.edit.reduce import reduce
from msdump.graph.edit.rename import rename_graph, rename_nodes, rename_parameter
from msdump.graph.edit.rewriter import Rewriter
from msdump.graph.edit.single import change, delete, insert_after, insert_before, replace, replace_uses

__all__ = [
    "Rewriter",
    "change",
    "delete",
    "extract",
    "inline",
    "insert_after",
    "insert_before",
    "neighbours",
    "reduce",
    "rename_graph",
    "rename_nodes",
    "rename_parameter",
    "replace",
    "replace_uses",
]

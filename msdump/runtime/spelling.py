"""A compiled graph in the words of a release, before it is written in that release's text form.

The recorder speaks as 2.10 does. What an older release has no words for (primitive functions, the
keys of Refs, the parents of closures) its files do not tell.
"""

from __future__ import annotations

import re
from dataclasses import replace

from msdump.graph import Abstract, CNode, FuncGraph, Graph, RefType

_DEBUG_NAME = re.compile(r"CNode_(\d+)")


def in_words_of(graph: Graph, dialect: str) -> Graph:
    """The graph as a release ("1.1", "2.0", "2.10") names things."""
    release = tuple(int(part) for part in dialect.split("."))
    if release >= (2, 5):
        return graph
    return replace(graph, funcs={name: _func(func, release) for name, func in graph.funcs.items()})


def _func(func: FuncGraph, release: tuple[int, ...]) -> FuncGraph:
    nodes = tuple(_node(node, release) for node in func.nodes)
    if release >= (2, 0):
        return replace(func, nodes=nodes)
    parameters = tuple(replace(p, abstract=_type(p.abstract), has_default=False) for p in func.parameters)
    return replace(func, nodes=nodes, parameters=parameters, parent=None, location=None)


def _node(node: CNode, release: tuple[int, ...]) -> CNode:
    debug_name = _DEBUG_NAME.sub(r"[CNode]\1", node.debug_name)
    if release >= (2, 0):
        return replace(node, debug_name=debug_name)
    op = "switch" if node.op == "Switch" and release < (1, 3) else node.op
    places = node.locations[-1:] if release < (1, 6) else node.locations
    return replace(node, debug_name=debug_name, op=op, op_kind="", locations=places)


def _type(abstract: Abstract) -> Abstract:
    return replace(abstract, ref_key=None, is_parameter=False) if isinstance(abstract, RefType) else abstract

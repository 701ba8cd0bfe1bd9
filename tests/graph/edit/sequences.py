"""Random sequences of edits on a real graph, each drawn so that the result can be written where the
graph came from: what an edit puts in is something the graph has elsewhere."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import note
from hypothesis import strategies as st

from msdump.errors import GraphError
from msdump.graph import CNode, Graph, NodeRef, Parameter
from msdump.graph import edit as editing
from msdump.graph.node import CALL, CALL_VAR, RETURN

NodeAt = tuple[str, CNode]


def plain_nodes(graph: Graph) -> list[NodeAt]:
    """The nodes that apply an operator, with their FuncGraphs."""
    return [(f.name, n) for f, n in graph.iter_nodes() if n.op not in (RETURN, "return", CALL, CALL_VAR)]


def sources(graph: Graph, func: str, before: str) -> list[NodeRef]:
    """What a node may use without a circle: parameters and the nodes in front of it."""
    holder = graph.funcs[func]
    names = [node.name for node in holder.nodes]
    made = [n.name for n in holder.nodes[: names.index(before)] if n.op != RETURN]
    return [NodeRef(name) for name in (*(p.name for p in holder.parameters), *made)]


@st.composite
def edited(draw: st.DrawFn, graph: Graph, most: int = 4) -> Graph:
    """The graph after one to `most` edits."""
    for _ in range(draw(st.integers(1, most))):
        graph = draw(one_edit(graph))
    return graph


@st.composite
def one_edit(draw: st.DrawFn, graph: Graph) -> Graph:
    kind = draw(st.sampled_from(sorted(EDITS)))
    nodes = plain_nodes(graph)
    if not nodes:
        return graph
    func, node = draw(st.sampled_from(nodes))
    note(f"{kind}: {node.name} ({node.op}) of @{func}")
    try:
        return EDITS[kind](draw, graph, func, node)
    except GraphError:
        return graph  # refused: nothing changes


def _operator(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    same = sorted({n.op for _, n in plain_nodes(graph) if n.op_kind == node.op_kind})
    return editing.change(graph, node.name, func, op=draw(st.sampled_from(same)))


def _type(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    _, other = draw(st.sampled_from(plain_nodes(graph)))
    return editing.change(graph, node.name, func, abstract=other.abstract)


def _scope(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    if not node.scope:
        return graph
    return editing.change(graph, node.name, func, scope=draw(st.sampled_from(["Default", "Gradients/Default/a-B"])))


def _attributes(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    same = [n for _, n in plain_nodes(graph) if n.op_kind == node.op_kind and n.primitive_attrs]
    if not same:
        return graph
    return editing.change(graph, node.name, func, primitive_attrs=draw(st.sampled_from(same)).primitive_attrs)


def _operands(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    able = sources(graph, func, node.name)
    slots = [i for i, operand in enumerate(node.inputs) if isinstance(operand, NodeRef)]
    if not able or not slots:
        return graph
    slot = draw(st.sampled_from(slots))
    inputs = (*node.inputs[:slot], draw(st.sampled_from(able)), *node.inputs[slot + 1 :])
    return editing.change(graph, node.name, func, inputs=inputs)


def _delete(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    able = sources(graph, func, node.name)
    return editing.delete(graph, node.name, func, by=draw(st.sampled_from(able)) if able else None)


def _insert(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    if draw(st.booleans()):
        return editing.insert_before(graph, node.name, replace(node, name=""), func)
    return editing.insert_after(graph, node.name, replace(node, name=""), func)


def _reuse(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    able = sources(graph, func, node.name)
    return editing.replace_uses(graph, node.name, draw(st.sampled_from(able)), func) if able else graph


def _rename(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    return editing.rename_nodes(graph, {node.name: "renamed"}, func)


def _parameter(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    parameters: tuple[Parameter, ...] = graph.funcs[func].parameters
    if not parameters or any("#" in p.name for p in parameters):  # a reader counts names that repeat
        return graph
    return editing.rename_parameter(graph, draw(st.sampled_from(parameters)).name, draw(st.sampled_from(NEW)), func)


def _subgraph(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    if any("#" in key for key in graph.funcs):
        return graph
    return editing.rename_graph(graph, func, draw(st.sampled_from(NEW)))


def _inline(draw: st.DrawFn, graph: Graph, func: str, node: CNode) -> Graph:
    calls = [(f.name, n.name) for f, n in graph.iter_nodes() if n.op == CALL]
    if not calls:
        return graph
    at, name = draw(st.sampled_from(calls))
    return editing.inline(graph, name, at)


NEW = ("renamed", "other.weight", "x2")
EDITS = {
    "operator": _operator,
    "type": _type,
    "scope": _scope,
    "attributes": _attributes,
    "operands": _operands,
    "delete": _delete,
    "insert": _insert,
    "reuse": _reuse,
    "rename": _rename,
    "parameter": _parameter,
    "subgraph": _subgraph,
    "inline": _inline,
}

"""How a node refers to what is its own graph's, the entry graph's and another's, in every release."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from types import MappingProxyType
from typing import TypeGuard

import pytest

from msdump.errors import WriteError
from msdump.formats import ir
from msdump.graph import (
    CALL,
    CALL_VAR,
    CNode,
    FuncGraph,
    FuncType,
    Graph,
    GraphRef,
    NodeRef,
    Operand,
    Parameter,
    TensorType,
)
from msdump.graph.layout import Layout
from msdump.graph.project import project
from msdump.graph.verify import verify
from tests.formats.ir.texts import FILES, exact

F32 = TensorType("Float32", (2,))


def node(name: str, op: str, *inputs: NodeRef, debug: str = "") -> CNode:
    return CNode(name, op, inputs, F32, debug_name=debug or name.strip("%"))


def end(name: str, ref: NodeRef) -> CNode:
    return CNode(name, "Return", (ref,), F32)


def nested() -> Graph:
    """`main` calls `h`, which calls `k`; each refers to what is above it, `k` also by a call."""
    k = FuncGraph(
        "k",
        (Parameter("q", F32),),
        (
            node("%0", "Neg", NodeRef("q")),
            node("%1", "AddN", NodeRef("x", "main"), NodeRef("p", "h"), NodeRef("%1", "h"), NodeRef("%0")),
            CNode("%2", CALL_VAR, (NodeRef("q"),), F32, callee=NodeRef("f", "h"), debug_name="c"),
            end("%3", NodeRef("%2")),
        ),
        parent="h",
    )
    h = FuncGraph(
        "h",
        (Parameter("p", F32), Parameter("f", FuncType())),
        (
            node("%0", "Neg", NodeRef("p")),
            node("%1", "Exp", NodeRef("%0"), debug="e"),
            CNode("%2", CALL, (NodeRef("%1"),), F32, callee=GraphRef("k"), debug_name="d"),
            end("%3", NodeRef("%2")),
        ),
        parent="main",
    )
    call = CNode("%0", CALL, (NodeRef("x"), GraphRef("k")), F32, callee=GraphRef("h"), debug_name="out")
    main = FuncGraph("main", (Parameter("x", F32),), (call, end("%1", NodeRef("%0"))))
    return Graph("main", MappingProxyType({"main": main, "h": h, "k": k}))


TABLE = {
    "1.0": ("%para_q", "%para1", "%para_p", "%1", "%0", "%para_f"),
    "1.1": ("%para4_q", "%para1_x", "%para2_p", "$(h:e)", "%0", "$(h:f)"),
    "1.3": ("%para4_q", "%para1_x", "%para2_p", "$(h:e)", "%0", "$(h:f)"),
    "1.6": ("%para4_q", "$(@main:para1_x)", "$(@h:para2_p)", "$(@h:e)", "%0", "$(@h:f)"),
    "1.8": ("%para4_q", "$(@main:para1_x)", "$(@h:para2_p)", "$(@h:e)", "%0", "$(@h:f)"),
    "1.10": ("%para4_q", "$(@main:para1_x)", "$(@h:para2_p)", "$(@h:e)", "%0", "$(@h:f)"),
    "2.0": ("%para4_q", "$(@main:para1_x)", "$(@h:para2_p)", "$(@h:e)", "%0", "$(@h:f)"),
    "2.5": ("%para4_q", "$(@main:para1_x)", "$(@h:para2_p)", "$(@h:e)", "%0", "$(@h:f)"),
    "2.10": ("%para4_q", "$(@main:para1_x)", "$(@h:para2_p)", "$(@h:e)", "%0", "$(@h:f)"),
}
"""Dialect → own parameter, the entry graph's, another's, another's node, own node, another's parameter called."""


@pytest.mark.parametrize("dialect", TABLE)
def test_the_forms_of_references(dialect: str) -> None:
    text = ir.format_graph(nested(), dialect)
    inner = text[text.index("subgraph @k") :]
    found = [re.search(pattern, inner) for pattern in (r"Neg\((.*?)\)\n", r"AddN\((.*)\)\n", r"\(c\) = (.*)\(%para")]
    own, several, callee = (match[1] if match else "" for match in found)
    assert (own, *several.split(", "), callee) == TABLE[dialect]
    refs = [operand for operand in ir.parse(text).funcs["k"].nodes[1].inputs if isinstance(operand, NodeRef)]
    assert [(ref.name, ref.graph) for ref in refs] == [("x", "main"), ("p", "h"), ("%1", "h"), ("%0", None)]


SORTED = """\
# IR entry: @main.1
# Total subgraphs: 2

# Total params: 2
# Params:
%para1_x : <Tensor[Float32], (2)>
%para2_w : <Ref[Tensor[Float32]], (2), ref_key=:w>  :  has_default

subgraph attr:
subgraph instance: main.1 : 0x1

subgraph @main.1() {
  %0(a) = call @f.2(%para1_x)
      : (<Tensor[Float32], (2)>) -> (<Tensor[Float32], (2)>)
  Return(%0)
      : (<Tensor[Float32], (2)>)
}


subgraph attr:
subgraph instance: f.2 : 0x2

subgraph @f.2 parent: [subgraph @main.1](%para3_x) {
  %0(b) = Mul(%para3_x, $(@main.1:para2_w))
      : (<Tensor[Float32], (2)>, <Ref[Tensor[Float32]], (2), ref_key=:w>) -> (<Tensor[Float32], (2)>)
  %1(c) = call @g.3(%0)
      : (<Tensor[Float32], (2)>) -> (<Tensor[Float32], (2)>)
  Return(%1)
      : (<Tensor[Float32], (2)>)
}


subgraph attr:
subgraph instance: g.3 : 0x3

subgraph @g.3 parent: [subgraph @f.2](%para3_y) {
  %0(b) = Mul(%para3_x, $(@main.1:para2_w))
      : (<Tensor[Float32], (2)>, <Ref[Tensor[Float32]], (2), ref_key=:w>) -> (<Tensor[Float32], (2)>)
  %1(d) = Add(%0, $(@f.2:para3_x))
      : (<Tensor[Float32], (2)>, <Tensor[Float32], (2)>) -> (<Tensor[Float32], (2)>)
  %2(e) = Add(%para3_y, %1)
      : (<Tensor[Float32], (2)>, <Tensor[Float32], (2)>) -> (<Tensor[Float32], (2)>)
  Return(%2)
      : (<Tensor[Float32], (2)>)
}


"""
"""2.0 in sorted order: each graph counts its parameters anew, and repeats the nodes it needs of the graph around it."""


def test_a_node_that_the_sorted_order_repeats_writes_parameters_as_its_own_graph_does() -> None:
    nodes = exact(SORTED).funcs["g.3"].nodes
    assert [n.inputs for n in nodes[:3]] == [
        (NodeRef("x", "f.2"), NodeRef("w", "main.1")),
        (NodeRef("%0"), NodeRef("x", "f.2")),
        (NodeRef("y"), NodeRef("%1")),
    ]


def own(operand: Operand | None) -> TypeGuard[NodeRef]:
    return isinstance(operand, NodeRef) and operand.graph is None


def without(graph: Graph, at: int) -> Graph:
    """The graph without one node of its entry graph."""
    root = graph.root
    root = dataclasses.replace(root, nodes=(*root.nodes[:at], *root.nodes[at + 1 :]))
    return dataclasses.replace(graph, funcs=MappingProxyType({**graph.funcs, graph.entry: root}))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_an_operand_that_dangles_is_never_printed_as_another_node(path: Path) -> None:
    graph = ir.read(path)
    for at, gone in enumerate(graph.root.nodes[:20]):
        cut = without(graph, at)
        used = any(ref.name == gone.name for n in cut.root.nodes for ref in (n.callee, *n.inputs) if own(ref))
        before, after = (
            sum(fault.rule == "dangling" and fault.graph == graph.entry for fault in verify(each))
            for each in (graph, ir.parse(ir.to_bytes(cut)))
        )
        assert (after > before) == used, gone


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_a_type_changed_at_a_node_reads_back(path: Path) -> None:
    graph = ir.read(path)
    root = graph.root
    for at, changed in enumerate(root.nodes[:20]):
        if changed.op != "Return":
            other = dataclasses.replace(changed, abstract=TensorType("Float16", (7,)))
            func = dataclasses.replace(root, nodes=(*root.nodes[:at], other, *root.nodes[at + 1 :]))
            edited = dataclasses.replace(graph, funcs=MappingProxyType({**graph.funcs, graph.entry: func}))
            assert ir.parse(ir.to_bytes(edited)) == edited


def test_a_name_that_two_nodes_bear_is_refused_where_another_graph_refers_to_the_second() -> None:
    graph = nested()
    h = graph.funcs["h"]
    first = dataclasses.replace(h.nodes[0], debug_name="e")
    funcs = {**graph.funcs, "h": dataclasses.replace(h, nodes=(first, *h.nodes[1:]))}
    with pytest.raises(WriteError, match=r"%1 of @k uses %1 of @h, which \.ir of 2\.10 cannot tell from another node"):
        ir.format_graph(dataclasses.replace(graph, funcs=MappingProxyType(funcs), source=Layout()))


def with_an_earlier_node() -> Graph:
    """`k` has a node of the number that one of `h` has before the node that uses the latter."""
    graph = nested()
    k = graph.funcs["k"]
    nodes = (k.nodes[0], node("%9", "Exp", NodeRef("%0")), *k.nodes[1:])
    return dataclasses.replace(graph, funcs=MappingProxyType({**graph.funcs, "k": dataclasses.replace(k, nodes=nodes)}))


def test_1_0_writes_a_number_that_an_earlier_node_bears_as_1_1_does() -> None:
    edited = with_an_earlier_node()
    text = ir.format_graph(edited, "1.0")
    assert "AddN(%para1, $(h:p), $(h:e), %0)" in text
    assert ir.parse(text) == project(edited, ir.dialects()["1.0"])
    assert "$(@h:e)" in ir.format_graph(edited, "2.10")


def test_a_file_of_1_0_refuses_a_number_that_an_earlier_node_bears() -> None:
    edited = dataclasses.replace(with_an_earlier_node(), source=ir.parse(ir.format_graph(nested(), "1.0")).source)
    with pytest.raises(WriteError, match=r"%1 of @k uses %1 of @h, which \.ir of 1\.0 cannot tell from another node"):
        ir.format_graph(edited)

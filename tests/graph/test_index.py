from __future__ import annotations

import pytest

from msdump.graph import CNode, FuncGraph, Graph, GraphRef, NodeRef, Parameter
from msdump.graph.index import GraphIndex
from msdump.graph.names import debug_label, graph_label, in_scope, is_generated, scope_label
from msdump.graph.verify import verify


def two_graphs() -> Graph:
    """main(x, w) { %0 = Add(x, w); %1 = call @inner(%0) }, inner(y) { %0 = Mul(y, main:%0) }."""
    main = FuncGraph(
        "main",
        (Parameter("x"), Parameter("w")),
        (
            CNode("%0", "Add", (NodeRef("x"), NodeRef("w"))),
            CNode("%1", "call", (NodeRef("%0"),), callee=GraphRef("inner")),
            CNode("", "Return", (NodeRef("%1"),)),
        ),
    )
    inner = FuncGraph(
        "inner",
        (Parameter("y"),),
        (CNode("%0", "Mul", (NodeRef("y"), NodeRef("%0", "main"))), CNode("", "Return", (NodeRef("%0"),))),
        parent="main",
    )
    return Graph("main", {"main": main, "inner": inner})


def test_users_across_subgraphs() -> None:
    index = two_graphs().index()
    assert [(use.graph, use.node.op, use.slot) for use in index.users("main", "%0")] == [
        ("main", "call", 0),
        ("inner", "Mul", 1),
    ]
    assert index.users("main", "nothing") == ()


def test_a_name_is_looked_up_here_then_in_parents_then_in_the_entry() -> None:
    index = two_graphs().index()
    assert index.owner("inner", NodeRef("%0")) == "inner"
    assert index.owner("inner", NodeRef("w")) == "main"
    assert index.owner("inner", NodeRef("%0", "main")) == "main"
    assert index.owner("inner", NodeRef("gone")) is None
    made = index.producer("inner", NodeRef("w"))
    assert made is not None
    assert made.name == "w"


def test_order_puts_each_node_after_what_it_uses() -> None:
    nodes = (
        CNode("%2", "Sub", (NodeRef("%0"), NodeRef("%1"))),
        CNode("%1", "Exp", (NodeRef("%0"),)),
        CNode("%0", "ReLU", (NodeRef("x"),)),
        CNode("", "Return", (NodeRef("%2"),)),
    )
    graph = Graph("g", {"g": FuncGraph("g", (Parameter("x"),), nodes)})
    assert [node.name for node in graph.index().order("g")] == ["%0", "%1", "%2", ""]


def test_a_chain_of_100000_nodes() -> None:
    nodes = [CNode("%0", "ReLU", (NodeRef("x"),))]
    nodes += [CNode(f"%{i}", "ReLU", (NodeRef(f"%{i - 1}"),)) for i in range(1, 100_000)]
    graph = Graph("g", {"g": FuncGraph("g", (Parameter("x"),), tuple(reversed(nodes)))})
    order = GraphIndex(graph).order("g")
    assert (order[0].name, order[-1].name, len(order)) == ("%0", "%99999", 100_000)
    assert [fault.rule for fault in verify(graph)] == ["no-return"]


def test_reachable_and_callees() -> None:
    index = two_graphs().index()
    assert index.reachable() == {"main", "inner"}
    assert index.callees(index.graph.funcs["main"]) == ("inner",)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("22_↓construct.185", "↓construct"),
        ("86_69_52_29_↓construct.201", "↓construct"),
        ("1_construct_wrapper.184", "construct_wrapper"),
        ("42_3_↵__main___WhileNet_construct_158", "↵__main___WhileNet_construct"),
        ("9_4↓mindspore_nn_layer_basic_Dense_construct_27", "↓mindspore_nn_layer_basic_Dense_construct"),
        ("10_✗3↓mindspore_nn_Dense_construct_24", "✗↓mindspore_nn_Dense_construct"),
        ("34_1_construct.Default.372", "construct.Default"),
        ("kernel_graph0", "kernel_graph"),
        ("kernel_graph_12", "kernel_graph"),
        ("@scale.3", "scale"),
        ("185", "185"),
    ],
)
def test_graph_labels_have_no_numbers_of_the_compiler(name: str, label: str) -> None:
    assert graph_label(name) == label


def test_scope_and_debug_labels() -> None:
    assert scope_label("Default/conv1-Conv2d/Conv2D-op14") == "Default/conv1-Conv2d/Conv2D"
    assert scope_label("Default/top-opera/Add-op0") == "Default/top-opera/Add"
    assert [is_generated(n) for n in ("CNode_155", "[CNode]12", "equiv[CNode]78", "", "output", "Φx")] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]
    assert debug_label("CNode_155") == ""
    assert debug_label("output") == "output"


@pytest.mark.parametrize(
    ("scope", "prefix", "inside"),
    [
        ("Default/conv1-Conv2d", "Default/conv1", True),
        ("Default/conv10-Conv2d", "Default/conv1", False),
        ("Default/conv1-Conv2d/Conv2D", "Default/conv1-Conv2d", True),
        ("Default/conv1-Conv2d", "Default/", True),
        ("Default", "Default/conv1", False),
        ("", "", True),
    ],
)
def test_a_scope_prefix_ends_at_a_word(scope: str, prefix: str, inside: bool) -> None:
    assert in_scope(scope, prefix) is inside

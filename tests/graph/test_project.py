from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from msdump.capability import CAPABILITIES, EVERYTHING
from msdump.dtype import by_name
from msdump.errors import LossError
from msdump.graph import CNode, FuncGraph, Graph, GraphRef, Location, NodeRef, Parameter, RefType, TensorType
from msdump.graph.abstract import NULL_TYPE
from msdump.graph.node import ValueNode
from msdump.graph.project import losses, project, refuse_loss
from msdump.graph.project_values import untyped
from msdump.graph.value import Attrs, Named, NoneValue, Scalar, Sequence, Str, TensorValue, TypeValue, Value
from msdump.tensor import TensorData

WEIGHT = RefType(TensorType("Float32", (3,)), "w")
X = TensorType("Float32", (2, 3))


def net() -> Graph:
    inner = FuncGraph(
        "inner.7",
        (Parameter("a", X),),
        (CNode("%0", "Neg", (NodeRef("a"),), X), CNode("%1", "Return", (NodeRef("%0"),), X)),
        parent="outer.3",
    )
    outer = FuncGraph(
        "outer.3",
        (Parameter("x", X), Parameter("w", WEIGHT, True)),
        (
            CNode("%0", "call", (NodeRef("x"),), X, callee=GraphRef("inner.7"), scope="Default"),
            CNode(
                "%1",
                "Add",
                (NodeRef("%0"), ValueNode(TensorValue("Float32", (), "0.3535534"))),
                X,
                instance="add",
                primitive_attrs=Attrs({"eps": Scalar("Float32", 0.12345678), "mode": Str("1")}),
                debug_name="y",
                locations=(Location("net.py", 3, column=4, code=" y = x "), Location("net.py", 9)),
            ),
            CNode("%2", "Return", (NodeRef("%1"),), X),
        ),
    )
    return Graph("outer.3", {"outer.3": outer, "inner.7": inner})


def renamed(graph: Graph) -> Graph:
    """The same net under other names, its nodes in another order."""
    outer = graph.root
    call, add, back = outer.nodes
    moved = replace(
        outer,
        name="g.1",
        nodes=(
            replace(call, name="%7", callee=GraphRef("g.2")),
            replace(add, name="%9", inputs=(NodeRef("%7"), add.inputs[1])),
            replace(back, inputs=(NodeRef("%9"),)),
        ),
    )
    inner = replace(graph.funcs["inner.7"], name="g.2", parent="g.1")
    return Graph("g.1", {"g.2": inner, "g.1": moved})


WITH = {
    "scopes": ("bare_scopes",),
    "location_details": ("location_columns",),
    "exact_floats": ("small_floats",),
    "value_kinds": ("exact_floats", "small_floats"),
}
"""Capabilities that hold a part of what another holds."""


def test_everything_is_the_graph_itself() -> None:
    assert project(net(), EVERYTHING) == net()


def test_names_and_numbering_are_facts() -> None:
    common = EVERYTHING - {"graph_names"}
    assert project(net(), EVERYTHING) != project(renamed(net()), EVERYTHING)
    assert project(net(), common) == project(renamed(net()), common)


def test_order_of_nodes_is_a_fact() -> None:
    func = FuncGraph(
        "g",
        (Parameter("x"),),
        (
            CNode("%0", "Neg", (NodeRef("x"),)),
            CNode("%1", "Abs", (NodeRef("x"),)),
            CNode("%2", "Add", (NodeRef("%0"), NodeRef("%1"))),
            CNode("%3", "Return", (NodeRef("%2"),)),
        ),
    )
    other = replace(func, nodes=(func.nodes[1], func.nodes[0], func.nodes[2], func.nodes[3]))
    first, second = Graph("g", {"g": func}), Graph("g", {"g": other})
    assert project(first, EVERYTHING) != project(second, EVERYTHING)
    assert project(first, EVERYTHING - {"order"}) == project(second, EVERYTHING - {"order"})


@pytest.mark.parametrize(
    ("fact", "change"),
    [
        ("scopes", {"scope": "Other"}),
        ("instances", {"instance": "other"}),
        ("debug_names", {"debug_name": "z"}),
        ("locations", {"locations": ()}),
        ("location_details", {"locations": (Location("net.py", 3, code="y = x"), Location("net.py", 9))}),
        ("call_stacks", {"locations": (Location("net.py", 3, column=4, code=" y = x "),)}),
        ("attrs", {"primitive_attrs": Attrs({})}),
        ("types", {"abstract": TensorType("Float16", (2, 3))}),
        ("exact_floats", {"primitive_attrs": Attrs({"eps": Scalar("Float32", 0.123457), "mode": Str("1")})}),
        ("value_kinds", {"primitive_attrs": Attrs({"eps": Scalar("", 0.12345678), "mode": Scalar("Int64", 1)})}),
        ("tensor_numbers", {"inputs": (NodeRef("%0"), ValueNode(TensorValue("Float32", ())))}),
    ],
)
def test_a_fact_left_out_is_not_seen_and_all_others_are(fact: str, change: dict[str, object]) -> None:
    graph = net()
    nodes = list(graph.root.nodes)
    nodes[1] = replace(nodes[1], **change)  # type: ignore[arg-type]  # a change is any field
    other = Graph(graph.entry, {**graph.funcs, graph.entry: replace(graph.root, nodes=tuple(nodes))})
    left_out = EVERYTHING - {fact, *WITH.get(fact, ())}
    assert project(graph, left_out) == project(other, left_out)
    assert project(graph, EVERYTHING) != project(other, EVERYTHING)
    for known in CAPABILITIES:
        if known not in (fact, "attrs", "locations", "value_kinds", *WITH.get(fact, ())):
            assert project(graph, EVERYTHING - {known}) != project(other, EVERYTHING - {known})


def test_loss_is_what_this_graph_holds_and_the_format_cannot() -> None:
    assert losses(net(), EVERYTHING) == {}
    assert losses(net(), EVERYTHING - {"symbols", "counts", "node_attrs"}) == {}
    assert losses(net(), EVERYTHING - {"scopes", "symbols", "parents"}) == {"scopes": 1, "parents": 1}
    assert losses(net(), EVERYTHING - {"ref_keys", "location_columns", "value_kinds"}) == {
        "ref_keys": 1,
        "value_kinds": 2,
        "location_columns": 1,
    }
    refuse_loss(net(), EVERYTHING - {"scopes"}, "x", True)
    with pytest.raises(LossError) as error:
        refuse_loss(net(), EVERYTHING - {"scopes"}, "x", False)
    assert (error.value.lost, error.value.what) == (("scopes (1)",), "x cannot hold scopes (1)")


def test_a_type_is_lost_only_where_nothing_uses_the_parameter() -> None:
    first = FuncGraph(
        "f",
        (Parameter("x", X), Parameter("y", X)),
        (
            CNode("%0", "Neg", (NodeRef("x", None, WEIGHT),), X),
            CNode("%1", "Abs", (NodeRef("x"),), X),
            CNode("%2", "Return", (NodeRef("%1"),), X),
        ),
    )
    graph = Graph("e", {"e": FuncGraph("e", (Parameter("z", X),)), "f": first})
    held = EVERYTHING - {"unused_types"}
    assert losses(graph, held) == {"unused_types": 2}
    cut = project(graph, held)
    assert [p.abstract for p in cut.funcs["f"].parameters] == [WEIGHT, NULL_TYPE]
    assert [node.inputs[0] for node in cut.funcs["f"].nodes[:2]] == [NodeRef("x"), NodeRef("x", None, X)]
    assert cut.root == graph.root


def test_without_kinds_a_value_is_what_its_text_stands_for() -> None:
    cases: list[tuple[Value, Value]] = [
        (Scalar("Int64", 3), Scalar("", 3)),
        (Str("3"), Scalar("", 3)),
        (Str("2.5"), Scalar("", 2.5)),
        (Str("true"), Scalar("Bool", True)),
        (Str("None"), NoneValue()),
        (Str("NCHW"), Str("NCHW")),
        (TypeValue("Float32"), Str("Float32")),
        (Named("Symbol", "relu"), Str("relu")),
        (Named("Problem", "DeadNode"), Named("Problem", "DeadNode")),
        (Sequence("Tuple", (Scalar("Int64", 1), Str("a"))), Sequence("Tuple", (Scalar("", 1), Str("a")))),
    ]
    for value, bare in cases:
        assert untyped(value) == bare
        assert untyped(bare) == bare


def test_weights_are_a_loss_though_no_equality_sees_them() -> None:
    graph = net()
    float32 = by_name("Float32")
    assert float32 is not None
    data = TensorData(float32, (3,), lambda: np.zeros(3, np.float32), "w", 12)
    root = replace(graph.root, parameters=(graph.root.parameters[0], replace(graph.root.parameters[1], default=data)))
    loaded = Graph(graph.entry, {**graph.funcs, graph.entry: root})
    assert loaded == graph
    assert losses(loaded, EVERYTHING - {"weights"}) == {"weights": 1}
    assert losses(graph, EVERYTHING - {"weights"}) == {}

"""Each edit by itself: what it makes of a small graph, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from msdump.errors import GraphError
from msdump.graph import (
    NULL_TYPE,
    CNode,
    FuncGraph,
    Graph,
    GraphRef,
    MonadType,
    NodeCounts,
    NodeRef,
    Parameter,
    RefType,
    TensorType,
    ValueNode,
    edit,
)
from msdump.graph.edit import Rewriter
from msdump.graph.value import Attrs, Monad, Scalar
from msdump.graph.verify import verify

F32, F16 = TensorType("Float32", (2, 3)), TensorType("Float16", (2, 3))
WEIGHT = RefType(F32, "w", True)


def small() -> Graph:
    """x, w → Mul → Neg, @inner(Mul, Neg) → Return; @inner adds its parameter to Mul, a free variable."""
    main = FuncGraph(
        "main",
        (Parameter("x", F32), Parameter("w", WEIGHT, has_default=True)),
        (
            CNode("a", "Mul", (NodeRef("x"), NodeRef("w")), F32, scope="Default", op_number=0, debug_name="a"),
            CNode("b", "Neg", (NodeRef("a"),), F32, scope="Default", op_number=1, debug_name="b"),
            CNode("c", "call", (NodeRef("b"),), F32, callee=GraphRef("inner"), debug_name="c"),
            CNode("r", "Return", (NodeRef("c"),), F32),
        ),
        order=("a", "b", "c", "r"),
    )
    inner = FuncGraph(
        "inner",
        (Parameter("y", F32),),
        (
            CNode("b", "Add", (NodeRef("y"), NodeRef("a", "main")), F32, debug_name="b"),
            CNode("r", "Return", (NodeRef("b"),), F32),
        ),
        parent="main",
    )
    return Graph("main", {"main": main, "inner": inner}, counts=NodeCounts(17, 6))


def names(graph: Graph, func: str = "main") -> list[str]:
    return [node.name for node in graph.funcs[func].nodes]


def node(graph: Graph, name: str, func: str = "main") -> CNode:
    return next(node for node in graph.funcs[func].nodes if node.name == name)


def test_a_field_is_changed_and_nothing_else() -> None:
    graph = edit.change(small(), "b", op="Exp", primitive_attrs=Attrs({"n": Scalar("Int64", 1)}))
    assert node(graph, "b") == replace(node(small(), "b"), op="Exp", primitive_attrs=Attrs({"n": Scalar("Int64", 1)}))
    assert node(graph, "b").fullname == "Default/Exp-op1"
    assert [n for n in graph.root.nodes if n.name != "b"] == [n for n in small().root.nodes if n.name != "b"]
    assert graph.funcs["inner"] == small().funcs["inner"]


def test_a_return_takes_the_type_of_its_operand() -> None:
    graph = edit.change(small(), "c", abstract=F16)
    assert (node(graph, "c").abstract, node(graph, "r").abstract) == (F16, F16)


def test_a_node_is_replaced_and_its_uses_stay() -> None:
    graph = edit.replace(small(), "b", CNode("", "Cast", (NodeRef("x"),), F16))
    assert node(graph, "b") == CNode("b", "Cast", (NodeRef("x"),), F16)
    assert node(graph, "c").inputs == (NodeRef("b"),)


def test_uses_are_replaced_in_other_subgraphs_too() -> None:
    graph = edit.replace_uses(small(), "a", NodeRef("x"))
    assert node(graph, "b").inputs == (NodeRef("x"),)
    assert node(graph, "b", "inner").inputs == (NodeRef("y"), NodeRef("x", "main"))
    graph = edit.replace_uses(small(), "a", ValueNode(Scalar("Float32", 2.0)), where=lambda use: use.graph == "inner")
    assert node(graph, "b").inputs == (NodeRef("a"),)
    assert node(graph, "b", "inner").inputs[1] == ValueNode(Scalar("Float32", 2.0))


def test_a_node_behind_another_takes_its_uses_and_keeps_its_own() -> None:
    rewriter = Rewriter(small())
    new = rewriter.insert_after("a", CNode("n", "Exp", (NodeRef("a"),), F32, debug_name="a"))
    rewriter.replace_uses("a", new)
    graph = rewriter.graph()
    assert names(graph) == ["a", "n", "b", "c", "r"]
    assert graph.root.order == ("a", "n", "b", "c", "r")
    assert node(graph, "n").inputs == (NodeRef("a"),)
    assert node(graph, "n").debug_name == "a_1"
    assert node(graph, "b").inputs == (NodeRef("n"),)
    assert node(graph, "b", "inner").inputs == (NodeRef("y"), NodeRef("n", "main"))
    assert graph.counts == NodeCounts(19, 7)


def test_a_node_without_a_name_gets_one() -> None:
    graph = edit.insert_before(small(), "a", CNode("", "Exp", (NodeRef("x"),)))
    assert names(graph) == ["new4", "a", "b", "c", "r"]


def test_a_node_is_deleted_with_its_uses_replaced() -> None:
    graph = edit.delete(small(), "b", by=NodeRef("a"))
    assert names(graph) == ["a", "c", "r"]
    assert node(graph, "c").inputs == (NodeRef("a"),)
    assert graph.root.order == ("a", "c", "r")
    assert graph.counts == NodeCounts(15, 5)
    assert verify(graph) == ()


def test_nodes_are_renamed_and_the_graph_stays_equal() -> None:
    graph = edit.rename_nodes(small(), {"a": "b", "b": "a"})
    assert names(graph) == ["b", "a", "c", "r"]
    assert node(graph, "b", "inner").inputs[1] == NodeRef("b", "main")
    assert graph == small()


def test_a_parameter_is_renamed_with_uses_and_types() -> None:
    graph = edit.rename_parameter(small(), "w", "net.w")
    assert graph.root.parameters[1] == Parameter("net.w", RefType(F32, "net.w", True), has_default=True)
    assert node(graph, "a").inputs == (NodeRef("x"), NodeRef("net.w"))


def test_a_subgraph_is_renamed_with_calls_children_and_references() -> None:
    graph = edit.rename_graph(edit.rename_graph(small(), "inner", "body"), "main", "net")
    assert (graph.entry, list(graph.funcs)) == ("net", ["net", "body"])
    assert (graph.funcs["body"].name, graph.funcs["body"].parent) == ("body", "net")
    assert node(graph, "c", "net").callee == GraphRef("body")
    assert node(graph, "b", "body").inputs == (NodeRef("y"), NodeRef("a", "net"))
    assert verify(graph) == ()


def test_a_call_is_inlined() -> None:
    graph = edit.inline(small(), "c")
    assert list(graph.funcs) == ["main"]
    assert [(n.name, n.op, n.debug_name) for n in graph.root.nodes] == [
        ("a", "Mul", "a"),
        ("b", "Neg", "b"),
        ("b.1", "Add", "b_1"),
        ("r", "Return", ""),
    ]
    assert node(graph, "b.1").inputs == (NodeRef("b"), NodeRef("a"))
    assert node(graph, "r").inputs == (NodeRef("b.1"),)
    assert graph.root.order == ("a", "b", "b.1", "r")
    assert graph.counts == NodeCounts(12, 4)
    assert verify(graph) == ()


def with_a_second_call() -> Graph:
    graph = edit.insert_before(small(), "c", replace(node(small(), "c"), name="d", inputs=(NodeRef("x"),)))
    return edit.change(graph, "c", inputs=(NodeRef("d"),))


def test_a_subgraph_that_others_call_stays_when_a_call_is_inlined() -> None:
    graph = edit.inline(with_a_second_call(), "c")
    assert graph.funcs["inner"] == small().funcs["inner"]
    assert node(graph, "b.1").inputs == (NodeRef("d"), NodeRef("a"))
    assert edit.inline(graph, "d").root.nodes[2].inputs == (NodeRef("x"), NodeRef("a"))


def test_children_of_an_inlined_subgraph_go_to_the_caller() -> None:
    child = FuncGraph("child", (), (CNode("r", "Return", (NodeRef("b", "inner"),)),), parent="inner")
    call = CNode("k", "call", (), callee=GraphRef("child"))
    end = CNode("r", "Return", (NodeRef("k"),))
    whole = replace(small(), counts=None)
    inner = replace(whole.funcs["inner"], nodes=(whole.funcs["inner"].nodes[0], call, end))
    whole = replace(whole, funcs={**whole.funcs, "inner": inner, "child": child})
    graph = edit.inline(whole, "c")
    assert (graph.funcs["child"].parent, graph.funcs["child"].nodes[0].inputs) == ("main", (NodeRef("b.1", "main"),))
    assert verify(graph) == ()


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        (lambda g: edit.delete(g, "b"), "b (Neg) of @main is used by c (call) of @main"),
        (lambda g: edit.delete(g, "a"), "a (Mul) of @main is used by b (Neg) of @main, b (Add) of @inner"),
        (lambda g: edit.delete(g, "b", by=NodeRef("b")), "b (Neg) of @main is used by c (call) of @main"),
        (lambda g: edit.delete(g, "r"), "r is the Return of @main"),
        (lambda g: edit.change(g, "z", op="Exp"), "there is no node z in @main"),
        (lambda g: edit.change(g, "b", "outer", op="Exp"), "there is no subgraph @outer"),
        (lambda g: edit.change(g, "b", name="z"), "name: no such field to change of a node"),
        (lambda g: edit.insert_after(g, "r", CNode("", "Exp")), "nothing stands behind the Return of @main"),
        (lambda g: edit.insert_before(g, "r", CNode("x", "Exp")), "the name x is taken in @main"),
        (lambda g: edit.rename_nodes(g, {"a": "b"}), "the name b is taken"),
        (lambda g: edit.rename_parameter(g, "x", "w"), "the name w is taken"),
        (lambda g: edit.rename_parameter(g, "z", "w"), "there is no parameter of @main called z"),
        (lambda g: edit.rename_graph(g, "inner", "main"), "the name main is taken"),
        (lambda g: edit.inline(g, "b"), "b (Neg) of @main calls no subgraph of this graph"),
        (
            lambda g: edit.inline(edit.change(g, "c", inputs=()), "c"),
            "@inner has 1 parameters, c of @main has 0 operands",
        ),
        (lambda g: edit.extract(g, ["z"]), "there is no node z in @main"),
    ],
)
def test_an_edit_that_would_break_a_reference_is_refused(refused: Callable[[Graph], Graph], why: str) -> None:
    with pytest.raises(GraphError) as caught:
        refused(small())
    assert caught.value.what == why


def test_a_recursive_call_is_not_inlined() -> None:
    graph = edit.change(small(), "b", "inner", op="call", callee=GraphRef("inner"), inputs=(NodeRef("y"),))
    with pytest.raises(GraphError, match="b of @inner calls @inner, which it stands in"):
        edit.inline(graph, "b", "inner")


def test_neighbours() -> None:
    graph = small()
    assert edit.neighbours(graph, "b") == {"a", "b", "c"}
    assert edit.neighbours(graph, "b", direction="upstream", depth=None) == {"a", "b"}
    assert edit.neighbours(graph, "a", direction="downstream", depth=None) == {"a", "b", "c"}
    assert edit.neighbours(graph, "a", direction="downstream", depth=1) == {"a", "b"}
    assert edit.neighbours(graph, "c", depth=0) == {"c"}


def test_nodes_are_extracted_with_their_inputs_as_parameters() -> None:
    graph = edit.extract(small(), ["b"])
    assert list(graph.funcs) == ["main"]
    assert graph.root.parameters == (Parameter("a_1", F32),)
    assert [(n.op, n.inputs, n.abstract) for n in graph.root.nodes] == [
        ("Neg", (NodeRef("a_1"),), F32),
        ("Return", (NodeRef("b"),), F32),
    ]
    assert verify(graph) == ()


def test_what_is_called_comes_along_and_what_it_uses_freely_is_a_parameter() -> None:
    graph = edit.extract(small(), ["c"])
    assert [p.name for p in graph.root.parameters] == ["b_1", "a_1"]
    assert node(graph, "c").inputs == (NodeRef("b_1"),)
    assert node(graph, "b", "inner").inputs == (NodeRef("y"), NodeRef("a_1", "main"))
    assert verify(graph) == ()


def test_several_outputs_are_a_tuple_and_a_weight_stays_one() -> None:
    graph = edit.extract(small(), ["a", "b"])
    assert graph.root.parameters == small().root.parameters
    assert [(n.op, n.inputs) for n in graph.root.nodes[2:]] == [
        ("MakeTuple", (NodeRef("a"), NodeRef("b"))),
        ("Return", (NodeRef("MakeTuple"),)),
    ]


def test_what_is_returned_can_be_said() -> None:
    graph = edit.extract(small(), ["a", "b"], outputs=["b"])
    assert [(n.op, n.inputs) for n in graph.root.nodes[2:]] == [("Return", (NodeRef("b"),))]


def test_the_whole_of_a_subgraph_returns_what_it_returned() -> None:
    graph = edit.extract(small(), ["b", "r"], "inner")
    assert (graph.entry, [p.name for p in graph.root.parameters]) == ("inner", ["y", "a"])
    assert node(graph, "b", "inner").inputs == (NodeRef("y"), NodeRef("a"))


def test_monads_are_constants_and_what_they_wait_for_stays() -> None:
    monad = MonadType("UMonad")
    nodes = (
        CNode("u", "UpdateState", (ValueNode(Monad("U"), monad),), monad),
        CNode("p", "Print", (NodeRef("x"), NodeRef("u")), NULL_TYPE),
        CNode("v", "UpdateState", (NodeRef("u"), NodeRef("p")), monad),
        CNode("r", "Return", (NodeRef("v"),)),
    )
    graph = edit.extract(Graph("g", {"g": FuncGraph("g", (Parameter("x"),), nodes)}), ["p", "v"])
    assert node(graph, "p", "g").inputs == (NodeRef("x"), ValueNode(Monad("U"), monad))
    assert [n.op for n in graph.root.nodes] == ["Print", "UpdateState", "Depend", "Return"]


def test_a_graph_is_reduced_to_what_is_interesting() -> None:
    asked = []

    def interesting(graph: Graph) -> bool:
        asked.append(graph)
        assert verify(graph) == ()
        return any(node.op == "Add" for _, node in graph.iter_nodes())

    graph = edit.reduce(replace(small(), counts=None), interesting)
    assert [(n.op, n.inputs) for n in graph.root.nodes] == [
        ("Add", (NodeRef("y"), NodeRef("a"))),
        ("Return", (NodeRef("b"),)),
    ]
    assert len(asked) < 20
    with pytest.raises(GraphError, match="there is nothing to reduce"):
        edit.reduce(small(), lambda graph: False)


def test_a_reduction_leaves_out_facts_that_do_not_matter() -> None:
    ones = Attrs({"n": Scalar("Int64", 1)})
    whole = edit.change(edit.change(small(), "a", primitive_attrs=ones), "b", cnode_attrs=ones)
    graph = edit.reduce(whole, lambda graph: any(n.primitive_attrs and n.op == "Mul" for _, n in graph.iter_nodes()))
    assert [(n.op, n.primitive_attrs) for n in graph.root.nodes] == [("Mul", ones), ("Return", Attrs())]

"""Passes on small graphs made by hand: what they take away, and what they must not."""

from __future__ import annotations

from typing import Any

from msdump.graph import (
    CALL,
    CALL_VAR,
    Attrs,
    CNode,
    FuncGraph,
    Graph,
    GraphRef,
    NodeRef,
    Operand,
    Parameter,
    TensorType,
    ValueNode,
)
from msdump.graph.value import Scalar
from msdump.runtime.passes.inline import inline
from msdump.runtime.passes.order import callees_first, recursive
from msdump.runtime.passes.simplify import merge_equal, remove_identities
from msdump.runtime.passes.substitute import drop_dead, renumber

F32 = TensorType("Float32", (2, 3))
I32 = TensorType("Int32", (2, 3))


def node(name: str, op: str, *inputs: Operand, abstract: Any = F32, **fields: Any) -> CNode:
    return CNode(name, op, inputs, abstract, **fields)


def ref(name: str, graph: str | None = None) -> NodeRef:
    return NodeRef(name, graph)


def func(name: str, parameters: str, *nodes: CNode, parent: str | None = None, abstract: Any = F32) -> FuncGraph:
    return FuncGraph(name, tuple(Parameter(p, abstract) for p in parameters.split()), nodes, parent=parent)


def graph(*funcs: FuncGraph) -> Graph:
    return Graph(funcs[0].name, {f.name: f for f in funcs})


def shown(g: Graph) -> dict[str, list[str]]:
    """Each FuncGraph's nodes as `%0 = Add(x, g.y)`."""

    def one(operand: Operand) -> str:
        if isinstance(operand, NodeRef):
            return f"{operand.graph}.{operand.name}" if operand.graph else operand.name
        if isinstance(operand, GraphRef):
            return f"@{operand.name}"
        assert isinstance(operand.value, Scalar)
        return str(operand.value.value)

    return {
        f.name: [
            f"{n.name} = {n.op}{'' if n.callee is None else '[' + one(n.callee) + ']'}({', '.join(map(one, n.inputs))})"
            for n in f.nodes
        ]
        for f in g.funcs.values()
    }


def call(name: str, callee: str, *inputs: Operand) -> CNode:
    return node(name, CALL, *inputs, callee=GraphRef(callee))


def test_a_called_graph_is_put_in_the_place_of_its_call() -> None:
    inner = func("inner", "a b", node("%0", "Mul", ref("a"), ref("b")), node("%1", "Return", ref("%0")))
    middle = func(
        "middle",
        "p",
        call("%0", "inner", ref("p"), ref("p")),
        node("%1", "ReLU", ref("%0")),
        node("%2", "Return", ref("%1")),
    )
    top = func(
        "top",
        "x",
        call("%0", "middle", ref("x")),
        call("%1", "middle", ref("%0")),
        node("%2", "Add", ref("%0"), ref("%1")),
        node("%3", "Return", ref("%2")),
    )
    assert shown(inline(graph(top, middle, inner))) == {
        "top": [
            "%0 = Mul(x, x)",
            "%1 = ReLU(%0)",
            "%2 = Mul(%1, %1)",
            "%3 = ReLU(%2)",
            "%4 = Add(%1, %3)",
            "%5 = Return(%4)",
        ]
    }


def test_a_graph_that_returns_its_argument_vanishes() -> None:
    same = func("same", "a", node("%0", "Return", ref("a")))
    top = func("top", "x", call("%0", "same", ref("x")), node("%1", "ReLU", ref("%0")), node("%2", "Return", ref("%1")))
    assert shown(inline(graph(top, same))) == {"top": ["%0 = ReLU(x)", "%1 = Return(%0)"]}


def test_closures_follow_the_nodes_they_use() -> None:
    branch = func("branch", "", node("%0", "Neg", ref("%0", "body")), node("%1", "Return", ref("%0")), parent="body")
    body = func(
        "body",
        "a",
        node("%0", "ReLU", ref("a")),
        node("%1", "Switch", ref("a"), GraphRef("branch"), GraphRef("branch")),
        node("%2", CALL_VAR, callee=ref("%1")),
        node("%3", "Return", ref("%2")),
    )
    top = func("top", "x", node("%0", "Exp", ref("x")), call("%1", "body", ref("%0")), node("%2", "Return", ref("%1")))
    done = inline(graph(top, body, branch))
    assert shown(done) == {
        "top": [
            "%0 = Exp(x)",
            "%1 = ReLU(%0)",
            "%2 = Switch(%0, @branch, @branch)",
            "%3 = call_var[%2]()",
            "%4 = Return(%3)",
        ],
        "branch": ["%0 = Neg(top.%1)", "%1 = Return(%0)"],
    }
    assert done.funcs["branch"].parent == "top"


def test_a_loop_stays_a_call() -> None:
    loop = func("loop", "a", call("%0", "loop", ref("a")), node("%1", "Return", ref("%0")))
    top = func("top", "x", call("%0", "loop", ref("x")), node("%1", "Return", ref("%0")))
    assert recursive(graph(top, loop)) == {"loop"}
    assert shown(inline(graph(top, loop))) == shown(graph(top, loop))


def test_callees_come_before_their_callers() -> None:
    a = func("a", "", call("%0", "b"), call("%1", "c"))
    b = func("b", "", call("%0", "c"))
    c = func("c", "")
    assert callees_first(graph(a, b, c)) == ["c", "b", "a"]
    there = func("there", "", call("%0", "back"))
    back = func("back", "", call("%0", "there"))
    assert recursive(graph(there, back)) == {"there", "back"}


def scalar(value: float) -> ValueNode:
    return ValueNode(Scalar("Int64" if isinstance(value, int) else "Float32", value))


def test_identities_go() -> None:
    g = graph(
        func(
            "f",
            "x",
            node("%0", "Mul", ref("x"), scalar(1)),
            node("%1", "Cast", ref("%0")),
            node("%2", "Reshape", ref("%1"), abstract=TensorType("Float32", (3, 2))),
            node("%3", "MakeTuple", ref("%1"), ref("%2"), abstract=F32),
            node("%4", "TupleGetItem", ref("%3"), scalar(1), abstract=TensorType("Float32", (3, 2))),
            node("%5", "Return", ref("%4")),
        )
    )
    assert shown(remove_identities(g)) == {"f": ["%0 = Reshape(x)", "%1 = Return(%0)"]}


def test_adding_zero_is_an_identity_for_integers_alone() -> None:
    def added(abstract: TensorType) -> list[str]:
        nodes = (node("%0", "Add", ref("x"), scalar(0), abstract=abstract), node("%1", "Return", ref("%0")))
        return shown(remove_identities(graph(func("f", "x", *nodes, abstract=abstract))))["f"]

    assert added(I32) == ["%0 = Return(x)"]
    # -0.0 + 0 is 0.0
    assert added(F32) == ["%0 = Add(x, 0)", "%1 = Return(%0)"]


def test_what_changes_the_type_is_no_identity() -> None:
    g = graph(func("f", "x", node("%0", "Mul", ref("x"), scalar(1), abstract=I32), node("%1", "Return", ref("%0"))))
    assert remove_identities(g) is g


def test_equal_nodes_are_merged_and_effects_are_not() -> None:
    g = graph(
        func(
            "f",
            "x",
            node("%0", "Exp", ref("x")),
            node("%1", "Exp", ref("x")),
            node("%2", "Add", ref("%0"), ref("%1")),
            node("%3", "Add", ref("%1"), ref("%0")),
            node("%4", "Print", ref("x")),
            node("%5", "Print", ref("x")),
            node("%6", "Softmax", ref("x"), primitive_attrs=Attrs({"axis": Scalar("Int64", 0)})),
            node("%7", "Softmax", ref("x"), primitive_attrs=Attrs({"axis": Scalar("Int64", 1)})),
            node("%8", "MakeTuple", *(ref(f"%{i}") for i in range(2, 8))),
            node("%9", "Return", ref("%8")),
        )
    )
    assert shown(merge_equal(g))["f"] == [
        "%0 = Exp(x)",
        "%1 = Add(%0, %0)",
        "%2 = Print(x)",
        "%3 = Print(x)",
        "%4 = Softmax(x)",
        "%5 = Softmax(x)",
        "%6 = MakeTuple(%1, %1, %2, %3, %4, %5)",
        "%7 = Return(%6)",
    ]


def test_dead_nodes_and_graphs_go() -> None:
    unused = func("unused", "", node("%0", "Return", scalar(1)))
    g = graph(func("f", "x", node("%0", "Exp", ref("x")), node("%1", "Return", ref("x"))), unused)
    assert shown(renumber(drop_dead(g))) == {"f": ["%0 = Return(x)"]}


def test_a_long_chain_is_no_recursion() -> None:
    nodes = [node("%0", "Exp", ref("x"))]
    nodes += [node(f"%{i}", "Exp", ref(f"%{i - 1}")) for i in range(1, 20_000)]
    g = graph(func("f", "x", *nodes, node("%20000", "Return", ref("%19999"))))
    assert renumber(drop_dead(merge_equal(g))) == g

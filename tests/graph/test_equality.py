"""Equality of graphs is equality of meaning; a full name is made of scope, operator and number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from msdump.formats import graph_json
from msdump.graph import CNode, FuncGraph, Graph, GraphRef, NodeRef, Parameter
from msdump.graph.node import own_label, split_fullname
from msdump.io import read_graph
from tests.conftest import FIXTURES

RETURN = CNode("r", "Return", (NodeRef("b"),))
INNER = FuncGraph("inner", (Parameter("z"),), (CNode("q", "Return", (NodeRef("a", "g"),)),), parent="g")


def graph(first: str = "a", second: str = "b", seen: str = "a") -> Graph:
    """x → Neg → Exp, and a subgraph that uses one of the two freely."""
    nodes = (
        CNode(first, "Neg", (NodeRef("x"),)),
        CNode(second, "Exp", (NodeRef(first),)),
        CNode("r", "Return", (NodeRef(second), GraphRef("inner"))),
    )
    inner = replace(INNER, nodes=(replace(INNER.nodes[0], inputs=(NodeRef(seen, "g"),)),))
    return Graph("g", {"g": FuncGraph("g", (Parameter("x"),), nodes, order=(first, second, "r")), "inner": inner})


def test_names_of_nodes_do_not_count() -> None:
    assert graph() == graph("one", "two", "one")
    assert graph() == graph("b", "a", "b")
    assert hash(graph()) == hash(graph("one", "two", "one"))
    assert graph().root == graph("one", "two", "one").root


def test_which_node_a_name_means_counts() -> None:
    assert graph() != graph("one", "two", "two")
    assert graph() != graph(seen="b")
    swapped = graph("one", "two", "one")
    nodes = (swapped.root.nodes[0], replace(swapped.root.nodes[1], inputs=(NodeRef("x"),)), swapped.root.nodes[2])
    assert graph() != replace(swapped, funcs={**swapped.funcs, "g": replace(swapped.root, nodes=nodes)})
    order = replace(swapped.root, order=("two", "one", "r"))
    assert graph() != replace(swapped, funcs={**swapped.funcs, "g": order})


def test_names_of_parameters_and_subgraphs_count() -> None:
    nodes = tuple(
        replace(n, inputs=tuple(NodeRef("y") if i == NodeRef("x") else i for i in n.inputs)) for n in graph().root.nodes
    )
    renamed = replace(graph().root, parameters=(Parameter("y"),), nodes=nodes)
    assert graph() != replace(graph(), funcs={**graph().funcs, "g": renamed})
    assert replace(INNER, name="outer") != INNER


@pytest.mark.parametrize(
    ("fullname", "label", "scope", "found"),
    [
        ("Default/conv-Conv2d/Conv2D-op12", "Conv2D", None, ("Default/conv-Conv2d", 12, "")),
        ("Default/return-op89", "Return", None, ("Default", 89, "return")),
        ("Default/1_✓a/b.2-op0", "1_✓a/b.2", "Default", ("Default", 0, "")),
        ("net.q.weight", "Load", None, ("", None, "net.q.weight")),
        ("a/b//g", "Load", None, ("", None, "a/b//g")),
        ("w16", "Load", "Default", ("Default", None, "w16")),
        ("1", "call_var", None, ("", None, "1")),
        ("Other/Add-op1", "Add", "Default", ("Default", None, "Other/Add-op1")),
        ("Default/Add-op01", "Add", None, ("", None, "Default/Add-op01")),
        ("Default/Add-op" + "9" * 5000, "Add", None, ("", None, "Default/Add-op" + "9" * 5000)),
        ("/Add-op1", "Add", None, ("", 1, "")),
        ("", "Add", None, ("", None, "")),
    ],
)
def test_a_full_name_is_taken_apart_and_put_together(
    fullname: str, label: str, scope: str | None, found: tuple[str, int | None, str]
) -> None:
    assert split_fullname(fullname, label, scope) == found
    where, number, name = found
    assert CNode("%0", label, scope=where, op_number=number, op_label=name).fullname == fullname


def test_the_full_name_follows_scope_operator_and_callee() -> None:
    node = CNode("%0", "Add", scope="Default/a", op_number=3)
    assert node.fullname == "Default/a/Add-op3"
    assert replace(node, scope="Default").fullname == "Default/Add-op3"
    assert replace(node, op="Sub").fullname == "Default/a/Sub-op3"
    call = replace(node, op="call", callee=GraphRef("2_construct"))
    assert own_label(call.op, call.callee) == "2_construct"
    assert call.fullname == "Default/a/2_construct-op3"


def test_a_json_document_has_the_full_name_in_one_piece() -> None:
    read = read_graph(FIXTURES / "ir" / "2.10.0_control_flow_if_type_inference.ir")
    data = graph_json.to_data(read)
    names = [row["fullname"] for func in data["funcs"] for row in func["nodes"] if "fullname" in row]
    assert names == [node.fullname for _, node in read.iter_nodes() if node.fullname]
    assert {"Default/Cast-op0", "Default/Switch-op0", "1"} <= set(names)
    assert graph_json.from_data(data) == read

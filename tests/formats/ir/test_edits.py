"""Each kind of field edited: the printed file changes in that text, and nowhere else."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from msdump.formats import ir
from msdump.graph import CNode, FuncGraph, Graph, Location, NodeRef, Parameter, TensorType, ValueNode
from msdump.graph.edit import rename_graph
from msdump.graph.graph import NodeCounts
from msdump.graph.value import Attrs, Scalar, Str
from tests.conftest import FIXTURES

NEW = FIXTURES / "ir" / "2.10.0_control_flow_if_type_inference.ir"
OLD = FIXTURES / "ir" / "1.10.0_print_net_validate.ir"
FULL = FIXTURES / "ir" / "2.5.0_print_net_validate.ir"


def changed(before: Graph, after: Graph) -> list[tuple[str, str]]:
    """The lines that differ: (old, new)."""
    a, b = ir.format_graph(before).split("\n"), ir.format_graph(after).split("\n")
    found = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "equal":
            assert j - i == m - k, (a[i:j], b[k:m])
            found += list(zip(a[i:j], b[k:m], strict=True))
    return found


def with_node(graph: Graph, edit: Callable[[CNode], CNode], wanted: Callable[[CNode], bool]) -> Graph:
    """The graph with the first node that is wanted edited."""
    for key, func in graph.funcs.items():
        for index, node in enumerate(func.nodes):
            if wanted(node):
                nodes = (*func.nodes[:index], edit(node), *func.nodes[index + 1 :])
                return with_func(graph, key, dataclasses.replace(func, nodes=nodes))
    raise AssertionError("no such node")


def with_func(graph: Graph, key: str, func: FuncGraph) -> Graph:
    funcs = {name: func if name == key else old for name, old in graph.funcs.items()}
    return dataclasses.replace(graph, funcs=MappingProxyType(funcs))


def put(**fields: Any) -> Callable[[CNode], CNode]:
    return lambda node: dataclasses.replace(node, **fields)


def is_add(node: CNode) -> bool:
    return node.op == "Add"


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (put(op_kind=""), "PrimFunc_Add(", "Add("),
        (put(debug_name="total"), "(z) = ", "(total) = "),
        (put(instance="plus"), "{instance name: add}", "{instance name: plus}"),
        (put(cnode_attrs=Attrs({"checkpoint": Scalar("Bool", False)})), "checkpoint: Bool(1)", "checkpoint: Bool(0)"),
        (put(cnode_attrs=Attrs({"note": Str("x")})), "checkpoint: Bool(1)", 'note: "x"'),
        (put(scope="Other/net"), "(Default/Add-op0)", "(Other/net/Add-op0)"),
        (put(op_number=9), "(Default/Add-op0)", "(Default/Add-op9)"),
        (put(inputs=(NodeRef("y"), NodeRef("y"))), "(%para1_x, %para2_y)", "(%para2_y, %para2_y)"),
    ],
)
def test_a_field_of_a_node(edit: Callable[[CNode], CNode], old: str, new: str) -> None:
    graph = ir.read(FULL)
    ((before, after),) = changed(graph, with_node(graph, edit, is_add))
    assert before.replace(old, new, 1) == after
    assert old in before


def test_an_operator_stands_at_the_node_and_in_its_full_name() -> None:
    graph = ir.read(FULL)
    (line, other), (name, renamed) = changed(graph, with_node(graph, put(op="Sub"), is_add))
    assert (other, renamed) == (line.replace("PrimFunc_Add(", "PrimFunc_Sub("), name.replace("/Add-op0", "/Sub-op0"))
    assert other != line
    assert renamed.endswith("(Default/Sub-op0)")


def test_the_type_of_a_node_stands_at_the_node_and_at_its_uses() -> None:
    graph = ir.read(FULL)
    lines = changed(graph, with_node(graph, put(abstract=TensorType("Float16", (2, 3))), is_add))
    assert lines[0][1].endswith("-> (<Tensor[Float16], (2, 3)>)")
    uses = [node for node in graph.root.nodes if NodeRef("%0") in node.inputs]
    assert len(lines) == 1 + len(uses)
    assert all("<Tensor[Float16], (2, 3)>" in after for _, after in lines)


def test_a_source_line_of_a_node() -> None:
    graph = ir.read(FULL)

    def move(node: CNode) -> CNode:
        places = (*node.locations[:-1], dataclasses.replace(node.locations[-1], line=99, code="        z = x"))
        return dataclasses.replace(node, locations=places)

    ((before, after),) = changed(graph, with_node(graph, move, is_add))
    assert before.endswith("print_net.py:14, 12~26/        z = self.add(x, y)/")
    assert after.endswith("print_net.py:99, 12~26/        z = x/")


def test_a_constant() -> None:
    graph = ir.read(FULL)

    def other(node: CNode) -> CNode:
        first = node.inputs[0]
        assert isinstance(first, ValueNode)
        return dataclasses.replace(node, inputs=(dataclasses.replace(first, value=Str("new")), *node.inputs[1:]))

    ((before, after),) = changed(graph, with_node(graph, other, lambda node: node.op == "Print"))
    assert before.replace('"plain string"', '"new"') == after


def test_a_parameter() -> None:
    graph = ir.read(FULL)
    root = graph.root
    first = root.parameters[0]

    def edited(parameter: Parameter) -> Graph:
        return with_func(graph, graph.entry, dataclasses.replace(root, parameters=(parameter, *root.parameters[1:])))

    lines = changed(graph, edited(dataclasses.replace(first, abstract=TensorType("Float32", (5, 3)))))
    assert lines[0][1] == "%para1_x: <Tensor[Float32], (5, 3)> : [5, 3]"
    assert all("(5, 3)" in after for _, after in lines)
    ((_, after),) = changed(graph, edited(dataclasses.replace(first, has_default=True)))
    assert after.endswith("[2, 3]  :  has_default")


def test_a_parameter_renamed_with_its_uses() -> None:
    graph = ir.read(FULL)
    root = graph.root
    parameters = (dataclasses.replace(root.parameters[0], name="renamed"), *root.parameters[1:])
    nodes = tuple(
        dataclasses.replace(n, inputs=tuple(NodeRef("renamed") if i == NodeRef("x") else i for i in n.inputs))
        for n in root.nodes
    )
    edited = with_func(graph, graph.entry, dataclasses.replace(root, parameters=parameters, nodes=nodes))
    lines = changed(graph, edited)
    assert lines[0][1].startswith("%para1_renamed: <Tensor[Float32], (2, 3)>")
    assert [before.replace("%para1_x", "%para1_renamed") for before, _ in lines] == [after for _, after in lines]
    assert len(lines) == 3
    assert ir.parse(ir.format_graph(edited)) == edited


def test_windows_line_ends_inside_a_tensor() -> None:
    text = ir.format_graph(ir.read(FULL)).replace(
        '"plain string"', "Tensor(shape=[2, 2], dtype=Int8, value=\n[[1 2]\n [3 4]])", 1
    )
    windows = text.replace("\n", "\r\n")
    assert ir.format_graph(ir.parse(windows)) == windows


def test_blanks_behind_the_head_of_a_subgraph() -> None:
    graph = ir.read(NEW)
    text = ir.format_graph(graph)
    padded = re.sub(r"^(subgraph @.*\{)$", r"\1 ", text, flags=re.MULTILINE)
    assert padded != text
    assert ir.parse(padded) == graph


def test_the_graph_itself() -> None:
    graph = ir.read(FULL)
    ((before, after),) = changed(
        graph, dataclasses.replace(graph, counts=NodeCounts(77, 12 if graph.counts is None else graph.counts.cnodes))
    )
    assert (before.split(": ")[0], after) == ("Total number of nodes", "Total number of nodes: 77")
    key = next(iter(graph.attrs))
    attrs = Attrs({name: Str("9") if name == key else value for name, value in graph.attrs.items()})
    ((_, after),) = changed(graph, dataclasses.replace(graph, attrs=attrs))
    assert after == f"{key}: 9"


def test_the_name_of_a_subgraph_changes_wherever_it_stands() -> None:
    graph = ir.read(NEW)
    name = "16_cast_21"
    lines = changed(graph, rename_graph(graph, name, "16_cast_new"))
    assert len(lines) > 3
    assert {before.replace(name, "16_cast_new") for before, _ in lines} == {after for _, after in lines}


def test_an_attribute_and_the_place_of_a_subgraph() -> None:
    graph = ir.read(NEW)
    name = "16_cast_21"
    func = graph.funcs[name]
    ((_, after),) = changed(
        graph, with_func(graph, name, dataclasses.replace(func, attrs=Attrs({"undeterminate": Str("1")})))
    )
    assert after == "undeterminate: 1"
    ((_, after),) = changed(
        graph, with_func(graph, name, dataclasses.replace(func, location=Location("f.py", 3, code="x")))
    )
    assert after == "# In file f.py:3/x/"


def test_a_new_node_moves_the_numbers_of_those_behind_it() -> None:
    graph = ir.read(OLD)
    root = graph.root
    new = CNode("new", "ReLU", (NodeRef("%0"),), root.nodes[0].abstract, debug_name="r")
    edited = with_func(graph, graph.entry, dataclasses.replace(root, nodes=(root.nodes[0], new, *root.nodes[1:])))
    text = ir.format_graph(edited)
    again = ir.parse(text)
    assert [node.op for node in again.root.nodes] == [node.op for node in edited.root.nodes]
    assert "  %1(r) = ReLU(%0)\n" in text
    assert again.root.nodes[-1].inputs == (NodeRef(f"%{len(root.nodes) - 1}"),)
    assert len(again.root.nodes) == len(root.nodes) + 1

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump.errors import LossError, ParseError, WriteError
from msdump.formats import dat, dot, mindir
from msdump.graph import CNode, FuncGraph, Graph, GraphRef, NodeRef, Parameter
from msdump.graph.node import ValueNode
from msdump.graph.value import Attrs, Monad, Opaque, Scalar, Sequence, Str, TensorValue
from msdump.graph.verify import verify
from tests.conftest import FIXTURES, every, real
from tests.formats.graph_laws import damages, holds

FOLDER = FIXTURES / "dot"
FILES = sorted(FOLDER.glob("*.dot"))
LIMITS = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
GRAPHVIZ = shutil.which("dot")


# MindSpore's own


def test_a_small_graph_whole() -> None:
    graph = dot.read(FOLDER / "1.1.1_conv_relu.dot")
    assert graph.entry == "8_7_1_construct_wrapper"
    assert graph.root.parameters == (
        Parameter("x"),
        Parameter("conv.bias", has_default=True, attrs=Attrs({"shape": Sequence("Tuple", (Scalar("", 4),))})),
        Parameter(
            "conv.weight",
            has_default=True,
            attrs=Attrs({"shape": Sequence("Tuple", tuple(Scalar("", n) for n in (4, 3, 3, 3)))}),
        ),
    )
    assert [(n.op, n.inputs, n.instance, n.debug_name) for n in graph.root.nodes] == [
        ("Conv2D", (NodeRef("x"), NodeRef("conv.weight")), "conv2d", "output"),
        ("BiasAdd", (NodeRef("%0"), NodeRef("conv.bias")), "bias_add", "output"),
        ("ReLU", (NodeRef("%1"),), "relu", "[CNode]21"),
        ("Return", (NodeRef("%2"),), "", "[CNode]0"),
    ]
    attrs = graph.root.nodes[0].primitive_attrs
    assert attrs["pad_list"] == Sequence("Tuple", (Scalar("", 1),) * 4)
    assert attrs["input_names"] == Sequence("List", (Str("x"), Str("w")))
    assert attrs["mode"] == Scalar("", 1)


def test_subgraphs_are_named_by_their_users_where_2_x_hides_their_names() -> None:
    graph = dot.read(FOLDER / "2.10.0_while.dot")
    header = graph.funcs["42_3_↵__main___WhileNet_construct_158"]
    assert graph.entry == "_anonymous_"
    assert graph.root.nodes[0].callee == GraphRef(header.name)
    assert [n.op for n in header.nodes] == ["Less", "Partial", "Partial", "Switch", "call_var", "Return"]
    assert verify(graph) == ()


def test_graph_links_whose_address_is_not_the_graphs() -> None:
    graph = dot.read(FOLDER / "1.6.1_while.dot")
    assert graph.root.nodes[0].callee == GraphRef("35_3_⤾construct.202")
    assert "35_3_⤾construct.202" in graph.funcs
    assert verify(graph) == ()


def test_names_that_are_no_valid_dot() -> None:
    graph = dot.read(FOLDER / "2.10.0_odd.dot")
    name = "{b} [x] (y) = %1 @z <t> : //"
    assert [p.name for p in graph.root.parameters] == ["x", name]
    assert graph.root.nodes[0] == CNode(
        "%0", "Load", (NodeRef(name), ValueNode(Monad("U"))), debug_name="ValueNode_285"
    )
    assert graph.root.nodes[1].op_kind == "PrimFunc"
    assert graph.root.nodes[-1].op == "Return"


def test_strings_lose_only_the_space_behind_a_comma() -> None:
    prints = [n for _, n in dot.read(FOLDER / "2.10.0_print_net.dot").iter_nodes() if n.op == "Print"]
    texts = {i.value.value for n in prints for i in n.inputs if isinstance(i, ValueNode) and isinstance(i.value, Str)}
    assert "quotes \" and ' {braces} [1, 2] (3), comma, = %1 @a $b # // 中文 \t tab" in texts


def test_the_back_ends_pictures_tell_the_operator_in_the_node() -> None:
    graph = dot.read(FOLDER / "1.6.1_model_digraph.dot")
    ops = [n.op for _, n in graph.iter_nodes()]
    assert {"Return", "Switch", "Partial", "call_var"} <= set(ops)
    greater = next(n for _, n in graph.iter_nodes() if n.op == "Greater")
    assert greater.primitive_attrs["output_names"] == Sequence("List", (Str("output"),))
    assert len(greater.inputs) == 2
    switch = next(n for _, n in graph.iter_nodes() if n.op == "Switch")
    call = next(n for _, n in graph.iter_nodes() if n.op == "call_var")
    assert call.callee == NodeRef(switch.name)


def test_the_end_inside_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "g.dot"
    path.write_bytes((FOLDER / "1.1.1_conv_relu.dot").read_bytes()[:1500])
    with pytest.raises(ParseError) as error:
        dot.read(path)
    assert error.value.what == "the file ends before the graph's closing brace"
    path.write_text("digraph mindspore {\n")
    with pytest.raises(ParseError, match="no subgraph in it"):
        dot.read(path)


@pytest.mark.parametrize("path", every(25, real("dot/*/*/*.dot")))
def test_every_real_file_and_back_through_ours(path: Path, tmp_path: Path) -> None:
    reading = dot.inspect(path)
    assert (reading.error, reading.notes) == (None, ())
    faults = [f for f in verify(reading.content) if f.level == "error" and f.rule in ("dangling", "duplicate", "cycle")]
    assert faults == []
    dot.write(reading.content, tmp_path / "o.dot")
    assert dot.read(tmp_path / "o.dot") == reading.content


# Our own


@pytest.mark.parametrize("path", sorted((FIXTURES / "dat").glob("*.dat")) + FILES, ids=lambda p: p.name)
def test_what_is_written_is_read_back_equal(path: Path, tmp_path: Path) -> None:
    graph = (dat if path.suffix == ".dat" else dot).read(path)
    dot.write(graph, tmp_path / "a.dot")
    dot.write(graph, tmp_path / "b.dot")
    assert (tmp_path / "a.dot").read_bytes() == (tmp_path / "b.dot").read_bytes()
    assert dot.read(tmp_path / "a.dot") == graph


ODD = 'a"b\\c\n\t<x> & &lt; \\" \\\\ é ↵ \x00\x1b'


def odd_graph(text: str) -> Graph:
    node = CNode(
        "%0", text, (NodeRef("p"), ValueNode(Str(text)), ValueNode(TensorValue("Float32", (1,), data=b"\0\1\2\3"))),
        primitive_attrs=Attrs({text: Scalar("Float32", float("inf")), "o": Opaque(text)}), scope=text, debug_name=text,
    )  # fmt: skip
    func = FuncGraph(text, (Parameter("p"),), (node, CNode("%1", "Return", (NodeRef("%0"),))))
    return Graph(text, {text: func})


@given(st.text(max_size=30))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_back(tmp_path: Path, text: str) -> None:
    graph = odd_graph(text or "g")
    dot.write(graph, tmp_path / "g.dot", force=True)
    assert dot.read(tmp_path / "g.dot") == graph


@pytest.mark.skipif(GRAPHVIZ is None, reason="Graphviz is not installed")
def test_graphviz_takes_it_and_draws_the_clusters(tmp_path: Path) -> None:
    for number, graph in enumerate((odd_graph(ODD), dat.read(FIXTURES / "dat" / "1.6.1_odd.dat"))):
        path = tmp_path / f"{number}.dot"
        dot.write(graph, path)
        done = subprocess.run(["dot", "-Tsvg", str(path)], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        assert done.stdout.count('class="cluster"') == len(graph.funcs)
        assert done.stdout.count('class="node"') == sum(len(f.nodes) + len(f.parameters) for f in graph.funcs.values())


def test_weights_are_a_loss_that_is_named(tmp_path: Path) -> None:
    graph = mindir.read(FIXTURES / "mindir" / "2.10.0_conv_relu.mindir")
    with pytest.raises(LossError) as error:
        dot.write(graph, tmp_path / "g.dot")
    assert error.value.lost == ("values of weights (2)",)
    assert not (tmp_path / "g.dot").exists()
    dot.write(graph, tmp_path / "g.dot", lossy=True)
    assert dot.read(tmp_path / "g.dot") == graph


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "g.dot").write_text("mine")
    with pytest.raises(WriteError):
        dot.write(odd_graph("g"), tmp_path / "g.dot")
    assert (tmp_path / "g.dot").read_text() == "mine"


@given(draw=st.data())
@LIMITS
def test_any_damage_to_ours_is_an_error_or_a_graph(tmp_path: Path, draw: st.DataObject) -> None:
    path = tmp_path / "g.dot"
    dot.write(dat.read(FIXTURES / "dat" / "1.6.1_odd.dat"), path, force=True)
    holds(dot.inspect, tmp_path / "m.dot", draw.draw(damages(path.read_bytes())))


def test_a_chain_of_100_000_nodes(tmp_path: Path) -> None:
    nodes = [CNode("%0", "ReLU", (NodeRef("x"),))]
    nodes += [CNode(f"%{i}", "ReLU", (NodeRef(f"%{i - 1}"),)) for i in range(1, 100_000)]
    nodes.append(CNode("%100000", "Return", (NodeRef("%99999"),)))
    graph = Graph("g", {"g": FuncGraph("g", (Parameter("x"),), tuple(nodes))})
    dot.write(graph, tmp_path / "g.dot")
    assert dot.read(tmp_path / "g.dot") == graph

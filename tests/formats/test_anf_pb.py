from __future__ import annotations

from pathlib import Path

import pytest

from msdump import io
from msdump._proto import anf_ir_pb2
from msdump.errors import TruncatedError
from msdump.formats import anf_pb
from msdump.graph import CNode, MonadType, NodeRef, Parameter, ScalarType, SequenceType, TensorType
from msdump.graph.layout import AnfLayout
from msdump.graph.node import ValueNode
from msdump.graph.value import Monad, Scalar, Sequence, Str, TensorValue, TypeValue
from msdump.graph.verify import verify
from tests.conftest import FIXTURES, every, real

FOLDER = FIXTURES / "anf_pb"
FILES = sorted(FOLDER.glob("*.pb"))


def write(tmp_path: Path, message: anf_ir_pb2.ModelProto | anf_ir_pb2.GraphProto) -> Path:
    path = tmp_path / "g.pb"
    path.write_bytes(message.SerializeToString())
    return path


def test_a_small_graph_whole() -> None:
    graph = anf_pb.read(FOLDER / "1.10.0_conv_relu.pb")
    weight = TensorType("Float32", (4, 3, 3, 3))
    assert graph.root.parameters[0] == Parameter("x", TensorType("Float32", (1, 3, 8, 8)))
    assert {p.name for p in graph.root.parameters} == {"x", "conv.weight", "conv.bias"}
    assert [n.op for n in graph.root.nodes] == [
        "Load", "Conv2D", "Load", "BiasAdd", "ReLU", "MakeTuple", "UpdateState", "Depend", "Return",
    ]  # fmt: skip
    load, conv = graph.root.nodes[:2]
    assert load.inputs == (NodeRef("conv.weight"), ValueNode(Monad("U")))
    assert load.abstract == weight
    assert conv.inputs == (NodeRef("x"), NodeRef("%0"))
    assert conv.scope == "Default/conv-Conv2d"
    assert conv.fullname.startswith("Default/conv-Conv2d/Conv2D-op")
    assert conv.primitive_attrs["kernel_size"] == Sequence("Tuple", (Scalar("Int64", 3), Scalar("Int64", 3)))
    assert conv.primitive_attrs["input_names"] == Sequence("List", (Str("x"), Str("w")))
    assert graph.root.nodes[6].abstract == MonadType("UMonad")
    assert graph.root.nodes[5].abstract == SequenceType("Tuple", (TensorType("Float32"), TensorType("Float32")))
    assert graph.root.nodes[-1] == CNode("%8", "Return", (NodeRef("%7"),), TensorType("Float32", (1, 4, 8, 8)))


def test_a_traced_back_end_graph() -> None:
    graph = anf_pb.read(FOLDER / "2.0.0_trace_code_while.pb")
    assert graph.entry == "kernel_graph_0"
    assert [p.name for p in graph.root.parameters] == ["фi", "n"]
    assert graph.root.nodes[0].op == "Less"
    assert graph.root.nodes[0].abstract == TensorType("Bool", ())


def test_instances_and_strings() -> None:
    prints = [n for _, n in anf_pb.read(FOLDER / "2.5.0_print_net.pb").iter_nodes() if n.op == "Print"]
    texts = [i.value.value for n in prints for i in n.inputs if isinstance(i, ValueNode) and isinstance(i.value, Str)]
    assert "quotes \" and ' {braces} [1, 2] (3), comma, = %1 @a $b # // 中文 \t tab" in texts
    assert {n.instance for n in prints} == {"print"}
    assert prints[0].abstract == TensorType("Int32", (1,))


def test_a_bare_graph_of_an_early_release(tmp_path: Path) -> None:
    graph = anf_ir_pb2.GraphProto(name="kernel_graph_0")
    node = graph.node.add(name="1", op_type="OneHot", scope="Default")
    node.input.add(name="x", type=0)
    node.input.add(name="cst1", type=0)
    node.input.add(name="before", type=1)
    graph.parameters.add(name="x")
    graph.outputs.add(name="1")
    # TensorProto then: dims 1, content 3, data_type 5.
    tensor = b"\x08\x02\x1a\x08" + b"\0\0\x80\x3f\0\0\0\x40" + b"\x28\x0b"
    value = b"\x08\x0e\x42" + bytes([len(tensor)]) + tensor
    constant = b"\x0a\x04cst1\x12" + bytes([len(value)]) + value
    path = tmp_path / "g.pb"
    path.write_bytes(graph.SerializeToString() + b"\x2a" + bytes([len(constant)]) + constant)
    read = anf_pb.read(path)
    assert read.source == AnfLayout("anf_pb", bare=True)
    assert io.sniff(path).name == "anf_pb"
    made = read.root.nodes[0]
    assert made.inputs == (NodeRef("x"), ValueNode(TensorValue("Float32", (2,), data=b"\0\0\x80\x3f\0\0\0\x40")))
    assert made.cnode_attrs["control_inputs"] == Sequence("Tuple", (Str("before"),))


def test_monads_have_another_number_in_each_release(tmp_path: Path) -> None:
    model = anf_ir_pb2.ModelProto(ir_version=1)
    graph = model.graph
    graph.name = "g"
    graph.const_vals.add(key="c").value.str_val = "IO"
    token = graph.parameters.add(name="u")
    token.type.data_type = anf_ir_pb2.DT_SLICE
    update = graph.node.add(name="1", op_type="UpdateState")
    update.input.add(name="c", type=0)
    update.output_type.data_type = anf_ir_pb2.DT_SLICE
    graph.outputs.add(name="1")
    read = anf_pb.read(write(tmp_path, model))
    assert read.root.parameters[0].abstract == MonadType("UMonad")
    assert read.root.nodes[0].abstract == MonadType("IOMonad")


def test_values_of_other_kinds(tmp_path: Path) -> None:
    model = anf_ir_pb2.ModelProto(ir_version=1)
    node = model.graph.node.add(name="1", op_type="f")
    for name, fill in {
        "type": {"dtype": anf_ir_pb2.DT_TYPE, "type_val": {"data_type": anf_ir_pb2.DT_FLOAT16}},
        "base": {"dtype": anf_ir_pb2.DT_TYPE, "type_val": {"data_type": anf_ir_pb2.DT_BASE_FLOAT}},
        "ints": {"dtype": anf_ir_pb2.DT_INTS32, "int_vals": [1, 2]},
        "uint": {"dtype": anf_ir_pb2.DT_UINT64, "uint_val": 2**63},
        "float": {"dtype": anf_ir_pb2.DT_FLOAT32, "float_val": 0.5},
    }.items():
        node.attribute.add(name=name, value=anf_ir_pb2.ValueProto(**fill))  # type: ignore[arg-type]
    node.output_type.data_type = anf_ir_pb2.DT_STRING
    model.graph.outputs.add(name="1")
    made = anf_pb.read(write(tmp_path, model)).root.nodes[0]
    assert dict(made.primitive_attrs) == {
        "type": TypeValue("Float16"),
        "base": TypeValue("Float"),
        "ints": Sequence("Tuple", (Scalar("Int32", 1), Scalar("Int32", 2))),
        "uint": Scalar("UInt64", 2**63),
        "float": Scalar("Float32", 0.5),
    }
    assert made.abstract == ScalarType("String")


def test_a_file_that_ends_inside_the_graph_gives_the_nodes_before(tmp_path: Path) -> None:
    data = (FOLDER / "1.10.0_conv_relu.pb").read_bytes()
    path = tmp_path / "g.pb"
    path.write_bytes(data[:700])
    reading = anf_pb.inspect(path)
    assert isinstance(reading.error, TruncatedError)
    whole = anf_pb.read(FOLDER / "1.10.0_conv_relu.pb")
    count = len(reading.content.root.nodes)
    assert 0 < count < len(whole.root.nodes)
    assert [n.op for n in reading.content.root.nodes] == [n.op for n in whole.root.nodes[:count]]
    with pytest.raises(TruncatedError):
        anf_pb.read(path)


def test_told_from_print_logs() -> None:
    for path in sorted((FIXTURES / "print").rglob("*.pb")):
        assert anf_pb.shape_of(path.read_bytes()[:65536]) == "", path
    for path in FILES:
        assert io.sniff(path).name == "anf_pb"


# Its missing inputs are names of actors that no node of the file makes.
DANGLING = {"2.0.0/containers_seq/ms_output_after_opt_0.pb": 3}


@pytest.mark.parametrize("path", every(12, real("**/ms_output*.pb")))
def test_every_real_file(path: Path) -> None:
    reading = anf_pb.inspect(path)
    assert reading.error is None
    faults = [f for f in verify(reading.content) if f.level == "error"]
    assert len(faults) == DANGLING.get("/".join(path.parts[-3:]), 0)

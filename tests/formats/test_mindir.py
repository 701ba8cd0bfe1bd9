from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import msdump
from msdump import io
from msdump._proto import mind_ir_pb2
from msdump.errors import DecodeError, LossError, TruncatedError
from msdump.formats import mindir
from msdump.formats.window import Window
from msdump.graph import CNode, FuncType, GraphRef, MonadType, NodeRef, RefType, ScalarType, SequenceType, TensorType
from msdump.graph.layout import MindirLayout
from msdump.graph.node import ValueNode
from msdump.graph.value import Monad, NoneValue, Scalar, Sequence, Str, TensorValue
from msdump.graph.verify import verify
from tests.conftest import FIXTURES, real

FOLDER = FIXTURES / "mindir"
FILES = sorted(FOLDER.glob("*.mindir"))
IMAGE = TensorType("Float32", (1, 4, 8, 8))


def node(path: Path, op: str) -> CNode:
    return next(n for _, n in mindir.read(path).iter_nodes() if n.op == op)


def test_a_small_model_whole() -> None:
    graph = mindir.read(FOLDER / "2.10.0_conv_relu.mindir")
    assert graph.entry == "14_8___main___ConvRelu_construct_5"
    assert [(p.name, p.has_default) for p in graph.root.parameters] == [
        ("x", False),
        ("conv.weight", True),
        ("conv.bias", True),
    ]
    assert [n.op for n in graph.root.nodes] == [
        "Load", "Conv2D", "Load", "BiasAdd", "ReLU", "MakeTuple", "UpdateState", "Depend", "Return",
    ]  # fmt: skip
    assert isinstance(graph.source, MindirLayout)
    assert graph.source.model_version == "2.10.0"
    assert graph.root.attrs["phase"] == Str("export")
    conv = graph.root.nodes[1]
    assert conv.inputs == (NodeRef("x"), NodeRef("%0"))
    assert conv.abstract == IMAGE
    assert (conv.scope, conv.fullname) == ("Default/conv-Conv2d", "Default/conv-Conv2d/Conv2D-op0")
    assert (conv.instance, conv.op_kind, conv.debug_name) == ("conv2d", "", "output")
    assert conv.primitive_attrs["kernel_size"] == Sequence("Tuple", (Scalar("Int64", 3), Scalar("Int64", 3)))
    assert conv.primitive_attrs["input_names"] == Sequence("List", (Str("x"), Str("w")))
    assert conv.primitive_attrs["pad_mode"] == Str("same")
    assert conv.cnode_attrs["checkpoint"] == Scalar("Bool", True)
    assert graph.root.nodes[3].op_kind == "PrimFunc"
    assert graph.root.nodes[3].inputs[2] == ValueNode(Scalar("Int64", 0))
    assert graph.root.nodes[0].inputs[1] == ValueNode(Monad("U"))
    assert graph.root.output == NodeRef("%7")


def test_weights_are_read_when_asked_for(tmp_path: Path) -> None:
    path = shutil.copy(FOLDER / "2.10.0_conv_relu.mindir", tmp_path)
    weight = mindir.read(path).root.parameters[1]
    assert weight.abstract == RefType(TensorType("Float32", (4, 3, 3, 3)), "conv.weight")
    assert weight.default is not None
    assert (weight.default.shape, weight.default.nbytes, weight.default.name) == ((4, 3, 3, 3), 432, "conv.weight")
    model = mind_ir_pb2.ModelProto.FromString(Path(path).read_bytes())
    raw = model.graph.parameter[0].raw_data
    assert weight.default.numpy().tobytes() == raw
    Path(path).unlink()
    with pytest.raises(DecodeError, match="the weights cannot be read"):
        weight.default.numpy()


def test_release_1_3_tells_types_and_values_in_its_own_way() -> None:
    path = FOLDER / "1.3.0_conv_relu.mindir"
    conv = node(path, "Conv2D")
    assert conv.abstract == IMAGE
    assert conv.primitive_attrs["kernel_size"] == Sequence("Tuple", (Scalar("Int64", 3), Scalar("Int64", 3)))
    assert conv.primitive_attrs["output_names"] == Sequence("List", (Str("output"),))
    assert conv.primitive_attrs["out_channel"] == Scalar("Int64", 4)
    assert node(path, "Load").inputs[1] == ValueNode(Monad("U"))
    assert node(path, "UpdateState").abstract == MonadType("UMonad")
    made = node(path, "MakeTuple").abstract
    assert made == SequenceType("Tuple", (TensorType("Float32", (4, 3, 3, 3)), TensorType("Float32", (4,))))
    # The last node's name and the name of its output differ; the graph's output names the latter.
    assert mindir.read(path).root.nodes[-1] == CNode("%8", "Return", (NodeRef("%7"),), IMAGE)


def test_subgraphs_calls_and_closures() -> None:
    graph = mindir.read(FOLDER / "2.10.0_control_flow.mindir")
    header = graph.funcs["535_510_↵__main___Ctl_construct_269"]
    assert graph.root.nodes[0].op == "call"
    assert graph.root.nodes[0].callee == GraphRef(header.name)
    assert graph.root.nodes[0].inputs[1] == ValueNode(TensorValue("Int32", (), data=b"\0\0\0\0"))
    assert [n.op for n in header.nodes] == ["Less", "Partial", "Partial", "Switch", "call_var", "Return"]
    assert header.nodes[1].inputs[0] == GraphRef("536_511_↻__main___Ctl_construct_274")
    assert header.nodes[1].abstract == FuncType()
    assert header.nodes[4].callee == NodeRef("%3")
    assert header.nodes[4].inputs == ()
    assert verify(graph) == ()


def test_every_kind_of_value() -> None:
    made = node(FOLDER / "2.7.0_kinds.mindir", "MakeTuple")
    assert made.inputs[2:] == (
        ValueNode(Scalar("Int64", 4)),
        ValueNode(Str("str")),
        ValueNode(NoneValue()),
        ValueNode(Scalar("Float32", 2.5)),
        ValueNode(Scalar("Bool", True)),
    )
    assert isinstance(made.abstract, SequenceType)
    assert made.abstract.elements is not None
    assert made.abstract.elements[2:] == (
        ScalarType("Int64"), ScalarType("String"), ScalarType("None"), ScalarType("Float32"), ScalarType("Bool"),
    )  # fmt: skip


def test_weights_in_a_folder_beside_the_model() -> None:
    parameters = {p.name: p.default for p in mindir.read(FOLDER / "split_graph.mindir").root.parameters}
    bytes_0 = (FOLDER / "split_variables" / "data_0").read_bytes()
    weight, table = parameters["fc.weight"], parameters["tab"]
    assert weight is not None
    assert table is not None
    assert np.array_equal(weight.numpy(), np.frombuffer(bytes_0[128:256], "<f4").reshape(4, 8))
    assert (table.dtype.name, table.numpy().astype(np.float32).tolist()) == ("BFloat16", [[1, 1], [1, 1]])


def test_a_folder_of_weights_that_is_not_there(tmp_path: Path) -> None:
    path = shutil.copy(FOLDER / "split_graph.mindir", tmp_path)
    reading = mindir.inspect(path)
    assert reading.error is None
    assert all(p.default is None for p in reading.content.root.parameters)
    assert reading.notes[0].what == "weight fc.weight: its file split_variables/data_0 is not beside the model"


@pytest.mark.parametrize("location", ["../secret", "/etc/hostname", "a/../../b", "C:\\x", "..\\x"])
def test_a_model_cannot_name_files_outside_its_folder(tmp_path: Path, location: str) -> None:
    model = mind_ir_pb2.ModelProto(ir_version="1.1", producer_name="MindSpore")
    model.graph.name = "g"
    tensor = model.graph.parameter.add(dims=[1], data_type=1, name="g:w")
    tensor.external_data.location, tensor.external_data.offset, tensor.external_data.length = location, 0, 4
    path = tmp_path / "m.mindir"
    path.write_bytes(model.SerializeToString())
    reading = mindir.inspect(path)
    assert reading.content.root.parameters[0].default is None
    assert "is not below the model's folder" in reading.notes[0].what


def test_numbers_in_typed_fields_big_endian_and_shared_constants(tmp_path: Path) -> None:
    model = mind_ir_pb2.ModelProto(ir_version="1.1", producer_name="MindSpore", little_endian=False)
    model.graph.name = "g"
    model.graph.parameter.add(dims=[2], data_type=1, name="g:a", float_data=[1.5, -2])
    model.graph.parameter.add(dims=[2], data_type=4, name="g:b", raw_data=b"\1\2\0\3")
    constant = model.graph.node.add(name="c", output=["c"], op_type="Constant").attribute.add(name="value", type=7)
    constant.i = 7
    inner = model.functions.add(name="h")
    inner.node.add(name="h:n", output=["h:n"], op_type="REF::Neg", input=["c"])
    inner.output.add(name="h:n")
    model.graph.output.add(name="g:a")
    model.primitives.add(name="Neg", op_type="Neg")
    path = tmp_path / "m.mindir"
    path.write_bytes(model.SerializeToString())
    graph = mindir.read(path)
    first, second = (p.default for p in graph.root.parameters)
    assert first is not None
    assert second is not None
    assert first.numpy().tolist() == [1.5, -2.0]
    assert second.numpy().tolist() == [0x0102, 3]
    assert graph.funcs["h"].nodes[0].inputs == (ValueNode(Scalar("Int64", 7)),)
    assert graph.root.output == NodeRef("a")


def test_a_file_that_ends_inside_a_subgraph_gives_the_rest() -> None:
    data = (FOLDER / "2.10.0_control_flow.mindir").read_bytes()
    path = FOLDER / "2.10.0_control_flow.mindir"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("msdump.formats.window.window_of", lambda _: _window(data[:6000]))
        reading = mindir.inspect(path)
    assert isinstance(reading.error, TruncatedError)
    assert list(reading.content.funcs) == list(mindir.read(path).funcs)[: len(reading.content.funcs)]
    assert 0 < len(reading.content.funcs) < 7


def _window(data: bytes) -> Window:
    return Window(data, "model.mindir", 0, len(data))


def test_names_in_another_encoding_are_shown_as_bytes(tmp_path: Path) -> None:
    content = (FIXTURES / "mindir/2.10.0_control_flow.mindir").read_bytes()
    mark = "\u21b5".encode()
    (tmp_path / "m.mindir").write_bytes(content.replace(mark, b"\xff\xfe\xfd"))
    whole, reading = (
        mindir.inspect(FIXTURES / "mindir/2.10.0_control_flow.mindir"),
        mindir.inspect(tmp_path / "m.mindir"),
    )
    assert reading.error is None
    names = list(whole.content.funcs)
    assert any("\u21b5" in name for name in names)
    assert list(reading.content.funcs) == [n.replace("\u21b5", "\\xff\\xfe\\xfd") for n in names]
    assert verify(reading.content) == ()


@pytest.mark.parametrize("path", real("run/*/*.mindir", "mindir/*/*/*.mindir"))
def test_every_real_model_is_sound(path: Path) -> None:
    reading = mindir.inspect(path)
    assert (reading.error, reading.notes, verify(reading.content)) == (None, (), ())
    assert io.sniff(path).name == "mindir"
    for parameter in reading.content.root.parameters:
        if parameter.has_default:
            assert parameter.default.numpy().shape == parameter.default.shape


@pytest.mark.parametrize("suffix", [".ir", ".json", ".dot"])
def test_weights_are_not_lost_without_a_word(tmp_path: Path, suffix: str) -> None:
    graph = msdump.read_graph(next(p for p in sorted((FIXTURES / "mindir").rglob("*.mindir")) if _has_weights(p)))
    with pytest.raises(LossError) as caught:
        msdump.write_graph(graph, tmp_path / f"a{suffix}")
    assert "values of weights (2)" in caught.value.lost
    msdump.write_graph(graph, tmp_path / f"a{suffix}", lossy=True)
    assert (tmp_path / f"a{suffix}").stat().st_size > 0


def _has_weights(path: Path) -> bool:
    return any(p.default is not None for p in msdump.read_graph(path).root.parameters)

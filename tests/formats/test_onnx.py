from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.errors import WriteError
from msdump.formats import dat, mindir
from msdump.formats import onnx as format_onnx
from msdump.graph import CNode, FuncGraph, Graph, NodeRef, Parameter, TensorType
from msdump.graph.abstract import Abstract
from msdump.graph.node import Operand, ValueNode
from msdump.graph.value import Attrs, Scalar, Sequence, Str, TensorValue, TypeValue, Value
from tests.conftest import CORPUS, FIXTURES

onnx = pytest.importorskip("onnx")
reference = pytest.importorskip("onnx.reference")
MODELS = [FIXTURES / "mindir" / "2.10.0_conv_relu.mindir"]
MODELS += [p for p in sorted(CORPUS.glob("run/*/*.mindir")) if p.stem != "control_flow"]


@pytest.mark.parametrize("path", MODELS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_the_model_gives_mindspores_own_outputs(path: Path, tmp_path: Path) -> None:
    format_onnx.write(mindir.read(path), tmp_path / "m.onnx")
    model = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(model, full_check=True)
    inputs, outputs = np.load(f"{path.with_suffix('')}.inputs.npz"), np.load(f"{path.with_suffix('')}.outputs.npz")
    fed = {info.name: inputs[name] for info, name in zip(model.graph.input, sorted(inputs.files), strict=True)}
    results = reference.ReferenceEvaluator(model).run(None, fed)
    for result, name in zip(results, sorted(outputs.files), strict=True):
        assert result.dtype == outputs[name].dtype
        np.testing.assert_allclose(result, outputs[name], rtol=1e-4, atol=1e-6)


def test_scopes_and_weights_are_there(tmp_path: Path) -> None:
    format_onnx.write(mindir.read(MODELS[0]), tmp_path / "m.onnx")
    graph = onnx.load(tmp_path / "m.onnx").graph
    assert [n.op_type for n in graph.node] == ["Conv", "Unsqueeze", "Add", "Relu", "Identity"]
    assert graph.node[0].name == "Default/conv-Conv2d/Conv2D-op0"
    assert {p.key: p.value for p in graph.node[0].metadata_props} == {"scope": "Default/conv-Conv2d"}
    assert [t.name for t in graph.initializer][:2] == ["conv.weight", "conv.bias"]
    assert [i.name for i in graph.input] == ["x"]


def test_what_has_no_counterpart_is_named_all_of_it(tmp_path: Path) -> None:
    graph = mindir.read(FIXTURES / "mindir" / "2.10.0_control_flow.mindir")
    with pytest.raises(WriteError, match="no counterpart in ONNX: calls of subgraphs"):
        format_onnx.write(graph, tmp_path / "m.onnx")
    with pytest.raises(WriteError) as error:
        format_onnx.write(dat.read(FIXTURES / "dat" / "1.1.1_print_net.dat"), tmp_path / "m.onnx")
    assert error.value.what == "no counterpart in ONNX: Print (5)"
    assert not (tmp_path / "m.onnx").exists()


F32 = TensorType("Float32", (2, 3))
X = np.array([[1.5, -2, 3], [0.25, 5, -6]], np.float32)


def number(value: float, kind: str = "Float32") -> ValueNode:
    return ValueNode(Scalar(kind, value))


def ints(*values: int) -> ValueNode:
    return ValueNode(Sequence("Tuple", tuple(Scalar("Int64", v) for v in values)))


def run(
    tmp_path: Path, op: str, inputs: tuple[Operand, ...], attrs: dict[str, Value], kind: Abstract = F32
) -> np.ndarray[Any, Any]:
    node = CNode("%0", op, inputs, kind, primitive_attrs=Attrs(attrs))
    func = FuncGraph("g", (Parameter("x", F32),), (node, CNode("%1", "Return", (NodeRef("%0"),), kind)))
    format_onnx.write(Graph("g", {"g": func}), tmp_path / "m.onnx", force=True)
    model = onnx.load(tmp_path / "m.onnx")
    made: np.ndarray[Any, Any] = reference.ReferenceEvaluator(model).run(None, {"x": X})[0]
    return made


REF = NodeRef("x")
TRUE = Scalar("Bool", True)
CASES: list[tuple[str, tuple[Operand, ...], dict[str, Value], Abstract, np.ndarray[Any, Any]]] = [
    ("Muls", (REF, number(2.0)), {}, F32, X * 2),
    ("Sub", (number(1.0), REF), {}, F32, 1 - X),
    ("Square", (REF,), {}, F32, X * X),
    ("ReLU6", (REF,), {}, F32, np.clip(X, 0, 6)),
    ("SiLU", (REF,), {}, F32, X / (1 + np.exp(-X))),
    ("NotEqual", (REF, number(3.0)), {}, TensorType("Bool", (2, 3)), X != 3),
    ("Cast", (REF, ValueNode(TypeValue("Int32"))), {}, TensorType("Int32", (2, 3)), X.astype(np.int32)),
    ("Cast", (REF, number(34, "Int64")), {}, TensorType("Int32", (2, 3)), X.astype(np.int32)),
    ("Transpose", (REF, ints(1, 0)), {}, TensorType("Float32", (3, 2)), X.T),
    ("Reshape", (REF, ints(3, -1)), {}, TensorType("Float32", (3, 2)), X.reshape(3, 2)),
    ("ExpandDims", (REF, number(0, "Int64")), {}, TensorType("Float32", (1, 2, 3)), X[None]),
    ("Tile", (REF, ints(2, 1)), {}, TensorType("Float32", (4, 3)), np.tile(X, (2, 1))),
    ("Slice", (REF, ints(0, 1), ints(2, -1)), {}, TensorType("Float32", (2, 2)), X[:, 1:]),
    ("ReduceSum", (REF, ints(1)), {"keep_dims": TRUE}, TensorType("Float32", (2, 1)), X.sum(1, keepdims=True)),
    ("ReduceMean", (REF, ints()), {}, TensorType("Float32", ()), X.mean()),
    ("Softmax", (REF,), {"axis": Sequence("Tuple", (Scalar("Int64", 0),))}, F32, np.exp(X) / np.exp(X).sum(0)),
    ("MatMul", (REF, REF), {"transpose_b": TRUE}, TensorType("Float32", (2, 2)), X @ X.T),
    ("Add", (REF, ValueNode(TensorValue("Float32", (3,), data=X[0].tobytes()))), {}, F32, X + X[0]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_operators(
    tmp_path: Path, case: tuple[str, tuple[Operand, ...], dict[str, Value], Abstract, np.ndarray[Any, Any]]
) -> None:
    op, inputs, attrs, kind, expected = case
    result = run(tmp_path, op, inputs, attrs, kind)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "message"),
    [
        ("Conv2D", (REF, REF), {"format": Str("NHWC")}, "Conv2D with channels last"),
        ("Add", (REF, ValueNode(TensorValue("Float32", (3,)))), {}, "a constant tensor without its numbers"),
        ("Reshape", (REF, REF), {}, "Reshape with shape computed"),
        ("BatchNorm", (REF,) * 5, {"is_training": TRUE}, "BatchNorm in training"),
        ("Adam", (REF,), {}, "Adam"),
    ],
)
def test_uses_without_a_counterpart(
    tmp_path: Path, op: str, inputs: tuple[Operand, ...], attrs: dict[str, Value], message: str
) -> None:
    with pytest.raises(WriteError) as error:
        run(tmp_path, op, inputs, attrs)
    assert error.value.what == f"no counterpart in ONNX: {message}"


def test_without_onnx_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(WriteError) as error:
        format_onnx.write(mindir.read(MODELS[0]), tmp_path / "m.onnx")
    assert error.value.hint == 'pip install "msdump[onnx]"'

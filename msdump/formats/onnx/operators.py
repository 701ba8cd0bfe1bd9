"""MindSpore's operators in ONNX: one function each, under the names MindSpore gave it.

Arguments stand in attributes up to 2.0 and in inputs (PrimFunc) after; `Lowering.argument` knows
both. Where a use has no counterpart (channels last, a computed axis), Unsupported says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper

from msdump.dtype import by_name, by_number
from msdump.formats.onnx.lower import Lowering, Result, Unsupported
from msdump.graph.node import ValueNode

Operator = Callable[[Lowering], Result]
OPERATORS: dict[str, Operator] = {}


def operator(*names: str) -> Callable[[Operator], Operator]:
    """Register a function for operators by name."""

    def register(function: Operator) -> Operator:
        OPERATORS.update(dict.fromkeys(names, function))
        return function

    return register


def _unary(op: str, **attributes: Any) -> Operator:
    return lambda low: low.emit(op, [low.tensor(0)], **attributes)


def _binary(op: str) -> Operator:
    def function(low: Lowering) -> Result:
        if isinstance(low.node.inputs[0], ValueNode):
            return low.emit(op, [low.tensor(0, like=1), low.tensor(1)])
        return low.emit(op, [low.tensor(0), low.tensor(1, like=0)])

    return function


for _name, _op in {
    "ReLU": "Relu", "Sigmoid": "Sigmoid", "Tanh": "Tanh", "Exp": "Exp", "Log": "Log", "Sqrt": "Sqrt", "Abs": "Abs",
    "Neg": "Neg", "Floor": "Floor", "Ceil": "Ceil", "Round": "Round", "Erf": "Erf", "Sin": "Sin", "Cos": "Cos",
    "Sign": "Sign", "Reciprocal": "Reciprocal", "LogicalNot": "Not", "Softplus": "Softplus", "HSwish": "HardSwish",
    "Identity": "Identity",
}.items():  # fmt: skip
    OPERATORS[_name] = _unary(_op)
OPERATORS["GeLU"] = _unary("Gelu", approximate="tanh")  # as MindSpore's kernels compute it
for _name, _op in {
    "Add": "Add", "Adds": "Add", "TensorAdd": "Add", "Sub": "Sub", "Subs": "Sub", "Mul": "Mul", "Muls": "Mul",
    "Div": "Div", "Divs": "Div", "RealDiv": "Div", "Pow": "Pow", "Maximum": "Max", "Minimum": "Min", "Equal": "Equal",
    "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "Less": "Less", "LessEqual": "LessOrEqual",
    "LogicalAnd": "And", "LogicalOr": "Or",
}.items():  # fmt: skip
    OPERATORS[_name] = _binary(_op)


# What ties a graph together


@operator("Load", "Depend", "StopGradient")
def _alias(low: Lowering) -> Result:
    return low.result(low.node.inputs[0])


@operator("UpdateState")
def _monad(low: Lowering) -> Result:
    return None


@operator("MakeTuple", "make_tuple", "MakeList")
def _tuple(low: Lowering) -> Result:
    return tuple(low.result(operand) for operand in low.node.inputs)


@operator("TupleGetItem", "tuple_getitem", "ListGetItem")
def _item(low: Lowering) -> Result:
    whole, index = low.result(low.node.inputs[0]), low.argument(1, "index")
    if not isinstance(whole, tuple) or not -len(whole) <= index < len(whole):
        raise Unsupported(f"output {index} of an operator")
    if whole[index] is None:
        raise Unsupported(f"output {index} of an operator")
    found: Result = whole[index]
    return found


# Numbers


@operator("Square")
def _square(low: Lowering) -> Result:
    return low.emit("Mul", [low.tensor(0), low.tensor(0)])


@operator("Rsqrt")
def _rsqrt(low: Lowering) -> Result:
    return low.emit("Reciprocal", [low.emit("Sqrt", [low.tensor(0)])])


@operator("SiLU")
def _silu(low: Lowering) -> Result:
    return low.emit("Mul", [low.tensor(0), low.emit("Sigmoid", [low.tensor(0)])])


@operator("ReLU6")
def _relu6(low: Lowering) -> Result:
    bounds = [low.constant(np.asarray(bound, low.dtype(0))) for bound in (0, 6)]
    return low.emit("Clip", [low.tensor(0), *bounds])


@operator("NotEqual")
def _not_equal(low: Lowering) -> Result:
    return low.emit("Not", [low.emit("Equal", [low.tensor(0), low.tensor(1, like=0)])])


@operator("AddExt", "SubExt")
def _scaled(low: Lowering) -> Result:
    if low.argument(2, "alpha", default=1) != 1:
        raise Unsupported(f"{low.node.op} with alpha")
    return low.emit(low.node.op.removesuffix("Ext"), [low.tensor(0), low.tensor(1, like=0)])


@operator("Select")
def _select(low: Lowering) -> Result:
    return low.emit("Where", [low.tensor(0), low.tensor(1, like=2), low.tensor(2, like=1)])


@operator("Cast")
def _cast(low: Lowering) -> Result:
    target = low.argument(1, "dst_type", "DstT")
    found = by_number("type_id", target) if isinstance(target, int) else by_name(str(target))
    if found is None:
        raise Unsupported(f"Cast to {target}")
    return low.emit("Cast", [low.tensor(0)], to=helper.np_dtype_to_tensor_dtype(found.np))


# Products


def _transposed(low: Lowering, slot: int, flag: bool) -> str:
    name, rank = low.tensor(slot), low.rank(slot) if flag else 0
    if not flag or rank < 2:
        return name
    return low.emit("Transpose", [name], perm=[*range(rank - 2), rank - 1, rank - 2])


@operator("MatMul", "BatchMatMul")
def _matmul(low: Lowering) -> Result:
    left = _transposed(low, 0, low.argument(2, "transpose_a", "transpose_x1", "adj_x1", default=False))
    right = _transposed(low, 1, low.argument(3, "transpose_b", "transpose_x2", "adj_x2", default=False))
    return low.emit("MatMul", [left, right])


@operator("MatMulExt", "BatchMatMulExt")
def _matmul_ext(low: Lowering) -> Result:
    return low.emit("MatMul", [low.tensor(0), low.tensor(1)])


@operator("Dense")
def _dense(low: Lowering) -> Result:
    made = low.emit("MatMul", [low.tensor(0), _transposed(low, 1, True)])
    has_bias = len(low.node.inputs) > 2 and not isinstance(low.node.inputs[2], ValueNode)
    return low.emit("Add", [made, low.tensor(2)]) if has_bias else made


@operator("BiasAdd")
def _bias_add(low: Lowering) -> Result:
    layout, rank, bias = low.argument(2, "format", "data_format", default=0), low.rank(0), low.tensor(1)
    if layout in (0, "NCHW", "NCDHW") and rank > 2:
        axes = low.constant(np.arange(1, rank - 1, dtype=np.int64))
        bias = low.emit("Unsqueeze", [bias, axes])
    elif layout not in (0, 1, "NCHW", "NHWC", "NCDHW"):
        raise Unsupported(f"BiasAdd with format {layout}")
    return low.emit("Add", [low.tensor(0), bias])


def _channels_first(low: Lowering) -> None:
    if low.argument(None, "format", "data_format", default="NCHW") not in ("NCHW", 0):
        raise Unsupported(f"{low.node.op} with channels last")


_PAD_MODES: dict[Any, str] = {0: "pad", 1: "same", 2: "valid"}


def _pad_mode(low: Lowering) -> str:
    mode = low.argument(None, "pad_mode", default="valid")
    return _PAD_MODES.get(mode) or str(mode).lower()


def _spatial(sizes: Any) -> list[int]:
    """The two spatial sizes of a tuple that may tell batch and channel too, or of one number."""
    values = [sizes, sizes] if isinstance(sizes, int) else list(sizes)
    return [int(size) for size in values[-2:]]


@operator("Conv2D")
def _conv(low: Lowering) -> Result:
    _channels_first(low)
    mode = _pad_mode(low)
    attributes: dict[str, Any] = {
        "strides": _spatial(low.argument(None, "stride", default=1)),
        "dilations": _spatial(low.argument(None, "dilation", default=1)),
        "group": int(low.argument(None, "group", "groups", default=1)),
        "kernel_shape": list(low.type(1).shape or ())[-2:],
    }
    pads = low.argument(None, "pad_list") if mode != "valid" else None
    if pads is None and mode == "pad":
        pads = low.argument(None, "pad", default=(0, 0, 0, 0))
    if pads is None and mode == "same":
        attributes["auto_pad"] = "SAME_UPPER"
    elif pads is not None:
        top, bottom, left, right = (pads,) * 4 if isinstance(pads, int) else pads
        attributes["pads"] = [top, left, bottom, right]
    return low.emit("Conv", [low.tensor(0), low.tensor(1)], **attributes)


@operator("MaxPool", "AvgPool")
def _pool(low: Lowering) -> Result:
    _channels_first(low)
    mode = _pad_mode(low)
    if mode == "pad":
        raise Unsupported(f"{low.node.op} with pads")
    attributes: dict[str, Any] = {
        "kernel_shape": _spatial(low.argument(None, "kernel_size", default=1)),
        "strides": _spatial(low.argument(None, "strides", default=1)),
        "auto_pad": "SAME_UPPER" if mode == "same" else "VALID",
    }
    return low.emit("MaxPool" if low.node.op == "MaxPool" else "AveragePool", [low.tensor(0)], **attributes)


# Shapes


def _sizes(low: Lowering, values: Any) -> str:
    return low.constant(np.asarray([values] if isinstance(values, int) else list(values), np.int64))


@operator("Reshape")
def _reshape(low: Lowering) -> Result:
    return low.emit("Reshape", [low.tensor(0), _sizes(low, low.argument(1, "shape"))], allowzero=0)


@operator("Transpose")
def _transpose(low: Lowering) -> Result:
    return low.emit("Transpose", [low.tensor(0)], perm=list(low.argument(1, "perm")))


@operator("Flatten")
def _flatten(low: Lowering) -> Result:
    return low.emit("Flatten", [low.tensor(0)], axis=1)


@operator("ExpandDims")
def _expand_dims(low: Lowering) -> Result:
    return low.emit("Unsqueeze", [low.tensor(0), _sizes(low, low.argument(1, "axis"))])


@operator("Squeeze")
def _squeeze(low: Lowering) -> Result:
    axes = low.argument(1, "axis", default=())
    return low.emit("Squeeze", [low.tensor(0), *([_sizes(low, axes)] if axes != () else [])])


@operator("BroadcastTo")
def _broadcast(low: Lowering) -> Result:
    shape = low.argument(1, "shape")
    if -1 in shape:
        raise Unsupported("BroadcastTo with -1")
    return low.emit("Expand", [low.tensor(0), _sizes(low, shape)])


@operator("Tile")
def _tile(low: Lowering) -> Result:
    return low.emit("Tile", [low.tensor(0), _sizes(low, low.argument(1, "multiples", "dims"))])


@operator("Concat")
def _concat(low: Lowering) -> Result:
    parts = low.result(low.node.inputs[0])
    if not isinstance(parts, tuple) or not all(isinstance(part, str) for part in parts):
        raise Unsupported("Concat of what is no tuple of tensors")
    return low.emit(
        "Concat", [part for part in parts if isinstance(part, str)], axis=low.argument(1, "axis", default=0)
    )


@operator("Split")
def _split(low: Lowering) -> Result:
    axis, count = low.argument(1, "axis", default=0), low.argument(2, "output_num", default=1)
    base = low.emit("Split", [low.tensor(0)], outputs=count, axis=axis, num_outputs=count)
    return (base, *(f"{base}.{i}" for i in range(1, count)))


@operator("Slice")
def _slice(low: Lowering) -> Result:
    begin, size = low.argument(1, "begin"), low.argument(2, "size")
    stop = [np.iinfo(np.int64).max if n < 0 else b + n for b, n in zip(begin, size, strict=True)]
    return low.emit("Slice", [low.tensor(0), _sizes(low, begin), _sizes(low, stop)])


@operator("Gather")
def _gather(low: Lowering) -> Result:
    return low.emit("Gather", [low.tensor(0), low.tensor(1)], axis=low.argument(2, "axis", default=0))


# Over axes


@operator("Softmax", "LogSoftmax")
def _softmax(low: Lowering) -> Result:
    axes = low.argument(1, "axis", default=-1)
    axes = (axes,) if isinstance(axes, int) else axes
    if len(axes) != 1:
        raise Unsupported(f"{low.node.op} over several axes")
    return low.emit(low.node.op, [low.tensor(0)], axis=axes[0])


@operator("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "SumExt", "MeanExt")
def _reduce(low: Lowering) -> Result:
    axes = low.argument(1, "axis", default=())
    keep = low.argument(2, "keep_dims", "keepdim", default=False)
    if low.node.op == "ReduceSum" and low.argument(3, "skip_mode", default=False) and axes == ():
        return low.tensor(0)
    op = {"SumExt": "ReduceSum", "MeanExt": "ReduceMean"}.get(low.node.op, low.node.op)
    given = [] if axes in ((), None) else [_sizes(low, axes)]
    return low.emit(op, [low.tensor(0), *given], keepdims=int(bool(keep)))


@operator("LayerNorm")
def _layer_norm(low: Lowering) -> Result:
    axis, rank = low.argument(3, "begin_norm_axis", default=1), low.rank(0)
    if (low.argument(4, "begin_params_axis", default=1) - axis) % rank:
        raise Unsupported("LayerNorm with parameters over other axes")
    epsilon = float(low.argument(5, "epsilon", default=1e-7))
    inputs = [low.tensor(0), low.tensor(1), low.tensor(2)]
    return (low.emit("LayerNormalization", inputs, axis=axis, epsilon=epsilon), None, None)


@operator("BatchNorm")
def _batch_norm(low: Lowering) -> Result:
    if low.argument(5, "is_training", default=False):
        raise Unsupported("BatchNorm in training")
    epsilon = float(low.argument(6, "epsilon", default=1e-5))
    made = low.emit("BatchNormalization", [low.tensor(slot) for slot in range(5)], epsilon=epsilon)
    return (made, None, None, None, None)

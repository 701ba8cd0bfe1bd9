"""Matrix products on BLAS. Half types are multiplied in Float32 and rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.misfit import ShapeMisfit, TypeMisfit, shape_text
from msdump.runtime.ops.registry import Array, TensorSpec, operator
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32, broadcast, promote, spelled

_HALF = (FLOAT16, BFLOAT16)


def product(x: Array, y: Array) -> Any:
    """The input @ y in x's type."""
    if x.dtype in _HALF:
        return np.matmul(x.astype(FLOAT32), y.astype(FLOAT32)).astype(x.dtype)
    return np.matmul(x, y)


def _same_type(name: str, x: Any, y: Any) -> None:
    if x.dtype != y.dtype:
        raise TypeMisfit(
            f"For '{name}', the type of 'x2' should be same as 'x1', but got 'x1' with type "
            f"Tensor[{spelled(x.dtype)}] and 'x2' with type Tensor[{spelled(y.dtype)}].",
            f"the operands must have one dtype: {spelled(x.dtype)} and {spelled(y.dtype)}",
            "cast one of them",
        )


def _product_shape(name: str, a: tuple[int, ...], b: tuple[int, ...], ta: bool, tb: bool) -> tuple[int, ...]:
    rows, inner = (a[-1], a[-2]) if ta else (a[-2], a[-1])
    other, columns = (b[-1], b[-2]) if tb else (b[-2], b[-1])
    if inner != other:
        raise ShapeMisfit(
            f"For '{name}' the input dimensions must be equal, but got 'x1_col': {inner} and 'x2_row': {other}.",
            f"inner dimensions differ: {inner} and {other}",
            "transpose one of them, or change a layer's size",
        )
    return (*broadcast(a[:-2], b[:-2]), rows, columns)


def _infer_matmul(x: Any, y: Any, transpose_a: bool = False, transpose_b: bool = False) -> TensorSpec:
    if len(x.shape) != 2 or len(y.shape) != 2:
        raise ShapeMisfit(
            f"For 'MatMul', inputs 'x', 'y' should have the same dimension size and be equal to 2, "
            f"but got a shape of {x.shape} and {y.shape}.",
            f"both must have 2 dimensions: {shape_text(x.shape)} and {shape_text(y.shape)}",
        )
    _same_type("MatMul", x, y)
    return TensorSpec(_product_shape("MatMul", x.shape, y.shape, transpose_a, transpose_b), x.dtype)


def _infer_batch(x: Any, y: Any, transpose_a: bool = False, transpose_b: bool = False) -> TensorSpec:
    if len(x.shape) < 2 or len(y.shape) < 2:
        raise ShapeMisfit(
            f"For 'BatchMatMul', inputs must have at least 2 dimensions, but got {x.shape} and {y.shape}.",
            f"both must have at least 2 dimensions: {shape_text(x.shape)} and {shape_text(y.shape)}",
        )
    _same_type("BatchMatMul", x, y)
    return TensorSpec(_product_shape("BatchMatMul", x.shape, y.shape, transpose_a, transpose_b), x.dtype)


@operator(
    "MatMul",
    "MatMulV2",
    inputs=2,
    infer=_infer_matmul,
    spelling={"transpose_a": ("transpose_x1",), "transpose_b": ("transpose_x2",)},
)
def matmul(x: Array, y: Array, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Product of two matrices of one type, either of them transposed first."""
    if x.ndim != 2 or y.ndim != 2 or x.dtype != y.dtype or x.shape[not transpose_a] != y.shape[bool(transpose_b)]:
        _infer_matmul(x, y, transpose_a, transpose_b)
    return product(x.T if transpose_a else x, y.T if transpose_b else y)


@operator(
    "BatchMatMul",
    "BatchMatMulV2",
    inputs=2,
    infer=_infer_batch,
    spelling={"transpose_a": ("adj_x1",), "transpose_b": ("adj_x2",)},
)
def batch_matmul(x: Array, y: Array, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Products of the matrices in the last two axes; the leading axes broadcast."""
    if (
        x.ndim < 2
        or y.ndim < 2
        or x.dtype != y.dtype
        or x.shape[-1 - bool(transpose_a)] != y.shape[-2 + bool(transpose_b)]
    ):
        _infer_batch(x, y, transpose_a, transpose_b)
    return product(x.swapaxes(-1, -2) if transpose_a else x, y.swapaxes(-1, -2) if transpose_b else y)


def _infer_matmul_ext(x: Any, y: Any) -> TensorSpec:
    a, b = x.shape, y.shape
    if not a or not b:
        raise ShapeMisfit(f"For 'MatMulExt', scalars cannot be multiplied: got {a} and {b}.")
    left, right = (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b
    shape = _product_shape("MatMulExt", left, right, False, False)
    if len(b) == 1:
        shape = shape[:-1]
    if len(a) == 1:
        shape = (*shape[:-1],) if len(b) == 1 else (*shape[:-2], shape[-1])
    return TensorSpec(shape, x.dtype)


@operator("MatMulExt", "BatchMatMulExt", "Mm", "Mv", "Dot", inputs=2, infer=_infer_matmul_ext)
def matmul_ext(x: Array, y: Array) -> Any:
    """Product as numpy.matmul has it: vectors are rows or columns, leading axes broadcast."""
    if x.ndim and y.ndim and x.shape[-1] == y.shape[-2 if y.ndim > 1 else 0]:
        x, y = promote(x, y)
        return product(x, y)
    _infer_matmul_ext(x, y)
    raise ShapeMisfit(f"For 'MatMulExt', shapes {x.shape} and {y.shape} cannot be multiplied.")


def _infer_bias(x: Any, bias: Any, data_format: Any = "NCHW") -> TensorSpec:
    _check_bias(x.shape, bias.shape, data_format)
    return TensorSpec(x.shape, x.dtype)


def _channel_axis(rank: int, data_format: Any) -> int:
    return rank - 1 if data_format in ("NHWC", 1) or rank < 2 else 1


def _check_bias(shape: tuple[int, ...], bias: tuple[int, ...], data_format: Any) -> None:
    axis = _channel_axis(len(shape), data_format)
    if len(bias) != 1 or (shape and bias[0] != shape[axis]):
        why = f"the bias must have 1 dimension, not {len(bias)}: {shape_text(bias)}"
        if len(bias) == 1:
            why = f"channels differ, {shape[axis]} against {bias[0]}"
        raise ShapeMisfit(
            f"For 'BiasAdd', bias[0] shape should be equal to input_x[{axis}] shape when data_format is NCHW, "
            f"but got bias shape {bias}, input_x shape {shape}.",
            why,
        )


@operator("BiasAdd", inputs=2, infer=_infer_bias, spelling={"data_format": ("format",)})
def bias_add(x: Array, bias: Array, data_format: Any = "NCHW") -> Any:
    """The input plus one number a channel (axis 1, or the last for NHWC)."""
    if x.ndim == 2 and bias.ndim == 1 and x.shape[1] == bias.shape[0]:
        return np.add(x, bias)
    _check_bias(x.shape, bias.shape, data_format)
    axis = _channel_axis(x.ndim, data_format)
    return np.add(x, bias.reshape((-1,) + (1,) * (x.ndim - 1 - axis)))


@operator("BiasAddGrad", spelling={"data_format": ("format",)})
def bias_add_grad(dout: Array, data_format: Any = "NCHW") -> Any:
    """Gradient for the bias: the sum over all axes but the channel's."""
    axis = _channel_axis(dout.ndim, data_format)
    axes = tuple(i for i in range(dout.ndim) if i != axis)
    wide = dout.astype(FLOAT32) if dout.dtype in _HALF else dout
    return np.sum(wide, axis=axes).astype(dout.dtype)


@operator("Dense", inputs=3)
def dense(x: Array, weight: Array, bias: Any = None) -> Any:
    """The input @ weightᵀ + bias over the last axis of x."""
    if x.ndim and weight.ndim == 2 and x.shape[-1] != weight.shape[1]:
        raise ShapeMisfit(
            f"For 'Dense', the last axis of the input {x.shape} must be as long as that of the weight {weight.shape}.",
            f"the input has {x.shape[-1]} features, the weight is for {weight.shape[1]}",
            f"the layer's in_channels must be {x.shape[-1]}",
        )
    out = product(x, weight.T)
    return out if bias is None else np.add(out, bias)


@operator("Addmm", inputs=5)
def addmm(x: Array, mat1: Array, mat2: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Beta · x + alpha · (mat1 @ mat2)."""
    return np.asarray(beta, x.dtype) * x + np.asarray(alpha, x.dtype) * product(mat1, mat2)


@operator("Einsum", inputs=1)
def einsum(inputs: Any, equation: str) -> Any:
    """Sum of products by index letters, as numpy.einsum."""
    arrays = [a.astype(FLOAT32) if a.dtype in _HALF else a for a in inputs]
    return np.asarray(np.einsum(equation, *arrays, optimize=True)).astype(inputs[0].dtype)


@operator("Outer", inputs=2)
def outer(x: Array, y: Array) -> Any:
    """Product of every element of vector x with every element of vector y."""
    return np.outer(*promote(x, y))

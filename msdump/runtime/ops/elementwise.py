"""Arithmetic, comparison and logic, element by element, with MindSpore's promotion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from msdump.runtime.ops.registry import Array, Kernel, TensorSpec, operator, same
from msdump.runtime.promotion import (
    BFLOAT16,
    BOOL,
    FLOAT16,
    FLOAT32,
    from_scalar,
    is_float,
    promote,
    promoted_spec,
)

_NDARRAY = np.ndarray


def quiet(kernel: Kernel) -> Kernel:
    """The kernel without numpy's warnings: infinities and NaN are answers here, not accidents."""

    def silent(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return kernel(*args, **kwargs)

    silent.__name__ = kernel.__name__
    silent.__doc__ = kernel.__doc__
    silent.__wrapped__ = kernel  # type: ignore[attr-defined]  # read by inspect.signature
    return silent


def _infer_binary(x: Any, y: Any) -> TensorSpec:
    return TensorSpec(*promoted_spec(x, y))


def _infer_compare(x: Any, y: Any) -> TensorSpec:
    return TensorSpec(promoted_spec(x, y)[0], BOOL)


def _binary(*names: str, function: Callable[..., Any], silent: bool = False) -> None:
    """Register a function of two arrays of one type that gives an array of that type."""

    def kernel(x: Any, y: Any) -> Any:
        if type(x) is _NDARRAY:
            if type(y) is _NDARRAY:
                if x.dtype == y.dtype:
                    return function(x, y)
            elif type(y) is float and x.dtype.kind == "f":
                # The commonest mixture, without the way through the tables.
                return function(x, x.dtype.type(y))
        return function(*promote(x, y))

    operator(*names, inputs=2, infer=_infer_binary)(quiet(kernel) if silent else kernel)


def _compare(*names: str, function: Callable[..., Any]) -> None:
    def kernel(x: Any, y: Any) -> Any:
        if type(x) is _NDARRAY and type(y) is _NDARRAY and x.dtype == y.dtype:
            return function(x, y)
        return function(*promote(x, y))

    operator(*names, inputs=2, infer=_infer_compare)(kernel)


def _floor_divide(x: Array, y: Array) -> Any:
    # numpy's floor_divide of floats gives NaN for x // 0; MindSpore's is floor(x / y).
    if is_float(x.dtype):
        return np.floor(np.true_divide(x, y)).astype(x.dtype, copy=False)
    return np.floor_divide(x, y)


def _truncated_divide(x: Array, y: Array) -> Any:
    if x.dtype.kind in "iub":
        quotient = np.floor_divide(x, y)
        remainder = x - quotient * y
        # Towards zero, as C divides integers.
        return quotient + ((remainder != 0) & ((x < 0) != (y < 0))).astype(x.dtype)
    return np.true_divide(x, y)


def _truncated_mod(x: Array, y: Array) -> Any:
    return np.fmod(x, y)


def _squared_difference(x: Array, y: Array) -> Any:
    difference = np.subtract(x, y)
    return np.multiply(difference, difference)


def _xlogy(x: Array, y: Array) -> Any:
    return np.where(x == 0, np.zeros((), x.dtype), x * np.log(y)).astype(x.dtype, copy=False)


def _power(x: Array, y: Array) -> Any:
    if x.dtype.kind == "b":
        x, y = x.astype(np.int64), y.astype(np.int64)
    if x.dtype.kind in "iu" and bool(np.any(y < 0)):
        return np.power(x.astype(np.float64), y).astype(x.dtype)
    return np.power(x, y)


_binary("Add", "TensorAdd", "Adds", "tensor_add", "scalar_to_tensor_add", function=np.add)
_binary("Sub", "Subs", "tensor_sub", function=np.subtract)
_binary("Mul", "Muls", "tensor_mul", function=np.multiply)
_binary("RealDiv", "tensor_div", function=_truncated_divide, silent=True)
_binary("FloorDiv", "FloorDivScalar", function=_floor_divide, silent=True)
_binary("FloorMod", "RemainderTensorTensor", function=np.mod, silent=True)
_binary("Mod", "FmodTensor", "FmodScalar", "TruncateMod", function=_truncated_mod, silent=True)
_binary("TruncateDiv", function=lambda x, y: np.trunc(_truncated_divide(x, y)).astype(x.dtype), silent=True)
_binary("Pow", "PowTensorScalar", "PowScalarTensor", function=_power, silent=True)
_binary("Maximum", function=np.maximum)
_binary("Minimum", function=np.minimum)
_binary("SquaredDifference", function=_squared_difference)
_binary("Atan2", function=np.arctan2)
_binary("Xlogy", function=_xlogy, silent=True)
_binary("BitwiseAnd", "BitwiseAndTensor", "BitwiseAndScalar", function=np.bitwise_and)
_binary("BitwiseOr", "BitwiseOrTensor", "BitwiseOrScalar", function=np.bitwise_or)
_binary("BitwiseXor", "BitwiseXorTensor", "BitwiseXorScalar", function=np.bitwise_xor)
_binary("LeftShift", function=np.left_shift)
_binary("RightShift", function=np.right_shift)

_compare("Equal", function=np.equal)
_compare("NotEqual", function=np.not_equal)
_compare("Less", function=np.less)
_compare("LessEqual", function=np.less_equal)
_compare("Greater", function=np.greater)
_compare("GreaterEqual", "GreaterEqualScalar", function=np.greater_equal)


def _infer_div(x: Any, y: Any) -> TensorSpec:
    shape, dtype = promoted_spec(x, y)
    return TensorSpec(shape, dtype if is_float(dtype) or dtype.kind == "c" else FLOAT32)


@operator("Div", "Divs", inputs=2, infer=_infer_div)
@quiet
def div(x: Any, y: Any) -> Any:
    """True division; integers become Float32 first."""
    x, y = promote(x, y)
    if x.dtype.kind in "iub":
        x, y = x.astype(FLOAT32), y.astype(FLOAT32)
    return np.true_divide(x, y)


@operator("DivNoNan", inputs=2, infer=_infer_binary)
@quiet
def div_no_nan(x: Any, y: Any) -> Any:
    """The input / y, and 0 where y is 0."""
    x, y = promote(x, y)
    return np.where(y == 0, np.zeros((), x.dtype), _truncated_divide(x, y)).astype(x.dtype, copy=False)


@operator("AddExt", inputs=3, infer=_infer_binary)
def add_ext(x: Any, y: Any, alpha: float = 1) -> Any:
    """The input + alpha · y."""
    x, y = promote(x, y)
    return np.add(x, y if alpha == 1 else np.multiply(y, np.asarray(alpha, y.dtype)))


@operator("SubExt", inputs=3, infer=_infer_binary)
def sub_ext(x: Any, y: Any, alpha: float = 1) -> Any:
    """The input - alpha · y."""
    x, y = promote(x, y)
    return np.subtract(x, y if alpha == 1 else np.multiply(y, np.asarray(alpha, y.dtype)))


def _logic(name: str, function: Callable[..., Any]) -> None:
    def kernel(x: Any, y: Any) -> Any:
        return function(from_scalar(x), from_scalar(y))

    operator(name, inputs=2, infer=_infer_compare)(kernel)


_logic("LogicalAnd", np.logical_and)
_logic("LogicalOr", np.logical_or)
_logic("LogicalXor", np.logical_xor)


def _flag(x: Any) -> TensorSpec:
    return TensorSpec(x.shape, BOOL)


operator("LogicalNot", infer=_flag)(lambda x: np.logical_not(x))
operator("IsNan", "IsNaN", infer=_flag)(lambda x: np.isnan(x))
operator("IsInf", infer=_flag)(lambda x: np.isinf(x))
operator("IsFinite", infer=_flag)(lambda x: np.isfinite(x))


def _as_float(x: Any) -> TensorSpec:
    return TensorSpec(x.shape, x.dtype if is_float(x.dtype) or x.dtype.kind == "c" else FLOAT32)


def _floating(x: Array) -> Array:
    return x if is_float(x.dtype) or x.dtype.kind == "c" else x.astype(FLOAT32)


def _unary(*names: str, function: Callable[..., Any], floating: bool = False, silent: bool = False) -> None:
    """Register a function of one array; `floating`: integers become Float32 first."""

    def kernel(x: Any) -> Any:
        if type(x) is _NDARRAY and (not floating or x.dtype.kind == "f"):
            return function(x)
        return function(_floating(from_scalar(x)) if floating else from_scalar(x))

    infer = _as_float if floating else same
    operator(*names, infer=infer)(quiet(kernel) if silent else kernel)


def _rsqrt(x: Array) -> Any:
    if x.dtype in (FLOAT16, BFLOAT16):
        return (np.float32(1) / np.sqrt(x.astype(FLOAT32))).astype(x.dtype)
    return np.reciprocal(np.sqrt(x))


def _sign(x: Array) -> Any:
    return np.sign(x)


def _round(x: Array) -> Any:
    return np.rint(x) if is_float(x.dtype) else x


_unary("Neg", function=np.negative)
_unary("Abs", function=np.abs)
_unary("Sign", function=_sign)
_unary("Square", function=np.square)
_unary("Floor", function=lambda x: np.floor(x) if is_float(x.dtype) else x)
_unary("Ceil", function=lambda x: np.ceil(x) if is_float(x.dtype) else x)
_unary("Trunc", function=lambda x: np.trunc(x) if is_float(x.dtype) else x)
_unary("Rint", "Round", function=_round)
_unary("Invert", "BitwiseNot", function=np.invert)
_unary("Exp", function=np.exp, floating=True, silent=True)
_unary("Expm1", function=np.expm1, floating=True, silent=True)
_unary("Log", function=np.log, floating=True, silent=True)
_unary("Log1p", function=np.log1p, floating=True, silent=True)
_unary("Log2", function=np.log2, floating=True, silent=True)
_unary("Log10", function=np.log10, floating=True, silent=True)
_unary("Sqrt", function=np.sqrt, floating=True, silent=True)
_unary("Rsqrt", function=_rsqrt, floating=True, silent=True)
_unary("Reciprocal", "Inv", function=np.reciprocal, floating=True, silent=True)
_unary("Sin", function=np.sin, floating=True)
_unary("Cos", function=np.cos, floating=True)
_unary("Tan", function=np.tan, floating=True)
_unary("Asin", function=np.arcsin, floating=True, silent=True)
_unary("ACos", function=np.arccos, floating=True, silent=True)
_unary("Atan", function=np.arctan, floating=True)
_unary("Sinh", function=np.sinh, floating=True, silent=True)
_unary("Cosh", function=np.cosh, floating=True, silent=True)
_unary("Asinh", function=np.arcsinh, floating=True)
_unary("Acosh", function=np.arccosh, floating=True, silent=True)
_unary("Atanh", function=np.arctanh, floating=True, silent=True)
_unary("Conj", function=np.conj)


@operator("ClampScalar", "ClampTensor", "clip_by_value", inputs=3, infer=same)
def clamp(x: Array, min: Any = None, max: Any = None) -> Any:
    """The input held between min and max, either of which may be None."""
    low = None if min is None else np.asarray(min, x.dtype)
    high = None if max is None else np.asarray(max, x.dtype)
    return x if low is None and high is None else np.clip(x, low, high)


@operator("Lerp", "LerpScalar", inputs=3, infer=lambda start, end: _infer_binary(start, end))
def lerp(start: Array, end: Array, weight: Any) -> Any:
    """Start + weight · (end − start)."""
    start, end = promote(start, end)
    return start + np.asarray(weight, start.dtype) * (end - start)


@operator("Eps")
def eps(x: Array) -> Any:
    """The distance from 1 to the next number of x's type, in x's shape."""
    return np.full(x.shape, np.finfo(x.dtype).eps, x.dtype)


def _first(inputs: tuple[Any, ...]) -> Any:
    first = inputs[0]
    return first if isinstance(first, TensorSpec) else first[0]


@operator("AddN", "AccumulateNV2", infer=lambda *inputs: _first(inputs))
def add_n(*inputs: Any) -> Any:
    """The sum of tensors of one shape, given as operands or as one tuple."""
    terms = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], tuple | list) else inputs
    total = terms[0]
    for term in terms[1:]:
        total = np.add(*promote(total, term))
    return total

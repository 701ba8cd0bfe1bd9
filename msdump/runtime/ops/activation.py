"""Activations. Half types are computed in Float32 and rounded once, as MindSpore's CPU kernels do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from msdump.runtime.ops.elementwise import quiet
from msdump.runtime.ops.registry import Array, operator, same
from msdump.runtime.ops.special import erf, erfc, erfinv, lgamma
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32, from_scalar, is_float, promote

_HALF = (FLOAT16, BFLOAT16)


def widened(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function computed in Float32 where its first array is of a half type, rounded back once.

    The result has the type of the first array.
    """

    def wide(x: Any, *args: Any, **kwargs: Any) -> Any:
        dtype = x.dtype
        if dtype in _HALF:
            return function(x.astype(FLOAT32), *args, **kwargs).astype(dtype)
        out = function(x, *args, **kwargs)
        # numpy 1 lets a Python number widen a 0-d array.
        return out if out.dtype == dtype else out.astype(dtype)

    wide.__wrapped__ = function  # type: ignore[attr-defined]  # read by inspect.signature
    wide.__doc__ = function.__doc__
    return wide


def sigmoid_of(x: Array) -> Array:
    """1 / (1 + exp(-x)); exp of a large number is infinity and its reciprocal the right 0."""
    out = np.exp(-x)
    out += 1
    found: Array = np.reciprocal(out, out=out if out.ndim else None)
    return found


def softplus_of(x: Array) -> Array:
    """log(1 + exp(x)) without overflow."""
    found: Array = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return found.astype(x.dtype, copy=False)


def _register(*names: str, function: Callable[..., Any]) -> None:
    operator(*names, infer=same)(quiet(widened(function)))


def _relu(x: Any) -> Any:
    """max(x, 0)."""
    return np.maximum(x, x.dtype.type(0))


def _tanh(x: Any) -> Any:
    """Hyperbolic tangent; integers become Float32."""
    return np.tanh(x)


def _gelu(x: Any) -> Any:
    """The tanh form: x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))."""
    inner = x * x
    inner *= x.dtype.type(0.044715 * 0.7978845608028654)
    inner += x.dtype.type(0.7978845608028654)
    inner *= x
    inner = np.tanh(inner)
    inner += x.dtype.type(1)
    inner *= x
    inner *= x.dtype.type(0.5)
    return inner


operator("ReLU", "ReLUV2", infer=same)(_relu)
operator("Tanh", infer=same)(widened(_tanh))
_register("Sigmoid", function=sigmoid_of)
_register("GeLU", "Gelu", function=_gelu)
_register("ReLU6", function=lambda x: np.clip(x, x.dtype.type(0), x.dtype.type(6)))
_register("SiLU", "SiLUV2", "Swish", function=lambda x: x * sigmoid_of(x))
_register("HSwish", function=lambda x: x * np.clip(x + x.dtype.type(3), 0, 6) / x.dtype.type(6))
_register("HSigmoid", function=lambda x: np.clip(x / x.dtype.type(6) + x.dtype.type(0.5), 0, 1).astype(x.dtype))
_register("Softplus", function=softplus_of)
_register("Softsign", function=lambda x: x / (1 + np.abs(x)))
_register("Mish", "MishExt", function=lambda x: x * np.tanh(softplus_of(x)))
_register("LogSigmoid", function=lambda x: -softplus_of(-x))
_register("Erf", function=erf)
_register("Erfc", function=erfc)
_register("Erfinv", function=erfinv)
_register("Lgamma", function=lgamma)
_register("FastGeLU", "FastGelu", function=lambda x: x * sigmoid_of(x.dtype.type(1.702) * x))


@operator("GeluExt", infer=same)
@quiet
@widened
def gelu_ext(x: Array, approximate: Any = "none") -> Any:
    """GELU: exact by erf ("none" or 0), or the tanh form ("tanh" or 1)."""
    if approximate in ("tanh", 1, True):
        return _gelu(x)
    out = erf(x * x.dtype.type(0.7071067811865476))
    out += x.dtype.type(1)
    out *= x
    out *= x.dtype.type(0.5)
    return out


@operator("SeLU", "SeLUExt", infer=same)
@quiet
@widened
def selu(x: Array) -> Any:
    """Scaled ELU with the fixed constants of self-normalising networks."""
    scale, alpha = x.dtype.type(1.0507009873554805), x.dtype.type(1.6732632423543772)
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@operator("Elu", "EluExt", "ELU", infer=same)
@quiet
@widened
def elu(x: Array, alpha: float = 1.0) -> Any:
    """The input where positive, alpha · (exp(x) − 1) elsewhere."""
    return np.where(x > 0, x, x.dtype.type(alpha) * np.expm1(np.minimum(x, 0)))


@operator("CeLU", infer=same)
@quiet
@widened
def celu(x: Array, alpha: float = 1.0) -> Any:
    """max(0, x) + min(0, alpha · (exp(x/alpha) − 1))."""
    a = x.dtype.type(alpha)
    return np.maximum(x, 0) + np.minimum(a * np.expm1(np.minimum(x, 0) / a), 0)


@operator("LeakyReLU", "LeakyReLUExt", infer=same)
def leaky_relu(x: Array, negative_slope: float = 0.01) -> Any:
    """The input where positive, negative_slope · x elsewhere."""
    return np.where(x > 0, x, x * np.asarray(negative_slope, x.dtype))


@operator("PReLU", inputs=2, infer=same)
def prelu(x: Array, weight: Array) -> Any:
    """The input where positive, weight · x elsewhere; one weight for all or one a channel (axis 1)."""
    if weight.size > 1 and x.ndim > 1:
        weight = weight.reshape((1, -1) + (1,) * (x.ndim - 2))
    return np.where(x > 0, x, x * weight)


@operator("HShrink", infer=same)
def hard_shrink(x: Array, lambd: float = 0.5) -> Any:
    """The input outside [−lambd, lambd], 0 inside."""
    return np.where(np.abs(x) > lambd, x, np.zeros((), x.dtype))


@operator("SoftShrink", "Softshrink", infer=same)
def soft_shrink(x: Array, lambd: float = 0.5) -> Any:
    """The input moved towards 0 by lambd, 0 within it."""
    amount = np.asarray(lambd, x.dtype)
    return np.where(x > amount, x - amount, np.where(x < -amount, x + amount, np.zeros((), x.dtype)))


@operator("Hardtanh", infer=same)
def hardtanh(x: Array, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """The input held between min_val and max_val."""
    return np.clip(x, np.asarray(min_val, x.dtype), np.asarray(max_val, x.dtype))


@operator("Threshold", infer=same)
def threshold_of(x: Array, threshold: float, value: float) -> Any:
    """The input where above threshold, value elsewhere."""
    return np.where(x > threshold, x, np.asarray(value, x.dtype))


@operator("SoftplusExt", infer=same)
@quiet
@widened
def softplus_ext(x: Array, beta: float = 1, threshold: float = 20) -> Any:
    """log(1 + exp(beta · x)) / beta, and x itself where beta · x is above the threshold."""
    scaled = x * x.dtype.type(beta)
    return np.where(scaled > threshold, x, softplus_of(scaled) / x.dtype.type(beta))


@operator("GLU")
@quiet
@widened
def glu(x: Array, axis: int = -1) -> Any:
    """The first half along axis times the sigmoid of the second."""
    first, second = np.split(x, 2, axis=axis)
    return first * sigmoid_of(second)


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, tuple | list) else axis


@operator("Softmax", infer=same)
@quiet
@widened
def softmax(x: Array, axis: Any = -1) -> Any:
    """exp(x − max) over its sum along axis (an int or a tuple of one)."""
    axis = _axis(axis)
    out = np.asarray(x - np.maximum.reduce(x, axis=axis, keepdims=True))
    np.exp(out, out=out)
    out /= np.add.reduce(out, axis=axis, keepdims=True)
    return out


@operator("LogSoftmax", "LogSoftmaxExt", infer=same)
@quiet
@widened
def log_softmax(x: Array, axis: Any = -1) -> Any:
    """log(softmax(x)) along axis, computed stably."""
    axis = _axis(-1 if axis is None else axis)
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@operator("SoftmaxBackward", inputs=3, infer=same)
@quiet
def softmax_backward(dout: Array, out: Array, dim: int = -1) -> Any:
    """Gradient of softmax: (dout − Σ dout·out) · out."""
    dout, out = promote(dout, out)
    return (dout - np.sum(dout * out, axis=dim, keepdims=True)) * out


@operator("ReluGrad", inputs=2, infer=same)
def relu_grad(dout: Array, y: Array) -> Any:
    """Dout where the output was positive, 0 elsewhere."""
    return np.where(y > 0, dout, np.zeros((), dout.dtype))


@operator("SigmoidGrad", inputs=2, infer=same)
def sigmoid_grad(y: Array, dout: Array) -> Any:
    """Dout · y · (1 − y)."""
    return dout * y * (1 - y)


@operator("TanhGrad", inputs=2, infer=same)
def tanh_grad(y: Array, dout: Array) -> Any:
    """Dout · (1 − y²)."""
    return dout * (1 - y * y)


@operator("GeLUGrad", "GeluGrad", inputs=3, infer=same)
@quiet
@widened
def gelu_grad(dout: Array, x: Array, y: Array) -> Any:
    """Gradient of the tanh form of GELU at x."""
    x, dout = x.astype(dout.dtype, copy=False), dout
    c, a = dout.dtype.type(0.7978845608028654), dout.dtype.type(0.044715)
    t = np.tanh(c * (x + a * x * x * x))
    half = dout.dtype.type(0.5)
    return dout * (half * (1 + t) + half * x * (1 - t * t) * c * (1 + 3 * a * x * x))


def float_of(x: Any) -> Array:
    """An operand as a floating array (integers become Float32)."""
    array = from_scalar(x)
    return array if is_float(array.dtype) else array.astype(FLOAT32)

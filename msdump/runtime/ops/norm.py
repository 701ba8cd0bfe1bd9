"""Normalisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.misfit import ShapeMisfit, shape_text
from msdump.runtime.ops.elementwise import quiet
from msdump.runtime.ops.registry import Array, TensorSpec, operator, same
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32

_HALF = (FLOAT16, BFLOAT16)


def _wide(x: Array) -> Array:
    return x.astype(FLOAT32) if x.dtype in _HALF else x


def _infer_layer_norm(x: Any, gamma: Any, beta: Any, begin_norm_axis: int = 1, *_: Any, **__: Any) -> Any:
    begin = begin_norm_axis % len(x.shape)
    if tuple(gamma.shape) != tuple(x.shape[begin:]):
        raise ShapeMisfit(
            f"For 'LayerNorm', gamma and beta shape must match input shape from begin_norm_axis {begin}: "
            f"got input {tuple(x.shape)}, gamma {tuple(gamma.shape)}.",
            f"gamma {shape_text(gamma.shape)} must have the input's shape from axis {begin} on, "
            f"{shape_text(x.shape[begin:])}",
        )
    reduced = TensorSpec((*x.shape[:begin], *(1,) * (len(x.shape) - begin)), FLOAT32 if x.dtype in _HALF else x.dtype)
    return TensorSpec(x.shape, x.dtype), reduced, reduced


@operator("LayerNorm", "LayerNormV3", inputs=3, infer=_infer_layer_norm)
@quiet
def layer_norm(
    x: Array, gamma: Array, beta: Array, begin_norm_axis: int = 1, begin_params_axis: int = 1, epsilon: float = 1e-7
) -> Any:
    """(normalised x, mean, variance) over the axes from begin_norm_axis on."""
    begin = begin_norm_axis % x.ndim
    axes = tuple(range(begin, x.ndim))
    wide = _wide(x)
    mean = np.mean(wide, axis=axes, keepdims=True)
    centred = wide - mean
    flat = centred.reshape(-1, int(np.prod(x.shape[begin:])))
    variance = np.einsum("ij,ij->i", flat, flat).reshape(mean.shape) / wide.dtype.type(flat.shape[1])
    centred *= np.reciprocal(np.sqrt(variance + wide.dtype.type(epsilon)))
    shape = x.shape[begin_params_axis % x.ndim :]
    centred *= _wide(gamma).reshape(shape)
    centred += _wide(beta).reshape(shape)
    return centred.astype(x.dtype, copy=False), mean, variance


@operator("LayerNormExt", inputs=5)
@quiet
def layer_norm_ext(x: Array, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """(normalised x, mean, 1/standard deviation) over the last axes, of normalized_shape."""
    axes = tuple(range(x.ndim - len(tuple(normalized_shape)), x.ndim))
    wide = _wide(x)
    mean = np.mean(wide, axis=axes, keepdims=True)
    inverse = np.reciprocal(np.sqrt(np.var(wide, axis=axes, keepdims=True) + wide.dtype.type(eps)))
    out = (wide - mean) * inverse
    if weight is not None:
        out = out * _wide(weight)
    if bias is not None:
        out = out + _wide(bias)
    return out.astype(x.dtype, copy=False), mean, inverse


@operator("RmsNorm", inputs=2)
@quiet
def rms_norm(x: Array, gamma: Array, epsilon: float = 1e-6) -> Any:
    """(x / root mean square · gamma, 1/root mean square) over the axes of gamma."""
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    wide = _wide(x)
    inverse = np.reciprocal(np.sqrt(np.mean(np.square(wide), axis=axes, keepdims=True) + wide.dtype.type(epsilon)))
    return (wide * inverse * _wide(gamma)).astype(x.dtype), inverse


def _channel(vector: Array, rank: int, axis: int) -> Array:
    return vector.reshape((-1,) + (1,) * (rank - 1 - axis))


def _infer_batch_norm(x: Any, scale: Any, *_: Any, data_format: Any = "NCHW", **__: Any) -> Any:
    channels = x.shape[-1] if data_format in ("NHWC", 1) or len(x.shape) < 2 else x.shape[1]
    if scale.shape != (channels,):
        raise ShapeMisfit(
            f"For 'BatchNorm', 'scale_dim0' and input channel should be equal, but got {scale.shape} and {channels}.",
            f"the input has {channels} channels, the scale is {shape_text(scale.shape)}",
            f"the layer's num_features must be {channels}",
        )
    return (TensorSpec(x.shape, x.dtype), *(TensorSpec(scale.shape, scale.dtype),) * 4)


@operator("BatchNorm", inputs=5, infer=_infer_batch_norm, spelling={"data_format": ("format",)})
@quiet
def batch_norm(
    x: Array,
    scale: Array,
    bias: Array,
    mean: Array,
    variance: Array,
    is_training: bool = False,
    epsilon: float = 1e-5,
    momentum: float = 0.1,
    data_format: Any = "NCHW",
) -> Any:
    """(y, moving mean, moving variance, mean, variance).

    In training the batch's own statistics normalise; what the moving ones become is the second and
    third output, and writing it back is the caller's part (nn.BatchNorm does).
    """
    axis = x.ndim - 1 if data_format in ("NHWC", 1) else min(1, x.ndim - 1)
    wide = _wide(x)
    if is_training:
        axes = tuple(i for i in range(x.ndim) if i != axis)
        used_mean, used_variance = np.mean(wide, axis=axes), np.var(wide, axis=axes)
        count = x.size // x.shape[axis]
        rate = scale.dtype.type(momentum)
        unbiased = used_variance * (count / max(count - 1, 1))
        moving_mean = ((1 - rate) * mean + rate * used_mean).astype(mean.dtype)
        moving_variance = ((1 - rate) * variance + rate * unbiased).astype(variance.dtype)
    else:
        used_mean, used_variance = mean, variance
        moving_mean, moving_variance = mean, variance
    factor = _wide(scale) / np.sqrt(_wide(used_variance) + np.float32(epsilon))
    shift = _wide(bias) - _wide(used_mean) * factor
    out = wide * _channel(factor, x.ndim, axis)
    out += _channel(shift, x.ndim, axis)
    out = out.astype(x.dtype, copy=False)
    if is_training:
        return out, moving_mean, moving_variance, used_mean.astype(scale.dtype), used_variance.astype(scale.dtype)
    return out, moving_mean, moving_variance, mean, variance


@operator(
    "FusedBatchNorm", "FusedBatchNormEx", inputs=5, infer=_infer_batch_norm, spelling={"data_format": ("format",)}
)
def fused_batch_norm(
    x: Array,
    scale: Array,
    bias: Array,
    mean: Array,
    variance: Array,
    mode: int = 0,
    epsilon: float = 1e-5,
    momentum: float = 0.1,
    data_format: Any = "NCHW",
) -> Any:
    """BatchNorm as 1.0 and 1.1 name it; mode 1 trains."""
    return batch_norm(x, scale, bias, mean, variance, bool(mode), epsilon, momentum, data_format)


@operator("BatchNormExt", inputs=8)
def batch_norm_ext(
    x: Array,
    weight: Any = None,
    bias: Any = None,
    running_mean: Any = None,
    running_var: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    epsilon: float = 1e-5,
) -> Any:
    """(y, mean, 1/standard deviation); any of the vectors may be None."""
    ones, zeros = np.ones(x.shape[1], FLOAT32), np.zeros(x.shape[1], FLOAT32)
    vectors = [
        default if v is None else v
        for v, default in zip((weight, bias, running_mean, running_var), (ones, zeros, zeros.copy(), ones), strict=True)
    ]
    out, _, _, mean, other = batch_norm(x, *vectors, training, epsilon, momentum)
    return out, mean, other


@operator("GroupNorm", inputs=4)
@quiet
def group_norm(x: Array, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """(y, mean, 1/standard deviation) with the channels of each sample in num_groups groups."""
    wide = _wide(x).reshape(x.shape[0], num_groups, -1)
    mean = np.mean(wide, axis=2, keepdims=True)
    inverse = np.reciprocal(np.sqrt(np.var(wide, axis=2, keepdims=True) + wide.dtype.type(eps)))
    out = ((wide - mean) * inverse).reshape(x.shape)
    if weight is not None:
        out = out * _channel(_wide(weight), x.ndim, 1)
    if bias is not None:
        out = out + _channel(_wide(bias), x.ndim, 1)
    return out.astype(x.dtype, copy=False), mean[..., 0], inverse[..., 0]


@operator("L2Normalize", infer=same)
@quiet
def l2_normalize(x: Array, axis: Any = 0, epsilon: float = 1e-4) -> Any:
    """The input / √max(Σ x², epsilon) along axis."""
    axes = tuple(axis) if isinstance(axis, tuple | list) else axis
    wide = _wide(x)
    total = np.sum(np.square(wide), axis=axes, keepdims=True)
    return (wide / np.sqrt(np.maximum(total, wide.dtype.type(epsilon)))).astype(x.dtype)

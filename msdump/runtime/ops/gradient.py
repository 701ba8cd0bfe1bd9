"""Gradients that training graphs hold: convolution, pooling, normalisation; and fused and mask operators.

msdump computes no gradient by itself; these run the backward half of graphs that MindSpore compiled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from msdump.runtime.ops.conv import columns, cropped, padded, pads_of, spatial, taps
from msdump.runtime.ops.elementwise import quiet
from msdump.runtime.ops.matmul import matmul
from msdump.runtime.ops.random import generator
from msdump.runtime.ops.registry import Array, TensorSpec, operator, same
from msdump.runtime.ops.shape import ints
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32, is_float

_HALF = (FLOAT16, BFLOAT16)
_CONV = {
    "filter_size": ("filter_sizes",),
    "pad": ("pad_list", "padding"),
    "group": ("groups",),
    "data_format": ("format",),
}
_FORMAT = {"data_format": ("format",)}
_POOL = {"data_format": ("format",), "strides": ("stride",)}


def _wide(x: Array) -> Array:
    return x.astype(FLOAT32) if x.dtype in _HALF else x


@operator(
    "Conv2DBackpropFilter",
    inputs=3,
    infer=lambda dout, filter_size: TensorSpec(ints(filter_size), dout.dtype),
    spelling=_CONV,
    prim_func=False,
)
def conv_filter_gradient(
    dout: Array,
    x: Array,
    filter_size: Any,
    out_channel: int = 0,
    kernel_size: Any = 0,
    pad_mode: Any = "valid",
    pad: Any = 0,
    mode: int = 1,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    data_format: Any = "NCHW",
) -> Any:
    """Gradient of a convolution for its weight, of shape filter_size (O, C/group, …)."""
    shape = ints(filter_size)
    rank = x.ndim - 2
    kernel, steps, gaps = shape[2:], spatial(stride, rank), spatial(dilation, rank)
    pads = pads_of(pad_mode, pad, x.shape[2:], kernel, steps, gaps)
    n, filters = dout.shape[:2]
    cols = columns(padded(_wide(x), pads), kernel, steps, gaps, dout.shape[2:])
    cols = cols.reshape(n, group, x.shape[1] // group * cols.shape[2], -1)
    found = np.matmul(_wide(dout).reshape(n, group, filters // group, -1), cols.swapaxes(2, 3)).sum(axis=0)
    return found.reshape(shape).astype(dout.dtype, copy=False)


@operator("MaxPoolGrad", inputs=3, infer=lambda x: x, spelling=_POOL, prim_func=False)
def max_pool_gradient(
    x: Array,
    out: Array,
    dout: Array,
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: Any = "valid",
    data_format: Any = "NCHW",
) -> Any:
    """Gradient of MaxPool: each window's goes to its first maximum."""
    rank = x.ndim - 2
    kernel, steps = spatial(kernel_size, rank), spatial(strides, rank)
    gaps, sizes = (1,) * rank, out.shape[2:]
    pads = pads_of(pad_mode, 0, x.shape[2:], kernel, steps, gaps)
    lowest = -np.inf if is_float(x.dtype) else np.iinfo(x.dtype).min
    wide = padded(x, pads, lowest)
    found = np.zeros(wide.shape, FLOAT32 if x.dtype in _HALF else dout.dtype)
    given = np.zeros(out.shape, np.bool_)
    for _, index in taps(kernel, steps, gaps, sizes):
        here = (wide[index] == out) & ~given
        given |= here
        found[index] += np.where(here, dout, np.zeros((), dout.dtype))
    return cropped(found, pads, x.shape[2:]).astype(dout.dtype, copy=False)


@operator("AvgPoolGrad", inputs=3, spelling=_POOL, prim_func=False)
def avg_pool_gradient(
    x: Any,
    out: Array,
    dout: Array,
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: Any = "valid",
    data_format: Any = "NCHW",
) -> Any:
    """Gradient of AvgPool: each window's is shared by what it covers; x may be the input's shape."""
    shape = tuple(x.shape) if getattr(x, "ndim", 1) > 1 else ints(x)
    rank = len(shape) - 2
    kernel, steps = spatial(kernel_size, rank), spatial(strides, rank)
    gaps, sizes = (1,) * rank, dout.shape[2:]
    pads = pads_of(pad_mode, 0, shape[2:], kernel, steps, gaps)
    ones = padded(np.ones((1, 1, *shape[2:]), FLOAT32), pads)
    count = sum(ones[index] for _, index in taps(kernel, steps, gaps, sizes))
    share = _wide(dout) / count
    found = np.zeros((*shape[:2], *(n + a + b for n, (a, b) in zip(shape[2:], pads, strict=True))), share.dtype)
    for _, index in taps(kernel, steps, gaps, sizes):
        found[index] += share
    return cropped(found, pads, shape[2:]).astype(dout.dtype, copy=False)


@operator("LayerNormGrad", inputs=5, infer=lambda x, gamma: (x, gamma, gamma))
@quiet
def layer_norm_gradient(
    x: Array,
    dy: Array,
    variance: Array,
    mean: Array,
    gamma: Array,
    begin_norm_axis: int = 1,
    begin_params_axis: int = 1,
    epsilon: float = 1e-7,
) -> Any:
    """(dx, dgamma, dbeta) of LayerNorm."""
    begin, params = begin_norm_axis % x.ndim, begin_params_axis % x.ndim
    axes, lead = tuple(range(begin, x.ndim)), tuple(range(params))
    wide, up = _wide(x), _wide(dy)
    inverse = np.reciprocal(np.sqrt(variance + wide.dtype.type(epsilon)))
    normal = (wide - mean) * inverse
    scaled = up * _wide(gamma).reshape(x.shape[params:])
    first = np.mean(scaled, axis=axes, keepdims=True)
    second = np.mean(scaled * normal, axis=axes, keepdims=True)
    dx = inverse * (scaled - first - normal * second)
    dgamma, dbeta = np.sum(up * normal, axis=lead), np.sum(up, axis=lead)
    return tuple(a.astype(d, copy=False) for a, d in ((dx, x.dtype), (dgamma, gamma.dtype), (dbeta, gamma.dtype)))


def _batch_norm_gradient(
    dy: Array, x: Array, scale: Array, mean: Array, inverse: Array, is_training: bool, axis: int
) -> tuple[Array, Array, Array]:
    axes = tuple(i for i in range(x.ndim) if i != axis)

    def spread(vector: Array) -> Array:
        return vector.reshape((-1,) + (1,) * (x.ndim - 1 - axis))

    wide, up = _wide(x), _wide(dy)
    normal = (wide - spread(mean)) * spread(inverse)
    dscale, dbias = np.sum(up * normal, axis=axes), np.sum(up, axis=axes)
    dx = up
    if is_training:
        count = wide.dtype.type(x.size // x.shape[axis])
        dx = up - spread(dbias) / count - normal * spread(dscale) / count
    dx = dx * spread(_wide(scale) * inverse)
    return dx.astype(x.dtype, copy=False), dscale.astype(scale.dtype), dbias.astype(scale.dtype)


@operator("BatchNormGrad", inputs=6, spelling=_FORMAT)
@quiet
def batch_norm_gradient(
    dy: Array,
    x: Array,
    scale: Array,
    saved_mean: Array,
    saved_variance: Array,
    reserve: Any = None,
    is_training: bool = False,
    epsilon: float = 1e-5,
    data_format: Any = "NCHW",
) -> Any:
    """(dx, dscale, dbias) of BatchNorm from the mean and variance it saved."""
    axis = x.ndim - 1 if data_format in ("NHWC", 1) else 1
    inverse = np.reciprocal(np.sqrt(_wide(saved_variance) + np.float32(epsilon)))
    return _batch_norm_gradient(dy, x, scale, _wide(saved_mean), inverse, bool(is_training), axis)


@operator("FusedBatchNormGradCPU", "FusedBatchNormGrad", inputs=6, spelling=_FORMAT, prim_func=False)
@quiet
def fused_batch_norm_gradient(
    dy: Array,
    x: Array,
    scale: Array,
    bias: Any = None,
    saved_mean: Any = None,
    saved_variance: Any = None,
    epsilon: float = 1e-5,
    momentum: float = 0.1,
    data_format: Any = "NCHW",
) -> Any:
    """BatchNormGrad of 1.0 and 1.1."""
    return batch_norm_gradient(dy, x, scale, saved_mean, saved_variance, None, True, epsilon, data_format)


@operator("MatMulBiasAddFusion", inputs=3)
def matmul_bias(x: Array, y: Array, bias: Array, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """A matrix product and its bias, as the CPU backend of late 2.x fuses them."""
    return np.add(matmul(x, y, transpose_a, transpose_b), bias)


@operator("MatMulBiasAddReluFusion", inputs=3)
def matmul_bias_relu(x: Array, y: Array, bias: Array, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """MatMulBiasAddFusion, then ReLU."""
    return np.maximum(np.add(matmul(x, y, transpose_a, transpose_b), bias), x.dtype.type(0))


@operator(
    "DropoutGenMask",
    inputs=2,
    prim_func=False,
    effect="draw",
    infer=lambda shape: TensorSpec((-(-math.prod(ints(shape)) // 128) * 16,), np.dtype(np.uint8)),
)
def dropout_gen_mask(shape: Any, keep_prob: Any, Seed0: int = 0, Seed1: int = 0) -> Any:
    """Random bits, packed in bytes: 1 with probability keep_prob; whole blocks of 128 bits."""
    count = int(np.prod(ints(shape), dtype=np.int64))
    bits = np.zeros(-(-count // 128) * 128, np.bool_)
    bits[:count] = generator().random(count) < float(keep_prob)
    return np.packbits(bits, bitorder="little")


@operator("DropoutDoMask", inputs=3, infer=same)
def dropout_do_mask(x: Array, mask: Array, keep_prob: Any) -> Any:
    """The input where the packed mask has a 1, scaled by 1/keep_prob; 0 elsewhere."""
    kept = np.unpackbits(mask, count=x.size, bitorder="little").reshape(x.shape)
    return np.where(kept, x / x.dtype.type(float(keep_prob)), np.zeros((), x.dtype))

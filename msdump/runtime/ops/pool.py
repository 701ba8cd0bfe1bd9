"""Pooling over windows, one pass a kernel position over whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.misfit import ShapeMisfit, shape_text
from msdump.runtime.ops.conv import Pads, channels_back, channels_first, output_size, padded, pads_of, spatial, taps
from msdump.runtime.ops.registry import Array, TensorSpec, operator
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32, is_float

_HALF = (FLOAT16, BFLOAT16)
_SPELLING = {"data_format": ("format",), "pad": ("pad_list", "pads", "padding"), "strides": ("stride",)}


def _windows(
    shape: tuple[int, ...], kernel_size: Any, strides: Any, pad_mode: Any, pad: Any, dilation: Any, ceil: bool
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Pads, tuple[int, ...]]:
    rank = len(shape) - 2
    if rank < 1:
        raise ShapeMisfit(f"the input must have a batch, a channel and sizes to pool over, not {shape_text(shape)}")
    kernel = spatial(kernel_size, rank)
    steps = kernel if strides is None else spatial(strides, rank)
    gaps = spatial(dilation, rank)
    pads = pads_of(pad_mode, pad, shape[2:], kernel, steps, gaps)
    sizes = tuple(
        output_size(n, p, k, s, d, ceil) for n, p, k, s, d in zip(shape[2:], pads, kernel, steps, gaps, strict=True)
    )
    if min(sizes, default=1) < 1:
        raise ShapeMisfit(f"a window of {kernel} does not fit an input of {tuple(shape[2:])}")
    return kernel, steps, gaps, pads, sizes


def _stretched(shape: tuple[int, ...], kernel: Any, steps: Any, gaps: Any, pads: Pads, sizes: Any) -> Pads:
    """Padding long enough for the last windows of ceil mode."""
    return tuple(
        (a, max(b, (o - 1) * s + (k - 1) * d + 1 - n - a))
        for n, (a, b), o, s, k, d in zip(shape[2:], pads, sizes, steps, kernel, gaps, strict=True)
    )


def _lowest(dtype: np.dtype[Any]) -> Any:
    return -np.inf if is_float(dtype) else np.iinfo(dtype).min


def max_windows(x: Array, kernel: Any, steps: Any, gaps: Any, pads: Pads, sizes: Any) -> Array:
    """The maximum of every window."""
    x = padded(x, _stretched(x.shape, kernel, steps, gaps, pads, sizes), _lowest(x.dtype))
    out: Array | None = None
    for _, index in taps(kernel, steps, gaps, sizes):
        out = x[index].copy() if out is None else np.maximum(out, x[index], out=out)
    assert out is not None  # a kernel has at least one position
    return out


def sum_windows(x: Array, kernel: Any, steps: Any, gaps: Any, pads: Pads, sizes: Any) -> Array:
    """The sum of every window."""
    x = padded(x, _stretched(x.shape, kernel, steps, gaps, pads, sizes))
    out: Array | None = None
    for _, index in taps(kernel, steps, gaps, sizes):
        out = x[index].copy() if out is None else np.add(out, x[index], out=out)
    assert out is not None  # a kernel has at least one position
    return out


def _laid_out(x: Any, kernel_size: Any, strides: Any, pad_mode: Any, data_format: Any) -> tuple[Any, Any]:
    """The operand with its channels first, and its windows."""
    x = channels_first(x, data_format)

    def spread(value: Any) -> Any:
        # Graphs hold (1, h, w, 1) for NHWC, and (1, 1, h, w) otherwise.
        last = data_format in ("NHWC", 1) and isinstance(value, tuple | list) and len(value) == len(x.shape)
        return tuple(value)[1:-1] if last else value

    return x, _windows(x.shape, spread(kernel_size), spread(strides), pad_mode, 0, 1, False)


def _infer_pool(x: Any, kernel_size: Any, strides: Any, pad_mode: Any, data_format: Any) -> Any:
    x, (*_, sizes) = _laid_out(x, kernel_size, strides, pad_mode, data_format)
    return channels_back(TensorSpec((*x.shape[:2], *sizes), x.dtype), data_format)


@operator("MaxPool", "MaxPool3D", infer=_infer_pool, spelling=_SPELLING, prim_func=False)
def max_pool(
    x: Array, kernel_size: Any = 1, strides: Any = 1, pad_mode: Any = "valid", data_format: Any = "NCHW"
) -> Any:
    """Maximum of each window over the axes after the channel."""
    x, windows = _laid_out(x, kernel_size, strides, pad_mode, data_format)
    return channels_back(max_windows(x, *windows), data_format)


@operator("AvgPool", infer=_infer_pool, spelling=_SPELLING)
def avg_pool(
    x: Array, kernel_size: Any = 1, strides: Any = 1, pad_mode: Any = "valid", data_format: Any = "NCHW"
) -> Any:
    """Mean of each window; padding is not counted."""
    x, windows = _laid_out(x, kernel_size, strides, pad_mode, data_format)
    return channels_back(_averages(x, windows, False, None), data_format)


def _averages(x: Array, windows: Any, count_pad: bool, divisor: int | None) -> Array:
    kernel, steps, gaps, pads, sizes = windows
    wide = x.astype(FLOAT32) if x.dtype in _HALF else x
    total = sum_windows(wide, *windows)
    if divisor:
        count: Any = divisor
    else:
        ones = np.ones((1, 1, *x.shape[2:]), wide.dtype)
        if count_pad:
            # Explicit padding counts; what ceil mode adds beyond it does not.
            ones, pads = padded(ones, pads, 1), tuple((0, 0) for _ in pads)
        count = sum_windows(ones, kernel, steps, gaps, pads, sizes)
    found: Array = (total / count).astype(x.dtype)
    return found


@operator("AvgPool2D", "AvgPool3D", spelling={**_SPELLING, "stride": ("strides",)}, prim_func=False)
def avg_pool_ext(
    x: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """Mean of each window with explicit padding; `divisor_override` replaces the count (0, None: not)."""
    windows = _windows(x.shape, kernel_size, stride, "pad", padding, 1, ceil_mode)
    return _averages(x, windows, count_include_pad, divisor_override)


@operator(
    "MaxPoolWithMask", "MaxPoolWithIndices", "MaxPoolWithArgmaxV2", "MaxPoolWithArgmax", spelling={"pads": ("padding",)}
)
def max_pool_with_index(
    x: Array,
    kernel_size: Any,
    strides: Any = None,
    pads: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    argmax_type: Any = None,
) -> Any:
    """(maximum of each window, its flat index in the unpadded plane as Int64)."""
    kernel, steps, gaps, around, sizes = _windows(x.shape, kernel_size, strides, "pad", pads, dilation, ceil_mode)
    places = np.broadcast_to(np.arange(int(np.prod(x.shape[2:]))).reshape(x.shape[2:]), x.shape)
    stretched = _stretched(x.shape, kernel, steps, gaps, around, sizes)
    values, places = padded(x, stretched, _lowest(x.dtype)), padded(np.ascontiguousarray(places), stretched, -1)
    best: Array | None = None
    at: Array | None = None
    for _, index in taps(kernel, steps, gaps, sizes):
        if best is None or at is None:
            best, at = values[index].copy(), places[index].copy()
        else:
            better = (values[index] > best) | ((at < 0) & (places[index] >= 0))
            best, at = np.where(better, values[index], best), np.where(better, places[index], at)
    return best, at


def _bins(size: int, parts: int) -> list[tuple[int, int]]:
    return [(i * size // parts, -(-(i + 1) * size // parts)) for i in range(parts)]


def _adaptive(x: Array, output: tuple[int | None, ...], function: Any) -> Array:
    wide = x.astype(FLOAT32) if x.dtype in _HALF else x
    first = wide.ndim - len(output)
    for axis, parts in enumerate(output, first):
        if parts is None:
            continue
        pieces = [
            function(np.take(wide, range(a, b), axis=axis), axis=axis, keepdims=True)
            for a, b in _bins(wide.shape[axis], parts)
        ]
        wide = np.concatenate(pieces, axis=axis)
    return wide.astype(x.dtype)


def _outputs(output_size: Any, rank: int) -> tuple[int | None, ...]:
    if isinstance(output_size, int):
        return (output_size,) * rank
    return tuple(None if v is None or v == -1 else int(v) for v in output_size)


@operator("AdaptiveAvgPool2D", "AdaptiveAvgPool2DExt", prim_func=False)
def adaptive_avg_pool(x: Array, output_size: Any) -> Any:
    """Mean over windows that divide the last two axes into output_size parts (None: as it is)."""
    return _adaptive(x, _outputs(output_size, 2), np.mean)


@operator("AdaptiveMaxPool2D", prim_func=False)
def adaptive_max_pool(x: Array, output_size: Any) -> Any:
    """Maximum over windows that divide the last two axes into output_size parts."""
    return _adaptive(x, _outputs(output_size, 2), np.max)


@operator("AdaptiveAvgPool1D")
def adaptive_avg_pool_1d(x: Array, output_size: Any) -> Any:
    """Mean over windows that divide the last axis into output_size parts."""
    return _adaptive(x, _outputs(output_size, 1), np.mean)

"""Convolution: patches laid out as columns, then one matrix product a sample on BLAS."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.misfit import ShapeMisfit, TypeMisfit, ValueMisfit, shape_text
from msdump.runtime.ops.registry import Array, TensorSpec, operator
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32, spelled

_HALF = (FLOAT16, BFLOAT16)
Pads = tuple[tuple[int, int], ...]
_PAD_MODES = {0: "pad", 1: "same", 2: "valid"}


def spatial(value: Any, rank: int) -> tuple[int, ...]:
    """One number an axis from an int, from `rank` numbers, or from N, C and `rank` numbers."""
    if isinstance(value, int | np.integer):
        return (int(value),) * rank
    numbers = tuple(int(v) for v in value)
    if len(numbers) == 1:
        return numbers * rank
    return numbers[-rank:]


def mode_of(pad_mode: Any) -> str:
    """The mode ("pad", "same", "valid") from its name in any case or from the enum's number."""
    name = _PAD_MODES.get(pad_mode, str(pad_mode).lower()) if isinstance(pad_mode, int) else str(pad_mode).lower()
    if name not in ("pad", "same", "valid"):
        raise ValueMisfit(f"pad_mode must be 'same', 'valid' or 'pad', but got {pad_mode!r}")
    return name


def pads_of(pad_mode: Any, pad: Any, sizes: Any, kernel: Any, stride: Any, dilation: Any) -> Pads:
    """(before, after) an axis, as pad_mode and pad ask for an input of these sizes."""
    mode = mode_of(pad_mode)
    if mode == "same":
        return _same_pads(sizes, kernel, stride, dilation)
    return _explicit_pads(pad if mode == "pad" else 0, len(sizes))


def _same_pads(
    sizes: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> Pads:
    """Padding that makes an output of ceil(size / stride), the odd one at the end."""
    pads = []
    for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        needed = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        pads.append((needed // 2, needed - needed // 2))
    return tuple(pads)


def _explicit_pads(pad: Any, rank: int) -> Pads:
    """(before, after) an axis from an int, one number an axis, or before and after of each."""
    if isinstance(pad, int | np.integer):
        return ((int(pad), int(pad)),) * rank
    numbers = [int(v) for v in pad]
    if len(numbers) == 1:
        numbers *= 2 * rank
    if len(numbers) == rank:
        return tuple((n, n) for n in numbers)
    if len(numbers) != 2 * rank:
        raise ValueMisfit(f"padding must be one number or {2 * rank}, but got {tuple(numbers)}")
    return tuple((numbers[2 * i], numbers[2 * i + 1]) for i in range(rank))


def output_size(size: int, pads: tuple[int, int], kernel: int, stride: int, dilation: int, ceil: bool = False) -> int:
    """How many windows fit along one axis."""
    room = size + pads[0] + pads[1] - dilation * (kernel - 1) - 1
    if not ceil:
        return room // stride + 1
    count = -(-room // stride) + 1
    # The last window must start inside the input or the padding before it.
    return count - 1 if (count - 1) * stride >= size + pads[0] else count


def _geometry(
    name: str, x: Any, w: Any, pad_mode: Any, pad: Any, stride: Any, dilation: Any, group: int
) -> tuple[Pads, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    rank = len(x.shape) - 2
    if rank < 1 or len(w.shape) != rank + 2:
        raise ShapeMisfit(
            f"For '{name}', input and weight must have as many dimensions, got {x.shape} and {w.shape}.",
            f"the input {shape_text(x.shape)} must have as many dimensions as the weight {shape_text(w.shape)}",
        )
    if x.shape[1] != w.shape[1] * group:
        raise ShapeMisfit(
            f"For '{name}', 'C_in' of input 'x' shape divide by parameter 'group' must be equal to 'C_in' of input "
            f"'weight' shape: {w.shape[1]}, but got 'C_in' of input 'x' shape: {x.shape[1]}, and 'group': {group}.",
            f"the input has {x.shape[1]} channels, the weight is for {w.shape[1] * group}",
            f"the layer's in_channels must be {x.shape[1]}",
        )
    if x.dtype != w.dtype:
        raise TypeMisfit(
            f"For primitive[{name}], the input type must be same. x: Tensor[{spelled(x.dtype)}], "
            f"w: Tensor[{spelled(w.dtype)}]",
            f"the input is {spelled(x.dtype)}, the weight {spelled(w.dtype)}",
            "cast one of them",
        )
    kernel, steps, gaps = tuple(w.shape[2:]), spatial(stride, rank), spatial(dilation, rank)
    pads = pads_of(pad_mode, pad, tuple(x.shape[2:]), kernel, steps, gaps)
    sizes = tuple(
        output_size(n, p, k, s, d) for n, p, k, s, d in zip(x.shape[2:], pads, kernel, steps, gaps, strict=True)
    )
    if min(sizes) < 1:
        raise ShapeMisfit(f"For '{name}', a kernel of {kernel} does not fit an input of {tuple(x.shape[2:])}.")
    return pads, steps, gaps, sizes


def padded(x: Array, pads: Pads, value: float = 0) -> Array:
    """The input with its spatial axes (from 2 on) padded with a constant."""
    if not any(a or b for a, b in pads):
        return x
    shape = x.shape[:2] + tuple(n + a + b for n, (a, b) in zip(x.shape[2:], pads, strict=True))
    out = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    out[(slice(None), slice(None), *(slice(a, a + n) for n, (a, _) in zip(x.shape[2:], pads, strict=True)))] = x
    return out


def cropped(x: Array, pads: Pads, sizes: Any) -> Array:
    """What `padded` was given, out of what it gave: the spatial axes without their padding."""
    inside = tuple(slice(a, a + n) for n, (a, _) in zip(sizes, pads, strict=True))
    return np.ascontiguousarray(x[(slice(None), slice(None), *inside)])


def taps(kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
    """For each position of the kernel, in order, the index that takes its element of every window."""
    for place in np.ndindex(*kernel):
        yield (
            place,
            (
                slice(None),
                slice(None),
                *(
                    slice(p * d, p * d + s * (n - 1) + 1, s)
                    for p, d, s, n in zip(place, dilation, stride, sizes, strict=True)
                ),
            ),
        )


def columns(
    x: Array,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    sizes: tuple[int, ...],
    buffer: Array | None = None,
) -> Array:
    """Padded x as (N, C, prod(kernel), prod(sizes)): every window a column."""
    count = int(np.prod(kernel))
    if count == 1 and all(s == 1 for s in stride):
        return x.reshape(x.shape[0], x.shape[1], 1, -1)
    out = np.empty((x.shape[0], x.shape[1], count, *sizes), x.dtype) if buffer is None else buffer
    for i, (_, index) in enumerate(taps(kernel, stride, dilation, sizes)):
        out[:, :, i] = x[index]
    return out.reshape(x.shape[0], x.shape[1], count, -1)


_BUFFER = 1 << 18
"""Elements of columns that are laid out at a time: they stay in the cache until they are multiplied."""


def _multiplied(x: Array, w: Array, stride: Any, dilation: Any, group: int, sizes: tuple[int, ...]) -> Array:
    """Convolution of padded x by matrix products over blocks of samples."""
    n, channels = x.shape[:2]
    filters, kernel = w.shape[0], tuple(w.shape[2:])
    count, places = int(np.prod(kernel)), int(np.prod(sizes))
    inner = channels // group * count
    weights = w.reshape(group, filters // group, inner)
    out = np.empty((n, group, filters // group, places), x.dtype)
    plain = count == 1 and all(s == 1 for s in stride)
    block = max(1, n if plain else min(n, _BUFFER // max(1, channels * count * places)))
    buffer = None if plain else np.empty((block, channels, count, *sizes), x.dtype)
    for first in range(0, n, block):
        piece = x[first : first + block]
        cols = columns(piece, kernel, stride, dilation, sizes, None if buffer is None else buffer[: len(piece)])
        np.matmul(weights, cols.reshape(len(piece), group, inner, places), out=out[first : first + block])
    return out


def convolve(x: Array, w: Array, pads: Pads, stride: Any, dilation: Any, group: int, sizes: tuple[int, ...]) -> Array:
    """Cross-correlation of x (N, C, …) with w (O, C/group, …): (N, O, *sizes)."""
    dtype = x.dtype
    if dtype in _HALF:
        x, w = x.astype(FLOAT32), w.astype(FLOAT32)
    n, channels = x.shape[:2]
    filters, kernel = w.shape[0], tuple(w.shape[2:])
    x = padded(x, pads)
    if group == channels == filters and group > 1:
        # One filter a channel: a product has no inner dimension to gain from, so add tap by tap.
        out = np.zeros((n, filters, *sizes), x.dtype)
        for place, index in taps(kernel, stride, dilation, sizes):
            out += x[index] * w[(slice(None), 0, *place)].reshape((1, -1) + (1,) * len(sizes))
    else:
        out = _multiplied(x, w, stride, dilation, group, sizes)
    return out.reshape(n, filters, *sizes).astype(dtype, copy=False)


_SPELLING = {
    "input_size": ("input_sizes",),
    "pad": ("pad_list", "padding"),
    "group": ("groups",),
    "data_format": ("format",),
}


def channels_first(x: Any, data_format: Any) -> Any:
    """An NHWC operand, or its type, as an NCHW one; others as they are."""
    if data_format not in ("NHWC", 1):
        return x
    if isinstance(x, TensorSpec):
        return TensorSpec((x.shape[0], x.shape[-1], *x.shape[1:-1]), x.dtype)
    return np.moveaxis(x, -1, 1)


def channels_back(x: Any, data_format: Any) -> Any:
    """What was made of an operand that `channels_first` moved, as the format has it."""
    if data_format not in ("NHWC", 1):
        return x
    if isinstance(x, TensorSpec):
        return TensorSpec((x.shape[0], *x.shape[2:], x.shape[1]), x.dtype)
    return np.moveaxis(x, 1, -1)


def _infer_conv(
    x: Any, w: Any, pad_mode: Any, pad: Any, stride: Any, dilation: Any, group: int, data_format: Any
) -> Any:
    x, w = channels_first(x, data_format), channels_first(w, data_format)
    *_, sizes = _geometry("Conv2D", x, w, pad_mode, pad, stride, dilation, group)
    return channels_back(TensorSpec((x.shape[0], w.shape[0], *sizes), x.dtype), data_format)


@operator("Conv2D", "Conv3D", inputs=2, infer=_infer_conv, spelling=_SPELLING, prim_func=False)
def conv(
    x: Array,
    w: Array,
    out_channel: int = 0,
    kernel_size: Any = 0,
    mode: int = 1,
    pad_mode: Any = "valid",
    pad: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    data_format: Any = "NCHW",
) -> Any:
    """Convolution over the axes after the channel: x (N, C, …), w (O, C/group, …)."""
    x, w = channels_first(x, data_format), channels_first(w, data_format)
    pads, steps, gaps, sizes = _geometry("Conv2D", x, w, pad_mode, pad, stride, dilation, group)
    out = convolve(x, w, pads, steps, gaps, group, sizes)
    return channels_back(out, data_format)


@operator("Conv2DTranspose", "Conv2DBackpropInput", "Conv3DTranspose", inputs=3, spelling=_SPELLING, prim_func=False)
def conv_transpose(
    x: Array,
    w: Array,
    input_size: Any = None,
    out_channel: int = 0,
    kernel_size: Any = 0,
    pad_mode: Any = "valid",
    pad: Any = 0,
    pad_list: Any = None,
    mode: int = 1,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    data_format: Any = "NCHW",
) -> Any:
    """The gradient of a convolution for its input: x (N, O, …), w (O, C/group, …), out `input_size`."""
    rank = x.ndim - 2
    kernel, steps, gaps = tuple(w.shape[2:]), spatial(stride, rank), spatial(dilation, rank)
    target = tuple(int(v) for v in input_size)
    pads = pads_of(pad_mode, pad, target[2:], kernel, steps, gaps)
    dtype = x.dtype
    if dtype in _HALF:
        x, w = x.astype(FLOAT32), w.astype(FLOAT32)
    n, filters = x.shape[:2]
    sizes = tuple(x.shape[2:])
    flat = np.matmul(
        w.reshape(group, filters // group, -1).swapaxes(1, 2), x.reshape(n, group, filters // group, -1)
    ).reshape(n, w.shape[1] * group, int(np.prod(kernel)), *sizes)
    wide = np.zeros((n, w.shape[1] * group, *(t + a + b for t, (a, b) in zip(target[2:], pads, strict=True))), x.dtype)
    for i, (_, index) in enumerate(taps(kernel, steps, gaps, sizes)):
        wide[index] += flat[:, :, i]
    return cropped(wide, pads, target[2:]).astype(dtype, copy=False)

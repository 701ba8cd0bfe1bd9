"""Layouts that a chip keeps tensors in, and the way back to the layout the program knows.

Chips cut the channel axis into slices of C0 (and N into slices of N0), padding the last one. The way
back is a reshape, a transpose and a cut: numpy views, and one copy when the values are used.
Numbers and names: the dump schema's OutputFormat. What is in a layout: MindSpore's trans.cc.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"
Shape: TypeAlias = "tuple[int, ...]"

FORMATS: dict[int, str] = {
    0: "NCHW",
    1: "NHWC",
    2: "ND",
    3: "NC1HWC0",
    4: "FRACTAL_Z",
    12: "NC1HWC0_C04",
    13: "FRACTAL_Z_C04",
    14: "CHWN",
    16: "HWCN",
    26: "MD",
    27: "NDHWC",
    29: "FRACTAL_NZ",
    30: "NCDHW",
    31: "DHWCN",
    32: "NDC1HWC0",
    33: "FRACTAL_Z_3D",
    34: "CN",
    35: "NC",
    36: "DHWNC",
    43: "ND_RNN_BIAS",
    44: "FRACTAL_ZN_RNN",
    255: "MAX",
}

_IMAGE = ("NCHW", "NHWC", "HWCN", "CHWN")
_VOLUME = ("NCDHW", "NDHWC", "DHWCN", "DHWNC")


class LayoutError(ValueError):
    """Device shape and original shape do not fit one another."""


def format_name(number: int) -> str:
    """The name of a format number; "FORMAT_99" for an unknown one."""
    return FORMATS.get(number, f"FORMAT_{number}")


def is_device_format(name: str) -> bool:
    """Whether `to_host` can bring the format back."""
    return name in _TO_HOST


def to_host(device: Array, format: str, original: Shape, groups: int = 1, host_format: str = "") -> Array:
    """A tensor of a device format in the layout the program knows.

    Args:
        device: the tensor in the device's shape.
        format: name of the device format, one of those `is_device_format` knows.
        original: the shape the program knows.
        groups: of a grouped convolution, for FRACTAL_Z.
        host_format: order of `original`'s axes ("NCHW", "HWCN", …); "": the first that fits.

    Returns:
        An array of shape `original`; a view where possible.

    Raises:
        LayoutError: the shapes do not fit one another.
    """
    return _TO_HOST[format](device, original, groups, host_format)


def _padded(original: Shape, rank: int) -> Shape:
    # Fewer axes: the program's axes begin at C, as the compiler pads them.
    if len(original) >= rank:
        return original
    return (1, *original, *(1,) * (rank - 1 - len(original)))


def _axes(order: str, shape: Shape) -> dict[str, int]:
    return dict(zip(order, shape, strict=True))


def _finish(array: Array, have: str, order: str, original: Shape) -> Array:
    """`array` with axes in the order `have` brought into `order`, then into the original shape."""
    return array.transpose([have.index(axis) for axis in order]).reshape(original)


def _choose(
    original: Shape, orders: tuple[str, ...], wanted: str, fits: Callable[[dict[str, int]], bool]
) -> tuple[str, dict[str, int]]:
    """The first order of axes in which the original shape fits the device's."""
    rank = len(orders[0])
    if len(original) > rank:
        raise LayoutError(f"original shape {original} has more than {rank} axes")
    padded = _padded(original, rank)
    for order in sorted(orders, key=lambda o: o != wanted):
        sizes = _axes(order, padded)
        if fits(sizes):
            return order, sizes
    raise LayoutError(f"original shape {original} does not fit the device's shape")


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _nc1hwc0(device: Array, original: Shape, _groups: int, host_format: str) -> Array:
    if device.ndim != 5:
        raise LayoutError(f"NC1HWC0 has 5 axes, not {device.ndim}")
    n, c1, h, w, c0 = device.shape
    order, sizes = _choose(
        original,
        _IMAGE,
        host_format,
        lambda s: (s["N"], s["H"], s["W"]) == (n, h, w) and c0 > 0 and _ceil(s["C"], c0) == c1,
    )
    channels = device.transpose(0, 1, 4, 2, 3).reshape(n, c1 * c0, h, w)
    return _finish(channels[:, : sizes["C"]], "NCHW", order, original)


def _ndc1hwc0(device: Array, original: Shape, _groups: int, host_format: str) -> Array:
    if device.ndim != 6:
        raise LayoutError(f"NDC1HWC0 has 6 axes, not {device.ndim}")
    n, d, c1, h, w, c0 = device.shape
    order, sizes = _choose(
        original,
        _VOLUME,
        host_format,
        lambda s: (s["N"], s["D"], s["H"], s["W"]) == (n, d, h, w) and c0 > 0 and _ceil(s["C"], c0) == c1,
    )
    channels = device.transpose(0, 2, 5, 1, 3, 4).reshape(n, c1 * c0, d, h, w)
    return _finish(channels[:, : sizes["C"]], "NCDHW", order, original)


def _fractal_nz(device: Array, original: Shape, _groups: int, _host_format: str) -> Array:
    if device.ndim < 4:
        if math.prod(original) <= device.size and device.ndim == 1:
            return device[: math.prod(original)].reshape(original)  # [1] and [16k] stay as they are
        raise LayoutError(f"FRACTAL_NZ has 4 axes or more, not {device.ndim}")
    *batch, w1, h1, h0, w0 = device.shape
    height, width = ((1, *original) if len(original) < 2 else original)[-2:] if original else (1, 1)
    if height > h1 * h0 or width > w1 * w0 or math.prod(original[:-2]) != math.prod(batch):
        raise LayoutError(f"original shape {original} does not fit the device's shape {device.shape}")
    k = len(batch)
    plain = device.transpose(*range(k), k + 1, k + 2, k, k + 3).reshape(*batch, h1 * h0, w1 * w0)
    return plain[..., :height, :width].reshape(original)


def _fractal_z(device: Array, original: Shape, groups: int, host_format: str) -> Array:
    if device.ndim != 4:
        raise LayoutError(f"FRACTAL_Z has 4 axes, not {device.ndim}")
    rows, n1, n0, c0 = device.shape
    groups = max(1, groups)

    def split(s: dict[str, int]) -> tuple[int, int, int]:
        """Groups laid side by side in one slice, slices of groups, slices of channels in each."""
        if s["N"] % groups:
            return 0, 0, 0
        inner_n = s["N"] // groups
        side = 1
        if groups > 1 and s["C"] and inner_n:
            side = min(math.lcm(math.lcm(s["C"], c0) // s["C"], math.lcm(inner_n, n0) // inner_n), groups)
        return side, _ceil(groups, side), _ceil(side * s["C"], c0)

    def fits(s: dict[str, int]) -> bool:
        if not c0 or not n0:
            return False
        side, slices, c1 = split(s)
        return side > 0 and slices * c1 * s["H"] * s["W"] == rows and side * (s["N"] // groups) <= n1 * n0

    order, s = _choose(original, _IMAGE, host_format, fits)
    side, slices, c1 = split(s)
    c, h, w, inner_n = s["C"], s["H"], s["W"], s["N"] // groups
    wide = device.reshape(slices, c1, h, w, n1 * n0, c0).transpose(0, 4, 1, 5, 2, 3)
    wide = wide.reshape(slices, n1 * n0, c1 * c0, h, w)
    if groups == 1:
        return _finish(wide[0, :inner_n, :c], "NCHW", order, original)
    # Group g lies in slice g // side, as the block number g % side on the diagonal.
    pieces = [
        wide[g // side, g % side * inner_n : (g % side + 1) * inner_n, g % side * c : (g % side + 1) * c]
        for g in range(groups)
    ]
    return _finish(np.concatenate(pieces), "NCHW", order, original)


def _fractal_z_c04(device: Array, original: Shape, _groups: int, host_format: str) -> Array:
    if device.ndim != 4:
        raise LayoutError(f"FRACTAL_Z_C04 has 4 axes, not {device.ndim}")
    rows, n1, n0, k0 = device.shape
    order, s = _choose(
        original,
        _IMAGE,
        host_format,
        lambda s: n0 > 0 and k0 > 0 and _ceil(_ceil(s["C"], 4) * s["H"] * s["W"] * 4, k0) == rows and s["N"] <= n1 * n0,
    )
    c1 = _ceil(s["C"], 4)
    used = c1 * s["H"] * s["W"] * 4
    wide = device.transpose(1, 2, 0, 3).reshape(n1 * n0, rows * k0)[: s["N"], :used]
    wide = wide.reshape(s["N"], c1, s["H"], s["W"], 4).transpose(0, 1, 4, 2, 3)
    wide = wide.reshape(s["N"], c1 * 4, s["H"], s["W"])[:, : s["C"]]
    return _finish(wide, "NCHW", order, original)


def _fractal_z_3d(device: Array, original: Shape, _groups: int, host_format: str) -> Array:
    if device.ndim != 4:
        raise LayoutError(f"FRACTAL_Z_3D has 4 axes, not {device.ndim}")
    rows, n1, n0, c0 = device.shape
    order, s = _choose(
        original,
        _VOLUME,
        host_format,
        lambda s: c0 > 0 and s["D"] * _ceil(s["C"], c0) * s["H"] * s["W"] == rows and s["N"] <= n1 * n0,
    )
    c1 = _ceil(s["C"], c0)
    wide = device.reshape(s["D"], c1, s["H"], s["W"], n1 * n0, c0).transpose(4, 1, 5, 0, 2, 3)
    wide = wide.reshape(n1 * n0, c1 * c0, s["D"], s["H"], s["W"])
    return _finish(wide[: s["N"], : s["C"]], "NCDHW", order, original)


_TO_HOST: dict[str, Callable[[Array, Shape, int, str], Array]] = {
    "NC1HWC0": _nc1hwc0,
    "NC1HWC0_C04": _nc1hwc0,
    "NDC1HWC0": _ndc1hwc0,
    "FRACTAL_NZ": _fractal_nz,
    "FRACTAL_Z": _fractal_z,
    "FRACTAL_Z_C04": _fractal_z_c04,
    "FRACTAL_Z_3D": _fractal_z_3d,
}

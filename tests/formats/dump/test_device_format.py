"""Every device format against a reference that places element by element."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.device_format import LayoutError, is_device_format, to_host

PAD = -1.0


def up(a: int, b: int) -> int:
    return -(-a // b)


def host(shape: tuple[int, ...]) -> Any:
    return np.arange(1, math.prod(shape) + 1, dtype=np.float32).reshape(shape)


def nchw_of(array: Any, order: str) -> Any:
    """An array whose axes are called `order`, as a function of named indices."""
    return lambda **at: array[tuple(at[axis] for axis in order)]


def every(**sizes: int) -> Any:
    for found in itertools.product(*(range(n) for n in sizes.values())):
        yield dict(zip(sizes, found, strict=True))


@pytest.mark.parametrize("c0", [4, 16, 32])
@pytest.mark.parametrize("order", ["NCHW", "NHWC", "HWCN", "CHWN"])
@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), (1, 32, 2, 1), (3, 17, 1, 2)])
def test_nc1hwc0(c0: int, order: str, sizes: tuple[int, ...]) -> None:
    n = dict(zip("NCHW", sizes, strict=True))
    original = host(tuple(n[a] for a in order))
    value = nchw_of(original, order)
    device = np.full((n["N"], up(n["C"], c0), n["H"], n["W"], c0), PAD, np.float32)
    for at in every(**n):
        device[at["N"], at["C"] // c0, at["H"], at["W"], at["C"] % c0] = value(**at)
    name = "NC1HWC0_C04" if c0 == 4 else "NC1HWC0"
    found = to_host(device, name, original.shape, host_format=order)
    np.testing.assert_array_equal(found, original)


@pytest.mark.parametrize("order", ["NCDHW", "NDHWC", "DHWCN"])
def test_ndc1hwc0(order: str) -> None:
    n = dict(zip("NCDHW", (2, 18, 3, 4, 2), strict=True))
    original = host(tuple(n[a] for a in order))
    value = nchw_of(original, order)
    device = np.full((n["N"], n["D"], up(n["C"], 16), n["H"], n["W"], 16), PAD, np.float32)
    for at in every(**n):
        device[at["N"], at["D"], at["C"] // 16, at["H"], at["W"], at["C"] % 16] = value(**at)
    np.testing.assert_array_equal(to_host(device, "NDC1HWC0", original.shape, host_format=order), original)


@pytest.mark.parametrize("shape", [(5, 7), (16, 16), (2, 3, 17, 33), (40,), (1, 1), (33, 1)])
@pytest.mark.parametrize("w0", [16, 32])
def test_fractal_nz(shape: tuple[int, ...], w0: int) -> None:
    original = host(shape)
    batch, (h, w) = shape[:-2], (shape[-2:] if len(shape) > 1 else (1, shape[0]))
    device = np.full((*batch, up(w, w0), up(h, 16), 16, w0), PAD, np.float32)
    plain = original.reshape(*batch, h, w)
    for lead in itertools.product(*(range(b) for b in batch)):
        for i, j in itertools.product(range(h), range(w)):
            device[(*lead, j // w0, i // 16, i % 16, j % w0)] = plain[(*lead, i, j)]
    np.testing.assert_array_equal(to_host(device, "FRACTAL_NZ", shape), original)


@pytest.mark.parametrize("order", ["NCHW", "HWCN"])
@pytest.mark.parametrize("sizes", [(20, 3, 2, 3), (16, 33, 1, 1), (1, 16, 3, 3)])
@pytest.mark.parametrize("c0", [16, 32])
def test_fractal_z(order: str, sizes: tuple[int, ...], c0: int) -> None:
    n = dict(zip("NCHW", sizes, strict=True))
    original = host(tuple(n[a] for a in order))
    value = nchw_of(original, order)
    c1, n1 = up(n["C"], c0), up(n["N"], 16)
    device = np.full((c1 * n["H"] * n["W"], n1, 16, c0), PAD, np.float32)
    for at in every(**n):
        row = (at["C"] // c0 * n["H"] + at["H"]) * n["W"] + at["W"]
        device[row, at["N"] // 16, at["N"] % 16, at["C"] % c0] = value(**at)
    np.testing.assert_array_equal(to_host(device, "FRACTAL_Z", original.shape, host_format=order), original)


@pytest.mark.parametrize(("groups", "inner_n", "c"), [(2, 3, 4), (3, 16, 16), (4, 5, 1), (8, 4, 2)])
def test_fractal_z_of_a_grouped_convolution(groups: int, inner_n: int, c: int) -> None:
    h, w, c0, n0 = 2, 1, 16, 16
    original = host((groups * inner_n, c, h, w))
    side = min(math.lcm(math.lcm(c, c0) // c, math.lcm(inner_n, n0) // inner_n), groups)
    slices, c1, n1 = up(groups, side), up(side * c, c0), up(side * inner_n, n0)
    device = np.zeros((slices * c1 * h * w, n1, n0, c0), np.float32)
    for g, k, ci, y, x in itertools.product(range(groups), range(inner_n), range(c), range(h), range(w)):
        wide_n, wide_c = g % side * inner_n + k, g % side * c + ci
        row = ((g // side * c1 + wide_c // c0) * h + y) * w + x
        device[row, wide_n // n0, wide_n % n0, wide_c % c0] = original[g * inner_n + k, ci, y, x]
    np.testing.assert_array_equal(to_host(device, "FRACTAL_Z", original.shape, groups), original)


@pytest.mark.parametrize("sizes", [(20, 3, 3, 3), (16, 9, 1, 2)])
def test_fractal_z_c04(sizes: tuple[int, ...]) -> None:
    n, c, h, w = sizes
    original = host(sizes)
    c1 = up(c, 4)
    device = np.full((up(c1 * h * w * 4, 16), up(n, 16), 16, 16), PAD, np.float32)
    for at in every(n=n, c=c, h=h, w=w):
        k = ((at["c"] // 4 * h + at["h"]) * w + at["w"]) * 4 + at["c"] % 4
        device[k // 16, at["n"] // 16, at["n"] % 16, k % 16] = original[at["n"], at["c"], at["h"], at["w"]]
    np.testing.assert_array_equal(to_host(device, "FRACTAL_Z_C04", sizes), original)


@pytest.mark.parametrize("order", ["NCDHW", "DHWCN"])
def test_fractal_z_3d(order: str) -> None:
    n = dict(zip("NCDHW", (18, 20, 2, 3, 2), strict=True))
    original = host(tuple(n[a] for a in order))
    value = nchw_of(original, order)
    c1, n1 = up(n["C"], 16), up(n["N"], 16)
    device = np.full((n["D"] * c1 * n["H"] * n["W"], n1, 16, 16), PAD, np.float32)
    for at in every(**n):
        row = ((at["D"] * c1 + at["C"] // 16) * n["H"] + at["H"]) * n["W"] + at["W"]
        device[row, at["N"] // 16, at["N"] % 16, at["C"] % 16] = value(**at)
    np.testing.assert_array_equal(to_host(device, "FRACTAL_Z_3D", original.shape, host_format=order), original)


def test_fewer_axes_begin_at_c() -> None:
    device = np.full((1, 1, 1, 1, 16), PAD, np.float32)
    device[0, 0, 0, 0, :5] = np.arange(5)
    assert to_host(device, "NC1HWC0", (5,)).tolist() == [0, 1, 2, 3, 4]


def test_the_way_back_copies_nothing_it_need_not() -> None:
    device = np.arange(2 * 1 * 3 * 4 * 16, dtype=np.float32).reshape(2, 1, 3, 4, 16)
    found = to_host(device, "NC1HWC0", (2, 16, 3, 4))
    assert np.shares_memory(found, device)


@pytest.mark.parametrize(
    ("name", "device", "original"),
    [
        ("NC1HWC0", (2, 1, 3, 4, 16), (2, 17, 3, 4)),
        ("NC1HWC0", (2, 1, 3, 4), (2, 3, 3, 4)),
        ("NC1HWC0", (2, 1, 3, 4, 16), (1, 2, 3, 3, 4)),
        ("FRACTAL_NZ", (1, 1, 16, 16), (17, 2)),
        ("FRACTAL_NZ", (1, 16, 16), (4, 4, 4)),
        ("FRACTAL_Z", (4, 1, 16, 16), (20, 3, 2, 2)),
        ("FRACTAL_Z", (0, 0, 0, 0), (1, 1, 1, 1)),
        ("FRACTAL_Z_3D", (4, 1, 16), (1, 1, 1, 2, 2)),
        ("NDC1HWC0", (1, 1, 1, 1, 1, 0), (1, 1, 1, 1, 1)),
        ("FRACTAL_Z_C04", (1, 1, 16, 0), (1, 1, 1, 1)),
    ],
)
def test_shapes_that_do_not_fit_are_told(name: str, device: tuple[int, ...], original: tuple[int, ...]) -> None:
    assert is_device_format(name)
    with pytest.raises(LayoutError):
        to_host(np.zeros(device, np.float32), name, original)

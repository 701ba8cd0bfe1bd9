"""ULP distance: how many representable numbers lie between two floats of one type."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def max_ulp(a: Array, b: Array, one_sign: bool = False, room: Array | None = None) -> int:
    """The largest ULP distance of finite floats at the same places.

    `a` and `b` are of one floating type of 1, 2, 4 or 8 bytes, of one length, in native byte order.
    -0.0 and 0.0 are at distance 0; from -x to x it is twice the distance from 0 to x. `one_sign` says
    that no two differ in sign, zeros apart. `room` is scratch space for as many bytes.
    """
    if a.size == 0:
        return 0
    if a.dtype.itemsize == 1:
        return _by_rank(a, b)
    signed = np.dtype(f"i{a.dtype.itemsize}")
    ia, ib = a.view(signed), b.view(signed)
    gap = np.subtract(ia, ib, out=None if room is None else room.view(signed)[: ia.size])
    across = 0
    # The bit patterns of 0.0 and -0.0 are half the range apart, which no two of one sign are.
    if not one_sign or int(gap.min()) == np.iinfo(signed).min:
        crossing = np.bitwise_xor(ia, ib)
        if int(crossing.min()) < 0:
            # Bit patterns of one sign are numbered in order of magnitude; of two, by way of zero.
            at = np.flatnonzero(crossing < 0)
            gap[at] = 0
            largest = np.iinfo(signed).max
            across = int(((ia[at] & largest).astype(np.uint64) + (ib[at] & largest).astype(np.uint64)).max())
    return max(int(gap.max()), -int(gap.min()), across)


def _by_rank(a: Array, b: Array) -> int:
    ranks = _ranks(a.dtype)
    return int(np.abs(ranks[a.view(np.uint8)] - ranks[b.view(np.uint8)]).max())


@functools.cache
def _ranks(dtype: np.dtype[Any]) -> Array:
    """The place of each bit pattern among all finite values of a one-byte type, from 0."""
    with np.errstate(all="ignore"):
        values = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
    finite = np.unique(values[np.isfinite(values)])  # -0.0 and 0.0 are one
    return np.searchsorted(finite, values).astype(np.int64)

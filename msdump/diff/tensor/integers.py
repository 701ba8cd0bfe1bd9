"""Distances of 64-bit integers, exact: they are subtracted as integers, whatever their signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
TWO_64 = 1 << 64


@dataclass(frozen=True, slots=True)
class Gap:
    """|a-b| of two blocks of integers: `low`, uint64, and 2**64 more where `beyond` says so (None: nowhere),
    which int64 against uint64 can be."""

    low: Array
    beyond: Array | None = None

    def largest(self) -> int:
        """The largest distance."""
        if self.beyond is not None:
            return TWO_64 + int(self.low[self.beyond].max())
        return int(self.low.max())

    def rounded(self, out: Array) -> None:
        """The distances as float64, into `out`."""
        out[:] = self.low
        if self.beyond is not None:
            out[self.beyond] += float(TWO_64)

    def above(self, limit: Array) -> Array:
        """Where a distance is above `limit` (float64, none negative)."""
        if self.beyond is None:
            return _above(self.low, limit)
        # Both without 2**64; a limit below that is below every such distance.
        less = limit - np.where(self.beyond, float(TWO_64), 0.0)
        return np.where(less < 0, True, _above(self.low, np.maximum(less, 0)))


def _above(low: Array, limit: Array) -> Array:
    # A whole number is above a limit when it is above the limit's floor.
    reachable = limit < float(TWO_64)
    found: Array = reachable & (low > np.where(reachable, np.floor(limit), 0).astype(np.uint64))
    return found


def integer_gap(a: Array, b: Array) -> Gap:
    """The distances of two blocks of integers of any width."""
    if a.dtype.kind == b.dtype.kind:
        wide = np.dtype(f"{a.dtype.kind}8")
        a, b = a.astype(wide, copy=False), b.astype(wide, copy=False)
        # The difference of int64 wraps, and read as uint64 it is right again.
        return Gap(np.maximum(a, b).view(np.uint64) - np.minimum(a, b).view(np.uint64))
    if a.dtype.kind == "u":
        a, b = b, a
    signed, unsigned = a.astype(np.int64, copy=False), b.astype(np.uint64, copy=False)
    negative = signed < 0
    bits = signed.view(np.uint64)
    size = np.where(negative, np.uint64(0) - bits, bits)
    total = unsigned + size
    beyond = negative & (total < unsigned)  # the sum wrapped
    low = np.where(negative, total, np.maximum(unsigned, size) - np.minimum(unsigned, size))
    return Gap(low, beyond if beyond.any() else None)

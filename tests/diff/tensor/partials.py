"""What is known of two arrays block by block, as the pieces of a comparison have it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from msdump.diff.tensor.meter import Meter
from msdump.diff.tensor.partial import Partial
from msdump.diff.tensor.tolerance import Tolerance

Array = np.ndarray[Any, Any]


def iter_partials(a: Array, b: Array, tolerance: Tolerance, block: int) -> Iterable[Partial]:
    """The Partials of all blocks of two arrays of one size, in order."""
    a, b = np.ascontiguousarray(a).reshape(-1), np.ascontiguousarray(b).reshape(-1)
    meter = Meter(a.dtype, b.dtype, tolerance, min(block, a.size))
    for start in range(0, a.size, block):
        with np.errstate(all="ignore"):
            meter.add(a[start : start + block], b[start : start + block], start)
        yield meter.take()


def merge_all(parts: Iterable[Partial]) -> Partial:
    """All merged into one."""
    total = Partial()
    for part in parts:
        total = total.merge(part)
    return total

"""|a-b| of the elements of two blocks, whatever their types.

Differences of values that float64 holds are taken there; 64-bit integers are subtracted as integers, so values
beyond 2**53 keep their last bit.
"""

from __future__ import annotations

import functools
import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from msdump.diff.tensor.integers import Gap, integer_gap

Array = np.ndarray[Any, Any]
_TWO_53 = 1 << 53


@dataclass(frozen=True, slots=True)
class ElementTypes:
    """What the types of the two sides ask for.

    Attributes:
        complex: one is complex, and both are compared as such.
        wide: one is an integer of 64 bits, and none is complex.
        integers: both are integers, one of them wide.
        ulp: both are of one type that has a ULP distance.
        plain: equal bytes are equal numbers, NaN and infinities apart.
    """

    complex: bool
    wide: bool
    integers: bool
    ulp: bool
    plain: bool


@functools.cache
def element_types(a: np.dtype[Any], b: np.dtype[Any]) -> ElementTypes:
    """What two types, in native byte order, ask for."""
    is_complex = "c" in (a.kind, b.kind)
    wide = not is_complex and (is_wide(a) or is_wide(b))
    integers = wide and a.kind in "iu" and b.kind in "iu"
    return ElementTypes(is_complex, wide, integers, a == b and _has_ulp(a), a == b and not is_complex and not wide)


def is_wide(dtype: np.dtype[Any]) -> bool:
    """Whether a type is an integer that float64 does not hold."""
    return dtype.kind in "iu" and dtype.itemsize == 8


def _has_ulp(dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "c":
        return dtype.itemsize in (8, 16)
    return dtype.itemsize in (1, 2, 4, 8) and dtype.name.startswith(("bfloat", "float"))


@dataclass(frozen=True, slots=True)
class Scratch:
    """Room for a block: both sides, their distances, and two more rows of reals, `wide` of them for parts."""

    a: Array
    b: Array
    dist: Array
    limit: Array
    ratio: Array


_KEPT = threading.local()


def scratch(types: ElementTypes, room: int) -> Scratch:
    """Room for blocks of up to `room` elements, kept by each thread: fresh memory costs more than a pass over it."""
    kept: dict[bool, Scratch] = _KEPT.__dict__.setdefault("rooms", {})
    found = kept.get(types.complex)
    if found is None or found.dist.size < room:
        work = np.dtype(np.complex128 if types.complex else np.float64)
        reals = 2 * room if types.complex else room
        kept[types.complex] = found = Scratch(
            np.empty(room, work), np.empty(room, work), np.empty(room), np.empty(room), np.empty(reals)
        )
    return found


def distances(types: ElementTypes, a: Array, b: Array, va: Array, vb: Array, dist: Array) -> Gap | None:
    """Fills `dist` with |a-b|; the exact distances too where both sides are integers. `va` and `vb` are the blocks
    in the type of the scratch room."""
    if types.integers:
        gap = integer_gap(a, b)
        gap.rounded(dist)
        return gap
    if types.complex:
        np.abs(va - vb, out=dist)
        return None
    np.subtract(va, vb, out=dist)
    np.abs(dist, out=dist)
    if types.wide:
        _mend_wide(a, b, va, vb, dist)
    return None


def _mend_wide(a: Array, b: Array, va: Array, vb: Array, dist: Array) -> None:
    """A 64-bit integer beyond 2**53 against a float: subtract as whole numbers."""
    large = np.maximum(np.abs(va), np.abs(vb)) >= _TWO_53
    # Floats as float64: of bfloat16 Python makes whole numbers of 64 bits alone.
    x, y = (a if is_wide(a.dtype) else va), (b if is_wide(b.dtype) else vb)
    for i in np.flatnonzero(large & np.isfinite(va) & np.isfinite(vb)):
        # A float beyond 2**53 is whole; one below leaves at most its fraction.
        dist[i] = float(abs(int(x[i]) - int(y[i])))


def largest_ratio(dist: Array, reference: Array, ratio: Array) -> float:
    """The largest of dist/reference, where 0/0 is 0 and x/0 is inf. Overwrites `ratio`."""
    np.divide(dist, reference, out=ratio)
    largest = float(ratio.max())
    return float(np.nanmax(ratio, initial=0.0)) if math.isnan(largest) else largest


def as_real(array: Array) -> Array:
    """Complex numbers as twice as many reals, their parts side by side."""
    if array.dtype.kind != "c":
        return array
    return np.ascontiguousarray(array).view(np.float32 if array.dtype.itemsize == 8 else np.float64)


def same_bytes(a: Array, b: Array) -> bool:
    """Whether two blocks of one type have the same bytes; told from the first few where they have not."""
    if a.nbytes <= 4096:
        return a.tobytes() == b.tobytes()
    if not (a.flags.c_contiguous and b.flags.c_contiguous) or a[:8].tobytes() != b[:8].tobytes():
        return False
    word = np.uint64 if a.nbytes % 8 == 0 else np.uint8
    return bool((a.view(word) == b.view(word)).all())

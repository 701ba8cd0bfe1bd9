"""One block of two tensors, measured: everything `Partial` holds, in a dozen passes over the cache.

The tolerance rule is `|a - b| <= atol + rtol * |b|`. Equal infinities are equal; NaN equals NaN only
with `equal_nan`. Differences of values numpy can hold in float64 are taken there; 64-bit integers
are subtracted as integers, so values beyond 2**53 keep their last bit.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from msdump.diff.exact import exact
from msdump.diff.ulp import max_ulp

Array = np.ndarray[Any, Any]
TWO_53 = 1 << 53
TWO_64 = 1 << 64


@dataclass(frozen=True, slots=True)
class Tolerance:
    """When two numbers count as equal: `|a - b| <= atol + rtol * |b|`. The default is exactly equal.

    Attributes:
        rtol: relative part, of the second side.
        atol: absolute part.
        equal_nan: whether NaN equals NaN.
    """

    rtol: float = 0.0
    atol: float = 0.0
    equal_nan: bool = False


@dataclass(frozen=True, slots=True)
class Partial:
    """What is known of some of the elements of two tensors; `merge` joins two such.

    Counts, extremes and the worst element are exact, and so are the sums over blocks (they are whole
    numbers, see `exact`): merging the same blocks in any order or grouping gives an equal Partial.

    Attributes:
        count: elements seen.
        mismatched: how many are out of tolerance.
        worst: (severity, -flat index) of the worst one out of tolerance; the severity is |a-b|, inf
            where one side is NaN or infinite. None when all are in tolerance.
        compared: pairs with both sides finite; max_abs, max_rel, max_ulp and sums are over these.
        max_abs: largest |a-b|; inf where an infinity meets something else.
        max_rel: largest |a-b|/|b|; inf where b is 0 and a is not.
        max_ulp: largest ULP distance, None when the types have none.
        sum_abs, dot, aa, bb, dd: totals of |a-b|, a·b, a², b², |a-b|² in units of `exact`.
        nan, inf: how many on side a, on side b.
    """

    count: int = 0
    mismatched: int = 0
    worst: tuple[float, int] | None = None
    compared: int = 0
    max_abs: float | int = 0
    max_rel: float = 0.0
    max_ulp: int | None = None
    sum_abs: int = 0
    dot: int = 0
    aa: int = 0
    bb: int = 0
    dd: int = 0
    nan: tuple[int, int] = (0, 0)
    inf: tuple[int, int] = (0, 0)

    def merge(self, other: Partial) -> Partial:
        """Both together."""
        worst = [w for w in (self.worst, other.worst) if w is not None]
        ulps = [u for u in (self.max_ulp, other.max_ulp) if u is not None]
        return Partial(
            self.count + other.count,
            self.mismatched + other.mismatched,
            max(worst) if worst else None,
            self.compared + other.compared,
            max(self.max_abs, other.max_abs),
            max(self.max_rel, other.max_rel),
            max(ulps) if ulps else None,
            self.sum_abs + other.sum_abs,
            self.dot + other.dot,
            self.aa + other.aa,
            self.bb + other.bb,
            self.dd + other.dd,
            (self.nan[0] + other.nan[0], self.nan[1] + other.nan[1]),
            (self.inf[0] + other.inf[0], self.inf[1] + other.inf[1]),
        )


class Meter:
    """Measures blocks of two flat arrays of given types; holds the scratch space they share."""

    def __init__(self, a: np.dtype[Any], b: np.dtype[Any], tolerance: Tolerance, room: int) -> None:
        self.tolerance = tolerance
        self.complex = "c" in (a.kind, b.kind)
        self.wide = not self.complex and (_is_wide(a) or _is_wide(b))
        self.integers = self.wide and a.kind in "iu" and b.kind in "iu"
        self.ulp = a == b and _has_ulp(a)
        self.work = np.dtype(np.complex128 if self.complex else np.float64)
        self._a, self._b = np.empty(room, self.work), np.empty(room, self.work)
        self._d, self._t, self._r = np.empty(room), np.empty(room), np.empty(room)
        # Equal bytes are equal numbers, NaN and infinities apart.
        self.plain = a == b and not self.complex and not self.wide

    def _equal(self, a: Array, b: Array) -> Partial | None:
        """The Partial of two blocks with the same bytes, all finite; None where they are not."""
        if not _same_bytes(a, b):
            return None
        va = self._a[: a.size]
        np.copyto(va, a, casting="unsafe")
        aa = _dot(va, va)
        if not (_SMALLEST < aa < math.inf):
            return None
        square = exact(aa)
        n = a.size
        return Partial(n, 0, None, n, 0, 0.0, 0 if self.ulp else None, 0, square, square, square, 0)

    def measure(self, a: Array, b: Array, start: int = 0) -> Partial:
        """The Partial of two blocks of equal length, whose first element has flat index `start`."""
        n = a.size
        if n == 0:
            return Partial()
        if self.plain:
            equal = self._equal(a, b)
            if equal is not None:
                return equal
        va, vb, dist, ref = self._a[:n], self._b[:n], self._d[:n], self._t[:n]
        np.copyto(va, a, casting="unsafe")
        np.copyto(vb, b, casting="unsafe")
        exact_gap = self._distances(a, b, va, vb, dist)
        largest = float(dist.max())
        if not math.isfinite(largest):
            odd = ~(np.isfinite(va) & np.isfinite(vb))
            if odd.any():
                return self._with_odd(a, b, va.copy(), vb.copy(), odd, start)
        if largest > 0:
            np.abs(vb, out=ref)
        return self._finite(a, b, va, vb, dist, ref, exact_gap, largest, start)

    def _distances(self, a: Array, b: Array, va: Array, vb: Array, dist: Array) -> Array | None:
        """Fills `dist` with |a-b|; the exact distances too (uint64) where both sides are integers."""
        if self.integers:
            gap = _integer_gap(a, b)
            dist[:] = gap
            return gap
        if self.complex:
            np.abs(va - vb, out=dist)
            return None
        np.subtract(va, vb, out=dist)
        np.abs(dist, out=dist)
        if self.wide:
            _mend_wide(a, b, va, vb, dist)
        return None

    def _finite(
        self,
        a: Array,
        b: Array,
        va: Array,
        vb: Array,
        dist: Array,
        ref: Array,
        gap: Array | None,
        top: float,
        start: int,
    ) -> Partial:
        n = a.size
        max_rel = 0.0
        mismatched, worst = 0, None
        ulp = 0 if self.ulp else None
        if top > 0:
            max_rel = _max_ratio(dist, ref, self._r[:n])
            out = self._out_of_tolerance(dist, ref, gap, top)
            if out is not None:
                mismatched = int(np.count_nonzero(out))
                if mismatched:
                    at = int(dist.argmax())
                    if not out[at]:
                        at = int(np.where(out, dist, -1.0).argmax())
                    worst = (float(dist[at]), -(start + at))
            if self.ulp:
                # Closer to one another than to 0, two numbers have one sign.
                ulp = max_ulp(_as_real(a), _as_real(b), one_sign=max_rel < 1 and not self.complex)
        sums = _sums(_as_real(va), _as_real(vb), dist if top > 0 else None)
        largest: float | int = top if gap is None else int(gap.max())
        return Partial(n, mismatched, worst, n, largest, max_rel, ulp, *sums)

    def _out_of_tolerance(self, dist: Array, ref: Array, gap: Array | None, top: float) -> Array | None:
        """Where the rule does not hold, or None where it cannot fail. Overwrites `ref`."""
        rtol, atol = self.tolerance.rtol, self.tolerance.atol
        if top <= atol and gap is None:
            return None
        found: Array
        if rtol == 0 and gap is None:
            found = dist > atol
            return found
        ref *= rtol
        if atol:
            ref += atol
        if gap is not None:
            # A whole number is above a limit when it is above the limit's floor.
            reachable = ref < float(TWO_64)
            found = reachable & (gap > np.where(reachable, np.floor(ref), 0).astype(np.uint64))
        else:
            found = dist > ref
        return found

    def _with_odd(self, a: Array, b: Array, va: Array, vb: Array, odd: Array, start: int) -> Partial:
        """A block in which some value is NaN or infinite: the finite pairs, then the odd ones."""
        kept = np.flatnonzero(~odd)
        part = Partial()
        if kept.size:
            fa, fb = np.ascontiguousarray(a[kept]), np.ascontiguousarray(b[kept])
            part = self.measure(fa, fb)
            if part.worst is not None:
                part = _with_worst(part, part.worst[0], start + int(kept[-part.worst[1]]))
        at = np.flatnonzero(odd)
        oa, ob = va[at], vb[at]
        nan_a, nan_b = np.isnan(oa), np.isnan(ob)
        inf_a, inf_b = np.isinf(oa) & ~nan_a, np.isinf(ob) & ~nan_b
        equal = oa == ob
        if self.tolerance.equal_nan:
            equal |= nan_a & nan_b
        unequal = ~equal
        wrong = int(np.count_nonzero(unequal))
        faced = bool((unequal & (inf_a | inf_b) & ~nan_a & ~nan_b).any())
        rest = Partial(
            count=at.size,
            mismatched=wrong,
            worst=(math.inf, -(start + int(at[int(unequal.argmax())]))) if wrong else None,
            max_abs=math.inf if faced else 0,
            max_rel=math.inf if faced else 0.0,
            max_ulp=0 if self.ulp else None,
            nan=(int(nan_a.sum()), int(nan_b.sum())),
            inf=(int(inf_a.sum()), int(inf_b.sum())),
        )
        return part.merge(rest)


def _with_worst(part: Partial, severity: float, index: int) -> Partial:
    return replace(part, worst=(severity, -index))


def _is_wide(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize == 8


@functools.cache
def _has_ulp(dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "c":
        return dtype.itemsize in (8, 16)
    return dtype.itemsize in (1, 2, 4, 8) and dtype.name.startswith(("bfloat", "float"))


def _as_real(array: Array) -> Array:
    """Complex numbers as twice as many reals, their parts side by side."""
    if array.dtype.kind != "c":
        return array
    return np.ascontiguousarray(array).view(np.float32 if array.dtype.itemsize == 8 else np.float64)


def _integer_gap(a: Array, b: Array) -> Array:
    """|a-b| of integers as uint64, exact; above 2**64-1 (int64 against uint64 only) it stays there."""
    if a.dtype.kind == b.dtype.kind:
        wide = np.dtype(f"{a.dtype.kind}8")
        a, b = a.astype(wide, copy=False), b.astype(wide, copy=False)
        # The difference of int64 wraps, and read as uint64 it is right again.
        wrapped: Array = np.maximum(a, b).view(np.uint64) - np.minimum(a, b).view(np.uint64)
        return wrapped
    if a.dtype.kind == "u":
        a, b = b, a
    signed, unsigned = a.astype(np.int64, copy=False), b.astype(np.uint64, copy=False)
    negative = signed < 0
    bits = signed.view(np.uint64)
    size = np.where(negative, np.uint64(0) - bits, bits)
    total = unsigned + size
    total = np.where(total < unsigned, np.uint64(TWO_64 - 1), total)
    gap: Array = np.where(negative, total, np.maximum(unsigned, size) - np.minimum(unsigned, size))
    return gap


def _mend_wide(a: Array, b: Array, va: Array, vb: Array, dist: Array) -> None:
    """A 64-bit integer beyond 2**53 against a float: subtract as whole numbers."""
    large = np.maximum(np.abs(va), np.abs(vb)) >= TWO_53
    for i in np.flatnonzero(large & np.isfinite(va) & np.isfinite(vb)):
        # A float beyond 2**53 is whole; one below leaves at most its fraction.
        dist[i] = float(abs(int(a[i]) - int(b[i])))


def _same_bytes(a: Array, b: Array) -> bool:
    """Whether two blocks of one type have the same bytes; told from the first few where they have not."""
    if not (a.flags.c_contiguous and b.flags.c_contiguous) or a[:8].tobytes() != b[:8].tobytes():
        return False
    word = np.uint64 if a.nbytes % 8 == 0 else np.uint8
    return bool((a.view(word) == b.view(word)).all())


def _max_ratio(dist: Array, ref: Array, ratio: Array) -> float:
    """The largest of dist/ref, where 0/0 is 0 and x/0 is inf. Overwrites `ratio`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        np.divide(dist, ref, out=ratio)
    largest = float(ratio.max())
    return float(np.nanmax(ratio, initial=0.0)) if math.isnan(largest) else largest


def _sums(a: Array, b: Array, dist: Array | None) -> tuple[int, int, int, int, int]:
    """|a-b|, a·b, a², b², |a-b|² summed, in units of `exact`; `dist` is None where a equals b."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if dist is None:
            aa = _dot(a, a)
            if _SMALLEST < aa < math.inf or not (aa or a.any()):
                square = exact(aa)
                return 0, square, square, square, 0
            return _scaled_sums(a, b, np.zeros(a.size))
        total, dd = float(dist.sum()), _dot(dist, dist)
        ab, aa, bb = _dot(a, b), _dot(a, a), _dot(b, b)
    if math.isfinite(total + dd + ab + aa + bb) and min(dd, aa, bb) > _SMALLEST:
        return exact(total), exact(ab), exact(aa), exact(bb), exact(dd)
    return _scaled_sums(a, b, dist)


def _dot(a: Array, b: Array) -> float:
    # BLAS starts threads from 10,000 elements on, which costs more than it saves in the cache.
    return float(np.dot(a, b) if a.size <= 8192 else np.einsum("i,i", a, b))


_SMALLEST = 1e-200
"""Sums of squares below this may have lost terms to underflow."""


def _scaled_sums(a: Array, b: Array, dist: Array) -> tuple[int, int, int, int, int]:
    """The same for numbers so large or small that their squares leave the floats."""
    sa, sb, sd = _exponent(a), _exponent(b), _exponent(dist)
    a, b = np.ldexp(a, -sa), np.ldexp(b, -sb)
    if math.isinf(dist.max()):
        # The difference itself left the floats (complex parts sit in pairs).
        pair = a.size // dist.size
        sd = max(sa, sb) + 1
        gap = (np.ldexp(a, sa - sd) - np.ldexp(b, sb - sd)).reshape(-1, pair)
        dist = np.sqrt((gap * gap).sum(axis=1))
    else:
        dist = np.ldexp(dist, -sd)
    return (
        exact(float(dist.sum()), sd),
        exact(_dot(a, b), sa + sb),
        exact(_dot(a, a), 2 * sa),
        exact(_dot(b, b), 2 * sb),
        exact(_dot(dist, dist), 2 * sd),
    )


def _exponent(array: Array) -> int:
    """The power of two just above the largest magnitude; 0 for zeros."""
    top = float(np.abs(array).max())
    return math.frexp(top)[1] if 0 < top < math.inf else 0

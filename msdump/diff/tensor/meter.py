"""Blocks of two tensors measured, in a dozen passes over the cache.

Differences of values numpy can hold in float64 are taken there; 64-bit integers are subtracted as
integers, so values beyond 2**53 keep their last bit.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from msdump.diff.tensor.exact import exact
from msdump.diff.tensor.integers import Gap, integer_gap
from msdump.diff.tensor.partial import Partial
from msdump.diff.tensor.tolerance import Tolerance
from msdump.diff.tensor.ulp import max_ulp

Array = np.ndarray[Any, Any]
TWO_53 = 1 << 53


class Meter:
    """Measures blocks of two flat arrays of given types, and adds up what they give.

    Blocks may come in any order. Floating-point warnings are the caller's to silence, once for all
    blocks (`np.errstate(all="ignore")`): infinities and NaN are counted here.

    Args:
        a: type of the first side, in native byte order.
        b: of the second.
        tolerance: when two numbers are equal.
        room: elements of the largest block.
    """

    def __init__(self, a: np.dtype[Any], b: np.dtype[Any], tolerance: Tolerance, room: int) -> None:
        self.tolerance = tolerance
        self.complex = "c" in (a.kind, b.kind)
        self.wide = not self.complex and (_is_wide(a) or _is_wide(b))
        self.integers = self.wide and a.kind in "iu" and b.kind in "iu"
        self.ulp = a == b and _has_ulp(a)
        # Equal bytes are equal numbers, NaN and infinities apart.
        self.plain = a == b and not self.complex and not self.wide
        work = np.dtype(np.complex128 if self.complex else np.float64)
        self._a, self._b = np.empty(room, work), np.empty(room, work)
        self._d, self._t = np.empty(room), np.empty(room)
        self._r = np.empty(2 * room if self.complex else room)
        self._clear()

    def _clear(self) -> None:
        self._count = self._mismatched = self._compared = 0
        self._worst: tuple[float, int] | None = None
        self._worst_values: tuple[Any, Any] | None = None
        self._max_abs: float | int = 0
        self._max_rel = 0.0
        self._max_ulp = 0
        self._sum_abs = self._dot = self._aa = self._bb = self._dd = 0
        self._nan = self._inf = (0, 0)

    def take(self) -> Partial:
        """What the blocks added since the last `take` gave."""
        found = Partial(
            self._count,
            self._mismatched,
            self._worst,
            self._compared,
            self._max_abs,
            self._max_rel,
            self._max_ulp if self.ulp else None,
            self._sum_abs,
            self._dot,
            self._aa,
            self._bb,
            self._dd,
            self._nan,
            self._inf,
            self._worst_values,
        )
        self._clear()
        return found

    def add(self, a: Array, b: Array, start: int = 0) -> None:
        """Measure two blocks of equal length, whose first element has flat index `start`."""
        if a.size:
            self._count += a.size
            self._add(a, b, start, None)

    def _add(self, a: Array, b: Array, start: int, places: Array | None) -> None:
        """The same; `places` are those of the elements behind `start`, when they do not follow one another."""
        if self.plain and self._add_equal(a, b):
            return
        n = a.size
        va, vb, dist = self._a[:n], self._b[:n], self._d[:n]
        np.copyto(va, a, casting="unsafe")
        np.copyto(vb, b, casting="unsafe")
        gap = self._distances(a, b, va, vb, dist)
        at = int(dist.argmax())  # NaN counts as the largest
        top = float(dist[at])
        if not math.isfinite(top):
            odd = ~(np.isfinite(va) & np.isfinite(vb))
            if odd.any():
                self._add_odd(a, b, start, odd)
                return
        self._compared += n
        largest: float | int = top if gap is None else gap.largest()
        if largest > self._max_abs:
            self._max_abs = largest
        if top > 0:
            self._add_distances(a, b, vb, dist, gap, at, start, places)
        self._add_sums(_as_real(va), _as_real(vb), dist if top > 0 else None)

    def _add_equal(self, a: Array, b: Array) -> bool:
        """Add two blocks with the same bytes, all finite; False where they are not."""
        if not _same_bytes(a, b):
            return False
        va = self._a[: a.size]
        np.copyto(va, a, casting="unsafe")
        aa = _dot(va, va)
        if not (_SMALLEST < aa < math.inf):
            return False
        square = exact(aa)
        self._compared += a.size
        self._dot += square
        self._aa += square
        self._bb += square
        return True

    def _distances(self, a: Array, b: Array, va: Array, vb: Array, dist: Array) -> Gap | None:
        """Fills `dist` with |a-b|; the exact distances too where both sides are integers."""
        if self.integers:
            gap = integer_gap(a, b)
            gap.rounded(dist)
            return gap
        if self.complex:
            np.abs(va - vb, out=dist)
            return None
        np.subtract(va, vb, out=dist)
        np.abs(dist, out=dist)
        if self.wide:
            _mend_wide(a, b, va, vb, dist)
        return None

    def _add_distances(
        self,
        a: Array,
        b: Array,
        vb: Array,
        dist: Array,
        gap: Gap | None,
        at: int,
        start: int,
        places: Array | None,
    ) -> None:
        """What finite blocks that differ say of the largest distances; `at` is the place of the largest."""
        n = a.size
        ref, ratio = self._t[:n], self._r[:n]
        np.abs(vb, out=ref)
        max_rel = _max_ratio(dist, ref, ratio)
        if max_rel > self._max_rel:
            self._max_rel = max_rel
        if self.ulp:
            # Closer to one another than to 0, two numbers have one sign.
            one_sign = max_rel < 1 and not self.complex
            ulp = max_ulp(_as_real(a), _as_real(b), one_sign=one_sign, room=self._r)
            if ulp > self._max_ulp:
                self._max_ulp = ulp
        out = self._out_of_tolerance(dist, ref, gap, float(dist[at]))
        wrong = 0 if out is None else int(np.count_nonzero(out))
        if out is not None and wrong:
            self._mismatched += wrong
            if not out[at]:
                at = int(np.where(out, dist, -1.0).argmax())
            self._add_worst(float(dist[at]), start + (at if places is None else int(places[at])), a[at], b[at])

    def _add_worst(self, severity: float, index: int, a: Any, b: Any) -> None:
        if self._worst is None or (severity, -index) > self._worst:
            self._worst = (severity, -index)
            self._worst_values = (a, b)

    def _out_of_tolerance(self, dist: Array, ref: Array, gap: Gap | None, top: float) -> Array | None:
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
        found = dist > ref if gap is None else gap.above(ref)
        return found

    def _add_odd(self, a: Array, b: Array, start: int, odd: Array) -> None:
        """A block in which some value is NaN or infinite: the odd ones, then the finite pairs."""
        at, kept = np.flatnonzero(odd), np.flatnonzero(~odd)
        oa, ob = self._a[at], self._b[at]
        nan_a, nan_b = np.isnan(oa), np.isnan(ob)
        inf_a, inf_b = np.isinf(oa) & ~nan_a, np.isinf(ob) & ~nan_b
        self._nan = (self._nan[0] + int(nan_a.sum()), self._nan[1] + int(nan_b.sum()))
        self._inf = (self._inf[0] + int(inf_a.sum()), self._inf[1] + int(inf_b.sum()))
        unequal = oa != ob
        if self.tolerance.equal_nan:
            unequal &= ~(nan_a & nan_b)
        wrong = int(np.count_nonzero(unequal))
        if wrong:
            self._mismatched += wrong
            first = int(at[int(unequal.argmax())])
            self._add_worst(math.inf, start + first, a[first], b[first])
        if (unequal & (inf_a | inf_b) & ~nan_a & ~nan_b).any():
            self._max_abs = self._max_rel = math.inf
        if kept.size:
            self._add(np.ascontiguousarray(a[kept]), np.ascontiguousarray(b[kept]), start, kept)

    def _add_sums(self, a: Array, b: Array, dist: Array | None) -> None:
        """Add |a-b|, a·b, a², b², |a-b|²; `dist` is None where a equals b."""
        if dist is None:
            aa = _dot(a, a)
            if _SMALLEST < aa < math.inf or not (aa or a.any()):
                square = exact(aa)
                self._dot += square
                self._aa += square
                self._bb += square
                return
            sums = _scaled_sums(a, b, np.zeros(a.size))
        else:
            total, dd = float(dist.sum()), _dot(dist, dist)
            ab, aa, bb = _dot(a, b), _dot(a, a), _dot(b, b)
            if math.isfinite(total + dd + ab + aa + bb) and min(dd, aa, bb) > _SMALLEST:
                sums = exact(total), exact(ab), exact(aa), exact(bb), exact(dd)
            else:
                sums = _scaled_sums(a, b, dist)
        self._sum_abs += sums[0]
        self._dot += sums[1]
        self._aa += sums[2]
        self._bb += sums[3]
        self._dd += sums[4]


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


def _mend_wide(a: Array, b: Array, va: Array, vb: Array, dist: Array) -> None:
    """A 64-bit integer beyond 2**53 against a float: subtract as whole numbers."""
    large = np.maximum(np.abs(va), np.abs(vb)) >= TWO_53
    # Floats as float64: of bfloat16 Python makes whole numbers of 64 bits alone.
    x, y = (a if _is_wide(a.dtype) else va), (b if _is_wide(b.dtype) else vb)
    for i in np.flatnonzero(large & np.isfinite(va) & np.isfinite(vb)):
        # A float beyond 2**53 is whole; one below leaves at most its fraction.
        dist[i] = float(abs(int(x[i]) - int(y[i])))


def _same_bytes(a: Array, b: Array) -> bool:
    """Whether two blocks of one type have the same bytes; told from the first few where they have not."""
    if a.nbytes <= 4096:
        return a.tobytes() == b.tobytes()
    if not (a.flags.c_contiguous and b.flags.c_contiguous) or a[:8].tobytes() != b[:8].tobytes():
        return False
    word = np.uint64 if a.nbytes % 8 == 0 else np.uint8
    return bool((a.view(word) == b.view(word)).all())


def _max_ratio(dist: Array, ref: Array, ratio: Array) -> float:
    """The largest of dist/ref, where 0/0 is 0 and x/0 is inf. Overwrites `ratio`."""
    np.divide(dist, ref, out=ratio)
    largest = float(ratio.max())
    return float(np.nanmax(ratio, initial=0.0)) if math.isnan(largest) else largest


def _dot(a: Array, b: Array) -> float:
    # BLAS starts threads from 10,000 elements on, which costs more than it saves in the cache.
    if a.size <= _DOT:
        return float(a.dot(b))
    return sum(float(a[i : i + _DOT].dot(b[i : i + _DOT])) for i in range(0, a.size, _DOT))


_DOT = 8192


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

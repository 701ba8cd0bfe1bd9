"""Blocks of two tensors measured, in a dozen passes over the cache."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from msdump.diff.tensor.distances import as_real, distances, element_types, largest_ratio, same_bytes, scratch
from msdump.diff.tensor.exact import exact
from msdump.diff.tensor.integers import Gap
from msdump.diff.tensor.partial import Largest, Mismatches, Odd, Partial, Sums
from msdump.diff.tensor.sums import SMALLEST, dot, sums_of, sums_of_equal
from msdump.diff.tensor.tolerance import Tolerance
from msdump.diff.tensor.ulp import max_ulp

Array = np.ndarray[Any, Any]


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
        self._tolerance = tolerance
        self._types = element_types(a, b)
        self._scratch = scratch(self._types, room)
        self._clear()

    def _clear(self) -> None:
        self._count = 0
        self._sums, self._odd, self._mismatches = _NOTHING.sums, _NOTHING.odd, _NOTHING.mismatches
        self._largest = _NO_ULP if self._types.ulp else _NOTHING.largest

    def take(self) -> Partial:
        """What the blocks added since the last `take` gave."""
        found = Partial(self._count, self._sums, self._largest, self._odd, self._mismatches)
        self._clear()
        return found

    def add(self, a: Array, b: Array, start: int = 0) -> None:
        """Measure two blocks of equal length, whose first element has flat index `start`."""
        if a.size:
            self._count += a.size
            self._add(a, b, start, None)

    def _add(self, a: Array, b: Array, start: int, places: Array | None) -> None:
        """The same; `places` are those of the elements behind `start`, when they do not follow one another."""
        if self._types.plain and self._add_equal(a, b):
            return
        n = a.size
        va, vb, dist = self._scratch.a[:n], self._scratch.b[:n], self._scratch.dist[:n]
        np.copyto(va, a, casting="unsafe")
        np.copyto(vb, b, casting="unsafe")
        gap = distances(self._types, a, b, va, vb, dist)
        at = int(dist.argmax())  # NaN counts as the largest
        top = float(dist[at])
        if not math.isfinite(top):
            odd = ~(np.isfinite(va) & np.isfinite(vb))
            if odd.any():
                self._add_odd(a, b, start, odd)
                return
        if top > 0:
            rel, ulp = self._relative(a, b, vb, dist)
            self._largest = self._largest.merge(Largest(top if gap is None else gap.largest(), rel, ulp))
            self._sums = self._sums.merge(sums_of(as_real(va), as_real(vb), dist))
            self._add_mismatches(a, b, dist, gap, at, start, places)
        else:
            self._sums = self._sums.merge(sums_of_equal(n, as_real(va)))

    def _add_equal(self, a: Array, b: Array) -> bool:
        """Add two blocks with the same bytes, all finite; False where they are not."""
        if not same_bytes(a, b):
            return False
        va = self._scratch.a[: a.size]
        np.copyto(va, a, casting="unsafe")
        aa = dot(va, va)
        if not (SMALLEST < aa < math.inf):
            return False
        square = exact(aa)
        self._sums = self._sums.merge(Sums(a.size, 0, square, square, square, 0))
        return True

    def _relative(self, a: Array, b: Array, vb: Array, dist: Array) -> tuple[float, int | None]:
        """The largest relative distance and ULP distance of finite blocks; leaves |b| in the scratch's `limit`."""
        n = a.size
        reference = self._scratch.limit[:n]
        np.abs(vb, out=reference)
        rel = largest_ratio(dist, reference, self._scratch.ratio[:n])
        if not self._types.ulp:
            return rel, None
        # Closer to one another than to 0, two numbers have one sign.
        one_sign = rel < 1 and not self._types.complex
        return rel, max_ulp(as_real(a), as_real(b), one_sign=one_sign, room=self._scratch.ratio)

    def _add_mismatches(
        self, a: Array, b: Array, dist: Array, gap: Gap | None, at: int, start: int, places: Array | None
    ) -> None:
        """Elements of finite blocks that are out of tolerance; `at` is the place of the largest distance."""
        out = _out_of_tolerance(self._tolerance, dist, self._scratch.limit[: a.size], gap, float(dist[at]))
        wrong = 0 if out is None else int(np.count_nonzero(out))
        if out is not None and wrong:
            if not out[at]:
                at = int(np.where(out, dist, -1.0).argmax())
            index = start + (at if places is None else int(places[at]))
            found = Mismatches(wrong, (float(dist[at]), -index), (a[at], b[at]))
            self._mismatches = self._mismatches.merge(found)

    def _add_odd(self, a: Array, b: Array, start: int, odd: Array) -> None:
        """A block in which some value is NaN or infinite: the odd ones, then the finite pairs."""
        at, kept = np.flatnonzero(odd), np.flatnonzero(~odd)
        oa, ob = self._scratch.a[at], self._scratch.b[at]
        nan_a, nan_b = np.isnan(oa), np.isnan(ob)
        inf_a, inf_b = np.isinf(oa) & ~nan_a, np.isinf(ob) & ~nan_b
        nan, inf = (int(nan_a.sum()), int(nan_b.sum())), (int(inf_a.sum()), int(inf_b.sum()))
        self._odd = self._odd.merge(Odd(nan, inf))
        unequal = oa != ob
        if self._tolerance.equal_nan:
            unequal &= ~(nan_a & nan_b)
        wrong = int(np.count_nonzero(unequal))
        if wrong:
            first = int(at[int(unequal.argmax())])
            found = Mismatches(wrong, (math.inf, -(start + first)), (a[first], b[first]))
            self._mismatches = self._mismatches.merge(found)
        if (unequal & (inf_a | inf_b) & ~nan_a & ~nan_b).any():
            self._largest = self._largest.merge(Largest(math.inf, math.inf))
        if kept.size:
            self._add(np.ascontiguousarray(a[kept]), np.ascontiguousarray(b[kept]), start, kept)


_NOTHING, _NO_ULP = Partial(), Largest(ulp=0)


def _out_of_tolerance(rule: Tolerance, dist: Array, limit: Array, gap: Gap | None, top: float) -> Array | None:
    """Where the rule does not hold, or None where it cannot fail. `limit` is |b|, and is overwritten."""
    if top <= rule.atol and gap is None:
        return None
    found: Array
    if rule.rtol == 0 and gap is None:
        found = dist > rule.atol
        return found
    limit *= rule.rtol
    if rule.atol:
        limit += rule.atol
    found = dist > limit if gap is None else gap.above(limit)
    return found

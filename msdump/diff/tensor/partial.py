"""What is known of some of the elements of two tensors, in groups that merge.

Counts, extremes and the worst element are exact, and so are the sums over blocks (whole numbers, see `exact`):
merging the same blocks in any order or grouping gives an equal Partial.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Sums(NamedTuple):
    """Totals over the pairs of which both sides are finite, in units of `exact`.

    Attributes:
        pairs: how many pairs that is.
        abs: of |a-b|.
        dot, aa, bb: of a·b, a², b².
        dd: of |a-b|².
    """

    pairs: int = 0
    abs: int = 0
    dot: int = 0
    aa: int = 0
    bb: int = 0
    dd: int = 0

    def merge(self, other: Sums) -> Sums:
        """Both together."""
        if not self.pairs:
            return other
        return Sums(
            self.pairs + other.pairs,
            self.abs + other.abs,
            self.dot + other.dot,
            self.aa + other.aa,
            self.bb + other.bb,
            self.dd + other.dd,
        )


class Largest(NamedTuple):
    """The largest distances of finite pairs.

    Attributes:
        abs: of |a-b|; inf where an infinity meets something else.
        rel: of |a-b|/|b|; inf where b is 0 and a is not.
        ulp: ULP distance, None where the types have none.
    """

    abs: float | int = 0
    rel: float = 0.0
    ulp: int | None = None

    def merge(self, other: Largest) -> Largest:
        """Both together."""
        ulp = other.ulp if self.ulp is None else self.ulp if other.ulp is None else max(self.ulp, other.ulp)
        return Largest(max(self.abs, other.abs), max(self.rel, other.rel), ulp)


@dataclass(frozen=True, slots=True)
class Mismatches:
    """The elements out of tolerance.

    Attributes:
        count: how many.
        worst: (severity, -flat index) of the worst one; the severity is |a-b|, inf where one side is NaN or
            infinite. None when there is none.
        values: the two values of the worst one.
    """

    count: int = 0
    worst: tuple[float, int] | None = None
    values: tuple[Any, Any] | None = field(default=None, compare=False)  # NaN is not equal to itself

    def merge(self, other: Mismatches) -> Mismatches:
        """Both together."""
        if not self.count:
            return other
        worse = self
        if self.worst is None or (other.worst is not None and other.worst > self.worst):
            worse = other
        return Mismatches(self.count + other.count, worse.worst, worse.values)


class Odd(NamedTuple):
    """How many NaN and infinities there are, on side a and on side b."""

    nan: tuple[int, int] = (0, 0)
    inf: tuple[int, int] = (0, 0)

    def merge(self, other: Odd) -> Odd:
        """Both together."""
        return Odd(_sum(self.nan, other.nan), _sum(self.inf, other.inf))


def _sum(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


_NOTHING, _NO_DISTANCE, _NONE_ODD, _NO_MISMATCH = Sums(), Largest(), Odd(), Mismatches()


@dataclass(frozen=True, slots=True)
class Partial:
    """What is known of `count` elements of two tensors."""

    count: int = 0
    sums: Sums = _NOTHING
    largest: Largest = _NO_DISTANCE
    odd: Odd = _NONE_ODD
    mismatches: Mismatches = _NO_MISMATCH

    def merge(self, other: Partial) -> Partial:
        """Both together."""
        return Partial(
            self.count + other.count,
            self.sums.merge(other.sums),
            self.largest.merge(other.largest),
            self.odd.merge(other.odd),
            self.mismatches.merge(other.mismatches),
        )

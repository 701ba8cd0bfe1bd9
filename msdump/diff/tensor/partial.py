"""What is known of a block of two tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
        worst_values: the two values of the worst element.
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
    worst_values: tuple[Any, Any] | None = field(default=None, compare=False)  # NaN is not equal to itself

    def merge(self, other: Partial) -> Partial:
        """Both together."""
        worse = self
        if self.worst is None or (other.worst is not None and other.worst > self.worst):
            worse = other
        ulps = [u for u in (self.max_ulp, other.max_ulp) if u is not None]
        return Partial(
            self.count + other.count,
            self.mismatched + other.mismatched,
            worse.worst,
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
            worse.worst_values,
        )

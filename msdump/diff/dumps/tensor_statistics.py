"""Statistics of a tensor, as statistic.csv keeps them: recomputed, in one pass over blocks.

As MindSpore counts (TensorSummary in its sources): infinities are below or above zero as well as counted
apart, and the norm is that of all elements. Largest, smallest and average are over finite values, and
None where there is none; releases from 2.1 on save them over all values (`over_all`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from msdump.diff.tensor.exact import UNIT_BITS, quotient, root_of_quotient
from msdump.diff.tensor.sums import total_and_square
from msdump.tensor import TensorData
from msdump.tensor_stats import real_values

Array: TypeAlias = "np.ndarray[Any, Any]"

CHUNK = 1 << 18
"""Elements read at once."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a tensor's values are like. Blocks' statistics merge into those of the whole.

    Attributes:
        count: elements; the ones below zero, above, at zero; NaN, -inf and +inf.
        max, min: over finite values; None when there is none.
        total, squares: sums of finite values and of their squares, in units of `exact`.
    """

    count: int = 0
    negative: int = 0
    positive: int = 0
    zero: int = 0
    nan: int = 0
    negative_inf: int = 0
    positive_inf: int = 0
    max: float | int | None = None
    min: float | int | None = None
    total: int = 0
    squares: int = 0

    def merge(self, other: Statistics) -> Statistics:
        """Both together."""
        highest = [v for v in (self.max, other.max) if v is not None]
        lowest = [v for v in (self.min, other.min) if v is not None]
        return Statistics(
            self.count + other.count,
            self.negative + other.negative,
            self.positive + other.positive,
            self.zero + other.zero,
            self.nan + other.nan,
            self.negative_inf + other.negative_inf,
            self.positive_inf + other.positive_inf,
            max(highest, default=None),
            min(lowest, default=None),
            self.total + other.total,
            self.squares + other.squares,
        )

    @property
    def finite(self) -> int:
        """Elements that are neither NaN nor infinite."""
        return self.count - self.nan - self.negative_inf - self.positive_inf

    @property
    def avg(self) -> float | None:
        """Average of the finite values."""
        return quotient(self.total, self.finite << UNIT_BITS) if self.finite else None

    @property
    def l2norm(self) -> float | None:
        """Euclidean norm of all values; None where one is NaN, so that there is none."""
        if self.nan:
            return None
        if self.negative_inf or self.positive_inf:
            return math.inf
        return root_of_quotient(self.squares, 1 << UNIT_BITS)

    def to_dict(self) -> dict[str, Any]:
        """By the keys that records have their statistics under."""
        return {
            "max": self.max,
            "min": self.min,
            "avg": self.avg,
            "count": self.count,
            "negative": self.negative,
            "positive": self.positive,
            "nan": self.nan,
            "negative_inf": self.negative_inf,
            "positive_inf": self.positive_inf,
            "zero": self.zero,
            "l2norm": self.l2norm,
        }


def statistics_of(array: Array) -> Statistics:
    """Statistics of one block, any type and shape; of complex numbers those of their magnitudes."""
    flat = array.reshape(-1)
    count = flat.size
    if not count:
        return Statistics()
    if flat.dtype.kind in "biu":
        high: float | int = int(flat.max())
        low: float | int = int(flat.min())
        real = flat.astype(np.float64)
        nan = lower = upper = 0
    else:
        real = real_values(flat)
        with np.errstate(invalid="ignore", over="ignore"):
            if not math.isfinite(float(np.dot(real, real))):
                finite = np.isfinite(real)
                nan = int(np.isnan(real).sum())
                lower, upper = int((real == -np.inf).sum()), int((real == np.inf).sum())
                real = real[finite]
            else:
                nan = lower = upper = 0
        if not real.size:
            return Statistics(count, lower, upper, 0, nan, lower, upper)
        high, low = float(real.max()), float(real.min())
    below = int(np.count_nonzero(real < 0)) if low < 0 else 0
    zero = real.size - int(np.count_nonzero(real)) if low <= 0 <= high else 0
    above = real.size - below - zero
    total, squares = total_and_square(real)
    return Statistics(count, below + lower, above + upper, zero, nan, lower, upper, high, low, total, squares)


def chunks(tensor: TensorData, chunk: int = CHUNK) -> Iterator[Array]:
    """A tensor's values in runs of at most `chunk` elements, row-major, each of one dimension."""
    count = math.prod(tensor.shape)
    if not tensor.sliceable or count <= chunk:
        flat = tensor.numpy().reshape(-1)
        for start in range(0, count, chunk):
            yield flat[start : start + chunk]
        return
    for start in range(0, count, chunk):
        yield tensor.flat(start, min(start + chunk, count))


def tensor_statistics(tensor: TensorData, md5: bool = False) -> dict[str, Any]:
    """Statistics of a whole tensor, by the keys of statistic.csv's readers; `md5` of its bytes too."""
    total = Statistics()
    digest = hashlib.md5(usedforsecurity=False)
    for block in chunks(tensor):
        total = total.merge(statistics_of(block))
        if md5:
            digest.update(np.ascontiguousarray(block).view(np.uint8).data)
    found = total.to_dict()
    if md5:
        found["md5"] = digest.hexdigest()
    return found


BESIDE = ("dtype", "shape", "size")
"""What stands beside the statistics of a tensor, and is none."""
VALUES = ("max", "min", "avg", "l2norm")
"""Statistics that are values; the others are counts, and md5."""


def check_statistics(saved: dict[str, Any], computed: dict[str, Any], rtol: float, atol: float) -> list[str]:
    """Names of saved statistics that the data does not bear out: `|saved - computed|` beyond
    `atol + rtol * |computed|` for values, any difference for counts and md5."""
    wrong: list[str] = []
    for key, value in saved.items():
        if key not in computed or key in BESIDE:
            continue
        if not (agree(key, saved, computed, rtol, atol) if key in VALUES else value == computed[key]):
            wrong.append(key)
    return wrong


def over_all(key: str, statistics: dict[str, Any]) -> float | None:
    """Largest, smallest or average over all values, infinities and NaN among them."""
    low, high = statistics.get("negative_inf") or 0, statistics.get("positive_inf") or 0
    if statistics.get("nan") or (key == "avg" and low and high):
        return math.nan
    if high and (key in ("max", "avg") or statistics.get(key) is None):
        return math.inf
    if low and (key in ("min", "avg") or statistics.get(key) is None):
        return -math.inf
    found: float | None = statistics.get(key)
    return found


def agree(key: str, saved: dict[str, Any], b: dict[str, Any], rtol: float, atol: float) -> bool:
    """Whether a saved value is that of `b`, no number meeting no number alone. It may have been saved over all
    values where that of `b` is over finite ones."""
    if _close(saved[key], b[key], rtol, atol):
        return True
    return key != "l2norm" and _close(saved[key], over_all(key, b), rtol, atol)


def no_number(value: float | None) -> bool:
    """Whether a value is that of a tensor without one: `null`, or NaN. Releases write either."""
    return value is None or math.isnan(value)


def _close(a: float | None, b: float | None, rtol: float, atol: float) -> bool:
    if a is None or b is None or no_number(a) or no_number(b):
        return no_number(a) and no_number(b)
    return within(float(a), float(b), rtol, atol)


def within(a: float, b: float, rtol: float, atol: float) -> bool:
    """The tolerance rule for two numbers; equal infinities are equal."""
    return a == b or (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= atol + rtol * abs(b))


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often values fall between `edges[i]` and `edges[i + 1]` (the last edge included)."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    nan: int = 0
    negative_inf: int = 0
    positive_inf: int = 0


def histogram(tensor: TensorData, bins: int = 10) -> Histogram:
    """A histogram of the finite values; two passes over the tensor, none of it kept."""
    total = Statistics()
    for block in chunks(tensor):
        total = total.merge(statistics_of(block))
    if total.max is None or total.min is None:
        return Histogram((), (), total.nan, total.negative_inf, total.positive_inf)
    edges = _edges(float(total.min), float(total.max), bins)
    counts = np.zeros(bins, np.int64)
    for block in chunks(tensor):
        real = real_values(block)
        counts += np.histogram(real[np.isfinite(real)], edges)[0]
    return Histogram(
        tuple(float(e) for e in edges),
        tuple(int(c) for c in counts),
        total.nan,
        total.negative_inf,
        total.positive_inf,
    )


def _edges(low: float, high: float, bins: int) -> Array:
    """Edges of `bins` bins from `low` to `high`, none below the one before; around a single value."""
    if low == high:
        # Half a unit to both sides, or more where a float does not tell that apart.
        aside = max(0.5, abs(low) / 2**20)
        largest = np.finfo(np.float64).max
        low, high = max(low - aside, -largest), min(high + aside, largest)
    along = np.linspace(0, 1, bins + 1)
    span = high - low
    # From the largest negative to the largest positive number is further than a float goes.
    edges = low + along * span if math.isfinite(span) else low * (1 - along) + high * along
    edges[0], edges[-1] = low, high
    return np.maximum.accumulate(np.minimum(edges, high))

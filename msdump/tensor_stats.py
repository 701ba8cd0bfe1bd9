"""What the elements of tensors are like: extremes, mean, spread, NaN and infinities, in one pass."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

_BLOCK = 65536


@dataclass(frozen=True, slots=True)
class TensorStats:
    """Statistics of some elements; `merge` joins two.

    Attributes:
        count: elements seen; of complex numbers the modulus counts.
        nan, inf: how many of them are NaN, infinite (of either sign).
        zero: how many are 0.
        min, max, mean: over the finite ones, NaN when there is none.
        m2: sum of squared deviations from the mean.
    """

    count: int = 0
    nan: int = 0
    inf: int = 0
    zero: int = 0
    min: float = math.nan
    max: float = math.nan
    mean: float = math.nan
    m2: float = 0.0

    @property
    def finite(self) -> int:
        """How many are finite."""
        return self.count - self.nan - self.inf

    @property
    def std(self) -> float:
        """Standard deviation of the finite ones (of the population), NaN when there is none."""
        return math.sqrt(self.m2 / self.finite) if self.finite else math.nan

    def merge(self, other: TensorStats) -> TensorStats:
        """Both together (Chan, Golub and LeVeque's way of joining means and spreads)."""
        counts = (self.count + other.count, self.nan + other.nan, self.inf + other.inf, self.zero + other.zero)
        if not self.finite or not other.finite:
            one = self if self.finite else other
            return TensorStats(*counts, one.min, one.max, one.mean, one.m2)
        total = self.finite + other.finite
        shift = other.mean - self.mean
        mean = self.mean + shift * other.finite / total
        m2 = self.m2 + other.m2 + shift * shift * self.finite * other.finite / total
        return TensorStats(*counts, min(self.min, other.min), max(self.max, other.max), mean, m2)


def real_values(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The elements as float64, of any numeric type; of complex numbers the modulus, which is NaN where
    one of the two parts is."""
    if array.dtype.kind != "c":
        return array.astype(np.float64)
    with np.errstate(all="ignore"):
        modulus: np.ndarray[Any, Any] = np.abs(array.astype(np.complex128))
        modulus[np.isnan(array)] = np.nan
    return modulus


def tensor_stats(value: np.ndarray[Any, Any] | np.generic) -> TensorStats:
    """Statistics of one tensor of any shape and numeric type."""
    flat = np.asarray(value).reshape(-1)
    total = TensorStats()
    for start in range(0, flat.size, _BLOCK):
        total = total.merge(_block(flat[start : start + _BLOCK]))
    return total


def _block(part: np.ndarray[Any, Any]) -> TensorStats:
    with np.errstate(all="ignore"):
        values = real_values(part)
        total = float(values.sum())
        nan = inf = 0
        if not math.isfinite(total):
            bad = np.isnan(values)
            nan, inf = int(bad.sum()), int(np.isinf(values).sum())
            kept = values[np.isfinite(values)]
        else:
            kept = values
        zero = part.size - int(np.count_nonzero(values))
        if not kept.size:
            return TensorStats(part.size, nan, inf, zero)
        mean = float(kept.mean())
        away = kept - mean
        return TensorStats(
            part.size, nan, inf, zero, float(kept.min()), float(kept.max()), mean, float(np.dot(away, away))
        )

"""Two tensors compared: the metrics, from one pass over the data in blocks the cache holds."""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from msdump.diff.tensor.exact import UNIT_BITS, cosine, quotient, root_of_quotient
from msdump.diff.tensor.meter import Meter
from msdump.diff.tensor.partial import Partial
from msdump.diff.tensor.tolerance import Tolerance

Array = np.ndarray[Any, Any]
Shape: TypeAlias = "tuple[int, ...] | None"
BLOCK = 16384
"""Elements a block: its scratch space (float64, four times) stays in the second-level cache."""


@dataclass(frozen=True, slots=True)
class TensorDiff:
    """How two tensors compare.

    The metrics are over the pairs in which both sides are finite, and None where there is nothing
    to compare (shapes differ, no element, no finite pair, values that are not numbers).

    Attributes:
        same: all elements are in tolerance, and the shapes agree. A dtype alone is no difference.
        dtype: names of the types, a and b.
        shape: shapes, a and b, None where one is not known. A 0-d tensor and one of shape (1,) are compared
            by value: releases 1.x write both alike.
        count: elements of each side, 0 when the shapes differ.
        mismatched: elements out of tolerance.
        worst: index of the worst of them (largest |a-b|; NaN and infinities before all), or None.
        worst_values: the two values there.
        max_abs, mean_abs: of |a-b|; inf where an infinity meets something else; max_abs of two
            integer tensors is an exact int.
        max_rel: of |a-b|/|b|; inf where b is 0 and a is not.
        cosine: of the two as vectors, in [-1, 1]; 1.0 for two zero vectors, 0.0 for one.
        rel_l2: |a-b| / |b| as vectors.
        max_ulp: largest ULP distance, for two tensors of one floating type.
        nan, inf: how many on each side.
    """

    same: bool
    dtype: tuple[str, str]
    shape: tuple[Shape, Shape]
    count: int = 0
    mismatched: int = 0
    worst: tuple[int, ...] | None = None
    worst_values: tuple[Any, Any] | None = None
    max_abs: float | int | None = None
    mean_abs: float | None = None
    max_rel: float | None = None
    cosine: float | None = None
    rel_l2: float | None = None
    max_ulp: int | None = None
    nan: tuple[int, int] = (0, 0)
    inf: tuple[int, int] = (0, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorDiff, _all_fields(self)  # many go from process to process

    @property
    def share(self) -> float:
        """Share of elements out of tolerance, 0 to 1."""
        return self.mismatched / self.count if self.count else 0.0

    @property
    def shapes_differ(self) -> bool:
        """Whether the shapes kept the values from being compared."""
        return not comparable(*self.shape)


_all_fields = operator.attrgetter(*(f.name for f in fields(TensorDiff)))


def diff_tensors(
    a: Array | np.generic,
    b: Array | np.generic,
    tolerance: Tolerance | None = None,
    dtype: tuple[str, str] | None = None,
) -> TensorDiff:
    """Compare two tensors of any types and shapes (arrays or numpy scalars), element by element; `dtype` is what
    their types are called in the result, by default numpy's names."""
    tolerance = tolerance or Tolerance()
    a, b = np.asarray(a), np.asarray(b)
    dtype, shape = dtype or (type_name(a.dtype), type_name(b.dtype)), (a.shape, b.shape)
    if not comparable(a.shape, b.shape):
        return TensorDiff(False, dtype, shape)
    if not (numeric(a.dtype) and numeric(b.dtype)):
        return _diff_objects(a, b, dtype)
    flat_a, flat_b = _flat(a), _flat(b)
    meter = Meter(flat_a.dtype, flat_b.dtype, tolerance, min(BLOCK, a.size))
    with np.errstate(all="ignore"):
        for start in range(0, a.size, BLOCK):
            meter.add(flat_a[start : start + BLOCK], flat_b[start : start + BLOCK], start)
    return settle(meter.take(), dtype, shape)


def settle(
    total: Partial,
    dtype: tuple[str, str],
    shape: tuple[tuple[int, ...], tuple[int, ...]],
) -> TensorDiff:
    """The result a whole Partial stands for, of two tensors of these types (names) and shapes."""
    sums, largest, wrong = total.sums, total.largest, total.mismatches
    worst = None
    if wrong.worst is not None:
        # A length-1 tensor met by a scalar is indexed by the higher rank of the two.
        longer = shape[0] if len(shape[0]) >= len(shape[1]) else shape[1]
        worst = tuple(int(i) for i in np.unravel_index(-wrong.worst[1], longer)) if longer else ()
    known: dict[str, Any] = {}
    if sums.pairs:
        known = {
            "mean_abs": quotient(sums.abs, sums.pairs << UNIT_BITS),
            "cosine": cosine(sums.dot, sums.aa, sums.bb),
            "rel_l2": root_of_quotient(sums.dd, sums.bb) if sums.bb else (0.0 if sums.dd == 0 else math.inf),
            "max_ulp": largest.ulp,
        }
    if sums.pairs or largest.abs:
        known |= {"max_abs": largest.abs, "max_rel": largest.rel}
    known |= {"worst": worst, "worst_values": wrong.values, "nan": total.odd.nan, "inf": total.odd.inf}
    return TensorDiff(wrong.count == 0, dtype, shape, total.count, wrong.count, **known)


@functools.cache
def type_name(dtype: np.dtype[Any]) -> str:
    """The numpy type's name; asking numpy takes longer than comparing two small tensors."""
    return dtype.name


def comparable(a: Shape, b: Shape) -> bool:
    """Whether values of these two shapes are compared: equal ones, a scalar with a length-1 tensor, and any where
    one is not known."""
    return a == b or a is None or b is None or {a, b} == {(), (1,)}


def numeric(dtype: np.dtype[Any]) -> bool:
    """Whether a type holds numbers (those of ml_dtypes included)."""
    if dtype.kind == "V":  # ml_dtypes' types; plain bytes are named void
        return dtype.names is None and dtype.name.startswith(("bfloat", "float", "int", "uint"))
    return dtype.kind in "biufc"


def _flat(array: Array) -> Array:
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat if flat.dtype.isnative else flat.astype(flat.dtype.newbyteorder("="))


def _diff_objects(a: Array, b: Array, dtype: tuple[str, str]) -> TensorDiff:
    """Strings and raw bytes: equal or not, element by element."""
    x, y = a.reshape(-1), b.reshape(-1)
    unequal = np.array([p != q for p, q in zip(x.tolist(), y.tolist(), strict=True)], dtype=bool)
    wrong = int(unequal.sum())
    shapes = (a.shape, b.shape)
    if not wrong:
        return TensorDiff(True, dtype, shapes, x.size)
    flat = int(unequal.argmax())
    index = tuple(int(i) for i in np.unravel_index(flat, a.shape)) if a.shape else ()
    return TensorDiff(False, dtype, shapes, x.size, wrong, index, (x[flat], y[flat]))

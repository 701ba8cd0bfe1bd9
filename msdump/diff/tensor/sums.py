"""The sums over a block of finite values, exact to the last bit of what float64 gives for a block."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from msdump.diff.tensor.exact import exact
from msdump.diff.tensor.partial import Sums

Array = np.ndarray[Any, Any]

SMALLEST = 1e-200
"""Sums of squares below this may have lost terms to underflow."""
_DOT = 8192


def dot(a: Array, b: Array) -> float:
    """The dot product, in pieces for which BLAS starts no threads: it does from 10,000 elements on, which costs
    more than it saves in the cache."""
    if a.size <= _DOT:
        return float(a.dot(b))
    return sum(float(a[i : i + _DOT].dot(b[i : i + _DOT])) for i in range(0, a.size, _DOT))


def sums_of_equal(pairs: int, a: Array) -> Sums:
    """The sums of `pairs` pairs of equal numbers; `a` holds one side, as reals."""
    aa = dot(a, a)
    if SMALLEST < aa < math.inf or not (aa or a.any()):
        square = exact(aa)
        return Sums(pairs, 0, square, square, square, 0)
    return _scaled(pairs, a, a, np.zeros(a.size))


def sums_of(a: Array, b: Array, dist: Array) -> Sums:
    """The sums of two blocks as reals (complex numbers as their parts), and of their distances."""
    total, dd = float(dist.sum()), dot(dist, dist)
    ab, aa, bb = dot(a, b), dot(a, a), dot(b, b)
    if math.isfinite(total + dd + ab + aa + bb) and min(dd, aa, bb) > SMALLEST:
        return Sums(dist.size, exact(total), exact(ab), exact(aa), exact(bb), exact(dd))
    return _scaled(dist.size, a, b, dist)


def total_and_square(real: Array) -> tuple[int, int]:
    """Finite values and their squares summed, in units of `exact`."""
    with np.errstate(over="ignore", under="ignore"):
        total, squares = float(real.sum()), float(np.dot(real, real))
    if math.isfinite(total) and SMALLEST < squares < math.inf:
        return exact(total), exact(squares)
    power = _exponent(real)
    parts = np.ldexp(real, -power)
    return exact(float(parts.sum()), power), exact(float(np.dot(parts, parts)), 2 * power)


def _scaled(pairs: int, a: Array, b: Array, dist: Array) -> Sums:
    """The same of numbers so large or small that their squares leave the floats: of parts of the largest."""
    sa, sb, sd = _exponent(a), _exponent(b), _exponent(dist)
    a, b = np.ldexp(a, -sa), np.ldexp(b, -sb)
    if math.isinf(dist.max()):
        # The difference itself left the floats (complex parts sit in pairs).
        parts = a.size // dist.size
        sd = max(sa, sb) + 1
        gap = (np.ldexp(a, sa - sd) - np.ldexp(b, sb - sd)).reshape(-1, parts)
        dist = np.sqrt((gap * gap).sum(axis=1))
    else:
        dist = np.ldexp(dist, -sd)
    return Sums(
        pairs,
        exact(float(dist.sum()), sd),
        exact(dot(a, b), sa + sb),
        exact(dot(a, a), 2 * sa),
        exact(dot(b, b), 2 * sb),
        exact(dot(dist, dist), 2 * sd),
    )


def _exponent(array: Array) -> int:
    """The power of two just above the largest magnitude; 0 for zeros."""
    top = float(np.abs(array).max())
    return math.frexp(top)[1] if 0 < top < math.inf else 0

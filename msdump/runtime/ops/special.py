"""Special functions that numpy lacks: erf of Float32 as a fraction over whole arrays, the others by Python's math.

scipy has them all, and takes about half a second to import; GELU needs none but the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of Python's math, element by element in double precision."""
    made = np.frompyfunc(function, 1, 1)

    def over(x: Array) -> Array:
        return np.asarray(made(np.asarray(x, np.float64)), np.float64)

    return over


def _lgamma(x: float) -> float:
    # At 0 and the negative integers Γ has poles.
    return math.inf if x <= 0 and x % 1 == 0 else math.lgamma(x)


_erf, _erfc, _log_gamma = _each(math.erf), _each(math.erfc), _each(_lgamma)


def erf(x: Array) -> Array:
    """The error function, in x's type; Float32 and the half types in Float32 to about one part in 10⁷."""
    if x.dtype.itemsize <= 4 and x.dtype.kind != "i":
        return _erf_single(np.asarray(x, np.float32)).astype(x.dtype, copy=False)
    return _erf(x).astype(x.dtype)


def erfc(x: Array) -> Array:
    """1 − erf(x), without cancellation for large x, in x's type."""
    return _erfc(x).astype(x.dtype)


def lgamma(x: Array) -> Array:
    """log|Γ(x)|, in x's type."""
    return _log_gamma(x).astype(x.dtype)


def erfinv(x: Array) -> Array:
    """The inverse of erf on (−1, 1), ±inf at the ends, NaN beyond, in x's type."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        # A first guess good to 1e-3 (Winitzki), then Halley's steps on erf.
        log = np.log1p(-wide * wide)
        part = 2.0 / (np.pi * 0.147) + log / 2.0
        guess = np.copysign(np.sqrt(np.sqrt(part * part - log / 0.147) - part), wide)
        for _ in range(3):
            beyond = np.sign(guess) * (1 - np.abs(wide) - _erfc(np.abs(guess)))
            error = np.where(np.abs(guess) < 1, _erf(guess) - wide, beyond)
            step = error / (2.0 / math.sqrt(math.pi) * np.exp(-guess * guess))
            guess = guess - step / (1.0 + guess * step)
        found = np.where(np.abs(wide) == 1, np.copysign(np.inf, wide), np.where(np.abs(wide) > 1, np.nan, guess))
    return np.where(wide == 0, wide, found).astype(x.dtype)


# x · P(x²) / Q(x²) on [-4, 4], beyond which erf is ±1 in Float32: the minimax fraction that the
# single-precision libraries of several frameworks use, highest power first.
_TOP = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
_BOTTOM = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)
_BLOCK = 1 << 14
"""Elements worked on at a time, so that all passes over them stay in the cache."""


def _erf_single(x: Array) -> Array:
    flat = np.ascontiguousarray(x).reshape(-1)
    out = np.empty_like(flat)
    scratch = [np.empty(min(_BLOCK, flat.size), np.float32) for _ in range(3)]
    for start in range(0, flat.size, _BLOCK):
        piece, into = flat[start : start + _BLOCK], out[start : start + _BLOCK]
        value, square, bottom = (s[: piece.size] for s in scratch)
        np.clip(piece, -4.0, 4.0, out=value)
        np.multiply(value, value, out=square)
        _horner(square, _TOP, into)
        _horner(square, _BOTTOM, bottom)
        np.multiply(into, value, out=into)
        np.divide(into, bottom, out=into)
    return out.reshape(x.shape)


def _horner(x: Array, coefficients: tuple[float, ...], out: Array) -> None:
    out.fill(coefficients[0])
    for c in coefficients[1:]:
        np.multiply(out, x, out=out)
        np.add(out, np.float32(c), out=out)

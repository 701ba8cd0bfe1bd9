"""Sums that do not depend on the order of their terms, and never overflow.

A float is a whole number times a power of two; counted in one fixed unit small enough for the
square of the smallest float, sums of floats are sums of Python integers: exact, so merging the
partial sums of blocks in any order gives the same total to the last bit.
"""

from __future__ import annotations

import math

UNIT_BITS = 3400
"""The unit is 2**-UNIT_BITS; scaled squares of subnormals (2**-2148, with 53 bits and headroom) fit."""


def exact(value: float, exponent: int = 0) -> int:
    """`value * 2**exponent` in units of 2**-UNIT_BITS; `value` is finite."""
    mantissa, e = math.frexp(value)
    shift = e - 53 + exponent + UNIT_BITS
    whole = int(mantissa * 9007199254740992.0)  # 2**53: every bit of the mantissa
    return whole << shift if shift >= 0 else whole >> -shift


def quotient(numerator: int, denominator: int) -> float:
    """The correctly rounded quotient; inf with the numerator's sign where it leaves the floats."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def root_of_quotient(numerator: int, denominator: int) -> float:
    """`sqrt(numerator / denominator)` of two non-negative totals, denominator > 0."""
    if numerator == 0:
        return 0.0
    # 128 bits of quotient make 64 bits of root, more than a float holds.
    shift = max(0, 128 + denominator.bit_length() - numerator.bit_length())
    shift += shift % 2
    root = math.isqrt((numerator << shift) // denominator)
    return quotient(root, 1 << (shift // 2))


def cosine(dot: int, aa: int, bb: int) -> float:
    """The cosine of two vectors from their exact products; two zero vectors point the same way."""
    if aa == 0 or bb == 0:
        return 1.0 if aa == bb else 0.0
    if dot == aa == bb:
        return 1.0
    # dot, aa and bb are in one unit, so it cancels; 200 bits of the smaller square are plenty.
    spare = max(0, min(aa.bit_length(), bb.bit_length()) - 200)
    dot, aa, bb = dot >> spare, aa >> spare, bb >> spare
    return max(-1.0, min(1.0, quotient(dot, math.isqrt(aa * bb))))

"""Numbers as text of files spells them: one door from text to int, float and shape, and it is narrow.

Python's own `int` and `float` take digits of any script, underscores, spaces around, and end in a
ValueError at 4,301 digits; `\\d` in a pattern does too. No file of MindSpore has such numbers. Here a
text is a number as C++ streams write it, in ASCII and of a bounded length, or None: what the reader
then keeps as text, notes, or refuses with its place.
"""

from __future__ import annotations

import math
import re

MOST_DIGITS = 300
"""Of one integer: far beyond 64 bits, and still few enough that each is a finite float."""
_REAL = re.compile(r"[-+]?(?:[0-9]{1,300}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,4})?")
_ODD = re.compile(r"[-+]?(?:inf(?:inity)?|nan)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,\s]+")


def integer(text: str) -> int | None:
    """The integer that a text spells in decimal; None when it is none, or has over MOST_DIGITS digits."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if len(digits) <= MOST_DIGITS and digits.isdigit() and digits.isascii() else None


def real(text: str) -> float | None:
    """The float that a text spells in decimal, `inf` and `nan` among them; None when it is none.

    Digits that stand for more than a double can hold (`1e999`) are none: no double was printed so.
    """
    if _REAL.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else None
    return float(text) if _ODD.fullmatch(text) else None


def shape(text: str) -> tuple[int, ...] | None:
    """The sizes of `2, -1, 3` (or with spaces alone); None when one of them is no integer of 64 bits."""
    found: list[int] = []
    for word in _SEPARATOR.split(text.strip(", ")) if text else ():
        size = integer(word)
        if size is None or not -(1 << 63) <= size < 1 << 63:
            return None
        found.append(size)
    return tuple(found)

"""What an operator says of operands that it refuses: MindSpore's message, and the reason in plain words.

The checks of the kernels and of type inference are the one table of rules: a network being compiled
ends with the message, and `refusal` asks them why an operator of MindSpore's own compilation failed.
"""

from __future__ import annotations

import re
from typing import ClassVar

from msdump.graph.reason import Kind

_ADDRESSED = re.compile(r"For (?:primitive ?)?[\['](\w+)[\]']{1,2},? ")


class Misfit(Exception):
    """Operands do not fit an operator.

    Args:
        message: MindSpore's message, which `str` gives.
        why: the reason in a few words; "" for the message itself without its address.
        advice: what can be done, or "".
    """

    kind: ClassVar[Kind] = "value"

    def __init__(self, message: str, why: str = "", advice: str = "") -> None:
        super().__init__(message)
        self.why = why or _ADDRESSED.sub("", message, count=1).rstrip(".")
        self.advice = advice


class ShapeMisfit(Misfit, ValueError):
    """Shapes or ranks do not fit."""

    kind: ClassVar[Kind] = "shape"


class TypeMisfit(Misfit, TypeError):
    """Element types do not fit."""

    kind: ClassVar[Kind] = "dtype"


class ValueMisfit(Misfit, ValueError):
    """An attribute or a constant operand is out of range."""


class IndexMisfit(Misfit, IndexError):
    """An index is out of range."""


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as people write it: `(2, 3)`, `(3)`."""
    return "(" + ", ".join(map(str, shape)) + ")"


def unspread(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """Why two shapes do not broadcast: the first dimension from the end where they differ."""
    for back, (m, n) in enumerate(zip(reversed(a), reversed(b), strict=False), 1):
        if m != n and 1 not in (m, n):
            at = "the last dimension" if back == 1 else f"dimension {back} from the end"
            return f"shapes {shape_text(a)} and {shape_text(b)} do not broadcast: {m} and {n} in {at}"
    return f"shapes {shape_text(a)} and {shape_text(b)} do not broadcast"

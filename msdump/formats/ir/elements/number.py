"""Numbers as MindSpore prints them: C++ streams with six digits, or six decimals up to 1.6."""

from __future__ import annotations

import re

from msdump.graph.abstract import Shape
from msdump.graph.value import Scalar

_INT = re.compile(r"-?\d{1,400}")
_FLOAT = re.compile(r"-?(?:\d+\.\d*|\d+(?:\.\d*)?e[-+]?\d+|inf|nan)")
_SHORT = {"BFloat": "BF", "Float": "F", "Int": "I", "UInt": "U", "Complex": "C"}


def parse_number(text: str, kind: str) -> int | float | bool | None:
    """The number of a text; `kind` ("Float32", "Bool", or "") makes a whole number a float or bool."""
    if _INT.fullmatch(text):
        if kind == "Bool":
            return bool(int(text)) if text in ("0", "1") else None
        return float(text) if "Float" in kind else int(text)
    return float(text) if _FLOAT.fullmatch(text) and kind != "Bool" and "Int" not in kind else None


def format_number(scalar: Scalar, style: str) -> str:
    """The digits of a number, "fixed" (six decimals) or "general" (six digits) for floats."""
    value = scalar.value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        return f"{value:f}" if style == "fixed" else f"{value:g}"
    return str(value)


def short_kind(kind: str) -> str:
    """`I64` of "Int64", as 2.5 and later write it."""
    match = re.fullmatch(r"([A-Za-z]+?)(\d+)", kind)
    return f"{_SHORT[match[1]]}{match[2]}" if match and match[1] in _SHORT else kind


def shape_of(text: str) -> Shape:
    """The numbers of `2, 3`."""
    return tuple(int(n) for n in text.split(", ")) if text else ()


def shape_text(values: Shape) -> str:
    """`2, 3` of a shape."""
    return ", ".join(map(str, values))

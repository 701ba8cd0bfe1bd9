"""Two tensors of which only statistics were saved: what can still be said."""

from __future__ import annotations

from typing import Any

from msdump.diff.blocks import Tolerance
from msdump.diff.dumps.stats import within

_VALUES = ("max", "min", "avg", "l2norm")
_ODD = ("nan", "negative_inf", "positive_inf")
_SIGNS = ("negative", "positive", "zero")


def differing(a: dict[str, Any], b: dict[str, Any], tolerance: Tolerance) -> list[str] | None:
    """Names of the statistics that differ; None when the two have none in common.

    Values follow the tolerance rule; None (a tensor without a finite value) equals None alone. Counts
    are compared exactly, but for those of signs, which change with the last bit of a value near zero
    and count only where the rule is exact; so does md5, unless there is nothing else.
    """
    common = [k for k in (*_VALUES, *_ODD, *_SIGNS, "count", "md5") if k in a and k in b]
    if not common:
        return None
    exact = tolerance.rtol == 0 and tolerance.atol == 0
    wrong: list[str] = []
    for key in common:
        x, y = a[key], b[key]
        if key in _VALUES:
            if x is None or y is None:
                if x is not y:
                    wrong.append(key)
            elif not within(float(x), float(y), tolerance.rtol, tolerance.atol):
                wrong.append(key)
        elif key == "md5":
            alike = str(a.get("dtype", "")).casefold() == str(b.get("dtype", "")).casefold()
            if x != y and alike and (exact or common == ["md5"]):
                wrong.append(key)
        elif x != y and (key not in _SIGNS or exact):
            wrong.append(key)
    return wrong


def largest_gap(a: dict[str, Any], b: dict[str, Any]) -> float | None:
    """The largest |a-b| of the values both have, as a hint of how far apart the tensors are."""
    gaps = [abs(float(a[k]) - float(b[k])) for k in ("max", "min", "avg") if _number(a.get(k)) and _number(b.get(k))]
    return max(gaps, default=None)


def _number(value: Any) -> bool:
    return isinstance(value, int | float)

"""Two tensors of which only statistics were saved: what can still be said."""

from __future__ import annotations

from typing import Any

from msdump.diff.blocks import Tolerance
from msdump.diff.dumps.stats import VALUES, agree

_ODD = ("nan", "negative_inf", "positive_inf")
_SIGNS = ("negative", "positive", "zero")


def differing(a: dict[str, Any], b: dict[str, Any], tolerance: Tolerance) -> list[str] | None:
    """Names of the statistics that differ; None when the two have none in common.

    Values follow the tolerance rule; None (a tensor without a finite value) equals None alone. NaN on
    both sides differs unless the rule lets it be equal. Counts are compared exactly, but for those of
    signs, which change with the last bit of a value near zero and count only where the rule is exact; so
    does md5, unless there is nothing else.
    """
    common = [k for k in (*VALUES, *_ODD, *_SIGNS, "count", "md5") if k in a and k in b]
    if not common:
        return None
    exact = tolerance.rtol == 0 and tolerance.atol == 0
    wrong: list[str] = []
    for key in common:
        x, y = a[key], b[key]
        if key in VALUES:
            # Releases differ in what a value is over, so either side's may be over all.
            if not any(agree(key, *pair, tolerance.rtol, tolerance.atol) for pair in ((a, b), (b, a))):
                wrong.append(key)
        elif key == "nan":
            # The rule of values holds here too: NaN equals NaN only when it is asked to.
            if x != y or (x and not tolerance.equal_nan):
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

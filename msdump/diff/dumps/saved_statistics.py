"""Two tensors of which only statistics were saved: what can still be said."""

from __future__ import annotations

import math
from typing import Any

from msdump.diff.dumps.tensor_statistics import VALUES, agree, no_number
from msdump.diff.tensor.tolerance import Tolerance

_ODD = ("nan", "negative_inf", "positive_inf")
_DIGESTS = ("md5", "sha1")
_SIGNS = ("negative", "positive", "zero")


def differing(a: dict[str, Any], b: dict[str, Any], tolerance: Tolerance) -> list[str] | None:
    """Names of the statistics that differ; None when the two have none in common that tells of values.

    Values follow the tolerance rule. NaN on both sides differs unless the rule lets it be equal: where it is
    not counted, a value that is none tells it, since `null` too may stand for NaN. Counts are compared exactly,
    but for those of signs, which change with the last bit of a value near zero and count only where the rule is
    exact; so do digests of one type, unless there is nothing else.
    """
    one_type = str(a.get("dtype", "")).casefold() == str(b.get("dtype", "")).casefold()
    comparable = (*VALUES, *_ODD, *_SIGNS, "count", *(_DIGESTS if one_type else ()))
    common = [k for k in comparable if k in a and k in b]
    if not set(common) - {"count"}:
        return None
    digests = not set(common) - {*_DIGESTS, "count"}
    counted = "nan" in common
    exact = tolerance.rtol == 0 and tolerance.atol == 0
    wrong: list[str] = []
    for key in common:
        x, y = a[key], b[key]
        if key in VALUES:
            # Releases differ in what a value is over, so either side's may be over all.
            alike = any(agree(key, *pair, tolerance.rtol, tolerance.atol) for pair in ((a, b), (b, a)))
            if not alike or (no_number(x) and no_number(y) and not counted and not tolerance.equal_nan):
                wrong.append(key)
        elif key == "nan":
            # The rule of values holds here too: NaN equals NaN only when it is asked to.
            if x != y or (x and not tolerance.equal_nan):
                wrong.append(key)
        elif key in _DIGESTS:
            if x != y and (exact or digests):
                wrong.append(key)
        elif x != y and (key not in _SIGNS or exact):
            wrong.append(key)
    return wrong


def largest_gap(a: dict[str, Any], b: dict[str, Any]) -> float | None:
    """The largest |a-b| of the values both have, as a hint of how far apart the tensors are."""
    gaps = [abs(float(a[k]) - float(b[k])) for k in ("max", "min", "avg") if _finite(a.get(k)) and _finite(b.get(k))]
    return max(gaps, default=None)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)

"""When two numbers count as equal.

The rule is `|a - b| <= atol + rtol * |b|`. Equal infinities are equal; NaN equals NaN only with `equal_nan`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from msdump.errors import MsdumpError


@dataclass(frozen=True, slots=True)
class Tolerance:
    """When two numbers count as equal: `|a - b| <= atol + rtol * |b|`. The default is exactly equal.

    Attributes:
        rtol: relative part, of the second side.
        atol: absolute part.
        equal_nan: whether NaN equals NaN.

    Raises:
        MsdumpError: rtol or atol is no number from 0 on (with NaN, everything would be equal), or rtol is
            infinite, which says nothing of a `b` of 0.
    """

    rtol: float = 0.0
    atol: float = 0.0
    equal_nan: bool = False

    def __post_init__(self) -> None:
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if not isinstance(value, Real) or not value >= 0:
                raise MsdumpError(f"{name} is {value!r}, and no number from 0 on")
        if self.rtol == math.inf:
            raise MsdumpError("rtol is infinite")

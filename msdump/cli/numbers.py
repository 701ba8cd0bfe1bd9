"""Numbers that options take."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.ParamType[float]):
    """A number; NaN is none, since nothing is above, below or equal to it."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            found = float(value)
        except ValueError:
            found = math.nan
        if math.isnan(found):
            self.fail(f"{value!r} is no number", param, ctx)
        return found


class NotNegative(Number):
    """A number from 0 on, as tolerances are; a relative one is finite."""

    name = "tolerance"

    def __init__(self, finite: bool = False) -> None:
        self._finite = finite

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = super().convert(value, param, ctx)
        if found < 0 or (self._finite and found == math.inf):
            self.fail(f"{value!r} is no {'finite ' * self._finite}number from 0 on", param, ctx)
        return found


RTOL, ATOL = NotNegative(finite=True), NotNegative()

"""Options that the commands on dumps share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from msdump.numerals import integer

F = TypeVar("F", bound=Callable[..., Any])


class NumberSet(click.ParamType[frozenset[int]]):
    """Numbers and ranges: `3`, `0,2`, `4-8` (both ends included)."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> frozenset[int]:
        if isinstance(value, frozenset):
            return value
        found: set[int] = set()
        for piece in str(value).split(","):
            low, dash, high = piece.strip().partition("-")
            first = integer(low)
            last = integer(high) if dash else first
            if first is None or last is None:
                self.fail(f"{value!r} is neither a number nor a range like 4-8", param, ctx)
            if last < first or last - first > 10_000_000:
                self.fail(f"{piece.strip()!r} is no range", param, ctx)
            found.update(range(first, last + 1))
        return frozenset(found)


class Size(click.ParamType[int]):
    """Bytes: `512M`, `1G`, `1.5GiB`, `1000000`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text = str(value).strip().lower().removesuffix("ib").removesuffix("b")
        power = "kmgt".find(text[-1:]) + 1 if text[-1:].isalpha() else 0
        try:
            found = int(float(text[:-1] if text[-1:].isalpha() else text) * 1024**power)
        except (ValueError, OverflowError):
            found = 0
        if found <= 0 or (text[-1:].isalpha() and not power):
            self.fail(f"{value!r} is no size; 512M and 1G are", param, ctx)
        return found


def selection_options(command: F) -> F:
    """`--include --exclude --iteration --rank --op`, as arguments of these names."""
    for option in (
        click.option("--op", "ops", multiple=True, metavar="PATTERN", help="Operators: type, name, or full name."),
        click.option("--rank", "ranks", type=NumberSet(), help="Only these ranks: 0, or 0-3,7."),
        click.option("--iteration", "iterations", type=NumberSet(), help="Only these iterations: 0, or 4-8."),
        click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out files so named."),
        click.option("--include", multiple=True, metavar="PATTERN", help="Only files so named (*, ?, [...])."),
    ):
        command = option(command)
    return command


def graph_option(command: F) -> F:
    """`--graph FILE`: where scopes and source lines come from."""
    return click.option("--graph", metavar="FILE", help="A graph of the run, for scopes and source lines.")(command)

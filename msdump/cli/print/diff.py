"""`msdump print diff`: the first divergence of two print logs, then a table of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, overload

import click

from msdump.cli.numbers import ATOL, RTOL
from msdump.cli.print.selection import print_format
from msdump.cli.terminal import Bar, color_option, emit, emit_lines, json_option, styled
from msdump.diff.records import diff_records
from msdump.diff.tensor.tolerance import Tolerance
from msdump.errors import MsdumpError, ReadError
from msdump.io import open_print, source_format
from msdump.pipes import local
from msdump.records import PrintRecord
from msdump.render.print_diff import diff_json, diff_lines

_STYLES: dict[str, dict[str, object]] = {
    "same": {"fg": "green", "bold": True},
    "different": {"fg": "red", "bold": True},
    "first": {"fg": "yellow", "bold": True},
    "header": {"bold": True},
}


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--rtol", type=RTOL, default=0.0, show_default=True, help="|a-b| <= atol + rtol*|b|")
@click.option("--atol", type=ATOL, default=0.0, show_default=True, help="|a-b| <= atol + rtol*|b|")
@click.option("--equal-nan", is_flag=True, help="NaN equals NaN.")
@click.option(
    "--align",
    type=click.Choice(["label", "index"]),
    default="label",
    show_default=True,
    help="Pair values by the strings they are printed under, or the n-th record with the n-th.",
)
@json_option
@color_option
def command(
    a: str,
    b: str,
    rtol: float,
    atol: float,
    equal_nan: bool,
    align: Literal["label", "index"],
    as_json: bool,
    color: bool,
) -> int:
    """Compare two print logs: exit status 0 same, 1 different, 2 nothing to compare."""
    left, right = _open(a), _open(b)
    with Bar("comparing", 2 * max(len(left), len(right))) as bar:
        logs = [_Watched(log, bar) for log in (left, right)]
        result = diff_records(logs[0], logs[1], Tolerance(rtol, atol, equal_nan), align)
    if as_json:
        emit(diff_json(result, a, b))
    else:
        emit_lines(
            styled(text, color and kind in _STYLES, **_STYLES.get(kind, {})) for kind, text in diff_lines(result)
        )
    for path, log in ((a, left), (b, right)):
        error = getattr(log, "error", None)
        if isinstance(error, ReadError):
            error.hint = error.hint or f"what stands before it was compared; `msdump print recover {path} -o OUT`"
            raise error
    if result.nothing_compared:
        raise MsdumpError(f"{a} and {b}: nothing to compare, no value of one has a partner in the other")
    return 0 if result.same else 1


class _Records(list[PrintRecord]):
    """A log held in memory, with the error that ended it early."""

    error: ReadError | None = None


def _open(path: str) -> Sequence[PrintRecord]:
    if print_format(path) == "print.pb":
        return open_print(path)
    read = source_format(path).read
    assert read is not None
    held = _Records()
    try:
        held.extend(read(local(path)))
    except ReadError as error:
        held.error = error
    return held


class _Watched(Sequence[PrintRecord]):
    """A log whose reading a progress bar follows."""

    def __init__(self, log: Sequence[PrintRecord], bar: Bar) -> None:
        self._log = log
        self._bar = bar
        self._read = 0

    def __len__(self) -> int:
        return len(self._log)

    @overload
    def __getitem__(self, key: int) -> PrintRecord: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[PrintRecord]: ...
    def __getitem__(self, key: int | slice) -> PrintRecord | Sequence[PrintRecord]:
        return self._log[key]

    def __iter__(self) -> Iterator[PrintRecord]:
        # Once to find the labels, once to compare.
        for record in self._log:
            self._read += 1
            self._bar.at(self._read)
            yield record

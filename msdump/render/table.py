"""Tables of plain text: columns padded to their width, content escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from numbers import Complex, Integral, Real

from msdump.render.escape import escape_control

WIDEST = 60
"""Cells longer than this are cut in the middle."""


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = (), widest: int = WIDEST
) -> list[str]:
    """The lines of a table; `right` are the columns (from 0) whose cells are padded on the left."""
    cells = [list(header), *([one_line(cell, widest) for cell in row] for row in rows)]
    widths = [max(width_of(row[i]) for row in cells) for i in range(len(header))]
    flush_right = set(right)
    lines = []
    for row in cells:
        padded = [
            " " * (widths[i] - width_of(cell)) + cell if i in flush_right else cell + " " * (widths[i] - width_of(cell))
            for i, cell in enumerate(row)
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def one_line(text: str, widest: int = WIDEST) -> str:
    """`text` escaped, on one line, at most `widest` columns."""
    text = escape_control(text).replace("\n", "\\n").replace("\t", "\\t")
    if len(text) > widest:
        text = text[: widest * 2 // 3] + "…" + text[-(widest - widest * 2 // 3 - 1) :]
    return text


def width_of(text: str) -> int:
    """Columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def number_text(value: object) -> str:
    """A number in a table: six significant digits, `-` for none."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}" if value == value else "nan"
    return str(value)


def value_text(value: object, digits: int = 3) -> str:
    """A value of a tensor (a number of numpy's or Python's, complex ones too) in so many digits; whole
    numbers have all."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return f"{int(value):,}"
    # numpy's complex64 is no `complex`, and its bfloat16 and float8 are no `Real`.
    if isinstance(value, Complex) and not isinstance(value, Real):
        return f"{complex(value):.{digits}g}"
    try:
        return f"{float(value):.{digits}g}"  # type: ignore[arg-type]  # what is no number says so
    except (TypeError, ValueError, OverflowError):
        return str(value)

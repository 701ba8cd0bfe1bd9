"""Print records as MindSpore 2.x writes their values on the screen (msdump.ms_text).

It is written alone: `print from-log` reads records out of such a text where it has them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

import numpy as np

from msdump.dtype import name_of
from msdump.errors import LossError
from msdump.formats.format import Format
from msdump.ms_text import value_text
from msdump.records import BadValue, PrintRecord, PrintValue


def iter_text(
    records: Iterable[PrintRecord], summarize: int | None = None, precision: int | None = None
) -> Iterator[str]:
    """The text of each record: its values as MindSpore shows them, each on lines of its own.

    Args:
        records: the records.
        summarize: show tensors of more elements than this in short, others whole; None leaves it to
            MindSpore's rule.
        precision: digits after the point; None leaves it to MindSpore's rule.
    """
    for record in records:
        yield "".join([_line(value, summarize, precision) for value in record.values])


def _line(value: PrintValue, summarize: int | None, precision: int | None) -> str:
    """One value's text and its newline."""
    if isinstance(value, BadValue):
        shape = ", ".join(map(str, value.shape))
        return f"BadValue(shape=[{shape}], dtype={value.dtype}, bytes={len(value.raw)}: {value.what})\n"
    if isinstance(value, str) or (summarize is None and precision is None):
        return value_text(value) + "\n"
    array = np.asarray(value)
    name, shape = name_of(array.dtype), ", ".join(map(str, array.shape))
    if array.dtype.kind == "V":
        array = array.astype(np.int64 if "int" in array.dtype.name else np.float32)
    shown = np.array2string(
        array,
        threshold=sys.maxsize if summarize is None else summarize,
        precision=precision,
        separator=", ",
        max_line_width=120,
        floatmode="maxprec" if precision is None else "fixed",
    )
    gap = "\n" if array.ndim > 1 else " "
    return f"Tensor(shape=[{shape}], dtype={name}, value={gap}{shown})\n"


def write(
    records: Iterable[PrintRecord], path: str | os.PathLike[str], *, force: bool = False, lossy: bool = False
) -> None:
    """Write what the screen would show.

    Raises:
        LossError: a value would be shown in short or with fewer digits than it has, and not `lossy`.
    """
    from msdump.formats.atomic import new_file

    if not lossy:
        raise LossError(
            f"{os.fspath(path)}: text shows large tensors in short and drops digits",
            ("elements of large tensors", "digits"),
            hint="--lossy (lossy=True) writes it all the same",
        )
    with new_file(path, force=force) as stream:
        for piece in iter_text(records):
            stream.write(piece.encode("utf-8", "backslashreplace"))


FORMATS = (Format("text", "print", "print log as MindSpore shows it on the screen", write=write),)

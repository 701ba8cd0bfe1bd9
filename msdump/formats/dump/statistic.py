"""statistic.csv: what was saved of each tensor instead of the tensor, or beside it.

Columns are told by name, since every release and setting writes others. Source: MindSpore's dump
documentation; formats/tensor-dump in docs/ lists the columns.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msdump.errors import ParseError
from msdump.formats.dump import storage
from msdump.numerals import integer, real
from msdump.source import TextPlace

NAME = "statistic.csv"

# Folded header cell → the key in a record's statistics. Sources: the headers that MindSpore's writers have
# (TensorStatDump up to 2.2, CsvHeaderUtil with its statistic_category since 2.3) and msprobe's.
_COLUMNS: dict[str, str] = {
    "max": "max",
    "min": "min",
    "avg": "avg",
    "mean": "avg",
    "count": "count",
    "negativezerocount": "negative",
    "positivezerocount": "positive",
    "nancount": "nan",
    "negativeinfcount": "negative_inf",
    "neginfcount": "negative_inf",
    "positiveinfcount": "positive_inf",
    "posinfcount": "positive_inf",
    "zerocount": "zero",
    "l2norm": "l2norm",
    "l2": "l2norm",
    "norm": "l2norm",
    "md5": "md5",
    "sha1": "sha1",
}
_VALUES = frozenset({"max", "min", "avg", "l2norm"})
_DIGESTS = frozenset({"md5", "sha1"})
_IDENTITY: dict[str, str] = {
    "optype": "op_type",
    "opname": "op_name",
    "taskid": "task",
    "task": "task",
    "streamid": "stream",
    "stream": "stream",
    "timestamp": "timestamp",
    "io": "io",
    "inputoutput": "io",
    "slot": "slot",
    "index": "slot",
    "datasize": "size",
    "datatype": "dtype",
    "dtype": "dtype",
    "shape": "shape",
    "format": "format",
}


@dataclass(frozen=True, slots=True)
class StatisticRow:
    """One row. `values` holds what was saved, by these keys: max, min, avg, l2norm (float, NaN and infinities
    among them; None for `null`, which stands for no finite value), count, negative, positive, zero, nan,
    negative_inf, positive_inf (int), md5, sha1 (str).

    `shape` is None where there is no such column. "negative" and "positive" are the columns Negative Zero Count
    and Positive Zero Count, which count values below and above zero.
    """

    op_type: str
    op_name: str
    io: str
    slot: int
    task: int
    stream: int
    timestamp: int
    size: int
    dtype: str
    shape: tuple[int, ...] | None
    values: dict[str, Any]
    line: int = 0


@dataclass(slots=True)
class StatisticTable:
    """Rows of one file, and the rows that cannot be understood, an error each. `columns` are the statistics
    it has, in its order."""

    path: str
    columns: tuple[str, ...] = ()
    rows: list[StatisticRow] = field(default_factory=list)
    problems: list[ParseError] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Header:
    """Where a column stands, by its key: what tells the tensor, and what was saved of it."""

    identity: dict[str, int]
    values: dict[str, int]

    @classmethod
    def of(cls, cells: list[str]) -> _Header | None:
        """The header in the first line's cells; None when it is none of statistics."""
        folded = [_fold(cell) for cell in cells]
        identity = {_IDENTITY[name]: i for i, name in enumerate(folded) if name in _IDENTITY}
        values = {_COLUMNS[name]: i for i, name in enumerate(folded) if name in _COLUMNS}
        # A configuration may ask for no statistic at all, and gets the columns that tell the tensor.
        known = {"slot", "io"} <= set(identity) and (values or {"op_name", "dtype", "shape"} <= set(identity))
        return cls(identity, values) if known else None


def looks_like_statistic(head: str) -> bool:
    """Whether a text begins with the header of a statistic.csv: what `read_statistic` reads."""
    try:
        return _Header.of(next(csv.reader(_lines(head)), [])) is not None
    except csv.Error:
        return False


def _fold(cell: str) -> str:
    """A header cell without case, blanks and signs; "count of nan" as "nan count", "max value" as "max"."""
    name = re.sub(r"[\W_]", "", cell.casefold())
    if name.startswith("countof"):
        name = name.removeprefix("countof") + "count"
    return name.removesuffix("value").replace("infinity", "inf")


def _lines(text: str) -> Iterator[str]:
    # NUL stops the csv module; a damaged row must not hide the ones after it.
    return iter(io.StringIO(text.replace("\0", "\ufffd")))


def read_statistic(path: str, *, op_type: str = "", op_name: str = "") -> StatisticTable:
    """Read one statistic.csv; rows that cannot be understood are among its problems.

    `op_type` and `op_name` serve for files that have no such columns (one file an operator).

    Raises:
        ParseError: the first line is no header of statistics.
    """
    table = StatisticTable(path)
    reader = csv.reader(_lines(storage.read_text(path)))
    try:
        cells = next(reader, [])
    except csv.Error as error:
        raise ParseError(f"the header cannot be read: {error}", TextPlace(path, 1)) from None
    header = _Header.of(cells)
    if header is None:
        raise ParseError("the first line is no header of statistics", TextPlace(path, 1, 1, ",".join(cells)[:200]))
    table.columns = tuple(header.values)
    while True:
        try:
            found = next(reader, None)
            if found is None:
                return table
            if found and found != cells:  # runs that append to one file write the header again
                table.rows.append(_row(found, header, reader.line_num, op_type, op_name))
        except (ValueError, IndexError, csv.Error) as error:
            why = "it ends early" if isinstance(error, IndexError) else str(error)
            table.problems.append(ParseError(f"a row cannot be understood: {why}", TextPlace(path, reader.line_num)))


def _row(cells: list[str], header: _Header, line: int, op_type: str, op_name: str) -> StatisticRow:
    def cell(key: str, default: str) -> str:
        return cells[header.identity[key]].strip() if key in header.identity else default

    def whole(key: str, default: int) -> int:
        text = cell(key, "")
        return _whole(text) if text else default

    io_kind = cell("io", "").casefold()
    if io_kind not in ("input", "output"):
        raise ValueError(f"{io_kind[:40]!r} is neither input nor output")
    found: dict[str, Any] = {}
    for key, index in header.values.items():
        text = cells[index].strip()
        if key in _DIGESTS:
            found[key] = text.strip("'\"").lower()
        elif key in _VALUES:
            found[key] = _value(text)
        elif text:
            found[key] = _whole(text)
    return StatisticRow(
        cell("op_type", op_type),
        cell("op_name", op_name),
        io_kind,
        whole("slot", 0),
        whole("task", 65535),
        whole("stream", 65535),
        whole("timestamp", 0),
        whole("size", 0),
        cell("dtype", ""),
        _shape(cell("shape", "")) if "shape" in header.identity else None,
        found,
        line,
    )


def _whole(text: str) -> int:
    number = integer(text)
    if number is None or not 0 <= number < 1 << 64:
        raise ValueError(f"{text[:40]!r} is no whole number")
    return number


_SPELLED: dict[str, float | None] = {
    **dict.fromkeys(("", "null", "none", "n/a", "-"), None),
    "true": 1.0,
    "false": 0.0,
}


def _value(text: str) -> float | None:
    folded = text.strip("[] ").casefold()  # a value computed on the device is printed as a tensor of one element
    if folded in _SPELLED:
        return _SPELLED[folded]
    number = real(folded)
    if number is None:
        raise ValueError(f"{text[:40]!r} is no number of 64 bits")
    return number


def _shape(text: str) -> tuple[int, ...]:
    inner = text.strip("()[]{} ").replace(";", ",").replace("x", ",")
    return tuple(_whole(d.strip()) for d in inner.split(",") if d.strip())


_TITLES: tuple[tuple[str, str], ...] = (
    ("max", "Max Value"),
    ("min", "Min Value"),
    ("avg", "Avg Value"),
    ("count", "Count"),
    ("negative", "Negative Zero Count"),
    ("positive", "Positive Zero Count"),
    ("nan", "NaN Count"),
    ("negative_inf", "Negative Inf Count"),
    ("positive_inf", "Positive Inf Count"),
    ("zero", "Zero Count"),
    ("l2norm", "L2Norm Value"),
    ("md5", "MD5"),
    ("sha1", "SHA1"),
)


def format_statistic(rows: list[StatisticRow]) -> str:
    """Rows as the text of a statistic.csv, with the columns any of them has."""
    present = [(key, title) for key, title in _TITLES if any(key in row.values for row in rows)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["Op Type", "Op Name", "Task ID", "Stream ID", "Timestamp", "IO", "Slot", "Data Size", "Data Type", "Shape"]
    writer.writerow(head + [title for _, title in present])
    for row in rows:
        shape = "" if row.shape is None else "(" + ",".join(str(d) for d in row.shape) + ")"
        cells: list[Any] = [row.op_type, row.op_name, row.task, row.stream, row.timestamp, row.io, row.slot]
        cells += [row.size, row.dtype, shape]
        cells += ["null" if row.values.get(key) is None else row.values[key] for key, _ in present]
        writer.writerow(cells)
    return out.getvalue()

"""statistic.csv: what was saved of each tensor instead of the tensor, or beside it.

Columns are told by name, since every release and setting writes others. Source: MindSpore's dump
documentation; formats/tensor-dump in docs/ lists the columns.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msdump.errors import ParseError
from msdump.formats.dump import storage
from msdump.source import Note, TextPlace

NAME = "statistic.csv"

# Header cell (without case, spaces and underscores) → the key in a record's statistics.
_COLUMNS: dict[str, str] = {
    "maxvalue": "max",
    "max": "max",
    "minvalue": "min",
    "min": "min",
    "avgvalue": "avg",
    "avg": "avg",
    "meanvalue": "avg",
    "mean": "avg",
    "count": "count",
    "negativezerocount": "negative",
    "positivezerocount": "positive",
    "nancount": "nan",
    "negativeinfcount": "negative_inf",
    "positiveinfcount": "positive_inf",
    "zerocount": "zero",
    "l2normvalue": "l2norm",
    "l2value": "l2norm",
    "l2norm": "l2norm",
    "normvalue": "l2norm",
    "md5": "md5",
    "md5value": "md5",
}
_NUMBERS = frozenset({"max", "min", "avg", "l2norm"})
_IDENTITY: dict[str, str] = {
    "optype": "op_type",
    "opname": "op_name",
    "taskid": "task",
    "streamid": "stream",
    "timestamp": "timestamp",
    "io": "io",
    "input/output": "io",
    "slot": "slot",
    "index": "slot",
    "datasize": "size",
    "datatype": "dtype",
    "shape": "shape",
    "format": "format",
}


@dataclass(frozen=True, slots=True)
class StatisticRow:
    """One row. `values` holds what was saved, by these keys: max, min, avg, l2norm (float; None for
    `null`), count, negative, positive, zero, nan, negative_inf, positive_inf (int), md5 (str).

    "negative" and "positive" are the columns Negative Zero Count and Positive Zero Count, which count
    values below and above zero.
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
    shape: tuple[int, ...]
    values: dict[str, Any]
    line: int = 0


@dataclass(slots=True)
class StatisticTable:
    """Rows of one file, and what was odd in it. `columns` are the statistics it has, in its order."""

    path: str
    columns: tuple[str, ...] = ()
    rows: list[StatisticRow] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def looks_like_statistic(head: str) -> bool:
    """Whether a text begins with the header of a statistic.csv."""
    first = head.partition("\n")[0]
    cells = {_fold(cell) for cell in first.split(",")}
    return "slot" in cells and ("optype" in cells or "opname" in cells) and bool(cells & set(_COLUMNS))


def _fold(cell: str) -> str:
    return cell.strip().casefold().replace(" ", "").replace("_", "").lstrip("\ufeff")


def _lines(text: str) -> Iterator[str]:
    # NUL stops the csv module; a damaged row must not hide the ones after it.
    return iter(io.StringIO(text.replace("\0", "\ufffd")))


def read_statistic(path: str, *, op_type: str = "", op_name: str = "") -> StatisticTable:
    """Read one statistic.csv; rows that cannot be understood are noted and left out.

    `op_type` and `op_name` serve for files that have no such columns (one file an operator).

    Raises:
        ParseError: the first line is no header of statistics.
    """
    table = StatisticTable(path)
    reader = csv.reader(_lines(storage.read_text(path)))
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise ParseError(f"the header cannot be read: {error}", TextPlace(path, 1)) from None
    identity = {_IDENTITY[f]: i for i, cell in enumerate(header) if (f := _fold(cell)) in _IDENTITY}
    values = {_COLUMNS[f]: i for i, cell in enumerate(header) if (f := _fold(cell)) in _COLUMNS}
    if "slot" not in identity or "io" not in identity or not values:
        raise ParseError("the first line is no header of statistics", TextPlace(path, 1, 1, ",".join(header)[:200]))
    table.columns = tuple(values)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            table.notes.append(Note(f"a row cannot be read: {error}", TextPlace(path, reader.line_num), "warning"))
            continue
        if cells is None:
            return table
        if not cells:
            continue
        try:
            table.rows.append(_row(cells, identity, values, reader.line_num, op_type, op_name))
        except (ValueError, IndexError) as error:
            why = "it ends early" if isinstance(error, IndexError) else str(error)
            table.notes.append(Note(f"a row cannot be understood: {why}", TextPlace(path, reader.line_num), "warning"))


def _row(
    cells: list[str], identity: dict[str, int], values: dict[str, int], line: int, op_type: str, op_name: str
) -> StatisticRow:
    def cell(key: str, default: str) -> str:
        return cells[identity[key]].strip() if key in identity else default

    io_kind = cell("io", "").casefold()
    if io_kind not in ("input", "output"):
        raise ValueError(f"{io_kind!r} is neither input nor output")
    found: dict[str, Any] = {}
    for key, index in values.items():
        text = cells[index].strip()
        if key == "md5":
            found[key] = text.strip("'\"").lower()
        elif text == "" and key not in _NUMBERS:
            continue
        elif key in _NUMBERS:
            found[key] = _value(text)
        else:
            found[key] = int(text)
    return StatisticRow(
        cell("op_type", op_type),
        cell("op_name", op_name),
        io_kind,
        int(cell("slot", "0")),
        int(cell("task", "65535") or 65535),
        int(cell("stream", "65535") or 65535),
        int(cell("timestamp", "0") or 0),
        int(cell("size", "0") or 0),
        cell("dtype", ""),
        _shape(cell("shape", "()")),
        found,
        line,
    )


def _value(text: str) -> float | None:
    folded = text.casefold()
    if folded in ("", "null", "none", "n/a", "-"):
        return None
    if folded in ("true", "false"):
        return 1.0 if folded == "true" else 0.0
    number = float(text)
    # A NaN here means what `null` means: no finite value to take it from.
    return None if math.isnan(number) else number


def _shape(text: str) -> tuple[int, ...]:
    inner = text.strip().strip("()[]{}").replace(";", ",").replace("x", ",")
    return tuple(int(d) for d in inner.split(",") if d.strip())


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
)


def format_statistic(rows: list[StatisticRow]) -> str:
    """Rows as the text of a statistic.csv, with the columns any of them has."""
    present = [(key, title) for key, title in _TITLES if any(key in row.values for row in rows)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["Op Type", "Op Name", "Task ID", "Stream ID", "Timestamp", "IO", "Slot", "Data Size", "Data Type", "Shape"]
    writer.writerow(head + [title for _, title in present])
    for row in rows:
        shape = "(" + ",".join(str(d) for d in row.shape) + ")"
        cells: list[Any] = [row.op_type, row.op_name, row.task, row.stream, row.timestamp, row.io, row.slot]
        cells += [row.size, row.dtype, shape]
        cells += ["null" if row.values.get(key) is None else row.values[key] for key, _ in present]
        writer.writerow(cells)
    return out.getvalue()

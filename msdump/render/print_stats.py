"""A print log in numbers: for each label how often, what types and shapes, and what values."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msdump.dtype import name_of
from msdump.json_text import json_text
from msdump.json_values import number
from msdump.records import BadValue, PrintRecord, PrintValue, labelled
from msdump.render.table import number_text, table
from msdump.tensor_stats import TensorStats, tensor_stats

SCHEMA = "msdump.print-stats/1"
_MOST_SHAPES = 3


@dataclass(slots=True)
class LabelStats:
    """What was printed under one label.

    Attributes:
        tensors: how many tensors.
        bad: how many values that could not be understood.
        dtypes, shapes: the distinct ones, in order of appearance.
        stats: over all elements of all tensors.
    """

    tensors: int = 0
    bad: int = 0
    dtypes: dict[str, None] = field(default_factory=dict)
    shapes: dict[tuple[int, ...], None] = field(default_factory=dict)
    stats: TensorStats = field(default_factory=TensorStats)


def collect(
    records: Iterable[PrintRecord],
    found: dict[str, LabelStats],
    on_value: Callable[[str, PrintValue], None] | None = None,
) -> None:
    """Fill `found`, by label in order of first appearance; what was read before an error stays.

    `on_value` is told each value that is no string, with its label.
    """
    for label, _, value in labelled(records):
        if on_value is not None:
            on_value(label, value)
        entry = found.setdefault(label, LabelStats())
        if isinstance(value, BadValue):
            entry.bad += 1
        elif not isinstance(value, str):
            entry.tensors += 1
            entry.dtypes.setdefault(name_of(value.dtype))
            entry.shapes.setdefault(value.shape)
            entry.stats = entry.stats.merge(tensor_stats(value))


_COLUMNS = ("label", "count", "dtype", "shape", "min", "max", "mean", "std", "NaN", "inf", "bad")


def stats_table(found: Mapping[str, LabelStats]) -> list[str]:
    """The table's lines, the header first; the column of bad values only where there are some."""
    rows = [_cells(label, entry) for label, entry in found.items()]
    columns = len(_COLUMNS) if any(entry.bad for entry in found.values()) else len(_COLUMNS) - 1
    return table(_COLUMNS[:columns], [row[:columns] for row in rows], right=(1, *range(4, columns)))


def _cells(label: str, entry: LabelStats) -> list[str]:
    s = entry.stats
    shapes = [f"[{', '.join(map(str, shape))}]" for shape in list(entry.shapes)[:_MOST_SHAPES]]
    more = len(entry.shapes) - len(shapes)
    numbers = [s.min, s.max, s.mean, s.std] if s.finite else [None] * 4
    return [
        label.strip(),
        str(entry.tensors),
        "/".join(entry.dtypes) or "-",
        " ".join(shapes) + (f" and {more} more" if more else "") or "-",
        *map(number_text, numbers),
        str(s.nan),
        str(s.inf),
        str(entry.bad),
    ]


def stats_json(found: Mapping[str, LabelStats], path: str) -> str:
    """One JSON document; numbers that no finite element gives are null."""
    labels: list[dict[str, Any]] = []
    for label, entry in found.items():
        s = entry.stats
        names = ("min", "max", "mean", "std")
        values = {name: number(getattr(s, name)) if s.finite else None for name in names}
        labels.append(
            {
                "label": label,
                "count": entry.tensors,
                "dtype": list(entry.dtypes),
                "shape": [list(shape) for shape in entry.shapes],
                "elements": s.count,
                **values,
                "nan": s.nan,
                "inf": s.inf,
                "zero": s.zero,
                "bad": entry.bad,
            }
        )
    return json_text({"schema": SCHEMA, "file": path, "labels": labels}) + "\n"


def stats_csv(found: Mapping[str, LabelStats]) -> str:
    """The table as CSV, numbers in full."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for label, entry in found.items():
        s = entry.stats
        numbers = [s.min, s.max, s.mean, s.std] if s.finite else [""] * 4
        shapes = " ".join("x".join(map(str, shape)) or "()" for shape in entry.shapes)
        writer.writerow((label, entry.tensors, "/".join(entry.dtypes), shapes, *numbers, s.nan, s.inf, entry.bad))
    return buffer.getvalue()

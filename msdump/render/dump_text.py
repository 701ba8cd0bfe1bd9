"""Records of dumps as text and JSON: names, places, sizes, statistics."""

from __future__ import annotations

from typing import Any

from msdump.json_values import number
from msdump.pipes import shown
from msdump.records import DumpRecord
from msdump.render.escape import escape_control
from msdump.render.table import number_text

STATISTICS: tuple[tuple[str, str], ...] = (
    ("max", "max"),
    ("min", "min"),
    ("avg", "avg"),
    ("l2norm", "l2 norm"),
    ("nan", "NaN"),
    ("negative_inf", "-inf"),
    ("positive_inf", "+inf"),
    ("zero", "zeros"),
    ("negative", "< 0"),
    ("positive", "> 0"),
)


def title(record: DumpRecord) -> str:
    """What an operator is called: type and full name, on one line."""
    name = record.scope_name or record.op_name
    return flat(f"{record.op_type} {name}" if record.op_type else name)


def flat(text: str) -> str:
    """A text from a file on one line, escaped."""
    return escape_control(text).replace("\n", "\\n").replace("\t", "\\t")


def bytes_text(count: int) -> str:
    """A number of bytes as people read it: 1.5 MiB."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def record_json(record: DumpRecord) -> dict[str, Any]:
    """Names and place of one record."""
    return {
        "op": record.operator,
        "op_type": record.op_type,
        "op_name": record.op_name,
        "scope": record.scope_name or None,
        "io": record.io,
        "slot": record.slot,
        "iteration": record.iteration,
        "rank": record.rank,
        "net": record.net,
        "graph": record.graph,
        "task": record.task,
        "stream": record.stream,
        "timestamp": record.timestamp,
        "format": record.format,
        "path": shown(record.path),
    }


def statistics_json(values: dict[str, Any]) -> dict[str, Any]:
    """Statistics with odd numbers as JSON has them."""
    return {key: list(v) if isinstance(v, tuple) else number(v) for key, v in values.items()}


def statistics_cells(values: dict[str, Any]) -> list[str]:
    """The cells of a row of statistics, in the order of STATISTICS."""
    return [number_text(values.get(key)) for key, _ in STATISTICS]


def shape_text(shape: tuple[int, ...] | None) -> str:
    """A shape as MindSpore writes it: (2, 3)."""
    return "?" if shape is None else str(tuple(shape)).replace(",)", ")")


def place_text(record: DumpRecord) -> str:
    """Rank, graph and iteration in a phrase."""
    said = [f"rank {record.rank}"]
    if record.graph:
        said.append(f"graph {flat(record.graph)}")
    if record.iteration >= 0:
        said.append(f"iteration {record.iteration}")
    return ", ".join(said)

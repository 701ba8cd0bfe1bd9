"""Launches of operators, counted and put in the order they ran.

One operator may run many times in an iteration; launches are told apart by their timestamps. Their
order is that of the execution order file inside a graph, and of the timestamps between graphs; where
there is no execution order file the timestamps decide alone.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msdump.records import DumpRecord

Key: TypeAlias = "tuple[int | float | str, ...]"

PARAMETER = "Parameter"
_DIGITS = re.compile(r"\d+")
_LATE = 1 << 62


@dataclass(frozen=True, slots=True)
class Launched:
    """A record, the launch of its operator that it belongs to (from 0), and where it stands in order."""

    record: DumpRecord
    occurrence: int
    order: tuple[int | str, ...]


@functools.lru_cache(maxsize=4096)
def natural(text: str) -> str:
    """A text that sorts "op10" behind "op9"."""
    return _DIGITS.sub(lambda m: m[0].lstrip("0").rjust(20, "0"), text)


_ORDER = operator.attrgetter("order")


def in_order(records: Iterable[DumpRecord]) -> list[Launched]:
    """Records of one dump in execution order, inputs before outputs, each with its launch."""
    slots: dict[tuple[object, ...], list[DumpRecord]] = {}
    for r in records:
        slots.setdefault((r.rank, r.iteration, r.graph, r.op_type, r.op_name, r.io, r.slot), []).append(r)
    counted: list[tuple[DumpRecord, int]] = []
    several: dict[tuple[object, ...], list[list[DumpRecord]]] = {}
    for key, found in slots.items():
        if len(found) > 1:
            several[key[:5]] = []
    for key, found in slots.items():
        if key[:5] in several:
            several[key[:5]].append(sorted(found, key=_time))
        else:
            counted.append((found[0], 0))
    for of_operator in several.values():
        counted += _counted(of_operator)
    launches: dict[tuple[object, ...], int] = {}
    rounds: dict[tuple[object, ...], tuple[int, bool]] = {}
    for r, i in counted:
        launch = (r.rank, r.iteration, r.graph, r.op_type, r.op_name, i)
        launches[launch] = min(launches.get(launch, _LATE), r.timestamp)
        if r.op_type != PARAMETER:
            # One run of a graph: the i-th launches of its operators.
            key = (r.rank, r.iteration, r.graph, i)
            start, known = rounds.get(key, (_LATE, True))
            rounds[key] = (min(start, r.timestamp), known and r.position >= 0)
    placed: list[Launched] = []
    for r, i in counted:
        began = launches[r.rank, r.iteration, r.graph, r.op_type, r.op_name, i]
        start, known = rounds.get((r.rank, r.iteration, r.graph, i), (_LATE, False))
        if r.op_type == PARAMETER:
            # Parameters are written when their graph has run.
            where = (began, _LATE, "" if began else natural(r.op_name))
        elif known:
            where = (start, r.position, "")
        else:
            where = (began, -1, "" if began else natural(r.op_name))
        side = 0 if r.io == "input" else 1
        order = (r.iteration, r.rank, *where, natural(r.graph), r.op_type, r.op_name, i, side, r.slot)
        placed.append(Launched(r, i, order))
    placed.sort(key=_ORDER)
    return placed


def _time(r: DumpRecord) -> tuple[int, int, int, str]:
    return r.timestamp, r.task, r.stream, r.path


def _counted(slots: list[list[DumpRecord]]) -> list[tuple[DumpRecord, int]]:
    """The records of an operator that ran several times, by slot and in time, each with its launch."""
    each = [(r, i) for found in slots for i, r in enumerate(found)]
    most = max(map(len, slots))
    if all(len(found) == most for found in slots):
        return each
    # Something of a launch is missing: a launch begins where a slot comes again, or inputs after outputs.
    split: list[tuple[DumpRecord, int]] = []
    launch, seen = 0, set[tuple[str, int]]()
    for r in sorted((r for r, _ in each), key=lambda r: (r.timestamp, r.task, r.stream, r.io, r.slot)):
        if (r.io, r.slot) in seen or (r.io == "input" and any(io == "output" for io, _ in seen)):
            launch, seen = launch + 1, set()
        seen.add((r.io, r.slot))
        split.append((r, launch))
    return split if launch + 1 == most else each


def graphs_of(records: Sequence[Launched]) -> dict[int, list[str]]:
    """The graph ids of each rank, in natural order."""
    found: dict[int, set[str]] = {}
    for launched in records:
        found.setdefault(launched.record.rank, set()).add(launched.record.graph)
    return {rank: sorted(graphs, key=natural) for rank, graphs in found.items()}

"""A run's profile as files: a Chrome trace, and tables by operator and by iteration.

The trace is the Trace Event Format (complete events "X", microseconds), which Perfetto and
chrome://tracing load. The tables are csv with a header line.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from msdump.formats.atomic import write_file
from msdump.records import Profile, ProfileSpan

STEP_COLUMNS = (
    "iteration",
    "begin_us",
    "end_us",
    "duration_us",
    "fp_point",
    "fp_begin_us",
    "bp_point",
    "bp_end_us",
    "forward_backward_us",
    "interval_us",
)
OPERATOR_COLUMNS = ("operator", "calls", "total_us", "mean_us", "min_us", "max_us", "share")


def write_profile(profile: Profile, folder: str | Path, *, tables: Iterable[str] = ("step", "operator")) -> list[Path]:
    """Write `timeline_<rank>.json` and the tables asked for; gives the paths, in that order.

    Tables: "step" → `step_trace_<rank>.csv` (one line an iteration, STEP_COLUMNS), "operator" →
    `operator_summary_<rank>.csv` (one line a type, the longest first, OPERATOR_COLUMNS). Times are
    microseconds from the beginning of the profile. Files of an earlier profile stay: where there are
    some of that rank, the names are `timeline_<rank>_1.json`, `step_trace_<rank>_1.csv` and so on.
    """
    place = Path(folder)
    earlier = {path.stem for pattern in ("timeline_*.json", "*_*.csv") for path in place.glob(pattern)}
    makers = {
        "step": ("step_trace", STEP_COLUMNS, iter_steps),
        "operator": ("operator_summary", OPERATOR_COLUMNS, iter_operators),
    }
    names = ["timeline", *(name for name, _, _ in makers.values())]
    endings = (f"{profile.rank}_{number}" if number else f"{profile.rank}" for number in count())
    ending = next(e for e in endings if not earlier & {f"{name}_{e}" for name in names})
    written = [place / f"timeline_{ending}.json"]
    write_file(written[0], json.dumps(chrome_trace(profile)).encode(), force=True)
    for table in tables:
        name, columns, rows = makers[table]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows(profile))
        written.append(place / f"{name}_{ending}.csv")
        write_file(written[-1], text.getvalue().encode(), force=True)
    return written


def chrome_trace(profile: Profile) -> dict[str, Any]:
    """The profile as a Trace Event document: process = rank, thread = where it ran."""
    start = _start(profile.spans)
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": profile.rank, "name": "process_name", "args": {"name": f"rank {profile.rank}"}}
    ]
    for span in profile.spans:
        events.append(
            {
                "ph": "X",
                "pid": profile.rank,
                "tid": span.thread,
                "cat": span.kind,
                "name": span.name,
                "ts": (span.begin_ns - start) / 1000,
                "dur": (span.end_ns - span.begin_ns) / 1000,
                "args": {"scope": span.scope, "iteration": span.iteration},
            }
        )
        if span.memory >= 0:
            events.append(
                {
                    "ph": "C",
                    "pid": profile.rank,
                    "name": "resident memory",
                    "ts": (span.end_ns - start) / 1000,
                    "args": {"bytes": span.memory},
                }
            )
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def iter_steps(profile: Profile) -> Iterator[Sequence[Any]]:
    """Rows of STEP_COLUMNS: each iteration, its forward and backward part, the gap before it."""
    start = _start(profile.spans)
    operators: dict[int, list[ProfileSpan]] = {}
    for span in profile.spans:
        if span.kind == "operator":
            operators.setdefault(span.iteration, []).append(span)
    before: int | None = None
    for span in profile.spans:
        if span.kind != "iteration":
            continue
        inside = operators.get(span.iteration, [])
        first = _point(inside, profile.fp_point, last=False)
        last = _point(inside, profile.bp_point, last=True)
        begin = first.begin_ns if first else span.begin_ns
        end = last.end_ns if last else span.end_ns
        yield (
            span.iteration,
            _us(span.begin_ns - start),
            _us(span.end_ns - start),
            _us(span.end_ns - span.begin_ns),
            (first.scope or first.name) if first else "",
            _us(begin - start),
            (last.scope or last.name) if last else "",
            _us(end - start),
            _us(end - begin),
            "" if before is None else _us(span.begin_ns - before),
        )
        before = span.end_ns


def iter_operators(profile: Profile) -> Iterator[Sequence[Any]]:
    """Rows of OPERATOR_COLUMNS: each type of operator, the one that took longest in all first."""
    times: dict[str, list[int]] = {}
    for span in profile.spans:
        if span.kind == "operator":
            times.setdefault(span.name, []).append(span.end_ns - span.begin_ns)
    total = sum(map(sum, times.values())) or 1
    for name, taken in sorted(times.items(), key=lambda item: (-sum(item[1]), item[0])):
        spent = sum(taken)
        mean = spent / len(taken)
        yield name, len(taken), _us(spent), _us(mean), _us(min(taken)), _us(max(taken)), f"{spent / total:.4f}"


def _point(operators: list[ProfileSpan], wanted: str, *, last: bool) -> ProfileSpan | None:
    found = [s for s in operators if not wanted or wanted in (s.scope, s.name)]
    return (found[-1] if last else found[0]) if found else None


def _start(spans: Sequence[ProfileSpan]) -> int:
    return min((span.begin_ns for span in spans), default=0)


def _us(ns: float) -> str:
    return f"{ns / 1000:.3f}"

"""A profile's files, from spans of known times."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from msdump.formats.profile import OPERATOR_COLUMNS, STEP_COLUMNS, write_profile
from msdump.records import Profile, ProfileSpan

MS = 1_000_000
SPANS = (
    ProfileSpan("iteration", "Net", 0, 10 * MS, "", 0, 4096, 7),
    ProfileSpan("operator", "MatMul", 1 * MS, 4 * MS, "Default/MatMul-op0", 0, -1, 7),
    ProfileSpan("operator", "ReLU", 4 * MS, 5 * MS, "Default/ReLU-op0", 0, -1, 7),
    ProfileSpan("data", "data feeding", 10 * MS, 12 * MS, "", -1, -1, 7),
    ProfileSpan("iteration", "Net", 12 * MS, 20 * MS, "", 1, 8192, 7),
    ProfileSpan("operator", "MatMul", 13 * MS, 18 * MS, "Default/MatMul-op0", 1, -1, 7),
    ProfileSpan("operator", "ReLU", 18 * MS, 19 * MS, "Default/ReLU-op0", 1, -1, 7),
)


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_step_trace_finds_forward_and_backward_by_itself(tmp_path: Path) -> None:
    timeline, steps, operators = write_profile(Profile(3, SPANS), tmp_path)
    assert [p.name for p in (timeline, steps, operators)] == [
        "timeline_3.json",
        "step_trace_3.csv",
        "operator_summary_3.csv",
    ]
    first, second = "Default/MatMul-op0", "Default/ReLU-op0"
    assert rows(steps) == [
        list(STEP_COLUMNS),
        ["0", "0.000", "10000.000", "10000.000", first, "1000.000", second, "5000.000", "4000.000", ""],
        ["1", "12000.000", "20000.000", "8000.000", first, "13000.000", second, "19000.000", "6000.000", "2000.000"],
    ]
    assert rows(operators) == [
        list(OPERATOR_COLUMNS),
        ["MatMul", "2", "8000.000", "4000.000", "3000.000", "5000.000", "0.8000"],
        ["ReLU", "2", "2000.000", "1000.000", "1000.000", "1000.000", "0.2000"],
    ]


def test_points_that_were_named_are_taken(tmp_path: Path) -> None:
    _, steps = write_profile(Profile(0, SPANS, "ReLU", "Default/MatMul-op0"), tmp_path, tables=("step",))
    assert [row[5:8] for row in rows(steps)[1:]] == [
        ["4000.000", "Default/MatMul-op0", "4000.000"],
        ["18000.000", "Default/MatMul-op0", "18000.000"],
    ]


def test_the_timeline_is_a_trace_of_complete_events(tmp_path: Path) -> None:
    (timeline,) = write_profile(Profile(3, SPANS), tmp_path, tables=())
    events = json.loads(timeline.read_text())["traceEvents"]
    complete = [e for e in events if e["ph"] == "X"]
    assert [(e["cat"], e["name"], e["ts"], e["dur"]) for e in complete[:2]] == [
        ("iteration", "Net", 0.0, 10000.0),
        ("operator", "MatMul", 1000.0, 3000.0),
    ]
    assert complete[1]["args"] == {"scope": "Default/MatMul-op0", "iteration": 0}
    assert {e["pid"] for e in events} == {3}
    assert [e["args"]["bytes"] for e in events if e["ph"] == "C"] == [4096, 8192]


def test_an_empty_profile_is_written(tmp_path: Path) -> None:
    timeline, steps, operators = write_profile(Profile(0, ()), tmp_path)
    assert len(json.loads(timeline.read_text())["traceEvents"]) == 1
    assert rows(steps) == [list(STEP_COLUMNS)]
    assert rows(operators) == [list(OPERATOR_COLUMNS)]

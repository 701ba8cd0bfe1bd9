"""Profiling of runs in both modes: the files, and that what they say fits together."""

from __future__ import annotations

import csv
import itertools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump import Tensor, context, nn, ops
from msdump.runtime.session import Session
from tests.runtime.networks import NETWORKS

MODES = [context.PYNATIVE_MODE, context.GRAPH_MODE]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    context.set_context(device_target="Ascend")


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(4, 4)
        self.relu = nn.ReLU()

    def construct(self, x: Tensor) -> Any:
        return self.relu(self.dense(x)).sum()


def profile(mode: int, iterations: int = 3, network: str = "", **options: str) -> list[dict[str, Any]]:
    """Profile some iterations; gives the events of the timeline."""
    context.set_context(mode=mode)
    net, inputs = (
        (NETWORKS[network].build(), NETWORKS[network].inputs())
        if network
        else (Net(), (Tensor(np.ones((2, 4), np.float32)),))
    )
    told = json.dumps({"result_path": ".", **options})
    before = set(Path().glob("timeline_0*.json"))
    context.set_context(enable_profiling=True, profiling_options=told)
    for _ in range(iterations):
        net(*inputs)
    context.set_context(enable_profiling=False)
    (timeline,) = set(Path().glob("timeline_0*.json")) - before
    document = json.loads(timeline.read_text())
    assert set(document) == {"traceEvents", "displayTimeUnit"}
    return list(document["traceEvents"])


def rows(name: str) -> list[dict[str, str]]:
    with open(name, newline="") as stream:
        return list(csv.DictReader(stream))


def check_schema(events: list[dict[str, Any]]) -> None:
    """The Trace Event Format: what Perfetto needs of each event it loads."""
    for event in events:
        assert event["ph"] in ("X", "M", "C")
        assert isinstance(event["pid"], int)
        assert isinstance(event["name"], str)
        assert event["name"]
        if event["ph"] == "X":
            assert isinstance(event["tid"], int)
            assert event["ts"] >= 0
            assert event["dur"] >= 0
            assert isinstance(event["cat"], str)
        if event["ph"] == "C":
            assert all(isinstance(value, (int, float)) for value in event["args"].values())


@pytest.mark.parametrize("network", ["", "lenet", "refines"])
@pytest.mark.parametrize("mode", MODES)
def test_operators_lie_in_their_iterations(mode: int, network: str) -> None:
    events = profile(mode, network=network, training_trace="on", task_trace="on")
    check_schema(events)
    spans = [e for e in events if e["ph"] == "X"]
    iterations = [e for e in spans if e["cat"] == "iteration"]
    operators = [e for e in spans if e["cat"] == "operator"]
    assert [e["args"]["iteration"] for e in iterations] == [0, 1, 2]
    for before, after in itertools.pairwise(iterations):
        assert before["ts"] + before["dur"] <= after["ts"]
    for iteration in iterations:
        inside = [e for e in operators if e["args"]["iteration"] == iteration["args"]["iteration"]]
        assert inside
        for operator in inside:
            assert iteration["ts"] <= operator["ts"]
            assert operator["ts"] + operator["dur"] <= iteration["ts"] + iteration["dur"]
        assert sum(e["dur"] for e in inside) <= iteration["dur"]
    names = {e["name"] for e in operators}
    assert names >= ({"Conv2D", "MatMul"} if network == "lenet" else {"MatMul", "ReLU"} if not network else {"MatMul"})
    scopes = {e["args"]["scope"] for e in operators if e["name"] == "MatMul"}
    assert all(scope.startswith("Default/") and "/MatMul-op" in scope for scope in scopes)
    if mode == context.GRAPH_MODE:
        (compiled,) = [e for e in spans if e["cat"] == "compile"]
        first = iterations[0]
        assert first["ts"] <= compiled["ts"]
        assert compiled["ts"] + compiled["dur"] <= first["ts"] + first["dur"]
    memory = [e["args"]["bytes"] for e in events if e["ph"] == "C"]
    assert len(memory) == 3
    assert all(value > 1 << 20 for value in memory)


@pytest.mark.parametrize("mode", MODES)
def test_the_tables_sum_up_the_timeline(mode: int) -> None:
    events = profile(mode, training_trace="on", task_trace="on")
    operators = [e for e in events if e.get("cat") == "operator"]
    summary = rows("operator_summary_0.csv")
    assert {r["operator"]: int(r["calls"]) for r in summary} == {
        name: sum(e["name"] == name for e in operators) for name in {e["name"] for e in operators}
    }
    for row in summary:
        durations = [e["dur"] for e in operators if e["name"] == row["operator"]]
        assert float(row["total_us"]) == pytest.approx(sum(durations), abs=0.01)
        assert float(row["mean_us"]) == pytest.approx(sum(durations) / len(durations), abs=0.01)
        assert (float(row["min_us"]), float(row["max_us"])) == pytest.approx((min(durations), max(durations)), abs=0.01)
    assert sum(float(r["share"]) for r in summary) == pytest.approx(1, abs=0.001)
    totals = [float(r["total_us"]) for r in summary]
    assert totals == sorted(totals, reverse=True)
    iterations = [e for e in events if e.get("cat") == "iteration"]
    steps = rows("step_trace_0.csv")
    assert len(steps) == 3
    for row, event in zip(steps, iterations, strict=True):
        assert float(row["begin_us"]) == pytest.approx(event["ts"], abs=0.01)
        assert float(row["duration_us"]) == pytest.approx(event["dur"], abs=0.01)
        assert float(row["begin_us"]) <= float(row["fp_begin_us"]) <= float(row["bp_end_us"]) <= float(row["end_us"])
    assert steps[0]["interval_us"] == ""
    gap = float(steps[1]["begin_us"]) - float(steps[0]["end_us"])
    assert float(steps[1]["interval_us"]) == pytest.approx(gap, abs=0.01)


@pytest.mark.parametrize("mode", MODES)
def test_fp_point_and_bp_point_are_found_or_told(mode: int) -> None:
    profile(mode, training_trace="on", fp_point="", bp_point="")
    (first, *_), ends = rows("step_trace_0.csv"), "Default/dense-Dense/MatMul-op0"
    assert first["fp_point"] == ends
    assert first["bp_point"].startswith("Default/SumExt-op")
    profile(mode, training_trace="on", fp_point="ReLU", bp_point="Default/relu-ReLU/ReLU-op0")
    (told, *_) = rows("step_trace_0_1.csv")
    assert told["fp_point"] == told["bp_point"] == "Default/relu-ReLU/ReLU-op0"
    assert float(told["fp_begin_us"]) < float(told["bp_end_us"])


@pytest.mark.parametrize("mode", MODES)
def test_the_feeding_of_data_is_the_time_between(mode: int) -> None:
    events = profile(mode, training_trace="on", aicpu_trace="on")
    fed = [e for e in events if e.get("cat") == "data"]
    iterations = [e for e in events if e.get("cat") == "iteration"]
    assert len(fed) == 2
    for feeding, before, after in zip(fed, iterations, iterations[1:], strict=False):
        assert feeding["ts"] == pytest.approx(before["ts"] + before["dur"], abs=0.01)
        assert feeding["ts"] + feeding["dur"] == pytest.approx(after["ts"], abs=0.01)


def test_only_what_was_asked_for_is_written() -> None:
    profile(context.PYNATIVE_MODE, training_trace="on", task_trace="off")
    assert {p.name for p in Path().iterdir()} == {"timeline_0.json", "step_trace_0.csv"}


def test_task_trace_off_writes_no_summary_of_operators() -> None:
    profile(context.PYNATIVE_MODE, training_trace="off", task_trace="off")
    assert {p.name for p in Path().iterdir()} == {"timeline_0.json"}


def test_a_second_profiling_stays_beside_the_first() -> None:
    profile(context.PYNATIVE_MODE, iterations=2, training_trace="on")
    first = {path.name: path.read_bytes() for path in Path().iterdir()}
    profile(context.PYNATIVE_MODE, iterations=5, training_trace="on", task_trace="on")
    profile(context.PYNATIVE_MODE, iterations=1, task_trace="on")
    assert {path.name: path.read_bytes() for path in Path().iterdir() if path.name in first} == first
    assert {path.name for path in Path().iterdir()} - set(first) == {
        *("timeline_0_1.json", "step_trace_0_1.csv", "operator_summary_0_1.csv"),
        *("timeline_0_2.json", "operator_summary_0_2.csv"),
    }
    assert (len(rows("step_trace_0.csv")), len(rows("step_trace_0_1.csv"))) == (2, 5)


def test_a_point_that_no_operator_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        profile(context.PYNATIVE_MODE, training_trace="on", fp_point="Default/nothing", bp_point="ReLU")
        profile(context.PYNATIVE_MODE, training_trace="on", fp_point="Default/nothing", bp_point="MatMul9")
    assert [str(w.message) for w in caught if "_point" in str(w.message)] == [
        "profiling_options: 'fp_point' 'Default/nothing' is the name of no operator that ran; "
        "the begin of each iteration was taken",
        "profiling_options: 'bp_point' 'MatMul9' is the name of no operator that ran; "
        "the end of each iteration was taken",
    ]
    for row in rows("step_trace_0_1.csv"):
        assert (row["fp_point"], row["bp_point"]) == ("", "")
        assert (row["fp_begin_us"], row["bp_end_us"]) == (row["begin_us"], row["end_us"])


def test_points_without_the_training_trace_are_said() -> None:
    with pytest.warns(UserWarning, match="'fp_point' and 'bp_point' are for the training_trace, which is off"):
        context.set_context(profiling_options='{"task_trace": "on", "fp_point": "ReLU"}')


def test_counters_of_the_chip_are_answered_by_one_warning_and_never_invented() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for metric in ("PipeUtilization", "Memory"):
            profile(context.PYNATIVE_MODE, training_trace="on", task_trace="on", ai_core_metrics=metric)
    told = [str(w.message) for w in caught if "ai_core" in str(w.message)]
    assert told == ["'ai_core_metrics' need an Ascend chip and are not collected"]
    text = "".join(p.read_text() for p in Path().iterdir())
    assert not any(word in text for word in ("ai_core", "PipeUtilization", "mac_ratio", "L0"))
    with pytest.raises(ValueError, match="'ai_core_metrics' should be one of ArithmeticUtilization"):
        profile(context.PYNATIVE_MODE, ai_core_metrics="Everything")


@pytest.mark.parametrize(
    ("path", "message"), [("nowhere", "does not exist"), ("file", "is not a folder")], ids=["missing", "file"]
)
def test_result_path_must_be_a_folder(path: str, message: str, session: Session) -> None:
    Path("file").write_text("")
    with pytest.raises(ValueError, match=message):
        context.set_context(profiling_options=json.dumps({"result_path": path, "training_trace": "on"}))
    assert session.profiler is None


def test_off_costs_nothing(session: Session) -> None:
    context.set_context(mode=context.PYNATIVE_MODE)
    assert (session.on_cell, session.on_primitive, session.profiler) == (None, None, None)
    profile(context.PYNATIVE_MODE, training_trace="on")
    assert (session.on_cell, session.on_primitive, session.profiler) == (None, None, None)


def test_operators_outside_of_networks_are_seen() -> None:
    context.set_context(enable_profiling=True, profiling_options=json.dumps({"result_path": ".", "task_trace": "on"}))
    ops.relu(Tensor(np.ones(3, np.float32)))
    context.set_context(enable_profiling=False)
    (row,) = rows("operator_summary_0.csv")
    assert (row["operator"], row["calls"]) == ("ReLU", "1")

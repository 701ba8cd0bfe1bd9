"""The parts of a dump comparison: renames, pieces, journal, statistics, NaN, watching."""

from __future__ import annotations

import gc
import json
import math
import os
import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msdump.diff.blocks import Partial, Tolerance
from msdump.diff.dumps import processes
from msdump.diff.dumps import run as running
from msdump.diff.dumps.journal import Journal, default_path
from msdump.diff.dumps.measure import Rule, measure
from msdump.diff.dumps.nan import iter_odd
from msdump.diff.dumps.pairs import pair
from msdump.diff.dumps.renames import from_mapping, parse_rule
from msdump.diff.dumps.run import compare, cut, on_threads
from msdump.diff.dumps.stats import check_statistics, histogram, statistics_of, tensor_statistics
from msdump.diff.dumps.watch import parse_condition, watch
from msdump.diff.meter import Meter
from msdump.diff.tensors import diff_tensors, merge_all, settle
from msdump.dumps import diff_dumps
from msdump.errors import MsdumpError
from msdump.formats.dump import storage
from msdump.formats.dump.npy import NpyTensor
from msdump.formats.dump.reading import Dump
from tests.formats.dump.making import put

F: Any = np.float32

VALUES = st.one_of(
    st.floats(width=32, allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 3e38, 1e-45]),
)


@given(
    pairs=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=60),
    block=st.integers(1, 17),
    seed=st.integers(0, 1000),
    equal_nan=st.booleans(),
)
@settings(max_examples=200)
def test_blocks_merged_in_any_order_are_the_whole(
    pairs: list[tuple[float, float]], block: int, seed: int, equal_nan: bool
) -> None:
    a, b = F([p[0] for p in pairs]), F([p[1] for p in pairs])
    tolerance = Tolerance(1e-3, 1e-6, equal_nan)
    meter = Meter(a.dtype, b.dtype, tolerance, block)
    parts = []
    with np.errstate(all="ignore"):
        for start in range(0, a.size, block):
            meter.add(a[start : start + block], b[start : start + block], start)
            parts.append(meter.take())
    shuffled = random.Random(seed).sample(parts, len(parts))

    def of(total: Partial) -> Any:
        return settle(total, ("float32", "float32"), (a.shape, b.shape))

    forward, other = merge_all(parts), merge_all(shuffled)
    assert forward == other
    # Any grouping, too.
    half = len(parts) // 2
    assert merge_all(parts[:half]).merge(merge_all(parts[half:])) == forward
    whole, blocks = diff_tensors(a, b, tolerance), of(forward)
    for name in ("same", "count", "mismatched", "worst", "max_abs", "max_rel", "max_ulp", "nan", "inf"):
        assert getattr(whole, name) == getattr(blocks, name), name
    for name in ("mean_abs", "cosine", "rel_l2"):
        mine, theirs = getattr(blocks, name), getattr(whole, name)
        assert (mine is None) == (theirs is None)
        assert mine is None or mine == pytest.approx(theirs, rel=1e-9, abs=1e-12, nan_ok=True), name


def pairs_of(tmp_path: Path, count: int = 5, size: int = 200_000) -> list[Any]:
    rng = np.random.default_rng(0)
    for i in range(count):
        a = rng.standard_normal(size).astype(F)
        b = a.copy()
        b[i :: size // 3] += F(i)
        put(tmp_path / "a", f"Op{i}", a, at=i)
        put(tmp_path / "b", f"Op{i}", b, at=i)
    return pair(Dump(str(tmp_path / "a")), Dump(str(tmp_path / "b"))).pairs


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_pieces_on_threads_give_what_whole_tensors_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    pairs = pairs_of(tmp_path)
    whole = [diff_tensors(p.a.record.tensor.numpy(), p.b.record.tensor.numpy()) for p in pairs]
    monkeypatch.setattr(running, "_LARGE", 300_000)
    monkeypatch.setattr(running, "_PIECE", 70_000)
    assert sum(len(unit.pieces) for unit in cut(enumerate(pairs))) == 15
    found = compare(pairs, Rule(), on_threads(jobs))
    for result, expected in zip(found, whole, strict=True):
        for name in ("same", "mismatched", "worst", "worst_values", "max_abs", "max_rel", "max_ulp", "count"):
            assert getattr(result, name) == getattr(expected, name)
        assert result.mean_abs == pytest.approx(expected.mean_abs, rel=1e-9)


def test_what_fails_in_one_piece_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(tmp_path, 2)
    monkeypatch.setattr(running, "_LARGE", 300_000)
    monkeypatch.setattr(running, "_PIECE", 70_000)
    victim = Path(pairs[0].b.record.path)
    victim.write_bytes(victim.read_bytes()[:-4])
    found = compare(pairs, Rule(), on_threads(2))
    assert (found[0].what, found[1].what) == ("unreadable", "values")
    assert "800000 bytes of data are announced" in found[0].error


def test_units_wait_for_memory(tmp_path: Path) -> None:
    pairs = pairs_of(tmp_path, 3, 1000)
    units = [running.Unit(unit.pieces, 10**9) for p in enumerate(pairs) for unit in cut([p])]
    held = most = 0

    def counted(unit: Any, rule: Rule) -> Any:
        nonlocal held, most
        held += 1
        most = max(most, held)
        found = [measure(piece, rule) for piece in unit.pieces]
        held -= 1
        return found

    original, running.run_unit = running.run_unit, counted
    try:
        assert len(list(on_threads(3, 10**9)(units, Rule()))) == 3
    finally:
        running.run_unit = original
    assert most == 1


def test_processes_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(tmp_path)
    pairs[2].b.record.tensor.numpy()
    victim = Path(pairs[3].b.record.path)
    victim.write_bytes(victim.read_bytes()[:-4])
    monkeypatch.setattr(running, "_LARGE", 300_000)
    monkeypatch.setattr(running, "_PIECE", 70_000)
    monkeypatch.setattr(processes, "_START_AFTER", -1.0)
    expected = compare(pairs, Rule(), on_threads(1))
    assert [r.what for r in expected] == ["", "values", "values", "unreadable", "values"]
    for jobs in (1, 2, 3):
        assert compare(pairs, Rule(), processes.side_by_side(jobs)) == expected


def test_a_process_that_is_lost_takes_nothing_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(tmp_path, 8, 2000)
    monkeypatch.setattr(running, "_UNIT_PAIRS", 1)
    monkeypatch.setattr(processes, "_START_AFTER", -1.0)
    started: list[Any] = []
    popen = subprocess.Popen

    def start(*words: Any, **options: Any) -> Any:
        started.append(popen(*words, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    served = 0
    here = running.run_unit

    def slow(unit: Any, rule: Rule) -> Any:
        # Leave most of the work to the other one, and end it when it has begun.
        nonlocal served
        served += 1
        if served == 2:
            time.sleep(2)
            for process in started:
                process.kill()
        return here(unit, rule)

    monkeypatch.setattr(processes, "run_unit", slow)
    found = compare(pairs, Rule(), processes.side_by_side(2))
    assert len(started) == 1
    assert started[0].poll() is not None
    assert found == compare(pairs, Rule(), on_threads(1))


def test_no_process_outlives_a_comparison_that_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(tmp_path, 6, 2000)
    monkeypatch.setattr(running, "_UNIT_PAIRS", 1)
    monkeypatch.setattr(processes, "_START_AFTER", -1.0)
    before = threading.active_count()

    def ended(index: int, _result: Any) -> None:
        if index == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(pairs, Rule(), processes.side_by_side(2), on_result=ended)
    gc.collect()
    assert threading.active_count() == before


def test_work_waits_for_room() -> None:
    units = [running.Unit((), 70), running.Unit((), 70), running.Unit((), 10)]
    work = processes._Work(units, 100)
    first = work.take()
    assert first is units[0]
    taken: list[Any] = []
    other = threading.Thread(target=lambda: taken.append(work.take()))
    other.start()
    other.join(0.1)
    assert taken == []  # 140 is more than there is room for
    work.done(first, again=True)
    other.join(5)
    assert taken == [units[1]]
    work.done(units[1])
    assert [work.take(), work.take()] == [units[0], units[2]]  # what came back goes first
    work.close()
    assert work.take() is None


def test_the_journal_takes_up_where_a_run_was(tmp_path: Path) -> None:
    pairs = pairs_of(tmp_path, 4, 50)
    rule = Rule(Tolerance(1e-6))
    journal = Journal(str(tmp_path / "j.jsonl"), rule, storage.fingerprint)
    results = compare(pairs, rule, on_threads(1))
    journal.start(keep=False)
    for p, r in zip(pairs[:3], results, strict=False):
        journal.add(p, r)
    journal.end(finished=False)
    with open(tmp_path / "j.jsonl", "a") as file:
        file.write('{"key": "to')  # a kill tears the last line
    assert journal.done(pairs) == dict(enumerate(results[:3]))
    # Another rule, or a file written anew, knows nothing of it.
    assert Journal(str(tmp_path / "j.jsonl"), Rule(), storage.fingerprint).done(pairs) == {}
    os.utime(pairs[1].b.record.path, ns=(1, 1))
    assert set(journal.done(pairs)) == {0, 2}
    journal.start(keep=True)
    journal.add(pairs[3], results[3])
    journal.end(finished=False)
    assert set(journal.done(pairs)) == {0, 2, 3}
    journal.end(finished=True)
    assert not (tmp_path / "j.jsonl").exists()


def test_odd_numbers_survive_the_journal(tmp_path: Path) -> None:
    put(tmp_path / "a", "Add", F([math.inf, math.nan]))
    put(tmp_path / "b", "Add", F([-math.inf, 1]))
    pairs = pair(Dump(str(tmp_path / "a")), Dump(str(tmp_path / "b"))).pairs
    results = compare(pairs, Rule(), on_threads(1))
    journal = Journal(str(tmp_path / "j"), Rule(), storage.fingerprint)
    journal.start(keep=False)
    journal.add(pairs[0], results[0])
    journal.end(finished=False)
    found = journal.done(pairs)[0]
    assert (found.max_abs, found.worst, found.nan, found.inf) == (math.inf, (0,), (1, 0), (1, 1))
    assert found.worst_values == (math.inf, -math.inf)


def test_a_resumed_comparison_reads_only_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs_of(tmp_path, 4, 50)
    sides = (tmp_path / "a", tmp_path / "b")
    journal = tmp_path / "j.jsonl"
    whole = diff_dumps(*sides)
    seen = 0

    def killed(done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(running, "_UNIT_PAIRS", 1)
    with pytest.raises(KeyboardInterrupt):
        diff_dumps(*sides, journal=journal, jobs=1, on_progress=killed)
    assert len(journal.read_text().splitlines()) == 3

    def counted(_done: int, _total: int) -> None:
        nonlocal seen
        seen += 1

    again = diff_dumps(*sides, journal=journal, jobs=1, resume=True, on_progress=counted)
    assert seen == 2
    assert again == whole
    assert not journal.exists()


def test_the_journal_of_a_comparison_has_a_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path("a", "b") == default_path("a", "b") != default_path("b", "a")
    assert default_path("a", "b").startswith(str(tmp_path / "msdump"))


def test_rules_as_sed_writes_them() -> None:
    rule = parse_rule(r"s#Default/(\w+)#net_\1#")
    assert rule is not None
    assert rule.of("Add", "x", "Default/a", "output", 0)[0][0] == "net_a"
    assert parse_rule("names.yaml") is None
    assert parse_rule("sss") is None
    with pytest.raises(MsdumpError, match="is wrong"):
        parse_rule("s/(/x/")


@pytest.mark.parametrize("content", [[1], {"a": 1}, "text", None, {"/(/": "x"}])
def test_tables_that_are_none(content: Any) -> None:
    with pytest.raises(MsdumpError):
        from_mapping(content)


def test_a_table_may_hold_expressions() -> None:
    renames = from_mapping({r"/layer(\d)/": r"block\1", "a/b": "c"})
    assert renames.of("Add", "layer3", "", "output", 0) == [("block3", None, None)] * 0 + [
        ("Add.block3", None, None),
        ("block3", None, None),
    ]
    assert renames.of("Add", "a_b", "", "output", 0)[0] == ("c", None, None)


def test_statistics_count_as_mindspore_counts(tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([1, -2, 0, math.nan, math.inf, -math.inf, -math.inf, 4]))
    found = tensor_statistics(NpyTensor(str(path)), md5=True)
    assert len(found.pop("md5")) == 32
    assert found == {
        "max": 4.0,
        "min": -2.0,
        "avg": 0.75,
        "count": 8,
        "negative": 1,
        "positive": 2,
        "nan": 1,
        "negative_inf": 2,
        "positive_inf": 1,
        "zero": 1,
        "l2norm": math.sqrt(21),
    }


@pytest.mark.parametrize("array", [F([math.nan]), F([math.inf, math.nan])])
def test_no_finite_value_gives_none(array: Any) -> None:
    found = statistics_of(array).to_dict()
    assert found["max"] is found["min"] is found["avg"] is found["l2norm"] is None


def test_large_integers_keep_their_last_digit() -> None:
    found = statistics_of(np.array([2**63 - 1, -(2**63)]))
    assert (found.max, found.min) == (2**63 - 1, -(2**63))


@given(st.lists(st.lists(VALUES, max_size=8), max_size=5))
def test_statistics_merge(blocks: list[list[float]]) -> None:
    total = statistics_of(F([]))
    for block in blocks:
        total = total.merge(statistics_of(F(block)))
    whole = statistics_of(F([v for block in blocks for v in block]))
    for name in ("count", "negative", "positive", "zero", "nan", "negative_inf", "positive_inf", "max", "min"):
        assert getattr(total, name) == getattr(whole, name)


def test_saved_statistics_are_held_against_the_data() -> None:
    computed = {"max": 2.0, "min": None, "nan": 3, "md5": "a"}
    assert check_statistics({"max": 2.00001, "min": None, "nan": 3, "md5": "a"}, computed, 1e-4, 0) == []
    assert check_statistics({"max": 2.1, "min": 1.0, "nan": 2, "md5": "b"}, computed, 1e-4, 0) == [
        "max",
        "min",
        "nan",
        "md5",
    ]


def test_a_histogram(tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([0, 1, 2, 3, 4, math.nan, math.inf]))
    found = histogram(NpyTensor(str(path)), 2)
    assert (found.edges, found.counts, found.nan, found.positive_inf) == ((0, 2, 4), (2, 3), 1, 1)


def test_the_first_nan_is_made_not_passed_on(tmp_path: Path) -> None:
    clean, bad = F([1, 2]), F([1, math.nan])
    put(tmp_path, "Log", clean, "input", at=0)
    put(tmp_path, "Log", bad, at=1)
    put(tmp_path, "Add", bad, "input", at=2)
    put(tmp_path, "Add", bad, at=3)
    found = list(iter_odd(Dump(str(tmp_path))))
    assert [(x.record.op_type, x.origin) for x in found] == [("Log", True), ("Add", False)]
    assert (found[0].outputs[0].nan, found[0].outputs[0].index, found[0].inputs_known) == (1, (1,), True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
def test_infinities_in_every_float(tmp_path: Path, dtype: str) -> None:
    import ml_dtypes

    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    put(tmp_path, "Exp", np.array([1, math.inf]).astype(kind), dtype="BFloat16" if dtype == "bfloat16" else None)
    put(tmp_path, "Max", np.full(3, 6e4).astype(kind), dtype="BFloat16" if dtype == "bfloat16" else None)
    found = list(iter_odd(Dump(str(tmp_path))))
    assert [(x.record.op_type, x.outputs[0].inf, x.outputs[0].index) for x in found] == [("Exp", 1, (1,))]
    assert list(iter_odd(Dump(str(tmp_path)), infinities=False)) == []


def hits(root: Path, *conditions: str) -> list[tuple[str, int]]:
    found = watch(Dump(str(root)), [parse_condition(c) for c in conditions])
    return [(h.record.op_type, h.record.iteration) for h in found]


def test_watch_conditions(tmp_path: Path) -> None:
    for iteration, value in enumerate((1.0, 1.0, 1.5)):
        put(tmp_path, "Weight", F([value, -value]), iteration=iteration)
    put(tmp_path, "Zero", F([0, 0]))
    put(tmp_path, "Odd", F([math.nan, 1]))
    put(tmp_path, "Large", F([1e6, 0]))
    assert hits(tmp_path, "tensor_all_zero") == [("Zero", 0)]
    assert hits(tmp_path, "nan") == hits(tmp_path, "tensor_overflow") == [("Odd", 0)]
    assert hits(tmp_path, "weight_not_changed") == [("Weight", 1)]
    assert hits(tmp_path, "weight_change_too_large:abs_mean_update_ratio_gt=0.4") == [("Weight", 2)]
    assert hits(tmp_path, "weight_change_too_small:abs_mean_update_ratio_lt=0.4") == [("Weight", 1)]
    assert hits(tmp_path, "tensor_too_large:abs_mean_gt=100") == [("Large", 0)]
    assert hits(tmp_path, "tensor_too_large:max_gt=100,min_gt=0.5") == [("Large", 0), ("Odd", 0)]
    assert hits(tmp_path, "tensor_too_small:max_lt=0.5") == [("Zero", 0)]
    assert hits(tmp_path, "tensor_range:range_start_inclusive=-2,range_end_inclusive=2") == [("Large", 0), ("Odd", 0)]
    assert hits(tmp_path, "tensor_range:max_min_gt=1000") == [("Large", 0)]


@pytest.mark.parametrize("text", ["", "large", "tensor_too_large", "tensor_too_large:x=1", "tensor_too_large:max_gt=y"])
def test_conditions_that_are_none(text: str) -> None:
    with pytest.raises(MsdumpError):
        parse_condition(text)


def test_the_journal_is_text(tmp_path: Path) -> None:
    pairs = pairs_of(tmp_path, 1, 10)
    journal = Journal(str(tmp_path / "deep/j.jsonl"), Rule(), storage.fingerprint)
    journal.start(keep=False)
    journal.add(pairs[0], compare(pairs, Rule(), on_threads(1))[0])
    journal.end(finished=False)
    head, line = (tmp_path / "deep/j.jsonl").read_text().splitlines()
    assert json.loads(head)["schema"] == "msdump.dump-journal/1"
    key, files, noted = json.loads(line)
    assert key[0] == pairs[0].a.record.path
    assert files[0] == list(storage.fingerprint(pairs[0].a.record.path))
    assert noted[0] is True

"""A comparison cut into pieces: blocks that merge, threads, processes, bounds."""

from __future__ import annotations

import gc
import math
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msdump.diff.dumps import processes
from msdump.diff.dumps import units as running
from msdump.diff.dumps.launches import Launched
from msdump.diff.dumps.measure import Rule, measure
from msdump.diff.dumps.units import compare, cut, on_threads
from msdump.diff.tensor.meter import Meter
from msdump.diff.tensor.metrics import diff_tensors, settle
from msdump.diff.tensor.partial import Partial
from msdump.diff.tensor.tolerance import Tolerance
from tests.diff.tensor.partials import merge_all
from tests.formats.dump.making import pairs_of

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


def values(side: Launched) -> Any:
    assert side.record.tensor is not None
    return side.record.tensor.numpy()


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_pieces_on_threads_give_what_whole_tensors_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    pairs = pairs_of(tmp_path)
    whole = [diff_tensors(values(p.a), values(p.b)) for p in pairs]
    monkeypatch.setattr(running, "_LARGE", 300_000)
    monkeypatch.setattr(running, "_PIECE", 70_000)
    assert sum(len(unit.pieces) for unit in cut(enumerate(pairs))) == 15
    found = compare(pairs, Rule(), on_threads(jobs))
    for result, expected in zip(found, whole, strict=True):
        for name in ("same", "mismatched", "worst", "worst_values", "max_abs", "max_rel", "max_ulp", "count"):
            assert getattr(result.diff, name) == getattr(expected, name)
        assert result.diff.mean_abs == pytest.approx(expected.mean_abs, rel=1e-9)


def test_what_fails_in_one_piece_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(tmp_path, 2)
    monkeypatch.setattr(running, "_LARGE", 300_000)
    monkeypatch.setattr(running, "_PIECE", 70_000)
    victim = Path(pairs[0].b.record.path)
    victim.write_bytes(victim.read_bytes()[:-4])
    found = compare(pairs, Rule(), on_threads(2))
    assert (found[0].verdict.what, found[1].verdict.what) == ("unreadable", "values")
    assert "800000 bytes of data are announced" in found[0].verdict.error


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
    victim = Path(pairs[3].b.record.path)
    victim.write_bytes(victim.read_bytes()[:-4])
    monkeypatch.setattr(running, "_LARGE", 300_000)
    monkeypatch.setattr(running, "_PIECE", 70_000)
    monkeypatch.setattr(processes, "_START_AFTER", -1.0)
    expected = compare(pairs, Rule(), on_threads(1))
    assert [r.verdict.what for r in expected] == ["", "values", "values", "unreadable", "values"]
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


def test_a_process_whose_starter_is_gone_ends_quietly() -> None:

    code = "from msdump.diff.dumps.processes import serve; serve()"
    for sent in (b"", pickle.dumps(Rule()), pickle.dumps(Rule())[:-3]):
        read, write = os.pipe()
        os.close(read)  # nobody reads what it says
        ran = subprocess.run(
            [sys.executable, "-c", code], input=sent, stdout=write, stderr=subprocess.PIPE, check=False, timeout=60
        )
        os.close(write)
        assert (ran.returncode, ran.stderr) == (0, b"")

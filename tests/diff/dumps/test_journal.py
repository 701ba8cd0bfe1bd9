"""The journal of a comparison: a killed one goes on where it was."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.diff.dumps import units as running
from msdump.diff.dumps.journal import Journal, default_path
from msdump.diff.dumps.measure import Rule
from msdump.diff.dumps.pairs import pair
from msdump.diff.dumps.result import TensorResult
from msdump.diff.dumps.units import compare, on_threads
from msdump.diff.tensor.tolerance import Tolerance
from msdump.dtype import by_name
from msdump.dumps.comparing import diff_dumps
from msdump.formats.dump import storage
from msdump.formats.dump.bin import write_bin
from msdump.formats.dump.reading import Dump
from tests.formats.dump.making import STAMP, pairs_of, put

F: Any = np.float32


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


def noted(tmp_path: Path) -> tuple[TensorResult, TensorResult]:
    """How the one pair of two dumps compares, and what a journal says of it."""
    pairs = pair(Dump(str(tmp_path / "a")), Dump(str(tmp_path / "b"))).pairs
    (result,) = compare(pairs, Rule(), on_threads(1))
    journal = Journal(str(tmp_path / "j"), Rule(), storage.fingerprint)
    journal.start(keep=False)
    journal.add(pairs[0], result)
    journal.end(finished=False)
    return result, journal.done(pairs)[0]


def test_odd_numbers_survive_the_journal(tmp_path: Path) -> None:
    put(tmp_path / "a", "Add", F([math.inf, math.nan]))
    put(tmp_path / "b", "Add", F([-math.inf, 1]))
    _, found = noted(tmp_path)
    assert (found.diff.max_abs, found.diff.worst, found.diff.nan, found.diff.inf) == (
        math.inf,
        (0,),
        (1, 0),
        (1, 1),
    )
    assert found.diff.worst_values == (math.inf, -math.inf)


@pytest.mark.parametrize("name", ["Float16", "Float32", "BFloat16", "Int64", "Bool", "Complex64", "Float8E4M3FN"])
def test_worst_values_keep_their_type_in_the_journal(tmp_path: Path, name: str) -> None:
    dtype = by_name(name)
    assert dtype is not None
    for side, value in (("a", 1), ("b", 0)):
        array = np.array([1, 0.1 if dtype.np.kind in "fcV" else 0, value]).astype(dtype.np)
        write_bin(_made(tmp_path / side) / f"Add.x.0.0.{STAMP}", [], [array])
    result, found = noted(tmp_path)
    before, after = result.diff.worst_values, found.diff.worst_values
    assert before is not None
    assert after is not None
    assert [(type(v), repr(v)) for v in after] == [(type(v), repr(v)) for v in before]


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


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


def test_the_journal_is_text(tmp_path: Path) -> None:
    pairs = pairs_of(tmp_path, 1, 10)
    journal = Journal(str(tmp_path / "j.jsonl"), Rule(), storage.fingerprint)
    journal.start(keep=False)
    journal.add(pairs[0], compare(pairs, Rule(), on_threads(1))[0])
    journal.end(finished=False)
    head, line = (tmp_path / "j.jsonl").read_text().splitlines()
    assert json.loads(head)["schema"] == "msdump.dump-journal/1"
    key, files, noted = json.loads(line)
    assert key[0] == pairs[0].a.record.path
    assert files[0] == list(storage.fingerprint(pairs[0].a.record.path))
    assert noted[0] is True

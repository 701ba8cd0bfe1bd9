"""The same comparison on Dask: real processes, one of them killed in the middle."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.diff.dumps import run as running
from msdump.diff.dumps.measure import Rule
from msdump.diff.dumps.pairs import Pair, pair
from msdump.diff.dumps.run import compare, on_threads
from msdump.dumps import diff_dumps
from msdump.errors import MsdumpError
from msdump.formats.dump.reading import Dump
from tests.formats.dump.making import put

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("dumps")
    rng = np.random.default_rng(1)
    for i in range(24):
        a = rng.standard_normal(40_000).astype(np.float32)
        put(root / "a", "Add", a, name=f"Default_Add-op{i}", at=i, rank=i % 2)
        put(root / "b", "Add", a if i % 3 else a + 1, name=f"Default_Add-op{i}", at=i, rank=i % 2)
    return root / "a", root / "b"


def pairs_of(sides: tuple[Path, Path]) -> list[Pair]:
    return pair(Dump(str(sides[0])), Dump(str(sides[1]))).pairs


def test_a_worker_killed_in_the_middle_loses_nothing(sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from msdump.diff.dumps.cluster import open_cluster

    monkeypatch.setattr(running, "_UNIT_PAIRS", 1)
    pairs = pairs_of(sides)
    expected = compare(pairs, Rule(), on_threads(1))
    killed: list[int] = []
    with open_cluster(2, None) as cluster:
        processes: dict[str, int] = cluster.client.run(os.getpid)
        assert len(set(processes.values())) == 2

        def on_result(index: int, _result: Any) -> None:
            if index >= 0 and not killed:
                killed.append(next(iter(processes.values())))
                os.kill(killed[0], signal.SIGKILL)

        found = compare(pairs, Rule(), cluster.runner(), on_result=on_result)
        assert killed[0] not in set(cluster.client.run(os.getpid).values())
    assert found == expected


def test_a_scheduler_elsewhere_lists_and_compares(sides: tuple[Path, Path]) -> None:
    distributed: Any = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50, processes=False
    ) as cluster:
        found = diff_dumps(*sides, scheduler=cluster.scheduler_address.removeprefix("tcp://"))
    assert found == diff_dumps(*sides)


def test_a_scheduler_that_does_not_answer(sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("refused")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(MsdumpError, match="the scheduler at localhost:1 does not answer: refused"):
        diff_dumps(*sides, scheduler="localhost:1")

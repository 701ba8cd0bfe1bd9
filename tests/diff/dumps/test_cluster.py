"""The same comparison on Dask: real processes, one of them killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.diff.dumps import units as running
from msdump.diff.dumps.measure import Rule
from msdump.diff.dumps.pairs import Pair, pair
from msdump.diff.dumps.units import compare, on_threads
from msdump.dumps.comparing import diff_dumps
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
        for process in processes.values():
            os.kill(process, signal.SIGINT)  # Ctrl-C goes to all processes of a terminal, and is not theirs

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


def test_a_worker_that_cannot_do_it_is_told(sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from msdump.diff.dumps.cluster import open_cluster

    with open_cluster(1, None) as cluster:
        with pytest.raises(MsdumpError) as caught:
            cluster.on_each_host(os.listdir, "/no/such/place")
        assert caught.value.what == (
            "a worker of the cluster failed: [Errno 2] No such file or directory: '/no/such/place'"
        )
        pairs = pairs_of(sides)
        one = pairs[0].a.record.path
        cluster.hosts = {one: frozenset({"here"}), pairs[0].b.record.path: frozenset({"there"})}
        found = compare(pairs[:2], Rule(), cluster.runner())
    assert [r.verdict.what for r in found] == ["unreadable", ""]
    assert found[0].verdict.error == f"no host of the cluster sees both {one} and {pairs[0].b.record.path}"


def test_a_scheduler_that_does_not_answer(sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("refused")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(MsdumpError, match="the scheduler at localhost:1 does not answer: refused"):
        diff_dumps(*sides, scheduler="localhost:1")


HIDING = """
import os
HIDDEN = {hidden!r}
opened, told, listed = os.open, os.stat, os.scandir

def hide(real):
    def guarded(path, *args, **kwargs):
        if isinstance(path, str) and os.sep + HIDDEN in path:
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path, *args, **kwargs)
    return guarded

class Listing:
    def __init__(self, path=".", listed=listed):
        self.entries = listed(path)
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.entries.close()
    def __iter__(self):
        return (entry for entry in self.entries if entry.name != HIDDEN)

if listed.__name__ != "Listing":  # a preload is run more than once
    os.open, os.stat, os.scandir = hide(opened), hide(told), Listing
"""


@pytest.mark.skipif(not os.path.exists("/proc"), reason="other loopback addresses than 127.0.0.1 are Linux's")
def test_ranks_are_compared_where_they_lie(sides: tuple[Path, Path], tmp_path: Path) -> None:
    """Two hosts, of which each sees one rank alone."""
    distributed: Any = pytest.importorskip("distributed")
    expected = diff_dumps(*sides)
    a, b = sides
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster:
        workers = []
        for host, hidden in (("127.0.0.1", "rank_1"), ("127.0.0.2", "rank_0")):
            preload = tmp_path / f"hide_{hidden}.py"
            preload.write_text(HIDING.format(hidden=hidden))
            command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
            command += ["--host", host, "--no-dashboard", "--nthreads", "1", "--preload", str(preload)]
            workers.append(subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=tmp_path))
        try:
            cluster.wait_for_workers(2, timeout=60)
            found = diff_dumps(a, b, scheduler=cluster.scheduler_address.removeprefix("tcp://"))
            where = {dict(told)["host"] for told in cluster.scheduler_info["workers"].values()}
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait(30)
    assert where == {"127.0.0.1", "127.0.0.2"}
    assert [(t.which.rank, t.which.op, t.same, t.diff.max_abs) for t in found] == [
        (t.which.rank, t.which.op, t.same, t.diff.max_abs) for t in expected
    ]
    assert found.problems == ()
    assert not found.only_a
    assert not found.only_b

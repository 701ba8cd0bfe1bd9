"""Two dumps compared: pairs, who works them off, what is noted on the way, and the result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from msdump.collector import collector_paused
from msdump.diff.dumps.journal import Journal, default_path
from msdump.diff.dumps.measure import Rule, tensor_of
from msdump.diff.dumps.pairs import Pair, Pairing
from msdump.diff.dumps.processes import side_by_side
from msdump.diff.dumps.renames import Renames
from msdump.diff.dumps.result import DumpDiff, Spot, TensorResult, Unpaired
from msdump.diff.dumps.units import MEMORY, Runner, compare, default_jobs, gil_enabled, on_threads
from msdump.diff.tensor.tolerance import Tolerance
from msdump.dtype import by_name
from msdump.dumps.opening import GraphNames, Numbers, Patterns, chosen, operators_beside, operators_in, read_renames
from msdump.dumps.pairing import listed_everywhere, pair_dumps, pair_records, require_pairs
from msdump.formats.dump import storage
from msdump.formats.dump.npy import NpyTensor, mislabelled
from msdump.formats.dump.reading import Dump
from msdump.pipes import local

if TYPE_CHECKING:
    from msdump.diff.dumps.cluster import Cluster
    from msdump.diff.dumps.launches import Launched
    from msdump.diff.dumps.operators import OperatorIndex

Path: TypeAlias = "str | os.PathLike[str]"


_JOURNAL_AFTER = 2.0
"""Seconds after which a comparison begins to note what is done."""


def diff_dumps(
    a: Path,
    b: Path,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    equal_nan: bool = False,
    strict_dtype: bool = False,
    renames: Renames | str | None = None,
    graph: Path | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    iterations: Numbers = None,
    ranks: Numbers = None,
    ops: Patterns = (),
    jobs: int | None = None,
    memory: int = MEMORY,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    journal: Path | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> DumpDiff:
    """Compare two dumps tensor by tensor; the result is a sequence of frozen TensorResults.

    Two numbers are equal when `|a-b| <= atol + rtol*|b|`; the default is exactly equal.

    Args:
        a: the first dump (a path or a fsspec URL).
        b: the second.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: NaN equals NaN.
        strict_dtype: a different dtype is a difference, even when the values agree.
        renames: how operators of A are called in B: Renames, or what `--map` takes.
        graph: a graph file for scopes and source lines; None: those beside the dump.
        include: as `read_dump` has it, and so exclude, iterations, ranks, ops.
        exclude: patterns that are not wanted.
        iterations: only these.
        ranks: only these.
        ops: only these operators.
        jobs: how many work side by side; None: as many as there are processors.
        memory: bytes that are held at most, about.
        workers: so many processes on this machine, by way of Dask (`msdump[dask]`).
        scheduler: "HOST:PORT" of a Dask scheduler whose workers do the work.
        resume: go on where a killed run of the same comparison was.
        journal: the file that remembers what is done; None: one in the user's cache.
        on_progress: told how many of how many tensors are compared.

    Raises:
        NothingToCompare: no tensor has a partner.
        MsdumpError: a side cannot be read at all.
        WriteError: the journal that was asked for cannot be written.
    """
    if isinstance(renames, str):
        renames = read_renames(renames)
    given = None if graph is None else operators_in(graph)
    names = GraphNames(None if given is None else tuple(given.names))
    selection = chosen(include, exclude, iterations, ranks, ops)
    left, right = (Dump(local(side), selection, names) for side in (a, b))
    rule = Rule(Tolerance(rtol, atol, equal_nan), strict_dtype)
    remote = storage.is_url(left.root) or storage.is_url(right.root)
    # Records, pairs and results are many, and none holds another; what Dask makes may.
    paused = nullcontext() if workers or scheduler else collector_paused()
    with paused, _runner(jobs, memory, workers, scheduler, remote) as (runner, lister):
        pairing = pair_dumps(left, right, renames) if lister is None else lister(left, right, renames)
        require_pairs(left, right, pairing)
        results = _compare(left, right, pairing, rule, runner, resume, journal, on_progress)
    places = given or operators_beside(left, [p.a.record for p in pairing.pairs])
    problems = [p.line for p in (*left.problems, *right.problems)]
    problems += [r.verdict.error for r in results if r.verdict.what == "unreadable"]
    notes = [str(n) for n in (*left.notes, *right.notes)]
    notes += [note for pair, r in zip(pairing.pairs, results, strict=True) for note in _labels(pair, r)]
    return DumpDiff(
        tuple(_placed(r, places) for r in results) if places is not None else tuple(results),
        tuple(_unpaired(x, places) for x in pairing.only_a),
        tuple(_unpaired(x, places) for x in pairing.only_b),
        rule.tolerance,
        tuple(dict.fromkeys(problems)),
        tuple(dict.fromkeys(notes)),
    )


def _compare(
    a: Dump,
    b: Dump,
    pairing: Pairing,
    rule: Rule,
    runner: Runner,
    resume: bool,
    journal: Path | None,
    on_progress: Callable[[int, int], None] | None,
) -> list[TensorResult]:
    pairs = pairing.pairs
    asked = journal is not None
    kept = os.fspath(journal) if journal is not None else default_path(a.root, b.root)
    notes = Journal(kept, rule, storage.fingerprint, asked=asked)
    if asked:
        notes.check()
    done = notes.done(pairs) if resume else {}
    count = len(done)
    written = False
    began = time.monotonic()
    pending: list[tuple[int, TensorResult]] = []

    def on_result(index: int, result: TensorResult) -> None:
        nonlocal count, written
        count += 1
        pending.append((index, result))
        # Short comparisons leave no trace: a journal is begun when one has taken a while.
        if not written and (asked or resume or time.monotonic() - began > _JOURNAL_AFTER):
            notes.start(keep=bool(done))
            written = True
        if written:
            for at, known in pending:
                notes.add(pairs[at], known)
            pending.clear()
        if on_progress is not None:
            on_progress(count, len(pairs))

    finished = False
    try:
        results = compare(pairs, rule, runner, done=done, on_result=on_result)
        finished = True
    finally:
        notes.end(finished and (written or bool(done)))
    return results


Lister: TypeAlias = "Callable[[Dump, Dump, Renames | None], Pairing]"


@contextmanager
def _runner(
    jobs: int | None, memory: int, workers: int | None, scheduler: str | None, remote: bool
) -> Iterator[tuple[Runner, Lister | None]]:
    if workers is None and scheduler is None:
        # Threads where waiting for the network is what takes time, and where they run side by side.
        side = on_threads if remote or not gil_enabled() else side_by_side
        yield side(jobs or default_jobs(), memory), None
        return
    from msdump.diff.dumps.cluster import open_cluster

    with open_cluster(workers, scheduler) as cluster:

        def lister(a: Dump, b: Dump, renames: Renames | None, cluster: Cluster = cluster) -> Pairing:
            hosts: dict[str, set[str]] = {}
            left, right = (listed_everywhere(dump, cluster, hosts) for dump in (a, b))
            everywhere = set(cluster.workers().values())
            cluster.hosts = {path: frozenset(found) for path, found in hosts.items() if found != everywhere}
            return pair_records(a, b, left, right, renames)

        yield cluster.runner(), lister if scheduler is not None else None


def _labels(pair: Pair, result: TensorResult) -> Iterator[str]:
    """Notes on files whose names spell another type than was read, whoever read them."""
    for side, dtype in zip((pair.a, pair.b), result.diff.dtype, strict=True):
        tensor = side.record.tensor
        read = by_name(dtype)
        if isinstance(tensor, NpyTensor) and read is not None and (said := mislabelled(tensor.token, read)):
            yield f"{tensor.path}: {said}"


def _placed(result: TensorResult, places: OperatorIndex) -> TensorResult:
    spot = places.spot(result.scope, result.which.op_name, result.which.graph)
    if spot is None:
        return result
    return replace(result, spot=Spot(result.scope or spot.full_name, spot.source, spot.code))


def _unpaired(launched: Launched, places: OperatorIndex | None) -> Unpaired:
    r = launched.record
    spot = None if r.scope_name or places is None else places.spot("", r.op_name, r.graph)
    return Unpaired(tensor_of(launched), r.scope_name or (spot.full_name if spot else ""), r.path)

"""A comparison cut into pieces, and the pieces worked off side by side.

A large tensor is cut into many pieces, small ones are gathered into one unit of work. What is in
memory at one time stays below a bound: pieces are streamed in chunks, and units that must hold whole
tensors (layouts of a chip, packed types) wait until there is room. Threads do the work where reading
is what takes time (URLs) and where Python has no lock; else processes do (processes.py).
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TypeAlias

from msdump.diff.dumps.measure import Measured, Outcome, Piece, Rule, conclude, measure, piece_of, result_of, unreadable
from msdump.diff.dumps.pairs import Pair
from msdump.diff.dumps.result import TensorResult
from msdump.diff.tensor.metrics import comparable
from msdump.diff.tensor.partial import Partial
from msdump.errors import MsdumpError

MEMORY = 1 << 30
"""Bytes a comparison may hold, unless it is told otherwise."""
_LARGE = 1 << 25
"""Tensors of more bytes are cut into pieces."""
_SMALL = 1 << 17
"""Files of up to so many bytes are read at once."""
_PIECE = 1 << 22
"""Elements of such a piece."""
_UNIT = 1 << 24
"""Bytes of small tensors gathered into one unit of work."""
_UNIT_PAIRS = 256


@dataclass(frozen=True, slots=True)
class Unit:
    """Pieces that are worked off together, and the bytes that takes at most."""

    pieces: tuple[Piece, ...]
    demand: int


Runner: TypeAlias = "Callable[[Iterable[Unit], Rule], Iterator[list[Measured]]]"
"""Works off units and gives what they gave, in any order."""


def run_unit(unit: Unit, rule: Rule) -> list[Measured]:
    """Work off one unit."""
    return [measure(piece, rule) for piece in unit.pieces]


def weight(pair: Pair) -> int:
    """Bytes of the larger side; 0 for statistics. Raises what reading a file's size raises."""
    return max(t.nbytes if (t := side.record.tensor) is not None else 0 for side in (pair.a, pair.b))


def cut(pairs: Iterable[tuple[int, Pair]]) -> Iterator[Unit]:
    """Units of work for numbered pairs, in their order."""
    gathered: list[Piece] = []
    load = largest = 0
    for index, pair in pairs:
        try:
            size = weight(pair)
        except MsdumpError:
            size = 0  # measuring it will say why
        if size > _LARGE:
            yield from _cut_large(index, pair, size)
            continue
        gathered.append(piece_of(index, pair, small=0 < size <= _SMALL))
        load += size
        largest = max(largest, size)
        if load >= _UNIT or len(gathered) >= _UNIT_PAIRS:
            yield Unit(tuple(gathered), 6 * largest)
            gathered, load, largest = [], 0, 0
    if gathered:
        yield Unit(tuple(gathered), 6 * largest)


def _cut_large(index: int, pair: Pair, size: int) -> Iterator[Unit]:
    a, b = pair.a.record.tensor, pair.b.record.tensor
    whole = Unit((piece_of(index, pair),), 6 * size)
    try:
        if a is None or b is None or not (a.sliceable and b.sliceable) or not comparable(a.shape, b.shape):
            yield whole
            return
        count = math.prod(a.shape)
    except MsdumpError:
        yield whole
        return
    for start in range(0, count, _PIECE):
        yield Unit((piece_of(index, pair, start, min(start + _PIECE, count)),), 1 << 22)


def on_threads(jobs: int, memory: int = MEMORY) -> Runner:
    """A Runner that works off units with `jobs` threads, holding at most about `memory` bytes."""

    def run(units: Iterable[Unit], rule: Rule) -> Iterator[list[Measured]]:
        if jobs == 1:
            for unit in units:
                yield run_unit(unit, rule)
            return
        waiting = iter(units)
        running: dict[Future[list[Measured]], int] = {}
        held = 0
        following = next(waiting, None)
        with ThreadPoolExecutor(jobs, thread_name_prefix="msdump") as pool:
            try:
                while following is not None or running:
                    while following is not None and len(running) < jobs + 2:
                        if running and held + following.demand > memory:
                            break
                        running[pool.submit(run_unit, following, rule)] = following.demand
                        held += following.demand
                        following = next(waiting, None)
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        held -= running.pop(future)
                        yield future.result()
            except BaseException:
                for future in running:
                    future.cancel()
                raise

    return run


def gil_enabled() -> bool:
    """Whether threads of this interpreter take turns."""
    asked = getattr(sys, "_is_gil_enabled", None)
    return True if asked is None else bool(asked())


def default_jobs() -> int:
    """As many as this process may use processors."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


@dataclass(slots=True)
class _Large:
    """A pair whose pieces come one by one."""

    missing: int
    total: Partial = field(default_factory=Partial)
    error: Outcome | None = None


def compare(
    pairs: list[Pair],
    rule: Rule,
    runner: Runner,
    *,
    done: dict[int, TensorResult] | None = None,
    on_result: Callable[[int, TensorResult], None] | None = None,
) -> list[TensorResult]:
    """The results of all pairs, in their order.

    Args:
        pairs: what meets what.
        rule: when two tensors are the same.
        runner: who works off the units.
        done: results that are known already, by place in `pairs`.
        on_result: told of each result as it comes.
    """
    results: list[TensorResult | None] = [None] * len(pairs)
    for index, known in (done or {}).items():
        results[index] = known
    large: dict[int, _Large] = {}

    def counted(units: Iterable[Unit]) -> Iterator[Unit]:
        # A pair's pieces are cut one after another, so its last one is known when the next pair's come.
        for unit in units:
            for piece in unit.pieces:
                if piece.stop >= 0 and piece.index not in large:
                    tensor = piece.a.tensor
                    assert tensor is not None
                    large[piece.index] = _Large(-(-math.prod(tensor.shape) // _PIECE))
            yield unit

    def keep(index: int, outcome: Outcome) -> None:
        results[index] = result = result_of(pairs[index], outcome)
        if on_result is not None:
            on_result(index, result)

    wanted = ((i, pair) for i, pair in enumerate(pairs) if results[i] is None)
    for measured in runner(counted(cut(wanted)), rule):
        for found in measured:
            state = large.get(found.index)
            if state is None:
                assert found.outcome is not None
                keep(found.index, found.outcome)
                continue
            state.missing -= 1
            if found.part is not None:
                state.total = state.total.merge(found.part)
            else:
                state.error = state.error or found.outcome
            if state.missing == 0:
                keep(found.index, state.error or _settled(pairs[found.index], rule, state.total))
                del large[found.index]
    return [
        r if r is not None else result_of(pairs[i], unreadable("it was never compared")) for i, r in enumerate(results)
    ]


def _settled(pair: Pair, rule: Rule, total: Partial) -> Outcome:
    a, b = pair.a.record.tensor, pair.b.record.tensor
    assert a is not None
    assert b is not None
    try:
        return conclude(a, b, rule, total)
    except MsdumpError as error:
        return unreadable(error.line)

"""One pair of tensors, or a piece of a large one, compared: the unit of work of a comparison.

Pieces and what comes out of them are plain data, so that a thread, another process or another
machine can do the work.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from msdump.diff.dumps.launches import Launched
from msdump.diff.dumps.pairs import Pair
from msdump.diff.dumps.result import NOWHERE, DumpedTensor, Spot, TensorResult, Verdict
from msdump.diff.dumps.saved_statistics import differing, largest_gap
from msdump.diff.dumps.tensor_statistics import tensor_statistics
from msdump.diff.tensor.meter import Meter
from msdump.diff.tensor.metrics import Shape, TensorDiff, comparable, diff_tensors, settle
from msdump.diff.tensor.partial import Partial
from msdump.diff.tensor.tolerance import Tolerance
from msdump.dtype import by_name
from msdump.errors import MsdumpError
from msdump.tensor import TensorData

Array: TypeAlias = "np.ndarray[Any, Any]"

CHUNK = 1 << 18
"""Elements of each side read at once from a large tensor."""
_BLOCK = 1 << 14
"""Elements measured at once: large enough that Python's part is small, small enough for the cache."""
SMALL = 1 << 16
"""Tensors of up to so many elements are read whole."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When two tensors are the same: the tolerance, and whether dtypes must be equal too."""

    tolerance: Tolerance = Tolerance()  # noqa: RUF009  # frozen, so one may serve for all
    strict_dtype: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """What one side of a pair is compared by: its tensor, or its statistics when there is none."""

    path: str
    tensor: TensorData | None
    statistics: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Elements `start` to `stop` of pair number `index`; all of it when `stop` is -1. `small` says that
    both tensors are read at once, before anything else is known of them."""

    index: int
    a: Side
    b: Side
    start: int = 0
    stop: int = -1
    small: bool = False


class Outcome(NamedTuple):
    """How the tensors of a pair compare."""

    verdict: Verdict
    diff: TensorDiff


_SAME, _DIFFERENT, _OTHER_SHAPE, _OTHER_TYPE = (
    Verdict(),
    Verdict(False, "values"),
    Verdict(False, "shape"),
    Verdict(False, "dtype"),
)
_UNKNOWN = TensorDiff(False, ("", ""), (None, None))


@dataclass(frozen=True, slots=True)
class Measured:
    """What a piece gave: the `outcome` of a whole pair, or the `part` of a piece from `start` on."""

    index: int
    outcome: Outcome | None = None
    part: Partial | None = None
    start: int = 0


def piece_of(index: int, pair: Pair, start: int = 0, stop: int = -1, small: bool = False) -> Piece:
    """A pair, or some elements of it, as a piece of work."""
    a, b = (
        Side(r.path, r.tensor, r.statistics if pair.a.record.tensor is None or pair.b.record.tensor is None else None)
        for r in (pair.a.record, pair.b.record)
    )
    return Piece(index, a, b, start, stop, small)


def tensor_of(launched: Launched) -> DumpedTensor:
    """Which tensor a record is of."""
    r = launched.record
    return DumpedTensor(
        r.op_type, r.op_name, r.io, r.slot, r.iteration, r.rank, r.graph, occurrence=launched.occurrence
    )


def result_of(pair: Pair, outcome: Outcome) -> TensorResult:
    """The result of a pair: which tensors are meant, and how they compare."""
    r = pair.a.record
    spot = Spot(r.scope_name) if r.scope_name else NOWHERE
    return TensorResult(tensor_of(pair.a), *outcome, path=(r.path, pair.b.record.path), spot=spot)


def measure(piece: Piece, rule: Rule) -> Measured:
    """Compare one piece. What cannot be read becomes an error that is known."""
    try:
        if piece.stop >= 0:
            a, b = piece.a.tensor, piece.b.tensor
            assert a is not None
            assert b is not None
            part = _stream(a, b, rule.tolerance, piece.start, piece.stop)
            return Measured(piece.index, part=part, start=piece.start)
        return Measured(piece.index, _whole(piece, rule))
    except MsdumpError as error:
        return Measured(piece.index, unreadable(error.line))


def unreadable(error: str) -> Outcome:
    """The outcome of a pair of which a side could not be read."""
    return Outcome(Verdict(False, "unreadable", error=error), _UNKNOWN)


def _whole(piece: Piece, rule: Rule) -> Outcome:
    a, b = piece.a.tensor, piece.b.tensor
    if a is None or b is None:
        return _by_statistics(_statistics(piece.a), _statistics(piece.b), rule)
    if not piece.small:
        if not comparable(a.shape, b.shape):
            return _outcome(rule, TensorDiff(False, _names(a, b), (a.shape, b.shape)))
        count = math.prod(a.shape)
        if count > SMALL and a.sliceable and b.sliceable:
            return conclude(a, b, rule, _stream(a, b, rule.tolerance, 0, count))
    x, y = a.numpy(), b.numpy()
    return _outcome(rule, diff_tensors(x, y, rule.tolerance, _names(a, b)))


_HELD = threading.local()


def _room() -> tuple[memoryview, memoryview]:
    """Room for a chunk of each side, one pair a thread: fresh memory costs more than reading into it."""
    found = getattr(_HELD, "room", None)
    if found is None:
        found = _HELD.room = tuple(memoryview(bytearray(CHUNK * 16)) for _ in range(2))
    return found[0], found[1]


def _stream(a: TensorData, b: TensorData, tolerance: Tolerance, start: int, stop: int) -> Partial:
    """The Partial of elements `start` to `stop`, of which only a chunk is in memory at a time."""
    meter = Meter(a.dtype.np, b.dtype.np, tolerance, _BLOCK)
    left, right = _room()
    with np.errstate(all="ignore"):
        for at in range(start, stop, CHUNK):
            end = min(at + CHUNK, stop)
            x, y = a.flat(at, end, left), b.flat(at, end, right)
            for block in range(0, end - at, _BLOCK):
                meter.add(x[block : block + _BLOCK], y[block : block + _BLOCK], at + block)
    return meter.take()


def conclude(a: TensorData, b: TensorData, rule: Rule, total: Partial) -> Outcome:
    """The outcome of two tensors from what all pieces of them gave."""
    return _outcome(rule, settle(total, _names(a, b), (a.shape, b.shape)))


def _names(a: TensorData, b: TensorData) -> tuple[str, str]:
    return a.dtype.name, b.dtype.name


def _outcome(rule: Rule, diff: TensorDiff) -> Outcome:
    if diff.shapes_differ:
        return Outcome(_OTHER_SHAPE, diff)
    if not diff.same:
        return Outcome(_DIFFERENT, diff)
    return Outcome(_OTHER_TYPE if rule.strict_dtype and diff.dtype[0] != diff.dtype[1] else _SAME, diff)


def _by_statistics(a: dict[str, Any], b: dict[str, Any], rule: Rule) -> Outcome:
    dtype = (str(a.get("dtype", "")), str(b.get("dtype", "")))
    shape = (a.get("shape"), b.get("shape"))
    verdict = _verdict_by_statistics(a, b, dtype, shape, rule)
    nan = (int(a.get("nan") or 0), int(b.get("nan") or 0))
    odd = (_infinities(a), _infinities(b))
    count, gap = int(a.get("count") or 0), largest_gap(a, b)
    return Outcome(verdict, TensorDiff(verdict.same, dtype, shape, count, max_abs=gap, nan=nan, inf=odd))


def _verdict_by_statistics(
    a: dict[str, Any], b: dict[str, Any], dtype: tuple[str, str], shape: tuple[Shape, Shape], rule: Rule
) -> Verdict:
    if not comparable(*shape):
        return Verdict(False, "shape", "statistics")
    wrong = differing(a, b, rule.tolerance)
    if wrong is None:
        return Verdict(False, "statistics", "statistics", error="the two sides have no statistic in common")
    if wrong:
        # NaN of which it is not known whether it stands at the same places.
        odd = "nan" not in wrong and not differing(a, b, replace(rule.tolerance, equal_nan=True))
        error = "NaN, or no finite value, on both sides (--equal-nan takes them for equal)" if odd else ""
        return Verdict(False, "statistics", "statistics", tuple(wrong), error)
    if rule.strict_dtype and _spelled(dtype[0]) != _spelled(dtype[1]):
        return Verdict(False, "dtype", "statistics")
    return Verdict(by="statistics")


def _spelled(dtype: str) -> str:
    known = by_name(dtype)
    return known.name if known is not None else dtype


def _infinities(statistics: dict[str, Any]) -> int:
    return int(statistics.get("negative_inf") or 0) + int(statistics.get("positive_inf") or 0)


def _statistics(side: Side) -> dict[str, Any]:
    if side.statistics is not None:
        return side.statistics
    tensor = side.tensor
    assert tensor is not None
    return {**tensor_statistics(tensor, md5=True), "dtype": tensor.dtype.name, "shape": tensor.shape}

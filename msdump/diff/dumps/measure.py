"""One pair of tensors, or a piece of a large one, compared: the unit of work of a comparison.

Pieces and what comes out of them are plain data, so that a thread, another process or another
machine can do the work.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from msdump.diff.dumps.pairs import Pair
from msdump.diff.dumps.result import TensorResult
from msdump.diff.dumps.saved_statistics import differing, largest_gap
from msdump.diff.dumps.tensor_statistics import tensor_statistics
from msdump.diff.tensor.meter import Meter
from msdump.diff.tensor.metrics import TensorDiff, comparable, diff_tensors, settle
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


Known: TypeAlias = "dict[str, Any]"
"""What is known of how a pair compares: fields of its TensorResult."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a piece gave: what is `known` of a whole pair, or the `part` of a piece from `start` on."""

    index: int
    known: Known | None = None
    part: Partial | None = None
    start: int = 0


_TAKEN = tuple(f.name for f in fields(TensorDiff) if f.name not in ("same", "dtype"))


def piece_of(index: int, pair: Pair, start: int = 0, stop: int = -1, small: bool = False) -> Piece:
    """A pair, or some elements of it, as a piece of work."""
    a, b = (
        Side(r.path, r.tensor, r.statistics if pair.a.record.tensor is None or pair.b.record.tensor is None else None)
        for r in (pair.a.record, pair.b.record)
    )
    return Piece(index, a, b, start, stop, small)


def result_of(pair: Pair, known: Known) -> TensorResult:
    """The result of a pair: which tensors are meant, and what is known of how they compare."""
    r, other = pair.a.record, pair.b.record
    return TensorResult(
        r.operator,
        r.op_type,
        r.op_name,
        r.io,
        r.slot,
        r.iteration,
        r.rank,
        r.graph,
        pair.a.occurrence,
        r.scope_name,
        path=(r.path, other.path),
        **known,
    )


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


def unreadable(error: str) -> Known:
    """What is known of a pair of which a side could not be read."""
    return {"same": False, "what": "unreadable", "error": error}


def _whole(piece: Piece, rule: Rule) -> Known:
    a, b = piece.a.tensor, piece.b.tensor
    if a is None or b is None:
        return _by_statistics(_statistics(piece.a), _statistics(piece.b), rule)
    if piece.small:
        return _known(rule, a, b, diff_tensors(a.numpy(), b.numpy(), rule.tolerance))
    shapes = (a.shape, b.shape)
    if not comparable(*shapes):
        return _known(rule, a, b, TensorDiff(False, (a.dtype.name, b.dtype.name), shapes))
    count = math.prod(a.shape)
    if count <= SMALL or not (a.sliceable and b.sliceable):
        return _known(rule, a, b, diff_tensors(a.numpy(), b.numpy(), rule.tolerance))
    return conclude(a, b, rule, _stream(a, b, rule.tolerance, 0, count))


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


def conclude(a: TensorData, b: TensorData, rule: Rule, total: Partial) -> Known:
    """What is known of two tensors from what all pieces of them gave."""
    return _known(rule, a, b, settle(total, (a.dtype.np.name, b.dtype.np.name), (a.shape, b.shape)))


def _known(rule: Rule, a: TensorData, b: TensorData, diff: TensorDiff) -> Known:
    what = "shape" if diff.shapes_differ else ("" if diff.same else "values")
    same = diff.same
    if same and rule.strict_dtype and a.dtype.name != b.dtype.name:
        same, what = False, "dtype"
    known: Known = {"same": same, "what": what, "dtype": (a.dtype.name, b.dtype.name)}
    for name in _TAKEN:
        known[name] = getattr(diff, name)
    return known


def _by_statistics(a: dict[str, Any], b: dict[str, Any], rule: Rule) -> Known:
    dtype = (str(a.get("dtype", "")), str(b.get("dtype", "")))
    shape = (a.get("shape"), b.get("shape"))
    known: Known = {
        "dtype": dtype,
        "shape": shape,
        "count": int(a.get("count") or 0),
        "nan": (int(a.get("nan") or 0), int(b.get("nan") or 0)),
        "inf": (_infinities(a), _infinities(b)),
        "max_abs": largest_gap(a, b),
        "by": "statistics",
    }
    if shape[0] is not None and shape[1] is not None and not comparable(shape[0], shape[1]):
        return {**known, "same": False, "what": "shape"}
    wrong = differing(a, b, rule.tolerance)
    if wrong is None:
        error = "the two sides have no statistic in common"
        return {**known, "same": False, "what": "statistics", "error": error}
    if wrong:
        return {**known, "same": False, "what": "statistics", "statistics": tuple(wrong)}
    if rule.strict_dtype and _spelled(dtype[0]) != _spelled(dtype[1]):
        return {**known, "same": False, "what": "dtype"}
    return known


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

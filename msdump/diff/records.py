"""Two print logs compared: which value stands for which, where they first diverge, and by how much."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

import numpy as np

from msdump.diff.align import Pair, align, align_by_contents
from msdump.diff.tensor.metrics import TensorDiff, diff_tensors
from msdump.diff.tensor.tolerance import Tolerance
from msdump.records import BadValue, PrintRecord, PrintValue

Spot: TypeAlias = "tuple[int, int]"
"""Index of the record and of the value in it, from 0."""
Alignment: TypeAlias = Literal["label", "index"]

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class ValueDiff:
    """One difference between two print logs.

    Attributes:
        kind: "changed", or "only_a" / "only_b" for a value the other side lacks.
        label: the string the value is printed under (of a string: itself), on side a where it is there.
        a, b: where the value stands, None on the side that lacks it.
        what: what differs, in a few words.
        tensor: the metrics, for two tensors.
        values: the two values where they are not two tensors, None on the side that lacks it.
    """

    kind: Literal["changed", "only_a", "only_b"]
    label: str
    a: Spot | None
    b: Spot | None
    what: str
    tensor: TensorDiff | None = None
    values: tuple[PrintValue | None, PrintValue | None] | None = None

    @property
    def index(self) -> int:
        """Index of the record on side a, or on side b when a lacks it."""
        spot = self.a if self.a is not None else self.b
        assert spot is not None
        return spot[0]


@dataclass(frozen=True, slots=True)
class RecordsDiff:
    """How two print logs compare.

    Attributes:
        differences: every difference, in the order of the logs.
        compared: pairs of values compared.
        different: how many of them differ.
        only_a, only_b: values the other side lacks.
        dtypes: pairs of tensors of different types (no difference in itself).
        tolerance: what counted as equal.
        alignment: how the values were paired.
    """

    differences: tuple[ValueDiff, ...]
    compared: int
    different: int
    only_a: int
    only_b: int
    dtypes: int
    tolerance: Tolerance
    alignment: Alignment

    @property
    def same(self) -> bool:
        """No difference at all."""
        return not self.differences

    @property
    def first(self) -> ValueDiff | None:
        """The first divergence."""
        return self.differences[0] if self.differences else None

    @property
    def nothing_compared(self) -> bool:
        """No value of one side has a partner on the other, though there are values."""
        return self.compared == 0 and bool(self.differences)


class _Side:
    """A log as a flat run of values; the values themselves stay where they are."""

    def __init__(self, log: Sequence[PrintRecord]) -> None:
        self.log = log
        self._last: PrintRecord | None = None
        self.from_the_start()
        self.spots: list[Spot] = []
        self.labels: list[str] = []
        self.keys: list[Hashable] = []
        self.indexes: list[int] = []
        label, since = "", 0
        interned: dict[str, str] = {}
        for position, record in enumerate(log):
            self.indexes.append(record.index)
            if record.meta is not None:
                label, since = "", 0  # a call of its own: its label stands in it
            for slot, value in enumerate(record.values):
                if isinstance(value, str):
                    label, since = interned.setdefault(value, value), 0
                    self.keys.append(label)
                else:
                    self.keys.append((label, since))
                    since += 1
                self.labels.append(label)
                self.spots.append((position, slot))

    def value(self, at: int) -> PrintValue:
        """The value: a string from its key, a tensor by reading on where the last one was read."""
        key = self.keys[at]
        if isinstance(key, str):
            return key
        position, slot = self.spots[at]
        if position < self._at:
            return self.log[position].values[slot]
        while self._at < position:
            self._last = next(self._rest)
            self._at += 1
        assert self._last is not None
        return self._last.values[slot]

    def from_the_start(self) -> None:
        """Read from the beginning again: values are asked for nearly in order, and going on is cheap."""
        self._rest, self._at = iter(self.log), -1

    def spot(self, at: int) -> Spot:
        position, slot = self.spots[at]
        return self.indexes[position], slot

    def content(self, at: int) -> Hashable:
        """What stands for the value's bytes, equal for equal ones."""
        value = self.value(at)
        if isinstance(value, str | BadValue):
            return value
        data = np.ascontiguousarray(value)
        return value.dtype, value.shape, blake2b(data.reshape(-1).view(np.uint8).data, digest_size=16).digest()

    def loose_key(self, at: int) -> Hashable:
        """The key with its numbers left out: `step 12 took 0.3 s` and `step 13 took 0.4 s` are one."""
        key = self.keys[at]
        if isinstance(key, tuple):
            return (_NUMBER.sub("#", key[0]), key[1])
        return _NUMBER.sub("#", str(key))

    def is_string(self, at: int) -> bool:
        return not isinstance(self.keys[at], tuple)


def diff_records(
    a: Sequence[PrintRecord],
    b: Sequence[PrintRecord],
    tolerance: Tolerance | None = None,
    alignment: Alignment = "label",
) -> RecordsDiff:
    """Compare two print logs (lists of records, or what `open_print` gives), value by value.

    Args:
        a: one log.
        b: the other, the reference of relative errors.
        tolerance: `|a-b| <= atol + rtol*|b|`; the default is exactly equal.
        alignment: "label" pairs values by the strings they are printed under, so that what one side
            lacks shifts nothing; "index" pairs the n-th record with the n-th.
    """
    tolerance = tolerance or Tolerance()
    side_a, side_b = _Side(a), _Side(b)
    pairs = list(_by_label(side_a, side_b, tolerance) if alignment == "label" else _by_index(side_a, side_b))
    side_a.from_the_start()
    side_b.from_the_start()
    found: list[ValueDiff] = []
    compared = dtypes = 0
    for i, j in pairs:
        if i is None or j is None:
            found.append(_alone(side_a, side_b, i, j))
            continue
        compared += 1
        x, y = side_a.value(i), side_b.value(j)
        dtypes += (
            isinstance(x, np.ndarray | np.generic) and isinstance(y, np.ndarray | np.generic) and x.dtype != y.dtype
        )
        difference = _compare(x, y, tolerance)
        if difference is not None:
            what, tensor = difference
            values = None if tensor is not None else (x, y)
            found.append(ValueDiff("changed", side_a.labels[i], side_a.spot(i), side_b.spot(j), what, tensor, values))
    kinds = [d.kind for d in found]
    return RecordsDiff(
        tuple(found),
        compared,
        kinds.count("changed"),
        kinds.count("only_a"),
        kinds.count("only_b"),
        dtypes,
        tolerance,
        alignment,
    )


def _alone(a: _Side, b: _Side, i: int | None, j: int | None) -> ValueDiff:
    if i is not None:
        return ValueDiff("only_a", a.labels[i], a.spot(i), None, "only in a", None, (a.value(i), None))
    assert j is not None
    return ValueDiff("only_b", b.labels[j], None, b.spot(j), "only in b", None, (None, b.value(j)))


def _compare(x: PrintValue, y: PrintValue, tolerance: Tolerance) -> tuple[str, TensorDiff | None] | None:
    """What differs, or None."""
    if isinstance(x, str) or isinstance(y, str) or isinstance(x, BadValue) or isinstance(y, BadValue):
        kinds = _kind(x), _kind(y)
        if kinds[0] != kinds[1]:
            return f"{kinds[0]} against {kinds[1]}", None
        return None if x == y else (f"{kinds[0]}s differ", None)
    if _identical(x, y):
        return None
    metrics = diff_tensors(x, y, tolerance)
    if metrics.same:
        return None
    return "shapes differ" if metrics.shapes_differ else "values differ", metrics


def _kind(value: PrintValue) -> str:
    return "string" if isinstance(value, str) else "bad value" if isinstance(value, BadValue) else "tensor"


def _identical(x: np.ndarray[Any, Any] | np.generic, y: np.ndarray[Any, Any] | np.generic) -> bool:
    """A quick yes for small values that are equal bit by bit and hold no NaN; False says nothing."""
    if x.dtype != y.dtype or x.shape != y.shape or x.nbytes > 4096 or x.dtype.kind not in "biuf":
        return False
    return x.tobytes() == y.tobytes() and (x.dtype.kind != "f" or bool((x == x).all()))


def _by_index(a: _Side, b: _Side) -> Iterator[Pair]:
    """The n-th record with the n-th, and in it value with value."""
    ends_a, ends_b = _record_ends(a), _record_ends(b)
    at_a = at_b = 0
    for n in range(max(len(ends_a), len(ends_b))):
        end_a = ends_a[n] if n < len(ends_a) else at_a
        end_b = ends_b[n] if n < len(ends_b) else at_b
        for k in range(max(end_a - at_a, end_b - at_b)):
            yield at_a + k if at_a + k < end_a else None, at_b + k if at_b + k < end_b else None
        at_a, at_b = end_a, end_b


def _record_ends(side: _Side) -> list[int]:
    ends = [0] * len(side.log)
    for at, (position, _) in enumerate(side.spots):
        ends[position] = at + 1
    for n in range(1, len(ends)):
        ends[n] = max(ends[n], ends[n - 1])  # a record without values ends where the one before does
    return ends


def _by_label(a: _Side, b: _Side, tolerance: Tolerance) -> Iterator[Pair]:
    """Equal labels first; between them labels that differ in numbers alone; then what has one form."""

    def alike(i: int, j: int) -> bool:
        return _compare(a.value(i), b.value(j), tolerance) is None

    run_a: list[int] = []
    run_b: list[int] = []
    for i, j in align_by_contents(a.keys, b.keys, (a.content, b.content), alike, _is_label):
        if i is not None and j is not None:
            if run_a or run_b:
                yield from _pair_run(a, b, run_a, run_b)
                run_a, run_b = [], []
            yield i, j
        elif i is not None:
            run_a.append(i)
        elif j is not None:
            run_b.append(j)
    yield from _pair_run(a, b, run_a, run_b)


def _is_label(key: Hashable) -> bool:
    return isinstance(key, str)


def _pair_run(a: _Side, b: _Side, run_a: list[int], run_b: list[int]) -> Iterator[Pair]:
    loose = align([a.loose_key(i) for i in run_a], [b.loose_key(j) for j in run_b]) if run_a and run_b else []
    if not loose:
        loose = [*((x, None) for x in range(len(run_a))), *((None, y) for y in range(len(run_b)))]
    rest_a: list[int] = []
    rest_b: list[int] = []
    for x, y in loose:
        if x is not None and y is not None:
            yield from _by_form(a, b, rest_a, rest_b)
            rest_a, rest_b = [], []
            yield run_a[x], run_b[y]
        elif x is not None:
            rest_a.append(run_a[x])
        elif y is not None:
            rest_b.append(run_b[y])
    yield from _by_form(a, b, rest_a, rest_b)


def _by_form(a: _Side, b: _Side, rest_a: list[int], rest_b: list[int]) -> Iterator[Pair]:
    """Two runs of one form (strings and tensors in the same order) are paired: a label was renamed."""
    if [a.is_string(i) for i in rest_a] == [b.is_string(j) for j in rest_b]:
        yield from zip(rest_a, rest_b, strict=True)
        return
    yield from ((i, None) for i in rest_a)
    yield from ((None, j) for j in rest_b)

"""Where NaN and infinities come from: the first operator whose output has one and whose inputs have none."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from msdump.diff.dumps.order import Launched, in_order
from msdump.diff.dumps.stats import CHUNK, chunks
from msdump.errors import MsdumpError
from msdump.records import DumpRecord
from msdump.tensor import TensorData

Array: TypeAlias = "np.ndarray[Any, Any]"


@dataclass(frozen=True, slots=True)
class OddValues:
    """NaN and infinities of one tensor: how many, and the index of the first (None for statistics)."""

    io: str
    slot: int
    nan: int
    inf: int
    index: tuple[int, ...] | None
    path: str

    def __bool__(self) -> bool:
        return bool(self.nan or self.inf)


@dataclass(frozen=True, slots=True)
class OddLaunch:
    """A launch of an operator with NaN or infinities.

    Attributes:
        record: one of its records, for names and place.
        occurrence: which launch of the operator in its iteration, from 0.
        outputs, inputs: its tensors that have some.
        origin: True when its outputs have some and its inputs have none.
        inputs_known: whether inputs were dumped, and all of those could be read.
    """

    record: DumpRecord
    occurrence: int
    outputs: tuple[OddValues, ...]
    inputs: tuple[OddValues, ...]
    origin: bool
    inputs_known: bool


def iter_odd(
    records: Iterable[DumpRecord],
    *,
    infinities: bool = True,
    on_problem: Callable[[MsdumpError], None] | None = None,
) -> Iterator[OddLaunch]:
    """Launches with NaN (or, unless told otherwise, infinities) in execution order; tensors are read
    as they come, so that the first is there before the last is read."""
    for _, group in groupby(in_order(records), key=_launch):
        tensors = list(group)
        odd: list[OddValues] = []
        known = False
        unread = False
        for launched in tensors:
            try:
                found = odd_values(launched.record, infinities)
            except MsdumpError as error:
                if on_problem is None:
                    raise
                on_problem(error)
                unread = unread or launched.record.io == "input"
                continue
            known = known or launched.record.io == "input"
            if found:
                odd.append(found)
        if odd:
            outputs = tuple(o for o in odd if o.io == "output")
            inputs = tuple(o for o in odd if o.io == "input")
            first, origin = tensors[0], bool(outputs) and not inputs
            yield OddLaunch(first.record, first.occurrence, outputs, inputs, origin, known and not unread)


def _launch(launched: Launched) -> tuple[Any, ...]:
    r = launched.record
    return r.rank, r.iteration, r.graph, r.op_type, r.op_name, launched.occurrence


def odd_values(record: DumpRecord, infinities: bool = True) -> OddValues:
    """NaN and infinities of one tensor, from its values, or from its statistics when there are none."""
    if record.tensor is None:
        saved = record.statistics or {}
        inf = int(saved.get("negative_inf") or 0) + int(saved.get("positive_inf") or 0)
        nan = int(saved.get("nan") or 0)
        return OddValues(record.io, record.slot, nan, inf if infinities else 0, None, record.path)
    nan, inf, first = _count(record.tensor, infinities)
    index = None if first is None else _unravel(first, record.tensor.shape)
    return OddValues(record.io, record.slot, nan, inf, index, record.path)


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, shape)) if shape else ()


def _count(tensor: TensorData, infinities: bool) -> tuple[int, int, int | None]:
    if tensor.dtype.np.kind in "biu" or tensor.dtype.numpy.startswith(("int", "uint")):
        return 0, 0, None
    nan = inf = 0
    first: int | None = None
    for number, block in enumerate(chunks(tensor)):
        # One sum tells of a block that it is clean, as nearly all are.
        with np.errstate(all="ignore"):
            plain = block if block.dtype.kind in "fc" else block.astype(np.float32)
            if plain.dtype.itemsize > 2 and math.isfinite(abs(complex(plain.sum()))):
                continue
            is_nan = np.isnan(plain)
            odd = is_nan | np.isinf(plain) if infinities else is_nan
        found = np.flatnonzero(odd)
        if found.size:
            first = number * CHUNK + int(found[0]) if first is None else first
            nan += int(is_nan.sum())
            inf += int(found.size - is_nan.sum())
    return nan, inf, first

"""Where NaN and infinities come from: the first operator whose output has one and whose inputs have none."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, TypeAlias

import numpy as np

from msdump.diff.dumps.launches import Launched, in_order
from msdump.diff.dumps.tensor_statistics import CHUNK, chunks
from msdump.dtype import by_name
from msdump.errors import MsdumpError
from msdump.records import DumpRecord
from msdump.tensor import TensorData

Array: TypeAlias = "np.ndarray[Any, Any]"
Kind: TypeAlias = Literal["NaN", "inf", "NaN and inf", "NaN or inf"]
"""What a tensor has; "NaN or inf" where its statistics tell that one of the two is there, and not which."""


@dataclass(frozen=True, slots=True)
class OddValues:
    """NaN and infinities of one tensor.

    Attributes:
        io, slot, path: which tensor.
        kind: what it has.
        nan, inf: how many; None where its statistics do not count them.
        index: of the first one; None where only statistics were saved.
        told_by: the statistics that tell it, such as "max nan"; empty where the values do.
    """

    io: str
    slot: int
    path: str
    kind: Kind
    nan: int | None
    inf: int | None
    index: tuple[int, ...] | None = None
    told_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Untold:
    """A tensor of which it cannot be told whether it has NaN or infinities, and why."""

    record: DumpRecord
    why: str


@dataclass(frozen=True, slots=True)
class OddLaunch:
    """A launch of an operator with NaN or infinities.

    Attributes:
        record: one of its records, for names and place.
        occurrence: which launch of the operator in its iteration, from 0.
        outputs, inputs: its tensors that have some.
        origin: True when its outputs have some and its inputs have none.
        inputs_known: whether inputs were dumped, and of all of those it can be told.
    """

    record: DumpRecord
    occurrence: int
    outputs: tuple[OddValues, ...]
    inputs: tuple[OddValues, ...]
    origin: bool
    inputs_known: bool


@dataclass(frozen=True, slots=True)
class OddSearch:
    """What was found among the tensors of a dump.

    Attributes:
        total: how many tensors there are.
        launches: those with NaN or infinities, in execution order.
        untold: tensors of which it cannot be told.
        problems: those that could not be read.
    """

    total: int
    launches: tuple[OddLaunch, ...]
    untold: tuple[Untold, ...]
    problems: tuple[MsdumpError, ...]

    @property
    def origin(self) -> OddLaunch | None:
        """The first launch that made some; None where all came in with inputs."""
        return next((launch for launch in self.launches if launch.origin), None)

    @property
    def looked(self) -> int:
        """Tensors of which it is known whether they have any, when none has."""
        return self.total - len(self.untold) - len(self.problems)


def search(records: Sequence[DumpRecord], *, infinities: bool = True, whole: bool = True) -> OddSearch:
    """NaN and infinities of a dump. Unless `whole`, tensors are read up to the first operator that made some;
    looking through statistics alone costs nothing, and they are looked through to the end."""
    problems: list[MsdumpError] = []
    untold: list[Untold] = []
    launches: list[OddLaunch] = []
    whole = whole or all(r.tensor is None for r in records)
    for launch in iter_odd(records, infinities=infinities, on_problem=problems.append, on_untold=untold.append):
        launches.append(launch)
        if launch.origin and not whole:
            break
    return OddSearch(len(records), tuple(launches), tuple(untold), tuple(problems))


def iter_odd(
    records: Iterable[DumpRecord],
    *,
    infinities: bool = True,
    on_problem: Callable[[MsdumpError], None] | None = None,
    on_untold: Callable[[Untold], None] | None = None,
) -> Iterator[OddLaunch]:
    """Launches with NaN (or, unless told otherwise, infinities) in execution order; tensors are read
    as they come, so that the first is there before the last is read. Tensors of which it cannot be told are
    given to `on_untold`, those that cannot be read to `on_problem`."""
    for _, group in groupby(in_order(records), key=_launch):
        tensors = list(group)
        odd: list[OddValues] = []
        known = False
        unknown = False
        for launched in tensors:
            is_input = launched.record.io == "input"
            try:
                found = odd_values(launched.record, infinities)
            except MsdumpError as error:
                if on_problem is None:
                    raise
                on_problem(error)
                unknown = unknown or is_input
                continue
            known = known or is_input
            if isinstance(found, Untold):
                unknown = unknown or is_input
                if on_untold is not None:
                    on_untold(found)
            elif found is not None:
                odd.append(found)
        if odd:
            outputs = tuple(o for o in odd if o.io == "output")
            inputs = tuple(o for o in odd if o.io == "input")
            first, origin = tensors[0], bool(outputs) and not inputs
            yield OddLaunch(first.record, first.occurrence, outputs, inputs, origin, known and not unknown)


def _launch(launched: Launched) -> tuple[Any, ...]:
    r = launched.record
    return r.rank, r.iteration, r.graph, r.op_type, r.op_name, launched.occurrence


def odd_values(record: DumpRecord, infinities: bool = True) -> OddValues | Untold | None:
    """NaN and infinities of one tensor, from its values, or from its statistics when there are none; None
    when it has none, Untold when that is not known."""
    tensor = record.tensor
    if tensor is None:
        return _of_statistics(record, record.statistics or {}, infinities)
    if tensor.opaque:
        return Untold(record, "its type is unknown")
    nan, inf, first = _count(tensor, infinities)
    if first is None:
        return None
    index = tuple(int(i) for i in np.unravel_index(first, tensor.shape)) if tensor.shape else ()
    return OddValues(record.io, record.slot, record.path, _kind(bool(nan), bool(inf)), nan, inf, index)


def _kind(nan: bool, inf: bool) -> Kind:
    return "NaN and inf" if nan and inf else "NaN" if nan else "inf"


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


def _of_statistics(record: DumpRecord, saved: dict[str, Any], infinities: bool) -> OddValues | Untold | None:
    """What saved statistics tell.

    Counts say it at once, and so does the norm, which is that of all values: a finite one has neither NaN nor
    infinities, and NaN comes of NaN alone. Largest and smallest are NaN or infinite only where a value is, but
    finite ones say nothing: some releases take them over finite values alone, and so it is with the average.
    """
    dtype = by_name(str(saved.get("dtype", "")))
    if (dtype is not None and dtype.numpy.startswith(("int", "uint", "bool"))) or _is_empty(saved):
        return None
    nan, lower, upper = (saved.get(key) for key in ("nan", "negative_inf", "positive_inf"))
    inf = None if lower is None or upper is None else int(lower) + int(upper)
    odd = [(key, saved[key]) for key in ("max", "min", "avg", "l2norm") if key in saved]
    by_nan = [f"{key} nan" for key, v in odd if v is not None and math.isnan(v) and key != "avg"]
    by_inf = [f"{key} {v}" for key, v in odd if v is not None and math.isinf(v) and key in ("max", "min")]
    by_inf += [f"{name} infinities counted" for name, n in (("negative", lower), ("positive", upper)) if n]
    norm = saved.get("l2norm")
    no_nan = nan == 0 or (norm is not None and not math.isnan(norm))
    no_inf = inf == 0 or not infinities or (norm is not None and math.isfinite(norm))
    has_nan = bool(by_nan) or bool(nan)
    has_inf = bool(by_inf)
    if has_nan or (has_inf and infinities):
        told = (*([f"NaN Count {nan}"] if nan else by_nan), *(by_inf if infinities else ()))
        kind = _kind(has_nan, has_inf and infinities)
        return OddValues(record.io, record.slot, record.path, kind, nan, inf if infinities else 0, None, told)
    if no_nan and no_inf:
        return None
    # `null` stands for no finite value, and the average of infinities of both signs is NaN too.
    neither = [f"{key} {'null' if v is None else 'nan'}" for key, v in odd if v is None or math.isnan(v)]
    if neither and infinities:
        kind = "inf" if no_nan else "NaN" if no_inf else "NaN or inf"
        return OddValues(record.io, record.slot, record.path, kind, nan, inf, None, tuple(neither))
    return Untold(record, "its statistics do not tell")


def _is_empty(saved: dict[str, Any]) -> bool:
    return saved.get("count") == 0 or 0 in (saved.get("shape") or ())

"""Conditions that tensors of a run are watched for, by the names the debugger of MindInsight gave them.

A condition is a name and parameters, such as `tensor_too_large:abs_mean_gt=10`. All parameters of one
condition are alternatives: it holds when any of them does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from msdump.diff.dumps.launches import in_order
from msdump.diff.dumps.tensor_statistics import Statistics, chunks, statistics_of
from msdump.errors import MsdumpError
from msdump.records import DumpRecord
from msdump.tensor import TensorData
from msdump.tensor_stats import real_values

Array: TypeAlias = "np.ndarray[Any, Any]"

_GT_LT = frozenset({"abs_mean", "max", "min", "mean"})
PARAMETERS: dict[str, frozenset[str]] = {
    "nan": frozenset(),
    "tensor_overflow": frozenset(),
    "tensor_all_zero": frozenset({"zero_percentage_ge"}),
    "tensor_too_large": frozenset(f"{k}_gt" for k in _GT_LT),
    "tensor_too_small": frozenset(f"{k}_lt" for k in _GT_LT),
    "tensor_range": frozenset(
        {
            "range_start_inclusive",
            "range_end_inclusive",
            "range_percentage_in_range_lt",
            "range_percentage_in_range_gt",
            "max_min_lt",
            "max_min_gt",
        }
    ),
    "tensor_not_changed": frozenset({"rtol", "atol"}),
    "tensor_change_too_large": frozenset({"abs_mean_update_ratio_gt", "epsilon"}),
    "tensor_change_too_small": frozenset({"abs_mean_update_ratio_lt", "epsilon"}),
}
"""Conditions and the parameters each knows."""
_ALIASES = {
    "weight_not_changed": "tensor_not_changed",
    "weight_change_too_large": "tensor_change_too_large",
    "weight_change_too_small": "tensor_change_too_small",
    "weight_initialization": "tensor_all_zero",
    "weight_overflow": "tensor_overflow",
    "operator_overflow": "tensor_overflow",
    "gradient_exploding": "tensor_overflow",
    "gradient_too_large": "tensor_too_large",
    "gradient_vanishing": "tensor_too_small",
    "activation_range": "tensor_range",
}
_BETWEEN = frozenset({"tensor_not_changed", "tensor_change_too_large", "tensor_change_too_small"})
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Condition:
    """What to watch for: a name of PARAMETERS, and values of its parameters."""

    name: str
    parameters: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Hit:
    """A tensor for which a condition holds; `why` gives the numbers."""

    condition: str
    record: DumpRecord
    occurrence: int
    why: str


def parse_condition(text: str) -> Condition:
    """A condition as it is written: `name` or `name:parameter=value,parameter=value`.

    Raises:
        MsdumpError: an unknown name or parameter, or a value that is no number.
    """
    name, _, rest = text.partition(":")
    name = _ALIASES.get(name.strip(), name.strip())
    if name not in PARAMETERS:
        raise MsdumpError(f"{text}: there is no such condition", hint="there are: " + ", ".join(PARAMETERS))
    given: dict[str, float] = {}
    for piece in (p for p in rest.split(",") if p.strip()):
        key, equals, value = (x.strip() for x in piece.partition("="))
        if key not in PARAMETERS[name]:
            known = ", ".join(sorted(PARAMETERS[name])) or "none"
            raise MsdumpError(f"{text}: {name} has no parameter {key}", hint=f"it has: {known}")
        try:
            given[key] = float(value)
        except ValueError:
            given[key] = math.nan
        if math.isnan(given[key]):
            raise MsdumpError(f"{text}: {key}{equals}{value} is no number")
    needed = PARAMETERS[name] - {"epsilon", "rtol", "atol", "zero_percentage_ge"}
    if needed and not set(given) & needed:
        raise MsdumpError(f"{text}: {name} needs a parameter", hint="one of: " + ", ".join(sorted(needed)))
    return Condition(name, given)


def watch(
    records: Iterable[DumpRecord],
    conditions: Sequence[Condition],
    on_problem: Callable[[MsdumpError], None] | None = None,
    on_single: Callable[[DumpRecord], None] | None = None,
) -> Iterator[Hit]:
    """Tensors for which a condition holds, in execution order.

    Conditions about change compare a tensor with itself in the iteration before, as far as it was
    dumped there; `on_single` is told of tensors that were never compared, when nothing else was asked for.

    Raises:
        MsdumpError: at the end, when a condition about change was asked for and no tensor was dumped in
            two iterations; or what cannot be read, where `on_problem` is not told of it.
    """
    compared: set[tuple[object, ...]] = set()
    before: dict[tuple[object, ...], DumpRecord] = {}
    between = [c for c in conditions if c.name in _BETWEEN]
    alone = [c for c in conditions if c.name not in _BETWEEN]
    for launched in in_order(records):
        r = launched.record
        if r.tensor is None:
            continue
        key = (r.rank, r.op_type, r.op_name, r.io, r.slot, launched.occurrence)
        try:
            if alone:
                seen = _look(r.tensor)
                for condition in alone:
                    if why := _holds(condition, seen, r.tensor):
                        yield Hit(condition.name, r, launched.occurrence, why)
            earlier = before.get(key)
            if between and earlier is not None and earlier.iteration != r.iteration and earlier.tensor is not None:
                change = _change(earlier.tensor, r.tensor)
                if change is not None:
                    compared.add(key)
                for condition in between:
                    if change is not None and (why := _changed(condition, change)):
                        yield Hit(condition.name, r, launched.occurrence, why)
        except MsdumpError as error:
            if on_problem is None:
                raise
            on_problem(error)
        before[key] = r
    if between and not compared:
        raise MsdumpError("nothing to compare: no tensor was dumped in two iterations")
    if not alone and on_single is not None:
        for alone_in in before.keys() - compared:
            on_single(before[alone_in])


@dataclass(frozen=True, slots=True)
class _Seen:
    statistics: Statistics
    abs_sum: float

    @property
    def abs_mean(self) -> float:
        return self.abs_sum / self.statistics.finite if self.statistics.finite else math.nan


def _look(tensor: TensorData) -> _Seen:
    total, absolute = Statistics(), 0.0
    for block in chunks(tensor):
        total = total.merge(statistics_of(block))
        values = np.abs(real_values(block))
        absolute += float(values[np.isfinite(values)].sum())
    return _Seen(total, absolute)


def _holds(condition: Condition, seen: _Seen, tensor: TensorData) -> str:
    s, given = seen.statistics, condition.parameters
    odd = s.nan if condition.name == "nan" else s.nan + s.negative_inf + s.positive_inf
    if condition.name in ("nan", "tensor_overflow"):
        return f"{s.nan} NaN, {s.negative_inf + s.positive_inf} infinite" if odd else ""
    if condition.name == "tensor_all_zero":
        share = 100.0 * s.zero / s.count if s.count else 0.0
        return f"{share:.4g} % zeros" if s.count and share >= given.get("zero_percentage_ge", 100.0) else ""
    if condition.name == "tensor_range":
        return _range(given, s, tensor)
    values = {"abs_mean": seen.abs_mean, "max": s.max, "min": s.min, "mean": s.avg}
    for key, limit in given.items():
        name, side = key.rsplit("_", 1)
        value = values[name]
        if value is not None and (value > limit if side == "gt" else value < limit):
            return f"{name} {float(value):.6g} is {'above' if side == 'gt' else 'below'} {limit:g}"
    return ""


def _range(given: Mapping[str, float], s: Statistics, tensor: TensorData) -> str:
    if s.max is None or s.min is None:
        return ""
    spread = float(s.max) - float(s.min)
    if spread > given.get("max_min_gt", math.inf) or spread < given.get("max_min_lt", -math.inf):
        return f"max - min is {spread:.6g}"
    low, high = given.get("range_start_inclusive", -math.inf), given.get("range_end_inclusive", math.inf)
    if low == -math.inf and high == math.inf:
        return ""
    inside = 0
    for block in chunks(tensor):
        values = real_values(block)
        inside += int(np.count_nonzero((values >= low) & (values <= high)))
    share = 100.0 * inside / s.count
    # Without a percentage every value has to be in the range.
    below = given.get("range_percentage_in_range_lt", None if "range_percentage_in_range_gt" in given else 100.0)
    if (below is not None and share < below) or share > given.get("range_percentage_in_range_gt", math.inf):
        return f"{share:.4g} % of values are in {low:g} to {high:g}"
    return ""


@dataclass(frozen=True, slots=True)
class _Change:
    update: float
    before: float
    count: int
    far: Callable[[float, float], bool]


def _change(earlier: TensorData, now: TensorData) -> _Change | None:
    if earlier.shape != now.shape:
        return None
    update = before = 0.0
    with np.errstate(invalid="ignore"):
        for x, y in zip(chunks(earlier), chunks(now), strict=True):
            a, b = real_values(x), real_values(y)
            update += float(np.abs(b - a).sum())
            before += float(np.abs(a).sum())

    def far(rtol: float, atol: float) -> bool:
        for x, y in zip(chunks(earlier), chunks(now), strict=True):
            if not np.allclose(real_values(y), real_values(x), rtol=rtol, atol=atol, equal_nan=True):
                return True
        return False

    return _Change(update, before, max(1, math.prod(now.shape)), far)


def _changed(condition: Condition, change: _Change) -> str:
    given = condition.parameters
    if condition.name == "tensor_not_changed":
        if change.far(given.get("rtol", 0.0), given.get("atol", 0.0)):
            return ""
        return "unchanged since the iteration before"
    epsilon = given.get("epsilon", _EPSILON)
    ratio = (change.update / change.count) / (change.before / change.count + epsilon)
    above, below = given.get("abs_mean_update_ratio_gt"), given.get("abs_mean_update_ratio_lt")
    if above is not None and ratio > above:
        return f"update ratio {ratio:.6g} is above {above:g}"
    if below is not None and ratio < below:
        return f"update ratio {ratio:.6g} is below {below:g}"
    return ""

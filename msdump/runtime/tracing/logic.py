"""`and`, `or`, `not` and chained comparisons of rewritten code, where operands may be tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from msdump.runtime.primitive import Primitive
from msdump.runtime.promotion import BOOL
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.control import choose
from msdump.runtime.tracing.recorder import Recorder, active
from msdump.runtime.tracing.results import ambiguous, as_tensor
from msdump.runtime.tracing.traced import Traced


def _traced(value: Any) -> bool:
    return isinstance(value, Traced)


def and_(*operands: Callable[[], Any]) -> Any:
    """Whether all hold, as a condition; tensors give the tensor of it."""
    return _logical(operands, "LogicalAnd", bool)


def or_(*operands: Callable[[], Any]) -> Any:
    """Whether one holds, as a condition; tensors give the tensor of it."""
    return _logical(operands, "LogicalOr", lambda value: not value)


def _logical(operands: tuple[Callable[[], Any], ...], op: str, goes_on: Callable[[Any], bool]) -> Any:
    value = operands[0]()
    for operand in operands[1:]:
        if _traced(value):
            value = _record(op, value, operand())
        elif goes_on(value):
            value = operand()
        else:
            return value
    return value


def and_value(*operands: Callable[[], Any]) -> Any:
    """`a and b` as a value: the last that was looked at."""
    return _last(operands, lambda value, rest: choose(value, rest, lambda: value), "LogicalAnd", bool)


def or_value(*operands: Callable[[], Any]) -> Any:
    """`a or b` as a value: the last that was looked at."""
    return _last(operands, lambda value, rest: choose(value, lambda: value, rest), "LogicalOr", lambda v: not v)


def _last(
    operands: tuple[Callable[[], Any], ...],
    pick: Callable[[Any, Callable[[], Any]], Any],
    op: str,
    goes_on: Callable[[Any], bool],
) -> Any:
    value = operands[0]()
    if len(operands) == 1:
        return value

    def rest() -> Any:
        return _last(operands[1:], pick, op, goes_on)

    if not _traced(value):
        return rest() if goes_on(value) else value
    if _is_truth(value):
        restore = active().state()
        other = rest()
        if _is_truth(other):
            return _record(op, value, other)
        restore()
    return pick(value, rest)


def compare(names: tuple[str, ...], value: Any, *operands: Callable[[], Any]) -> Any:
    """`a < b < c`: each operand is looked at once, and only while the comparisons hold."""
    result: Any = True
    for name, operand in zip(names, operands, strict=True):
        other = operand()
        found = _COMPARISONS[name](value, other)
        if _traced(result) or _traced(found):
            result = found if result is True else _record("LogicalAnd", result, found)
        elif not found:
            return found
        else:
            result = found
        value = other
    return result


def not_(operand: Any) -> Any:
    """`not a`; a tensor gives the tensor of its opposite."""
    return _record("LogicalNot", operand) if _traced(operand) else not operand


_COMPARISONS: dict[str, Any] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}
"""Python's comparisons by the names that `ast` has for them."""


def _record(op: str, *operands: Any) -> Tensor:
    """`and`, `or`, `not` of tensors, through their truth."""
    recorder = active()
    found: Tensor = recorder.record(Primitive(op), tuple(_truth(recorder, operand) for operand in operands))
    return found


def _truth(recorder: Recorder, value: Any) -> Any:
    tensor = as_tensor(value)
    if tensor.size != 1:
        raise ambiguous(tensor)
    if tensor._data.dtype == BOOL:
        return tensor
    return recorder.record(Primitive("NotEqual"), (tensor, 0))


def _is_truth(value: Any) -> bool:
    """Whether a value is one Bool in a tensor."""
    return isinstance(value, Traced) and value._data.dtype == BOOL and value.shape == ()

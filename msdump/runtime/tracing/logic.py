"""`and`, `or`, `not` and chained comparisons of rewritten code, where operands may be tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msdump.runtime.tracing.calls import COMPARISONS, is_truth, record_logical
from msdump.runtime.tracing.control import choose
from msdump.runtime.tracing.recorder import active
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
            value = record_logical(op, value, operand())
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
    if is_truth(value):
        restore = active().state()
        other = rest()
        if is_truth(other):
            return record_logical(op, value, other)
        restore()
    return pick(value, rest)


def compare(names: tuple[str, ...], value: Any, *operands: Callable[[], Any]) -> Any:
    """`a < b < c`: each operand is looked at once, and only while the comparisons hold."""
    result: Any = True
    for name, operand in zip(names, operands, strict=True):
        other = operand()
        found = COMPARISONS[name](value, other)
        if _traced(result) or _traced(found):
            result = found if result is True else record_logical("LogicalAnd", result, found)
        elif not found:
            return found
        else:
            result = found
        value = other
    return result


def not_(operand: Any) -> Any:
    """`not a`; a tensor gives the tensor of its opposite."""
    return record_logical("LogicalNot", operand) if _traced(operand) else not operand

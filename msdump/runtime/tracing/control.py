"""What rewritten code calls where Python had `if`; see `flow`.

A condition that Python knows decides while the network is recorded, and leaves no trace. One that
is a tensor becomes a Switch between two subgraphs. Where both branches end alike, what follows is
recorded once, after them. Where they do not (one returns, the other goes on), each branch is
completed with what follows it, down to the function's return: see `continuations`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msdump.runtime.tracing.branches import Branch, join
from msdump.runtime.tracing.continuations import After, Block
from msdump.runtime.tracing.ownership import own, put_back
from msdump.runtime.tracing.recorder import active
from msdump.runtime.tracing.signals import Fall, Return, Signal, Values, values_of
from msdump.runtime.tracing.traced import Traced


def finish(signal: Signal) -> Any:
    """The value a function returns, from how its last statement ended."""
    return signal.value if isinstance(signal, Return) else None


def branch(test: Any, then: Block, orelse: Block, values: Values, names: tuple[str, ...]) -> Values:
    """`if` whose branches both reach their end; gives the variables after it."""
    if not _traced(test):
        return values_of((then if test else orelse)(*values))
    left, right = Branch("✓"), Branch("✗")
    with left:
        left_given = own(values)
        left_values = values_of(then(*left_given))
    with right:
        right_given = own(values)
        right_values = values_of(orelse(*right_given))
    found = join(test, left, left_values, right, right_values, names)
    if not values:
        return found
    kept = [a is b and c is d for a, b, c, d in zip(left_given, left_values, right_given, right_values, strict=True)]
    return tuple(map(put_back, values, kept, found))


def branch_early(test: Any, then: Block, orelse: Block, values: Values, names: tuple[str, ...], after: Block) -> Signal:
    """`if` with a return, break or continue in it; `after` is what follows in its block."""
    continuations = active().continuations
    if not _traced(test):
        with continuations.inside(After(after)):
            signal = (then if test else orelse)(*values)
        return after(*signal.values) if isinstance(signal, Fall) else signal
    left, right = Branch("✓"), Branch("✗")
    with continuations.inside(After(after)):
        with left:
            left_end = then(*own(values))
        with right:
            right_end = orelse(*own(values))
        if type(left_end) is not type(right_end):
            with left:
                left_end = continuations.settle(left_end)
            with right:
                right_end = continuations.settle(right_end)
        if type(left_end) is not type(right_end):
            with left:
                left_end = Return(continuations.complete(left_end))
            with right:
                right_end = Return(continuations.complete(right_end))
    return _joined(test, left, left_end, right, right_end, names, after)


def _joined(
    test: Any,
    left: Branch,
    left_end: Signal,
    right: Branch,
    right_end: Signal,
    names: tuple[str, ...],
    after: Block,
) -> Signal:
    if isinstance(left_end, Return) and isinstance(right_end, Return):
        (value,) = join(test, left, (left_end.value,), right, (right_end.value,), ("the returned value",))
        return Return(value)
    left_values, right_values = values_of(left_end), values_of(right_end)
    fell = isinstance(left_end, Fall)
    if not fell:
        names = tuple(f"loop variable {i + 1}" for i in range(len(left_values)))
    merged = join(test, left, left_values, right, right_values, names)
    if fell:
        return after(*merged)
    return type(left_end)(merged)


def choose(test: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """`a if test else b`."""
    if not _traced(test):
        return then() if test else orelse()
    return branch(test, lambda: Fall((then(),)), lambda: Fall((orelse(),)), (), ("the value",))[0]


def _traced(value: Any) -> bool:
    return isinstance(value, Traced)

"""What rewritten code calls where Python had `while` and `for`; see `flow`.

A loop that Python can count is unrolled; one that a tensor ends becomes a FuncGraph that calls itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from msdump.errors import TraceError
from msdump.runtime.tracing.continuations import Around, Block
from msdump.runtime.tracing.loops import record_while
from msdump.runtime.tracing.ownership import own
from msdump.runtime.tracing.recorder import active
from msdump.runtime.tracing.results import as_tensor
from msdump.runtime.tracing.signals import Break, Fall, Next, Return, Signal, Values, values_of
from msdump.runtime.tracing.traced import Traced


@dataclass(frozen=True, slots=True)
class TracedRange:
    """range() of tensors: how often a loop runs is known when the graph runs."""

    start: Any
    stop: Any
    step: Any

    @staticmethod
    def of(*arguments: Any) -> TracedRange:
        """As range takes its arguments."""
        start, stop, step = (0, *arguments, 1) if len(arguments) == 1 else (*arguments, 1)[:3]
        return TracedRange(start, stop, step)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("range of a tensor can only be looped over with for, in construct itself")


def loop_while(condition: Callable[..., Any], body: Block, values: Values, names: tuple[str, ...]) -> Values:
    """`while` that ends by its condition alone; gives the variables after it."""
    signal = _while(condition, body, values, names, Fall)
    return values_of(signal)


def loop_while_early(
    condition: Callable[..., Any], body: Block, values: Values, names: tuple[str, ...], after: Block
) -> Signal:
    """`while` with a return or break in it; `after` is what follows in its block."""
    return _while(condition, body, values, names, after)


def _while(
    condition: Callable[..., Any],
    body: Block,
    values: Values,
    names: tuple[str, ...],
    after: Callable[..., Signal],
) -> Signal:
    plain = after is Fall
    while True:
        restore = active().state()
        test = condition(*values)
        if isinstance(test, Traced):
            restore()  # the condition is recorded anew, inside the loop
            return _record_while(condition, _owning(body), values, names, None if plain else after)
        if not test:
            return _end(after, values)

        def on_next(*new: Any) -> Signal:
            return _while(condition, body, new, names, after)

        with active().continuations.inside(Around(on_next, lambda *new: _end(after, new))):
            signal = body(*values)
        if isinstance(signal, Return):
            return signal
        values = signal.values
        if isinstance(signal, Break):
            return _end(after, values)


def _owning(body: Block) -> Block:
    return lambda *values: body(*own(values))


def _end(after: Callable[..., Signal], values: Values) -> Signal:
    return Fall(values) if after is Fall else after(*values)


def _record_while(
    condition: Callable[..., Any],
    body: Block,
    values: Values,
    names: tuple[str, ...],
    after: Block | None,
) -> Signal:
    if after is None:
        # Its body cannot leave it, so what follows is recorded once, behind the loop.
        def run_body(again: Callable[[Values], Any], values: Values) -> Any:
            with active().continuations.inside(
                Around(lambda *new: Return(again(new)), lambda *new: Return(again(new)))
            ):
                return active().continuations.complete(body(*values))

        return Fall(record_while(condition, run_body, values, names, None))

    def run_exit(values: Values) -> Any:
        return active().continuations.complete(after(*values))

    def run_early(again: Callable[[Values], Any], values: Values) -> Any:
        frame = Around(lambda *new: Return(again(new)), lambda *new: after(*new))
        with active().continuations.inside(frame):
            return active().continuations.complete(body(*values))

    return Return(record_while(condition, run_early, values, names, run_exit)[0])


def loop_over(items: Any, body: Block, values: Values, names: tuple[str, ...]) -> Values:
    """`for` that ends with its items alone; gives the variables after it."""
    return values_of(_over(items, body, values, names, Fall))


def loop_over_early(items: Any, body: Block, values: Values, names: tuple[str, ...], after: Block) -> Signal:
    """`for` with a return or break in it; `after` is what follows in its block."""
    return _over(items, body, values, names, after)


def _over(items: Any, body: Block, values: Values, names: tuple[str, ...], after: Callable[..., Signal]) -> Signal:
    if isinstance(items, TracedRange):
        return _over_traced(items.start, items.stop, items.step, lambda i: i, body, values, names, after)
    if isinstance(items, Traced):
        if not items.shape:
            raise TraceError("a 0-d tensor has no items; loop over range(n) for a number n")
        return _over_traced(0, items.shape[0], 1, lambda i: items[i], body, values, names, after)
    return _over_items(list(items), 0, body, values, after)


def _over_items(items: list[Any], start: int, body: Block, values: Values, after: Callable[..., Signal]) -> Signal:
    for index in range(start, len(items)):
        following = index + 1

        def on_next(*new: Any, following: int = following) -> Signal:
            return _over_items(items, following, body, new, after)

        with active().continuations.inside(Around(on_next, lambda *new: _end(after, new))):
            signal = body(items[index], *values)
        if isinstance(signal, Return):
            return signal
        values = signal.values
        if isinstance(signal, Break):
            break
    return _end(after, values)


def _over_traced(
    start: Any,
    stop: Any,
    step: Any,
    item: Callable[[Any], Any],
    body: Block,
    values: Values,
    names: tuple[str, ...],
    after: Callable[..., Signal],
) -> Signal:
    """A loop over tensors as a while: the counter is a loop variable before the body's own."""
    counter = as_tensor(start)

    def condition(index: Any, *_: Any) -> Any:
        return index < stop

    def counted(index: Any, *own: Any) -> Signal:
        following = index + step

        def on_next(*new: Any) -> Signal:
            return Next((following, *new))

        with active().continuations.inside(Around(on_next, lambda *new: Break((following, *new)))):
            signal = body(item(index), *own)
        return type(signal)((following, *signal.values)) if isinstance(signal, (Next, Break, Fall)) else signal

    def behind(_index: Any, *own: Any) -> Signal:
        return after(*own)

    signal = _while(condition, counted, (counter, *values), ("counter", *names), Fall if after is Fall else behind)
    return Fall(signal.values[1:]) if isinstance(signal, Fall) and after is Fall else signal

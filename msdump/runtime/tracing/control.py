"""What rewritten code calls where Python had control flow; see `flow`.

A condition that Python knows decides while the network is recorded, and leaves no trace. One that
is a tensor becomes a Switch between two subgraphs. Where both branches end alike, what follows is
recorded once, after them. Where they do not (one returns, the other goes on), each branch is
completed with what follows it, down to the function's return: `_Continuations` knows what that is.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msdump.errors import TraceError
from msdump.runtime.parameter import Parameter
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.branches import Branch, join
from msdump.runtime.tracing.calls import (
    TracedRange,
    tensor_of,
    traceable,
)
from msdump.runtime.tracing.loops import record_while
from msdump.runtime.tracing.ownership import check_change, made, own, put_back, refuse_outside
from msdump.runtime.tracing.recorder import active
from msdump.runtime.tracing.results import as_tensor
from msdump.runtime.tracing.signals import Break, Fall, Next, Return, Signal
from msdump.runtime.tracing.traced import Traced

if TYPE_CHECKING:
    from collections.abc import Iterator

Values = tuple[Any, ...]
Block = Callable[..., Signal]


@dataclass(frozen=True, slots=True)
class _After:
    """What follows a branch that falls through."""

    run: Block


@dataclass(frozen=True, slots=True)
class _Around:
    """The loop around a place: what its `continue` and its `break` lead to."""

    on_next: Block
    on_break: Block


@dataclass(slots=True)
class _Continuations:
    """What is still to run when the innermost branch ends, innermost last."""

    stack: list[_After | _Around] = field(default_factory=list)

    @contextmanager
    def inside(self, frame: _After | _Around) -> Iterator[None]:
        self.stack.append(frame)
        try:
            yield
        finally:
            self.stack.pop()

    @contextmanager
    def _below(self, depth: int) -> Iterator[None]:
        whole, self.stack = self.stack, self.stack[:depth]
        try:
            yield
        finally:
            self.stack = whole

    def settle(self, signal: Signal) -> Signal:
        """Run what follows up to the loop around, or the function's end: never Fall."""
        depth = len(self.stack)
        while isinstance(signal, Fall):
            depth -= 1
            if depth < 0:
                return Return(None)
            frame = self.stack[depth]
            if isinstance(frame, _Around):
                return Next(signal.values)
            with self._below(depth):
                signal = frame.run(*signal.values)
        return signal

    def complete(self, signal: Signal) -> Any:
        """Run all that follows, to the value that the function returns."""
        depth = len(self.stack)
        while not isinstance(signal, Return):
            depth -= 1
            if depth < 0:
                return None
            frame = self.stack[depth]
            if isinstance(frame, _After):
                if isinstance(signal, Fall):
                    with self._below(depth):
                        signal = frame.run(*signal.values)
                continue
            run = frame.on_break if isinstance(signal, Break) else frame.on_next
            with self._below(depth):
                signal = run(*signal.values)
        return signal.value


_continuations = _Continuations()


def _traced(value: Any) -> bool:
    return isinstance(value, Traced)


def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Call anything; a function of the user's is rewritten first, and `print` prints when run."""
    if function is print:
        return active().record_print(arguments)
    if function is range and any(_traced(a) for a in arguments):
        return TracedRange.of(*arguments)
    if function is type and len(arguments) == 1 and _traced(arguments[0]):
        return Tensor
    if function is Tensor and arguments and isinstance(arguments[0], (Traced, Parameter)):
        return tensor_of(*arguments, **keywords)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        return run_function(function.__func__, (function.__self__, *arguments), keywords)
    if isinstance(function, types.FunctionType):
        return run_function(function, arguments, keywords)
    try:
        found = function(*arguments, **keywords)
    except TraceError:
        recorder = active()
        operands = tuple(recorder.operand(a)[0] for a in arguments if _traced(a))
        recorder.at_fault(_title(function), operands)
        raise
    return made(found) if type(found) in (list, dict, set) else found


def _title(function: Any) -> str:
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", type(function).__name__)
    return f"{module}.{name}" if module and module != "builtins" else str(name)


def call_method(holder: Any, name: str, own: bool, *arguments: Any, **keywords: Any) -> Any:
    """Call a method that changes its object when that is a list, dict or set; `own`: it is held by a
    name of the function.
    """
    if type(holder) in (list, dict, set):
        if not own:
            refuse_outside(holder)
        check_change(holder)
    return call(getattr(holder, name), *arguments, **keywords)


def run_function(function: types.FunctionType, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
    """Call a function with continuations of its own: its return is not its caller's."""
    global _continuations
    made = traceable(function)
    recorder = active()
    recorder.deeper()
    outer, _continuations = _continuations, _Continuations()
    try:
        return made(*arguments, **keywords)
    finally:
        _continuations = outer
        recorder.depth -= 1


def finish(signal: Signal) -> Any:
    """The value a function returns, from how its last statement ended."""
    return signal.value if isinstance(signal, Return) else None


def branch(test: Any, then: Block, orelse: Block, values: Values, names: tuple[str, ...]) -> Values:
    """`if` whose branches both reach their end; gives the variables after it."""
    if not _traced(test):
        return _values((then if test else orelse)(*values))
    left, right = Branch("✓"), Branch("✗")
    with left:
        left_given = own(values)
        left_values = _values(then(*left_given))
    with right:
        right_given = own(values)
        right_values = _values(orelse(*right_given))
    found = join(test, left, left_values, right, right_values, names)
    if not values:
        return found
    kept = [a is b and c is d for a, b, c, d in zip(left_given, left_values, right_given, right_values, strict=True)]
    return tuple(map(put_back, values, kept, found))


def branch_early(test: Any, then: Block, orelse: Block, values: Values, names: tuple[str, ...], after: Block) -> Signal:
    """`if` with a return, break or continue in it; `after` is what follows in its block."""
    if not _traced(test):
        with _continuations.inside(_After(after)):
            signal = (then if test else orelse)(*values)
        return after(*signal.values) if isinstance(signal, Fall) else signal
    left, right = Branch("✓"), Branch("✗")
    with _continuations.inside(_After(after)):
        with left:
            left_end = then(*own(values))
        with right:
            right_end = orelse(*own(values))
        if type(left_end) is not type(right_end):
            with left:
                left_end = _continuations.settle(left_end)
            with right:
                right_end = _continuations.settle(right_end)
        if type(left_end) is not type(right_end):
            with left:
                left_end = Return(_continuations.complete(left_end))
            with right:
                right_end = Return(_continuations.complete(right_end))
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
    left_values, right_values = _values(left_end), _values(right_end)
    fell = isinstance(left_end, Fall)
    if not fell:
        names = tuple(f"loop variable {i + 1}" for i in range(len(left_values)))
    merged = join(test, left, left_values, right, right_values, names)
    if fell:
        return after(*merged)
    return type(left_end)(merged)


def loop_while(condition: Callable[..., Any], body: Block, values: Values, names: tuple[str, ...]) -> Values:
    """`while` that ends by its condition alone; gives the variables after it."""
    signal = _while(condition, body, values, names, Fall)
    return _values(signal)


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
        if _traced(test):
            restore()  # the condition is recorded anew, inside the loop
            return _record_while(condition, _owning(body), values, names, None if plain else after)
        if not test:
            return _end(after, values)

        def on_next(*new: Any) -> Signal:
            return _while(condition, body, new, names, after)

        with _continuations.inside(_Around(on_next, lambda *new: _end(after, new))):
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
            with _continuations.inside(_Around(lambda *new: Return(again(new)), lambda *new: Return(again(new)))):
                return _continuations.complete(body(*values))

        return Fall(record_while(condition, run_body, values, names, None))

    def run_exit(values: Values) -> Any:
        return _continuations.complete(after(*values))

    def run_early(again: Callable[[Values], Any], values: Values) -> Any:
        frame = _Around(lambda *new: Return(again(new)), lambda *new: after(*new))
        with _continuations.inside(frame):
            return _continuations.complete(body(*values))

    return Return(record_while(condition, run_early, values, names, run_exit)[0])


def loop_over(items: Any, body: Block, values: Values, names: tuple[str, ...]) -> Values:
    """`for` that ends with its items alone; gives the variables after it."""
    return _values(_over(items, body, values, names, Fall))


def loop_over_early(items: Any, body: Block, values: Values, names: tuple[str, ...], after: Block) -> Signal:
    """`for` with a return or break in it; `after` is what follows in its block."""
    return _over(items, body, values, names, after)


def _over(items: Any, body: Block, values: Values, names: tuple[str, ...], after: Callable[..., Signal]) -> Signal:
    if isinstance(items, TracedRange):
        return _over_traced(items.start, items.stop, items.step, lambda i: i, body, values, names, after)
    if _traced(items):
        if not items.shape:
            raise TraceError("a 0-d tensor has no items; loop over range(n) for a number n")
        return _over_traced(0, items.shape[0], 1, lambda i: items[i], body, values, names, after)
    return _over_items(list(items), 0, body, values, after)


def _over_items(items: list[Any], start: int, body: Block, values: Values, after: Callable[..., Signal]) -> Signal:
    for index in range(start, len(items)):
        following = index + 1

        def on_next(*new: Any, following: int = following) -> Signal:
            return _over_items(items, following, body, new, after)

        with _continuations.inside(_Around(on_next, lambda *new: _end(after, new))):
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

        with _continuations.inside(_Around(on_next, lambda *new: Break((following, *new)))):
            signal = body(item(index), *own)
        return type(signal)((following, *signal.values)) if isinstance(signal, (Next, Break, Fall)) else signal

    def behind(_index: Any, *own: Any) -> Signal:
        return after(*own)

    signal = _while(condition, counted, (counter, *values), ("counter", *names), Fall if after is Fall else behind)
    return Fall(signal.values[1:]) if isinstance(signal, Fall) and after is Fall else signal


def _values(signal: Signal) -> Values:
    if isinstance(signal, Return):
        raise TraceError("a branch returned where it should fall through")
    return signal.values


def choose(test: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """`a if test else b`."""
    if not _traced(test):
        return then() if test else orelse()
    return branch(test, lambda: Fall((then(),)), lambda: Fall((orelse(),)), (), ("the value",))[0]

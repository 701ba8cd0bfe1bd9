"""What is still to run when a branch ends early, down to the function's return.

Where both branches of a condition end alike, what follows them is recorded once. Where they do not
(one returns, the other goes on), each is completed with what follows it, which is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from msdump.runtime.tracing.signals import Break, Fall, Next, Return, Signal

Block = Callable[..., Signal]


@dataclass(frozen=True, slots=True)
class After:
    """What follows a branch that falls through."""

    run: Block


@dataclass(frozen=True, slots=True)
class Around:
    """The loop around a place: what its `continue` and its `break` lead to."""

    on_next: Block
    on_break: Block


@dataclass(slots=True)
class Continuations:
    """The continuations of one function's call, innermost last."""

    stack: list[After | Around] = field(default_factory=list)

    @contextmanager
    def inside(self, frame: After | Around) -> Iterator[None]:
        """While it lasts, `frame` is what a branch leads to."""
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
            if isinstance(frame, Around):
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
            if isinstance(frame, After):
                if isinstance(signal, Fall):
                    with self._below(depth):
                        signal = frame.run(*signal.values)
                continue
            run = frame.on_break if isinstance(signal, Break) else frame.on_next
            with self._below(depth):
                signal = run(*signal.values)
        return signal.value

"""How a branch or a loop's body ended: what rewritten code returns in place of jumping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from msdump.errors import TraceError


@dataclass(frozen=True, slots=True)
class Fall:
    """The end of a branch was reached; `values` are its variables there."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Next:
    """A loop goes on with its next iteration."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """A loop ends early."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Return:
    """The function returns `value`."""

    value: Any


Signal: TypeAlias = Fall | Next | Break | Return
Values: TypeAlias = tuple[Any, ...]


def values_of(signal: Signal) -> Values:
    """The variables at the end of a block that returns nowhere."""
    if isinstance(signal, Return):
        raise TraceError("a branch returned where it should fall through")
    return signal.values


class Undefined:
    """What a name holds before anything was assigned to it; any use of it is an error."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def fail(self, *_arguments: Any, **_keywords: Any) -> Any:
        """Raise the error that Python would have raised where the name is used."""
        raise TraceError(f"{self.name} is used before it is assigned on every path; give it a value before the if")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = fail
    __getitem__ = __call__ = __bool__ = __iter__ = __len__ = __lt__ = __gt__ = __le__ = __ge__ = fail

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # asked by copy, numpy and the like, not by the user's code
            raise AttributeError(attribute)
        return self.fail()

    def __repr__(self) -> str:
        return f"Undefined({self.name!r})"

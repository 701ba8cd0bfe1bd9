"""Lists, dicts and sets while a network is recorded: who made them, and who may change them.

A branch or a loop's body is recorded whether it will run or not, so what it changes must be its
own: it gets copies of the containers that its variables hold, and after both branches the variables
hold what they joined into. What was made elsewhere, and reached by another way, must not be changed.
"""

from __future__ import annotations

from typing import Any

from msdump.errors import TraceError
from msdump.runtime.tracing.builder import FuncBuilder
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.recorder import active

_CONTAINERS = (list, dict, set)


def region(func: FuncBuilder) -> FuncBuilder:
    """The branch or loop that runs, or does not run, as a whole, around a FuncGraph; or the entry."""
    while func.parent is not None and not func.conditional:
        func = func.parent
    return func


def made(value: Any) -> Any:
    """Note that a container was made here; gives it back."""
    if isinstance(value, _CONTAINERS):
        recorder = active()
        recorder.containers.setdefault(id(value), (value, region(recorder.func)))
    return value


def own(value: Any) -> Any:
    """A value with copies of the containers in it, made here."""
    kind = type(value)
    if kind is list:
        return made([own(item) for item in value])
    if kind is dict:
        return made({key: own(item) for key, item in value.items()})
    if kind is set:
        return made(set(value))
    if kind is tuple:
        return tuple([own(item) for item in value])
    return value


def put_back(before: Any, copy: Any, after: Any) -> Any:
    """After a branch that was given a copy of `before`: the same container with what is in `after`,
    so that other names of it see the change; or `after` when the name was bound to another one.
    """
    if type(before) is not type(after) or not isinstance(before, _CONTAINERS) or not copy:
        return after
    if isinstance(before, list):
        before[:] = after
    else:
        before.clear()
        before.update(after)
    return before


def check_change(container: Any) -> None:
    """TraceError unless a list, dict or set may be changed here."""
    recorder = active()
    here = region(recorder.func)
    _, owner = recorder.containers.get(id(container), (None, recorder.entry))
    if owner is not here:
        raise TraceError(
            f"a {type(container).__name__} made outside of a branch or loop that a tensor decides "
            "cannot be changed in it",
            user_place(recorder.here()),
            hint="make a new one there and bind the name to it, as in items = items + [x]",
        )


def refuse_outside(container: Any) -> None:
    """TraceError for a change of a container that outlives the call, as self.items and globals do."""
    raise TraceError(
        f"a {type(container).__name__} that outlives construct cannot be changed by a graph",
        user_place(active().here()),
        hint="return the values, or keep them in a Parameter made in __init__",
    )

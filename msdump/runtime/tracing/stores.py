"""What rewritten code does in place of assigning items and attributes, of assert and of raise.

A graph changes nothing in place but Parameters: an item of a tensor is assigned by making another
tensor, and what would outlive the run of a graph is refused.
"""

from __future__ import annotations

from typing import Any

from msdump.errors import TraceError
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.ownership import check_change, refuse_outside, region
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.recorder import active
from msdump.runtime.tracing.results import is_number
from msdump.runtime.tracing.traced import Traced


def _traced(value: Any) -> bool:
    return isinstance(value, Traced)


def set_item(holder: Any, index: Any, value: Any) -> Any:
    """`holder[index] = value`; gives the holder, which for a tensor is a new one."""
    if _traced(holder) or (isinstance(holder, Tensor) and (_traced(value) or isinstance(holder, Parameter))):
        return _with_item(holder, index, value)
    if isinstance(holder, Tensor):
        raise TraceError("an item of a constant tensor cannot be assigned by a graph; assign to a copy: t = t + 0")
    if isinstance(holder, tuple) and holder[index] is value:
        return holder  # what it holds was changed, not the tuple
    if isinstance(holder, (list, dict)):
        if (
            holder.get(index) is value
            if isinstance(holder, dict)
            else type(index) is int and _holds(holder, index, value)
        ):
            return holder
        check_change(holder)
    holder[index] = value
    return holder


def _with_item(holder: Tensor, index: Any, value: Any) -> Tensor:
    """A tensor like `holder` with `value` at an index; a Parameter takes it for good."""
    recorder = active()
    made: Tensor = recorder.record(Primitive("tensor_setitem"), (holder, index, value))
    if isinstance(holder, Parameter):
        recorder.assign(holder, made)
        return holder
    return made


def _holds(items: list[Any], index: int, value: Any) -> bool:
    return -len(items) <= index < len(items) and items[index] is value


def set_item_outside(holder: Any, index: Any, value: Any) -> Any:
    """`holder[index] = value` of what lives on after construct: a Parameter is assigned."""
    if isinstance(holder, (list, dict)):
        refuse_outside(holder)
    return set_item(holder, index, value)


def set_item_around(holder: Any, index: Any, value: Any) -> Any:
    """`holder[index] = value` of a function around: a list is one object, a tensor is bound anew."""
    if isinstance(holder, Tensor) and not isinstance(holder, Parameter):
        raise TraceError(
            "an item of a tensor of an outer function cannot be assigned by a graph",
            user_place(active().here()),
            hint="return the new tensor from the inner function",
        )
    return set_item(holder, index, value)


def set_attribute(holder: Any, name: str, value: Any) -> None:
    """`holder.name = value`: a Parameter is assigned, and nothing else outlives a graph's run."""
    before = getattr(holder, name, None)
    if before is value and before is not None:
        return
    if isinstance(before, Parameter) and (isinstance(value, Tensor) or is_number(value)):
        active().assign(before, value)
        return
    raise TraceError(
        f"{name} of a {type(holder).__name__} cannot be assigned by a graph",
        user_place(active().here()),
        hint=f"make {name} a Parameter in __init__, or use a local variable, or return the value",
    )


def check_raise() -> None:
    """Before `raise`: under a condition that is a tensor no one knows yet whether it comes to that."""
    if region(active().func).conditional:
        raise TraceError(
            "raise under a condition that a tensor decides cannot be compiled",
            user_place(active().here()),
            hint="check the value outside of construct, or return a tensor that tells of the error",
        )


def check(test: Any, message: Any) -> None:
    """`assert`: decided while recording; a tensor's truth is not known then."""
    if _traced(test):
        raise TraceError("assert on a tensor cannot be compiled; check the value outside of construct")
    if not test:
        raise AssertionError(message)

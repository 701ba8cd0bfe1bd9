"""Calls while a network is recorded: the user's functions, cells, print, and what tensors refuse."""

from __future__ import annotations

import inspect
import operator
import types
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msdump.errors import TraceError
from msdump.graph import CALL, GraphRef
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.promotion import BOOL
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.constants import abstract_of
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.recorder import Recorder, active
from msdump.runtime.tracing.results import abstract_of_output, ambiguous, as_tensor, pack, unpack
from msdump.runtime.tracing.rewrite import rewrite
from msdump.runtime.tracing.structure import flatten
from msdump.runtime.tracing.traced import Traced

if TYPE_CHECKING:
    from msdump.runtime.cell import Cell

_rewritten: weakref.WeakKeyDictionary[types.FunctionType, types.FunctionType] = weakref.WeakKeyDictionary()


def traceable(function: types.FunctionType) -> types.FunctionType:
    """A function as it is recorded: the user's rewritten, a library's as it is."""
    recorder = active()
    if not _is_users(function):
        return function
    found = _rewritten.get(function)
    if found is None:
        found = _rewritten[function] = _rewrite(function)
    _note_code(recorder, found.__code__)
    return found


def _rewrite(function: types.FunctionType) -> types.FunctionType:
    from msdump.runtime.tracing import flow

    return rewrite(function, flow) or function


def _is_users(function: types.FunctionType) -> bool:
    # Layers of msdump decide nothing by tensors, and functions made here are rewritten already.
    module = function.__globals__.get("__name__", "")
    return not module.startswith("msdump.") and "_msdump_flow" not in function.__code__.co_freevars


def _note_code(recorder: Recorder, code: types.CodeType) -> None:
    if code in recorder.codes:
        return
    recorder.codes.add(code)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            _note_code(recorder, inner)


def record_cell(cell: Cell, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Record a cell inside a network: a FuncGraph of its own, and a call of it."""
    from msdump.runtime.tracing.control import call

    recorder = active()
    if cell._cast_to is not None:
        args = [cell._cast(a) for a in args]
    leaves, rebuild, _ = flatten((list(args), kwargs))
    _check_arguments(cell, args, kwargs, leaves)
    func = recorder.child(recorder.fresh_name(_name_of(cell)))
    inner: list[Any] = []
    operands = []
    for leaf in leaves:
        if isinstance(leaf, Traced):
            operand, spec = recorder.operand(leaf)
            operands.append(operand)
            inner.append(Traced.of(spec, func, func.add_parameter(f"x{len(operands)}", abstract_of(spec))))
        else:
            inner.append(leaf)
    positional, named = rebuild(iter(inner))
    recorder.scopes.append(cell.get_scope() or recorder.scopes[-1])
    with recorder.inside(func):
        try:
            value = call(cell.construct, *positional, **named)
            outputs, rebuild_value, _ = flatten(value)
            tensors = [i for i, leaf in enumerate(outputs) if isinstance(leaf, Tensor)]
            output, abstract, specs = pack(recorder, [outputs[i] for i in tensors] or [as_tensor(True)])
            recorder.finish(func, output, abstract)
        finally:
            recorder.scopes.pop()
    node = recorder.add(CALL, tuple(operands), abstract_of_output(specs), callee=GraphRef(func.name))
    for kind in sorted(func.acts):
        recorder.acted(kind, node)
    if not tensors:
        return value
    found = iter(unpack(recorder, node, specs))
    return rebuild_value(iter([next(found) if i in tensors else leaf for i, leaf in enumerate(outputs)]))


def _check_arguments(cell: Cell, args: Sequence[Any], kwargs: dict[str, Any], leaves: list[Any]) -> None:
    recorder = active()
    try:
        inspect.signature(cell.construct).bind(*args, **kwargs)
    except TypeError as error:
        given = tuple(recorder.operand(leaf)[0] for leaf in leaves if isinstance(leaf, Traced))
        recorder.at_fault(CALL, given, callee=GraphRef(_name_of(cell)))
        raise TraceError(
            f"construct of {type(cell).__name__}: {error}",
            user_place(recorder.here()),
            hint=f"it was given {len(args) + len(kwargs)} arguments",
        ) from None


def _name_of(cell: Cell) -> str:
    kind = type(cell)
    return f"{kind.__module__.replace('.', '_')}_{kind.__qualname__.replace('.<locals>.', '_')}_construct"


def record_logical(op: str, *operands: Any) -> Tensor:
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


def is_truth(value: Any) -> bool:
    """Whether a value is one Bool in a tensor."""
    return isinstance(value, Traced) and value._data.dtype == BOOL and value.shape == ()


COMPARISONS: dict[str, Any] = {
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


def with_item(holder: Tensor, index: Any, value: Any) -> Tensor:
    """A tensor like `holder` with `value` at an index; a Parameter takes it for good."""
    recorder = active()
    made: Tensor = recorder.record(Primitive("tensor_setitem"), (holder, index, value))
    if isinstance(holder, Parameter):
        recorder.assign(holder, made)
        return holder
    return made


def tensor_of(data: Tensor, dtype: Any = None) -> Tensor:
    """`Tensor(data)` of a tensor: its value now, in another type if one is asked for."""
    made: Tensor = active().record(Primitive("Identity"), (data,))
    return made if dtype is None else made.astype(dtype)


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

"""A cell called while a network is recorded: a FuncGraph of its own, and a call of it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from msdump.errors import TraceError
from msdump.graph import CALL, GraphRef
from msdump.runtime.cell import Cell
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.calls import call
from msdump.runtime.tracing.constants import abstract_of
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.recorder import active
from msdump.runtime.tracing.results import abstract_of_output, as_tensor, pack, unpack
from msdump.runtime.tracing.structure import flatten
from msdump.runtime.tracing.traced import Traced


def record_cell(cell: Cell, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Record a cell inside a network: a FuncGraph of its own, and a call of it."""
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

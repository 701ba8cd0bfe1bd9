"""One CNode computed again from inputs at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from msdump.errors import ExecutionError
from msdump.graph import CNode, MonadType, NodeRef, Operand, ValueNode
from msdump.graph.value import Monad
from msdump.runtime.executor.machine import describe
from msdump.runtime.executor.places import place_of, title_of
from msdump.runtime.executor.plan import kernel_of
from msdump.runtime.executor.values import to_python
from msdump.runtime.promotion import is_float


def execute_node(
    node: CNode, inputs: Sequence[Any] | Mapping[int, Any], *, float64: bool = True
) -> tuple[np.ndarray[Any, Any], ...]:
    """Compute one CNode again.

    Args:
        node: the node; its attributes and its constant operands come from the graph.
        inputs: arrays for the operands that are no constants: in order, or by the operand's position
            (from 0). An operator of one tuple (Concat, Stack, AddN) takes the tuple's elements.
        float64: compute floating-point inputs in double precision.

    Returns the outputs as a tuple of arrays, one element for an operator with one output.

    Raises ExecutionError when the operator is not known, the number of inputs does not fit, or it fails.
    """
    variable = [i for i, o in enumerate(node.inputs) if not isinstance(o, ValueNode) and not _is_token(o)]
    if isinstance(inputs, Mapping):
        given = dict(inputs)
    elif len(inputs) == len(variable):
        given = dict(zip(variable, inputs, strict=True))
    elif len(variable) == 1:
        given = {variable[0]: tuple(inputs)}
    else:
        raise ExecutionError(
            f"{title_of(node)} has {len(variable)} inputs, but {len(inputs)} were given", place_of(node), node=node.name
        )
    args: list[Any] = []
    for i, operand in enumerate(node.inputs):
        if i in given:
            args.append(_widened(given[i]) if float64 else given[i])
        elif isinstance(operand, ValueNode) and not isinstance(operand.value, Monad):
            value = to_python(operand.value)
            args.append(_widened(value) if float64 and isinstance(value, np.ndarray) else value)
        elif i in variable and not _is_token(operand):
            raise ExecutionError(f"{title_of(node)}: input {i} is not given", place_of(node), node=node.name)
    try:
        with np.errstate(all="ignore"):
            found = kernel_of(node, len(args))(*args)
    except ExecutionError:
        raise
    except Exception as error:
        shown = ", ".join(describe(a) for a in args)
        raise ExecutionError(
            f"{node.op} {title_of(node)} of {shown}: {error}", place_of(node), node=node.name
        ) from error
    return tuple(np.asarray(v) for v in (found if isinstance(found, tuple | list) else (found,)) if v is not None)


def _is_token(operand: Operand) -> bool:
    if isinstance(operand, ValueNode):
        return isinstance(operand.value, Monad)
    return isinstance(operand, NodeRef) and isinstance(getattr(operand, "abstract", None), MonadType)


def _widened(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_widened(v) for v in value)
    if isinstance(value, np.ndarray) and is_float(value.dtype):
        return value.astype(np.float64)
    return np.array(value) if isinstance(value, np.ndarray) else value

"""What graphs return: nested values as one output, and taken apart again behind the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msdump.errors import TraceError
from msdump.graph import Abstract, NodeRef, Operand
from msdump.runtime.ops.registry import TensorSpec, spec_of
from msdump.runtime.promotion import from_scalar
from msdump.runtime.tensor import Tensor, wrap_array
from msdump.runtime.tracing.constants import abstract_of
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.recorder import Recorder, active


def is_number(value: Any) -> bool:
    """A number or bool of Python or numpy."""
    return isinstance(value, (bool, int, float, complex, np.number, np.bool_))


def as_tensor(value: Any, dtype: np.dtype[Any] | None = None) -> Tensor:
    """A number as a 0-d tensor of a type, a tensor as it is."""
    if isinstance(value, Tensor):
        return value
    array = from_scalar(value)
    return wrap_array(array if dtype is None else array.astype(dtype))


def pack(recorder: Recorder, leaves: Sequence[Any]) -> tuple[Operand, Abstract, tuple[TensorSpec, ...]]:
    """Tensors as the one output of the current FuncGraph: itself, or a tuple of them."""
    parts = [recorder.operand(leaf) for leaf in leaves]
    specs = tuple(spec_of(spec) if isinstance(spec, np.ndarray) else spec for _, spec in parts)
    if len(parts) == 1:
        return parts[0][0], abstract_of(specs[0]), specs
    abstract = abstract_of(specs)
    made = recorder.add("MakeTuple", tuple(operand for operand, _ in parts), abstract)
    return NodeRef(made), abstract, specs


def unpack(recorder: Recorder, node: str, specs: Sequence[TensorSpec]) -> list[Any]:
    """The tensors that a call of such a FuncGraph gives."""
    if len(specs) == 1:
        return [recorder.unpack(specs[0], node)]
    return list(recorder.unpack(tuple(specs), node))


def abstract_of_output(specs: Sequence[TensorSpec]) -> Abstract:
    """The type of such an output."""
    return abstract_of(specs[0] if len(specs) == 1 else tuple(specs))


def ambiguous(value: Tensor) -> TraceError:
    """The error of a tensor of several elements as a condition."""
    return TraceError(
        f"the truth of a tensor of {value.size} elements is ambiguous; use .any() or .all()",
        user_place(active().here()),
    )


def described(value: Any) -> str:
    """A value in an error: its type and shape, or the value itself."""
    if isinstance(value, Tensor):
        return f"Tensor[{value.dtype.name}] {value.shape}"
    return f"{type(value).__name__} {value!r}"

"""Python values as constants of a graph, with their types."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump import dtype as types
from msdump.dtype import DType
from msdump.errors import TraceError
from msdump.graph import Abstract, ScalarType, SequenceType, TensorType, ValueNode
from msdump.graph import value as kinds
from msdump.ms_text import elements_text
from msdump.runtime.ops.registry import TensorSpec
from msdump.runtime.tensor import Tensor

_SHOWN = 64
"""Tensors of up to so many elements print their numbers into the graph's text."""


def abstract_of(spec: Any) -> Abstract:
    """The type of what an operator gives: a TensorSpec, a Python value, or a tuple of them."""
    if isinstance(spec, TensorSpec):
        found = types.by_numpy(spec.dtype)
        return TensorType(found.name if found else str(spec.dtype), spec.shape)
    if isinstance(spec, np.ndarray):
        return abstract_of(TensorSpec(spec.shape, spec.dtype))
    if isinstance(spec, (tuple, list)):
        kind = "Tuple" if isinstance(spec, tuple) else "List"
        return SequenceType(kind, tuple(abstract_of(item) for item in spec))
    return constant(spec).abstract


def constant(value: Any) -> ValueNode:
    """A Python value, numpy array or Tensor as an operand; TraceError when no graph can hold it."""
    if isinstance(value, Tensor):
        value = value.init_data()._data
    if isinstance(value, np.ndarray):
        return _tensor(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.dtype):
        value = types.by_numpy(value) or value
    for kind, make in _ATOMS:
        if isinstance(value, kind):
            return ValueNode(*make(value))
    if isinstance(value, (tuple, list)):
        items = [constant(item) for item in value]
        name = "Tuple" if isinstance(value, tuple) else "List"
        return ValueNode(
            kinds.Sequence(name, tuple(item.value for item in items)),
            SequenceType(name, tuple(item.abstract for item in items)),
        )
    if isinstance(value, dict):
        pairs = [(constant(key), constant(item)) for key, item in value.items()]
        return ValueNode(kinds.DictValue(tuple((key.value, item.value) for key, item in pairs)))
    raise TraceError(
        f"a value of type {type(value).__name__} cannot stand in a graph; pass tensors, numbers, strings or tuples"
    )


def _tensor(array: np.ndarray[Any, Any]) -> ValueNode:
    found = types.by_numpy(array.dtype)
    if found is None:
        raise TraceError(f"an array of the type {array.dtype} cannot stand in a graph")
    data = np.asarray(array, order="C")
    little = data if found.ml or data.dtype.itemsize == 1 else data.astype(data.dtype.newbyteorder("<"), copy=False)
    text = elements_text(data, comma=False) if data.size <= _SHOWN else None
    value = kinds.TensorValue(found.name, data.shape, text, little.tobytes())
    return ValueNode(value, TensorType(found.name, data.shape))


_ATOMS: tuple[tuple[type, Any], ...] = (
    (bool, lambda v: (kinds.Scalar("Bool", v), ScalarType("Bool"))),
    (int, lambda v: (kinds.Scalar("Int64", v), ScalarType("Int64"))),
    (float, lambda v: (kinds.Scalar("Float32", v), ScalarType("Float32"))),
    (str, lambda v: (kinds.Str(v), ScalarType("String"))),
    (type(None), lambda v: (kinds.NoneValue(), ScalarType("None"))),
    (DType, lambda v: (kinds.TypeValue(v.name), ScalarType("TypeType"))),
    (slice, lambda v: (kinds.Named("Slice", f"{v.start}:{v.stop}:{v.step}"), ScalarType("Slice"))),
)

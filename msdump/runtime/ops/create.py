"""Operators that make tensors: filled, counted, diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.ops.registry import Array, operator, same
from msdump.runtime.ops.shape import ints
from msdump.runtime.promotion import FLOAT32, INT64, from_scalar, is_float, numpy_type


@operator("ZerosLike", "ZerosLikeExt", infer=same)
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in x's shape."""
    if isinstance(x, tuple | list):
        return type(x)(zeros_like(v) for v in x)
    array = from_scalar(x)
    return np.zeros(array.shape, array.dtype if dtype is None else numpy_type(dtype))


@operator("OnesLike", "OnesLikeExt", infer=same)
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones in x's shape."""
    array = from_scalar(x)
    return np.ones(array.shape, array.dtype if dtype is None else numpy_type(dtype))


@operator("Zeros", inputs=2)
def zeros(shape: Any, dtype: Any = FLOAT32) -> Any:
    """Zeros."""
    return np.zeros(ints(shape), numpy_type(FLOAT32 if dtype is None else dtype))


@operator("Ones", inputs=2)
def ones(shape: Any, dtype: Any = FLOAT32) -> Any:
    """Ones."""
    return np.ones(ints(shape), numpy_type(FLOAT32 if dtype is None else dtype))


@operator("Fill", inputs=3)
def fill(dtype: Any, shape: Any, value: Any) -> Any:
    """A tensor of one value."""
    return np.full(ints(shape), value, numpy_type(dtype))


@operator("FillV2", "FillScalar", "FillTensor", inputs=3)
def fill_v2(shape: Any, value: Any, dtype: Any = None) -> Any:
    """A tensor of one value, of the value's own type unless dtype is given."""
    array = from_scalar(value)
    return np.full(ints(shape), array, array.dtype if dtype is None else numpy_type(dtype))


@operator("FullLike", inputs=3)
def full_like(x: Array, value: Any, dtype: Any = None) -> Any:
    """A tensor of one value in x's shape."""
    return np.full(x.shape, value, x.dtype if dtype is None else numpy_type(dtype))


@operator("Range", inputs=3)
def range_of(start: Any, limit: Any, delta: Any, maxlen: int = 1000000) -> Any:
    """start, start + delta, … before limit."""
    first = from_scalar(start)
    return np.arange(first.item(), from_scalar(limit).item(), from_scalar(delta).item(), dtype=first.dtype)


@operator("Arange", inputs=4)
def arange(start: Any, end: Any, step: Any = 1, dtype: Any = None) -> Any:
    """Range with a type; ints give Int64, floats Float32."""
    kinds = [from_scalar(v).dtype for v in (start, end, step)]
    target = numpy_type(dtype) if dtype is not None else FLOAT32 if any(is_float(k) for k in kinds) else INT64
    return np.arange(*(from_scalar(v).item() for v in (start, end, step)), dtype=target)


@operator("LinSpace", "LinSpaceExt", inputs=3)
def lin_space(start: Any, stop: Any, num: Any) -> Any:
    """Num values evenly from start to stop, both included."""
    first = from_scalar(start)
    dtype = first.dtype if is_float(first.dtype) else FLOAT32
    return np.linspace(first, from_scalar(stop), int(num), dtype=dtype)


@operator("Eye", inputs=3)
def eye(n: int, m: Any = None, dtype: Any = FLOAT32) -> Any:
    """Ones on the main diagonal of n rows and m columns."""
    return np.eye(int(n), None if m is None else int(m), dtype=numpy_type(FLOAT32 if dtype is None else dtype))


@operator("Triu", infer=same)
def triu(x: Array, diagonal: int = 0) -> Any:
    """The input with zeros below the diagonal."""
    return np.triu(x, diagonal)


@operator("Tril", "TrilExt", infer=same)
def tril(x: Array, diagonal: int = 0) -> Any:
    """The input with zeros above the diagonal."""
    return np.tril(x, diagonal)


@operator("Diag", "DiagExt")
def diag(x: Array, diagonal: int = 0) -> Any:
    """A vector as the diagonal of a matrix, or a matrix's diagonal."""
    return np.diag(x, diagonal)


@operator("Meshgrid")
def meshgrid(inputs: Any, indexing: Any = "xy") -> Any:
    """Coordinate tensors of a grid."""
    return tuple(np.ascontiguousarray(g) for g in np.meshgrid(*inputs, indexing=indexing))

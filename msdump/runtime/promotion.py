"""Type promotion as MindSpore's operators do it before they compute.

Tensors: Bool gives way to all; integers widen (Int8 with UInt8 to Int16); any float beats any
integer; Float16 with BFloat16 is Float32; UInt16, UInt32 and UInt64 mix with nothing but Bool.
Python numbers are weak: they take the tensor's type, but a float lifts integers to Float32 and an
int lifts Bool to Int64.
"""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np

from msdump import dtype as types
from msdump.runtime.misfit import ShapeMisfit, TypeMisfit, unspread

ARRAYS = (np.ndarray, np.generic)
"""What numpy gives for a tensor: an array, or a scalar for a 0-d one."""
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOAT16 = np.dtype(np.float16)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
_ALONE = frozenset(np.dtype(t) for t in (np.uint16, np.uint32, np.uint64))
_RANK = {FLOAT16: 0, BFLOAT16: 0, FLOAT32: 1, FLOAT64: 2}


def is_float(dtype: np.dtype[Any]) -> bool:
    """A real floating-point type, BFloat16 and the 8-bit floats included."""
    return dtype.kind == "f" or (dtype.kind == "V" and "float" in dtype.name) or dtype == BFLOAT16


def spelled(dtype: np.dtype[Any]) -> str:
    """MindSpore's name of a numpy type."""
    found = types.by_numpy(dtype)
    return str(dtype) if found is None else found.name


@functools.cache
def result_type(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """The type two tensors are brought to. TypeError, in MindSpore's words, when there is none."""
    if a == b or b == BOOL:
        return a
    if a == BOOL:
        return b
    if a in _ALONE or b in _ALONE:
        raise TypeMisfit(f"Type implicit conversion between {spelled(b)} and {spelled(a)} is not supported.")
    if a.kind == "c" or b.kind == "c":
        wide = {np.dtype(np.complex128), FLOAT64}
        return np.dtype(np.complex128 if a in wide or b in wide else np.complex64)
    if is_float(a) and is_float(b):
        if _RANK[a] == _RANK[b]:
            return FLOAT32
        return a if _RANK[a] > _RANK[b] else b
    if is_float(a):
        return a
    if is_float(b):
        return b
    return np.promote_types(a, b)


def scalar_type(tensor: np.dtype[Any], scalar: object) -> np.dtype[Any]:
    """The type a tensor and a Python number are brought to."""
    if isinstance(scalar, bool):
        return tensor
    if isinstance(scalar, int):
        if tensor in _ALONE:
            raise TypeMisfit(f"Type implicit conversion between Int64 and {spelled(tensor)} is not supported.")
        return INT64 if tensor == BOOL else tensor
    if isinstance(scalar, float):
        if tensor in _ALONE:
            raise TypeMisfit(f"Type implicit conversion between Float32 and {spelled(tensor)} is not supported.")
        return tensor if is_float(tensor) or tensor.kind == "c" else FLOAT32
    if isinstance(scalar, complex):
        return np.dtype(np.complex128 if tensor in (FLOAT64, np.dtype(np.complex128)) else np.complex64)
    raise TypeMisfit(f"unsupported operand type: {type(scalar).__name__} beside a tensor")


def from_scalar(value: object) -> np.ndarray[Any, Any]:
    """A Python number as a 0-d tensor of the type MindSpore gives it (Bool, Int64, Float32)."""
    if isinstance(value, ARRAYS):
        return np.asarray(value)
    if isinstance(value, float):
        return np.asarray(value, FLOAT32)
    if isinstance(value, bool | int | complex):
        return np.asarray(value)
    raise TypeMisfit(f"unsupported operand type: {type(value).__name__} where a tensor or a number is expected")


def promote(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands of one type: arrays, numpy scalars or Python numbers in, arrays out."""
    x_is, y_is = hasattr(x, "dtype"), hasattr(y, "dtype")
    if x_is and y_is:
        target = result_type(x.dtype, y.dtype)
    elif x_is:
        target = scalar_type(x.dtype, y)
    elif y_is:
        target = scalar_type(y.dtype, x)
    else:
        x, y = from_scalar(x), from_scalar(y)
        target = result_type(x.dtype, y.dtype)
    return np.asarray(x, dtype=target), np.asarray(y, dtype=target)


def promoted_spec(x: Any, y: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an elementwise operation on two specs or Python numbers.

    ValueError when the shapes do not broadcast.
    """
    x_is, y_is = hasattr(x, "dtype"), hasattr(y, "dtype")
    if x_is and y_is:
        return broadcast(x.shape, y.shape), result_type(x.dtype, y.dtype)
    if x_is:
        return x.shape, scalar_type(x.dtype, y)
    if y_is:
        return y.shape, scalar_type(y.dtype, x)
    return (), result_type(from_scalar(x).dtype, from_scalar(y).dtype)


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape two shapes broadcast to. ValueError names both when they do not."""
    if a == b:
        return a
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise ShapeMisfit(f"shapes {a} and {b} do not broadcast", unspread(a, b)) from None


def numpy_type(what: Any) -> np.dtype[Any]:
    """The numpy type a user or a graph means: a DType, a name, a TypeId number, a numpy or Python type.

    TypeError names what cannot be understood.
    """
    if isinstance(what, types.DType):
        return what.np
    if isinstance(what, np.dtype):
        return what
    found = None
    if isinstance(what, str):
        found = types.by_name(what)
    elif isinstance(what, int) and not isinstance(what, bool):
        found = types.by_number("type_id", what)
    elif isinstance(what, type):
        return _PYTHON.get(what) or np.dtype(what)
    if found is None:
        raise TypeMisfit(f"{what!r} is not an element type")
    return found.np


_PYTHON = {bool: BOOL, int: INT64, float: FLOAT32}

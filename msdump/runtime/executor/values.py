"""Constants of a graph as the Python values and arrays that kernels take."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from msdump import dtype as types
from msdump.errors import ExecutionError
from msdump.graph import value as kinds

_SEPARATORS = re.compile(r"[\[\](),\s]+")
_WORDS = {"True": 1, "true": 1, "False": 0, "false": 0}


def to_python(value: kinds.Value) -> Any:
    """A constant as a kernel takes it: numbers, strings, None, tuples, numpy arrays, DType for types.

    Raises ExecutionError for a tensor whose numbers the file leaves out.
    """
    if isinstance(value, kinds.Scalar | kinds.Str):
        return value.value
    if isinstance(value, kinds.NoneValue | kinds.Monad):
        return None
    if isinstance(value, kinds.Sequence):
        items = [to_python(v) for v in value.items]
        return items if value.kind == "List" else tuple(items)
    if isinstance(value, kinds.TensorValue):
        return tensor(value)
    if isinstance(value, kinds.TypeValue):
        return types.by_name(_element(value.name)) or value.name
    if isinstance(value, kinds.Named) and value.kind == "Slice":
        return slice(*(None if part == "None" else int(part) for part in value.name.split(":")))
    if isinstance(value, kinds.DictValue):
        return {to_python(k): to_python(v) for k, v in value.items}
    return value


def _element(name: str) -> str:
    """`Tensor[Float32]`, `Tensor(F32)` and `Float32` are all Float32 as a type to cast to."""
    inner = re.fullmatch(r"\w+[\[(](\w+)[\])]", name)
    return inner.group(1) if inner else name


def tensor(value: kinds.TensorValue) -> np.ndarray[Any, Any]:
    """A constant tensor's numbers, from its bytes or from its text."""
    dtype = types.by_name(value.dtype)
    if dtype is None:
        raise ExecutionError(f"a constant tensor has the element type {value.dtype}, which msdump does not know")
    if value.data is not None:
        little = dtype.np.newbyteorder("<") if not dtype.ml else dtype.np
        return np.frombuffer(value.data, little).astype(dtype.np, copy=False).reshape(value.shape)
    if value.text is None or "..." in value.text:
        raise ExecutionError(
            f"the numbers of a constant tensor {list(value.shape)} of {value.dtype} are not in the file",
            hint="graphs from .mindir carry their constants; .ir files leave out those of larger tensors",
        )
    words = [w for w in _SEPARATORS.split(value.text) if w]
    try:
        numbers = [_number(w, dtype.np.kind) for w in words]
        return np.array(numbers).astype(dtype.np).reshape(value.shape)
    except (ValueError, OverflowError) as error:
        raise ExecutionError(f"a constant tensor's numbers cannot be read: {value.text[:60]!r}") from error


def _number(word: str, kind: str) -> Any:
    if word in _WORDS:
        return _WORDS[word]
    if kind == "c":
        return complex(word)
    return int(word) if kind in "iub" else float(word)

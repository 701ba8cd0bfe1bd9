"""What a compiled network is kept by: all that its construct may decide by."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from msdump.dtype import DType
from msdump.runtime.cell import Cell
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor

_PLAIN = (bool, int, float, str, type(None), DType)
_UNSEEN = frozenset(("_dumped", "_scope", "requires_grad"))
"""Attributes of a cell that construct does not decide by."""


def is_input(leaf: Any) -> bool:
    """Whether a leaf of construct's arguments is one of the graph's inputs."""
    return isinstance(leaf, Tensor) and not isinstance(leaf, Parameter)


def signature(leaves: Iterable[Any]) -> tuple[Any, ...]:
    """What tells two calls apart: shapes and types of tensors, and all other values."""
    return tuple((leaf.shape, leaf._data.dtype) if is_input(leaf) else _state(leaf) for leaf in leaves)


def states(cell: Cell) -> tuple[Any, ...]:
    """The attributes of a network and of the cells in it."""
    return tuple(
        (key, _state(value))
        for _, inner in cell.cells_and_names()
        for key, value in (*inner.__dict__.items(), *inner._params.items(), *inner._cells.items())
        if key not in _UNSEEN
    )


class _Same:
    """An object in a key: equal to itself alone, as long as it lives.

    An id alone would not do: another object may get it. Tensors and primitives, which a graph takes its
    constants from, are held; cells and functions are not, since they may hold the network.
    """

    __slots__ = ("_id", "_of")

    def __init__(self, value: Any) -> None:
        self._id = id(value)
        self._of: Callable[[], Any] = lambda: value
        if not isinstance(value, (Tensor, Primitive)):
            with suppress(TypeError):
                self._of = weakref.ref(value)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._id == other._id and self._of() is other._of() is not None


_DEEPEST_VALUE = 20
"""Lists in lists that are looked into; deeper ones, such as a list in itself, count by identity."""


def _state(value: Any, depth: int = 0) -> Any:
    """What tells two values apart that construct may decide by."""
    if isinstance(value, _PLAIN):
        return type(value), value
    if depth < _DEEPEST_VALUE:
        if type(value) in (tuple, list):
            return type(value), tuple(_state(v, depth + 1) for v in value)
        if type(value) is dict:
            return dict, tuple((_state(k, depth + 1), _state(v, depth + 1)) for k, v in value.items())
    if isinstance(value, np.ndarray) and value.dtype != object:
        return np.ndarray, value.shape, value.dtype, value.tobytes()
    return _Same(value)

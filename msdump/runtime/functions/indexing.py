"""tensor[index] as MindSpore's own operators: StridedSlice, Gather, Index."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from msdump.runtime.functions.build import op, prim
from msdump.runtime.tensor import Tensor, plain

_GATHER, _INDEX = op("Gather"), op("Index")
_ROW = prim("StridedSlice", begin_mask=0, end_mask=0, new_axis_mask=0, shrink_axis_mask=1)
_MASKS = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask")


def get_item(input: Any, index: Any) -> Tensor:
    """input[index] with ints, slices, Ellipsis, None, bools, Tensors and lists of ints.

    IndexError for an index out of range or of more dimensions than there are.
    """
    if isinstance(index, Tensor) and index.dtype.name not in ("Bool",):
        return _GATHER(input, index, 0)
    if type(index) is int and input.ndim:
        if not -input.shape[0] <= index < input.shape[0]:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {input.shape[0]}")
        row: Tensor = _ROW(input, (index,), (index + 1,), (1,))
        return row
    entries = index if type(index) is tuple else (index,)
    if all(e is None or e is Ellipsis or isinstance(e, slice) or _is_int(e) for e in entries):
        strided: Tensor = _strided(input, _full(entries, input.ndim))
        return strided
    return _INDEX(input, tuple(_advanced(e) for e in entries))


def _is_int(entry: Any) -> bool:
    return isinstance(entry, int | np.integer) and not isinstance(entry, bool)


def _advanced(entry: Any) -> Any:
    if isinstance(entry, slice):
        return slice(*(None if v is None else operator.index(v) for v in (entry.start, entry.stop, entry.step)))
    return np.asarray(plain(entry)) if isinstance(entry, list | tuple) else entry


def _full(entries: tuple[Any, ...], rank: int) -> list[Any]:
    """The entries with Ellipsis spelled out."""
    given = sum(e is not None and e is not Ellipsis for e in entries)
    if given > rank:
        raise IndexError(f"too many indices for a tensor of {rank} dimensions: {given}")
    full: list[Any] = []
    for e in entries:
        if e is Ellipsis:
            full.extend([slice(None)] * (rank - given))
        else:
            full.append(e)
    return full


@functools.lru_cache(maxsize=4096)
def _slice(*masks: int) -> Any:
    """A StridedSlice by its masks: a few distinct ones serve all indexing."""
    return prim("StridedSlice", **dict(zip(_MASKS, masks, strict=True)))


def _strided(input: Any, entries: list[Any]) -> Any:
    begin, end, strides = [], [], []
    begin_mask = end_mask = new_axis = shrink = 0
    axis = 0
    for i, e in enumerate(entries):
        bit = 1 << i
        if e is None:
            new_axis |= bit
            first, last, step = 0, 0, 1
        elif isinstance(e, slice):
            step = 1 if e.step is None else operator.index(e.step)
            first = 0 if e.start is None else operator.index(e.start)
            last = input.shape[axis] if e.stop is None else operator.index(e.stop)
            begin_mask |= bit if e.start is None else 0
            end_mask |= bit if e.stop is None else 0
            axis += 1
        else:
            first, last, step = int(e), int(e) + 1, 1
            if axis >= input.ndim:
                raise IndexError(f"too many indices for a tensor of {input.ndim} dimensions")
            if not -input.shape[axis] <= first < input.shape[axis]:
                raise IndexError(f"index {first} is out of bounds for dimension {axis} with size {input.shape[axis]}")
            shrink |= bit
            axis += 1
        begin.append(first)
        end.append(last)
        strides.append(step)
    if not entries:
        return input
    return _slice(begin_mask, end_mask, new_axis, shrink)(input, tuple(begin), tuple(end), tuple(strides))

"""Operators that pick, place and select elements by index, slice or mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.misfit import TypeMisfit, ValueMisfit
from msdump.runtime.ops.registry import Array, TensorSpec, operator, same
from msdump.runtime.ops.shape import ints
from msdump.runtime.promotion import BOOL, FLOAT32, INT64, broadcast, from_scalar, promote, promoted_spec, spelled


def strided_index(
    rank: int,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis: int,
    shrink: int,
) -> tuple[Any, ...]:
    """A StridedSlice's masks as a Python index: bit i of a mask is about entry i."""
    begin, end, strides = ints(begin), ints(end), ints(strides)
    index: list[Any] = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis & bit:
            index.append(None)
        elif shrink & bit:
            index.append(b)
        else:
            index.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    return tuple(index)


@operator("StridedSlice", inputs=4)
def strided_slice(
    x: Array,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """x[begin:end:strides] an axis, with TensorFlow's bit masks."""
    if shrink_axis_mask == 1 and len(begin) == 1:
        return x[begin[0]]
    if shrink_axis_mask == 1 and len(begin) == 1:
        return x[begin[0]]
    return x[
        strided_index(x.ndim, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    ]


@operator("Slice", inputs=3)
def slice_of(x: Array, begin: Any, size: Any) -> Any:
    """The block of a size that starts at begin; -1: to the end."""
    return x[tuple(slice(b, None if s == -1 else b + s) for b, s in zip(ints(begin), ints(size), strict=True))]


@operator("SliceExt", "Narrow", "NarrowView", "SliceExtView", inputs=5)
def slice_ext(x: Array, dim: int, start: int, end: int, step: int = 1) -> Any:
    """x[start:end:step] along one axis."""
    index: list[Any] = [slice(None)] * x.ndim
    index[dim] = slice(start, end, step)
    return x[tuple(index)]


@operator("SelectExtView", "SelectView", inputs=3)
def select_view(x: Array, dim: int, index: int) -> Any:
    """x[index] along one axis, which goes away."""
    return np.asarray(x[(slice(None),) * (dim % x.ndim) + (index,)])


def _infer_gather(x: Any, indices: Any, axis: Any, batch_dims: int = 0) -> TensorSpec:
    (place,) = ints(axis) if not isinstance(axis, TensorSpec) else (0,)
    rank, kind = len(x.shape), getattr(indices, "dtype", None)
    if not -rank <= place < max(rank, 1):
        raise ValueMisfit(
            f"For primitive[Gather], the axis must be in [-{rank},{rank}), but got {place}.",
            f"axis {place} is out of range for {rank} dimensions",
        )
    if kind is not None and kind.kind not in "iu":
        raise TypeMisfit(
            "For primitive[Gather], the input argument[indices] must be a type of {Tensor[Int16], Tensor[Int32], "
            f"Tensor[Int64]}}, but got Tensor[{spelled(kind)}].",
            f"indices must be integers, not {spelled(kind)}",
            "cast them",
        )
    place %= max(len(x.shape), 1)
    picked = getattr(indices, "shape", ())
    return TensorSpec((*x.shape[:place], *picked[batch_dims:], *x.shape[place + 1 :]), x.dtype)


@operator("Gather", "GatherV2", "SparseGatherV2", inputs=3, infer=_infer_gather)
def gather(x: Array, indices: Any, axis: Any, batch_dims: int = 0) -> Any:
    """The slices of x along axis at the indices; an index out of range gives zeros, as on MindSpore's CPU."""
    (place,) = ints(axis)
    place %= max(x.ndim, 1)
    wanted = np.asarray(indices)
    size = x.shape[place]
    outside = (wanted < -size) | (wanted >= size)
    any_outside = bool(outside.any())
    if any_outside:
        wanted = np.where(outside, 0, wanted)
    if batch_dims:
        flat = x.reshape(-1, *x.shape[batch_dims:])
        picks = wanted.reshape(flat.shape[0], *wanted.shape[batch_dims:])
        found = np.stack([np.take(a, i, axis=place - batch_dims) for a, i in zip(flat, picks, strict=True)])
        return found.reshape(*x.shape[:batch_dims], *found.shape[1:])
    found = np.take(x, wanted, axis=place)
    if any_outside:
        mask = outside.reshape((1,) * place + outside.shape + (1,) * (x.ndim - place - 1))
        found = np.where(mask, np.zeros((), x.dtype), found)
    return found


@operator("Embedding", inputs=2)
def embedding(indices: Array, weight: Array, *_: Any) -> Any:
    """Rows of weight at the indices."""
    return np.take(weight, indices, axis=0)


@operator("EmbeddingLookup", inputs=3)
def embedding_lookup(x: Array, indices: Array, offset: Any = 0) -> Any:
    """Rows of x at indices − offset; zeros where that is out of range."""
    return gather(x, np.asarray(indices) - int(offset), 0)


@operator("GatherD", "GatherDim", inputs=3)
def gather_d(x: Array, dim: Any, index: Array) -> Any:
    """Elements of x along dim, one an element of index."""
    (axis,) = ints(dim)
    cut = tuple(slice(None) if i == axis % x.ndim else slice(n) for i, n in enumerate(index.shape))
    return np.take_along_axis(x[cut], index, axis)


@operator("GatherNd", inputs=2)
def gather_nd(x: Array, indices: Array) -> Any:
    """Slices of x at index vectors in the last axis of indices."""
    return x[tuple(np.moveaxis(indices, -1, 0))]


@operator("IndexSelect", inputs=3)
def index_select(x: Array, axis: int, index: Array) -> Any:
    """Slices of x along axis at the indices."""
    return np.take(x, index, axis=axis)


@operator("Index", "InnerIndex", inputs=2)
def index_of(x: Array, indices: Any) -> Any:
    """x[indices] with tensors as indices."""
    return x[tuple(indices)]


@operator("ScatterNd", inputs=3)
def scatter_nd(indices: Array, updates: Array, shape: Any) -> Any:
    """Zeros of a shape with updates added at index vectors."""
    out = np.zeros(ints(shape), updates.dtype)
    np.add.at(out, tuple(np.moveaxis(indices, -1, 0)), updates)
    return out


@operator("TensorScatterUpdate", inputs=3, infer=same)
def tensor_scatter_update(x: Array, indices: Array, updates: Array) -> Any:
    """The input with the slices at index vectors replaced."""
    out = x.copy()
    out[tuple(np.moveaxis(indices, -1, 0))] = updates
    return out


@operator("TensorScatterAdd", inputs=3, infer=same)
def tensor_scatter_add(x: Array, indices: Array, updates: Array) -> Any:
    """The input with updates added at index vectors."""
    out = x.copy()
    np.add.at(out, tuple(np.moveaxis(indices, -1, 0)), updates)
    return out


@operator("TensorScatterElements", "Scatter", inputs=3, infer=same)
def tensor_scatter_elements(x: Array, indices: Array, updates: Array, axis: int = 0, reduction: str = "none") -> Any:
    """The input with single elements along axis replaced, or added to ("add")."""
    out = x.copy()
    places: list[Any] = list(np.indices(indices.shape))
    places[axis] = indices
    if reduction == "add":
        np.add.at(out, tuple(places), updates)
    else:
        out[tuple(places)] = updates
    return out


def _infer_select(condition: Any, x: Any, y: Any) -> TensorSpec:
    shape, dtype = promoted_spec(x, y)
    return TensorSpec(broadcast(getattr(condition, "shape", ()), shape), dtype)


@operator("Select", "SelectV2", inputs=3, infer=_infer_select)
def select(condition: Array, x: Any, y: Any) -> Any:
    """The input where condition holds, y elsewhere."""
    x, y = promote(x, y)
    return np.where(condition, x, y)


@operator("MaskedFill", inputs=3, infer=lambda x, mask, value: TensorSpec(broadcast(x.shape, mask.shape), x.dtype))
def masked_fill(x: Array, mask: Array, value: Any) -> Any:
    """Value where the mask holds, x elsewhere."""
    return np.where(mask, np.asarray(value, x.dtype), x)


@operator("MaskedSelect", inputs=2)
def masked_select(x: Array, mask: Array) -> Any:
    """The elements of x where the mask holds, as a vector."""
    shape = broadcast(x.shape, mask.shape)
    return np.broadcast_to(x, shape)[np.broadcast_to(mask, shape)]


@operator("NonZero", "NonZeroExt", "InnerNonZero")
def non_zero(x: Array) -> Any:
    """Index vectors of the elements that are not zero, (count, rank) of Int64."""
    return np.argwhere(x).astype(INT64)


@operator("OneHot", inputs=4)
def one_hot(indices: Array, depth: Any, on_value: Any = 1.0, off_value: Any = 0.0, axis: int = -1) -> Any:
    """on_value at each index along a new axis of size depth, off_value elsewhere."""
    if int(depth) < 0:
        raise ValueMisfit(
            f"For primitive[OneHot], the depth value must be greater than or equal to 0, but got {int(depth)}.",
            f"the depth must not be negative: {int(depth)}",
        )
    on, off = promote(on_value, off_value)
    where = axis if axis >= 0 else indices.ndim
    levels = np.arange(int(depth)).reshape((-1,) + (1,) * (indices.ndim - where))
    return np.where(np.expand_dims(indices, where) == levels, on, off)


@operator("OneHotExt", inputs=2)
def one_hot_ext(indices: Array, num_classes: int = -1) -> Any:
    """1 at each index along a new last axis, in Int64; -1: as many classes as the indices need."""
    depth = int(indices.max()) + 1 if num_classes == -1 else num_classes
    return (indices[..., None] == np.arange(depth)).astype(INT64)


@operator("RepeatInterleaveInt", "RepeatInterleave", "Repeat", inputs=3)
def repeat_interleave(x: Array, repeats: Any, dim: Any = None) -> Any:
    """Each element repeated in place along dim (None: of the flat tensor)."""
    return np.repeat(x, repeats if isinstance(repeats, int) else np.asarray(repeats), axis=dim)


@operator("UnsortedSegmentSum", inputs=3)
def unsorted_segment_sum(x: Array, segment_ids: Array, num_segments: Any) -> Any:
    """Sums of the slices of x that have one segment id; negative ids are left out."""
    out = np.zeros((int(num_segments), *x.shape[segment_ids.ndim :]), x.dtype)
    flat, data = segment_ids.reshape(-1), x.reshape(-1, *x.shape[segment_ids.ndim :])
    np.add.at(out, flat[flat >= 0], data[flat >= 0])
    return out


@operator("SequenceMask", inputs=2)
def sequence_mask(lengths: Array, maxlen: Any = None) -> Any:
    """True for the first lengths[…] of maxlen steps."""
    steps = int(lengths.max()) if maxlen is None else int(maxlen)
    return np.arange(steps) < lengths[..., None]


@operator("IsClose", inputs=2)
def is_close(x: Array, y: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True) -> Any:
    """Whether |x − y| ≤ atol + rtol·|y|."""
    return np.asarray(np.isclose(x, y, rtol, atol, equal_nan), BOOL)


@operator("NanToNum")
def nan_to_num(x: Array, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """The input with NaN and infinities replaced by finite numbers."""
    found = from_scalar(x)
    work = found.astype(FLOAT32) if found.dtype.itemsize < 4 else found
    top: Any = np.finfo(np.float16).max if found.dtype == np.float16 else None
    low = None if top is None else -top
    return np.nan_to_num(
        work, nan=nan or 0.0, posinf=top if posinf is None else posinf, neginf=low if neginf is None else neginf
    ).astype(found.dtype)

"""Operators that move elements and change none: shapes, layouts, joins, splits, and new tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msdump.runtime.misfit import ShapeMisfit, ValueMisfit, shape_text, unspread
from msdump.runtime.ops.elementwise import quiet
from msdump.runtime.ops.registry import Array, TensorSpec, operator, same
from msdump.runtime.promotion import FLOAT32, INT64, from_scalar, is_float, numpy_type, result_type


def ints(value: Any) -> tuple[int, ...]:
    """A shape or other run of numbers, from an int, a sequence or a tensor of integers."""
    kind = type(value)
    if kind is tuple:
        for v in value:
            if type(v) is not int:
                return tuple([int(v) for v in value])
        found: tuple[int, ...] = value
        return found
    if kind is int or isinstance(value, np.integer):
        return (int(value),)
    return tuple([int(v) for v in (np.asarray(value).reshape(-1) if hasattr(value, "dtype") else value)])


@operator("Cast", inputs=2, infer=lambda x, dtype: _cast_spec(x, dtype), spelling={"dtype": ("dst_type", "DstT")})
def cast(x: Any, dtype: Any) -> Any:
    """The input in another type: a DType, a name, or MindSpore's TypeId number. Floats to integers truncate."""
    target = numpy_type(dtype)
    array = from_scalar(x)
    if is_float(array.dtype) and target.kind in "iu":
        return _truncated(array, target)
    return array.astype(target)


def _cast_spec(x: Any, dtype: Any) -> TensorSpec:
    return TensorSpec(getattr(x, "shape", ()), numpy_type(dtype))


@quiet
def _truncated(array: Array, target: np.dtype[Any]) -> Any:
    return array.astype(target)


@operator("ScalarCast", inputs=2)
def scalar_cast(x: Any, dtype: Any) -> Any:
    """A Python number as another kind of number."""
    kind = numpy_type(dtype)
    value = x.item() if hasattr(x, "dtype") else x
    return bool(value) if kind.kind == "b" else int(value) if kind.kind in "iu" else float(value)


def _elements(shape: tuple[int, ...]) -> str:
    known = int(np.prod([n for n in shape if n != -1], dtype=np.int64))
    return f"a multiple of {known}" if -1 in shape else str(known)


def _infer_reshape(x: Any, shape: Any) -> TensorSpec:
    target, total = list(ints(shape)), int(np.prod(x.shape, dtype=np.int64))
    if target.count(-1) == 1:
        known = int(np.prod([n for n in target if n != -1], dtype=np.int64))
        if known and total % known == 0:
            target[target.index(-1)] = total // known
    if int(np.prod(target, dtype=np.int64)) != total or -1 in target:
        raise ShapeMisfit(
            f"For 'Reshape', the size of the input {tuple(x.shape)} must be equal to the size of the shape "
            f"{tuple(ints(shape))}.",
            f"{total} elements do not fit into {shape_text(ints(shape))}, which has {_elements(ints(shape))}",
        )
    return TensorSpec(tuple(target), x.dtype)


@operator("Reshape", "View", inputs=2, infer=_infer_reshape)
def reshape(x: Array, shape: Any) -> Any:
    """X's elements in order in another shape; one size may be -1."""
    try:
        return x.reshape(shape if type(shape) is tuple else ints(shape))
    except ValueError:
        return x.reshape(_infer_reshape(x, shape).shape)


def _infer_transpose(x: Any, perm: Any) -> TensorSpec:
    order = ints(perm)
    if sorted(a % max(len(x.shape), 1) for a in order) != list(range(len(x.shape))):
        raise ValueMisfit(
            f"For 'Transpose', {order} is no order of the {len(x.shape)} axes of shape {tuple(x.shape)}.",
            f"{shape_text(order)} is no order of the {len(x.shape)} axes of {shape_text(x.shape)}",
        )
    return TensorSpec(tuple(x.shape[a] for a in order), x.dtype)


@operator("Transpose", "TransposeView", inputs=2, infer=_infer_transpose, spelling={"perm": ("input_perm",)})
def transpose(x: Array, perm: Any) -> Any:
    """The input with its axes in the order perm."""
    try:
        return x.transpose(perm)
    except (ValueError, TypeError):
        return x.transpose(ints(perm)) if _infer_transpose(x, perm) else x


@operator("Flatten")
def flatten(x: Array) -> Any:
    """(N, …) as (N, everything else)."""
    return x.reshape(x.shape[0] if x.ndim else 1, -1)


@operator("FlattenExt", inputs=3)
def flatten_ext(x: Array, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The axes from start_dim to end_dim as one."""
    if x.ndim == 0:
        return x.reshape(1)
    first, last = start_dim % x.ndim, end_dim % x.ndim
    return x.reshape(*x.shape[:first], int(np.prod(x.shape[first : last + 1], dtype=np.int64)), *x.shape[last + 1 :])


@operator("ExpandDims", "ExpandDimsView", inputs=2)
def expand_dims(x: Array, axis: Any) -> Any:
    """The input with an axis of size 1 put in at `axis`."""
    array = from_scalar(x)
    (place,) = ints(axis)
    if not -array.ndim - 1 <= place <= array.ndim:
        raise ValueMisfit(f"For 'ExpandDims', axis must be in [{-array.ndim - 1}, {array.ndim}], but got {place}.")
    return np.expand_dims(array, place)


@operator("Squeeze")
def squeeze(x: Array, axis: Any = ()) -> Any:
    """The input without the axes of size 1 at `axis` (all of them when it is empty)."""
    axes = () if axis is None else ints(axis)
    if not axes:
        return np.squeeze(x)
    for a in axes:
        if x.shape[a] != 1:
            raise ShapeMisfit(
                f"For 'Squeeze', the shape of 'input_x' at axis {a} must be 1, but got {x.shape[a]} in {x.shape}.",
                f"axis {a} of {shape_text(x.shape)} has the size {x.shape[a]}; only one of size 1 can be left out",
            )
    return np.squeeze(x, axes)


def _check_alike(name: str, shapes: Sequence[tuple[int, ...]], axis: int | None = None) -> None:
    """Shapes of tensors to be joined: the same, but for the axis along which they are."""
    first, rank = shapes[0], len(shapes[0])
    if axis is not None and not -rank <= axis < rank:
        raise ValueMisfit(
            f"For '{name}', the axis must be in [{-rank}, {rank}), but got {axis}.",
            f"axis {axis} is out of range for {rank} dimensions",
        )
    for i, shape in enumerate(shapes):
        apart = [d for d in range(rank) if shape[d : d + 1] != first[d : d + 1] and (axis is None or d != axis % rank)]
        if len(shape) != rank:
            why = f"{shape_text(first)} and {shape_text(shape)} have {rank} and {len(shape)} dimensions"
        elif apart:
            besides = "" if axis is None else f" besides axis {axis}, along which they are joined"
            why = (
                f"{shape_text(first)} and {shape_text(shape)} differ in axis {apart[0]}{besides}: "
                f"{first[apart[0]]} and {shape[apart[0]]}"
            )
        else:
            continue
        raise ShapeMisfit(f"For '{name}', element {i} cannot be joined with the first: {why}.", why)


@operator("Concat", "ConcatV2")
def concat(tensors: Any, axis: int = 0) -> Any:
    """Tensors joined along axis."""
    if not tensors:
        raise ValueMisfit("For 'Concat', at least one tensor is needed.")
    _check_alike("Concat", [t.shape for t in tensors], axis)
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = result_type(dtype, t.dtype)
    return np.concatenate([t.astype(dtype, copy=False) for t in tensors], axis=axis)


@operator("Stack", "Pack", "StackExt")
def stack(tensors: Any, axis: int = 0) -> Any:
    """Tensors of one shape joined along a new axis."""
    _check_alike("Stack", [t.shape for t in tensors])
    return np.stack(tensors, axis=axis)


@operator("Unstack", "Unpack", spelling={"num": ("output_num",)})
def unstack(x: Array, axis: int = 0, num: Any = None) -> Any:
    """The slices of x along axis, as a tuple."""
    return tuple(np.moveaxis(x, axis, 0))


@operator("Split")
def split(x: Array, axis: int = 0, output_num: int = 1) -> Any:
    """The input cut along axis into output_num equal parts."""
    if x.shape[axis] % output_num:
        raise ShapeMisfit(
            f"For 'Split', the size {x.shape[axis]} along axis {axis} must be divisible by output_num {output_num}.",
            f"axis {axis} of {shape_text(x.shape)} cannot be cut into {output_num} equal parts",
        )
    return tuple(np.split(x, output_num, axis=axis))


@operator("SplitTensor", "SplitTensorView", inputs=3)
def split_tensor(x: Array, split_size: int, axis: int = 0) -> Any:
    """The input cut along axis into parts of split_size, the last one shorter where it must be."""
    return tuple(np.split(x, range(split_size, x.shape[axis], split_size), axis=axis))


@operator(
    "SplitWithSize",
    "SplitV",
    "SplitWithSizeView",
    inputs=3,
    spelling={"split_sizes": ("size_splits",), "axis": ("split_dim",)},
)
def split_with_size(x: Array, split_sizes: Any, axis: int = 0) -> Any:
    """The input cut along axis into parts of the sizes given; one may be -1."""
    sizes = list(ints(split_sizes))
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[axis] - sum(sizes) - 1
    return tuple(np.split(x, np.cumsum(sizes)[:-1].tolist(), axis=axis))


@operator("Chunk", "ChunkView", inputs=3)
def chunk(x: Array, chunks: int, dim: int = 0) -> Any:
    """The input cut along dim into at most `chunks` parts of one size, the last one shorter."""
    return split_tensor(x, -(-x.shape[dim] // chunks), dim)


@operator("Tile", inputs=2, spelling={"multiples": ("dims",)})
def tile(x: Array, multiples: Any) -> Any:
    """The input repeated along each axis."""
    return np.tile(x, ints(multiples))


@operator("BroadcastTo", "BroadcastToView", inputs=1)
def broadcast_to(x: Array, shape: Any) -> Any:
    """The input spread to a shape; -1 keeps the size x has there."""
    target = list(ints(shape))
    lead = len(target) - x.ndim
    for i, n in enumerate(target):
        if n == -1:
            if i < lead:
                raise ValueMisfit(f"For 'BroadcastTo', -1 at axis {i} of {tuple(target)} stands where x has no axis.")
            target[i] = x.shape[i - lead]
    try:
        return np.broadcast_to(x, target)
    except ValueError:
        raise ShapeMisfit(
            f"For 'BroadcastTo', shape {x.shape} cannot be spread to {tuple(target)}.", unspread(x.shape, tuple(target))
        ) from None


@operator("DynamicBroadcastTo", inputs=2)
def dynamic_broadcast_to(x: Array, shape: Any) -> Any:
    """BroadcastTo with the shape as a tensor."""
    return broadcast_to(x, shape)


@operator("ReverseV2")
def reverse(x: Array, axis: Any) -> Any:
    """The input read backwards along the axes."""
    return np.flip(x, ints(axis))


@operator("ReverseSequence", inputs=2)
def reverse_sequence(x: Array, seq_lengths: Array, seq_dim: int = 0, batch_dim: int = 0) -> Any:
    """The first seq_lengths[b] steps of each sample read backwards, the rest as they are."""
    steps = np.arange(x.shape[seq_dim])
    lengths = seq_lengths.reshape(-1, 1)
    order = np.where(steps < lengths, lengths - 1 - steps, steps)
    moved = np.moveaxis(x, (batch_dim, seq_dim), (0, 1))
    found = np.take_along_axis(moved, order.reshape(order.shape + (1,) * (x.ndim - 2)), 1)
    return np.moveaxis(found, (0, 1), (batch_dim, seq_dim))


@operator("Roll")
def roll(x: Array, shift: Any, axis: Any = None) -> Any:
    """The input shifted round along the axes."""
    return np.roll(x, ints(shift), ints(axis)) if axis is not None else np.roll(x, ints(shift)[0])


@operator("Pad")
def pad(x: Array, paddings: Any) -> Any:
    """The input with zeros around it: (before, after) an axis."""
    return np.pad(x, paddings)


@operator("PadV3", inputs=3)
def pad_v3(x: Array, paddings: Any, value: Any = 0, mode: str = "constant", paddings_contiguous: bool = True) -> Any:
    """Padding as (before, after) pairs from the last axis back; constant, reflect, edge or circular."""
    numbers = ints(paddings)
    pairs = [(numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)][::-1]
    if not paddings_contiguous:
        half = len(numbers) // 2
        pairs = [(numbers[i], numbers[half + i]) for i in range(half)][::-1]
    around = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    inside = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, around, strict=True))
    around = [(max(a, 0), max(b, 0)) for a, b in around]
    if mode == "constant":
        return np.pad(x[inside], around, constant_values=np.asarray(value or 0, x.dtype).item())
    names = {"reflect": "reflect", "edge": "edge", "replicate": "edge", "circular": "wrap"}
    return np.pad(x[inside], around, mode=names[mode])  # type: ignore[call-overload]  # one of numpy's own names


@operator("ConstantPadND", inputs=3)
def constant_pad(x: Array, padding: Any, value: Any = 0.0) -> Any:
    """PadV3 with a constant."""
    return pad_v3(x, padding, value)


@operator("MirrorPad", inputs=2)
def mirror_pad(x: Array, paddings: Any, mode: str = "REFLECT") -> Any:
    """Padding that mirrors x, without (REFLECT) or with (SYMMETRIC) its edge."""
    return np.pad(x, np.asarray(paddings).tolist(), mode=mode.lower())  # type: ignore[call-overload]  # numpy's names


@operator("Shape", "TensorShape")
def shape_of(x: Any) -> Any:
    """X's shape as a tuple of ints."""
    return tuple(int(n) for n in x.shape)


@operator("DynamicShape")
def dynamic_shape(x: Array) -> Any:
    """X's shape as a tensor of Int64."""
    return np.asarray(x.shape, INT64)


@operator("Rank")
def rank(x: Array) -> Any:
    """How many axes x has."""
    return x.ndim


@operator("Size")
def size(x: Array) -> Any:
    """How many elements x has."""
    return x.size


@operator("DType", "Typeof")
def dtype_of(x: Array) -> Any:
    """X's numpy type."""
    return x.dtype


@operator(
    "Identity", "identity", "Copy", "Contiguous", "TensorMove", "StopGradient", "stop_gradient", "Clone", infer=same
)
def identity(x: Any) -> Any:
    """The input itself."""
    return x


@operator("ScalarToTensor", "scalar_to_tensor", "ScalarToArray", inputs=2)
def scalar_to_tensor(x: Any, dtype: Any = None) -> Any:
    """A Python number as a 0-d tensor."""
    array = from_scalar(x)
    return array if dtype is None else array.astype(numpy_type(dtype))


@operator("TensorToScalar", "item")
def tensor_to_scalar(x: Array) -> Any:
    """The number in a tensor of one element."""
    return x.item()


@operator("TupleToTensor", "tuple_to_array", "TupleToArray", "ListToTensor", inputs=2)
def tuple_to_tensor(x: Any, dtype: Any = None) -> Any:
    """A tuple of numbers as a tensor."""
    array = np.asarray(x)
    if dtype is not None:
        return array.astype(numpy_type(dtype))
    return array.astype(FLOAT32) if array.dtype.kind == "f" else array


@operator("TensorToTuple", "TensorToList")
def tensor_to_tuple(x: Array) -> Any:
    """A vector as a tuple of numbers."""
    return tuple(x.tolist())

"""Functions of `msdump.ops` that move elements: shapes, products, joins, picks."""

from __future__ import annotations

from typing import Any

from msdump.runtime.functions.build import function, many, op, prim
from msdump.runtime.tensor import Tensor

# Others with no attributes
bias_add, select_where = op("BiasAdd"), op("Select")
gather_nd, scatter_nd = op("GatherNd"), op("ScatterNd")
tensor_scatter_update, masked_select, depend = op("TensorScatterUpdate"), op("MaskedSelect"), op("Depend")
assign, assign_add, assign_sub = op("Assign"), op("AssignAdd"), op("AssignSub")
masked_fill, prelu, cast = op("MaskedFill"), op("PReLU"), op("Cast")
expand_dims = unsqueeze = op("ExpandDims")
index_select, shape, size, rank = op("IndexSelect"), op("Shape"), op("Size"), op("Rank")
_RESHAPE, _TRANSPOSE, _FLATTEN = op("Reshape"), op("Transpose"), op("Flatten")

matmul = function("MatMulExt", "input other")
bmm = function("BatchMatMul", "input mat2")
addmm = function("Addmm", "input mat1 mat2 beta=1 alpha=1")
unstack = unbind = function("Unstack", "input", axis=0)
chunk = function("Chunk", "input chunks axis=0")
repeat_interleave = function("RepeatInterleave", "input repeats axis=None")
triu, tril = function("Triu", "input", diagonal=0), function("Tril", "input", diagonal=0)
select = function("SelectView", "input dim index")
gather = function("Gather", "input_params input_indices axis", batch_dims=0)
gather_elements = gather_d = function("GatherD", "input dim index")
nonzero = function("NonZero", "input")
one_hot = function("OneHot", "indices depth on_value=1 off_value=0", axis=-1)
isclose = function("IsClose", "input other", rtol=1e-5, atol=1e-8, equal_nan=False)


def dense(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """Input @ weightᵀ + bias."""
    return prim("Dense")(input, weight) if bias is None else prim("Dense")(input, weight, bias)


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sum of products by index letters."""
    return prim("Einsum", equation=equation)(tuple(operands))


def sizes(values: tuple[Any, ...]) -> Any:
    """A shape given as one tuple or as separate numbers."""
    if len(values) == 1 and not isinstance(values[0], int):
        given = values[0]
        return tuple(given) if isinstance(given, list) else given
    return values


def reshape(input: Any, shape: Any) -> Tensor:
    """The elements in order in another shape."""
    return _RESHAPE(input, tuple(shape) if isinstance(shape, list) else shape)


view = reshape


def transpose(input: Any, input_perm: Any = None) -> Tensor:
    """The axes in another order; None: reversed."""
    if input_perm is None:
        input_perm = tuple(range(input.ndim - 1, -1, -1))
    return _TRANSPOSE(input, tuple(input_perm))


def permute(input: Any, axis: Any) -> Tensor:
    """The axes in another order."""
    return _TRANSPOSE(input, tuple(a % input.ndim for a in axis))


def swapaxes(input: Any, axis0: int, axis1: int) -> Tensor:
    """Two axes swapped."""
    order = list(range(input.ndim))
    order[axis0], order[axis1] = order[axis1], order[axis0]
    return _TRANSPOSE(input, tuple(order))


def flatten_dims(input: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The axes from start_dim to end_dim as one."""
    n = input.ndim
    if n == 0:
        return reshape(input, (1,))
    first, last = start_dim % n, end_dim % n
    joined = 1
    for extent in input.shape[first : last + 1]:
        joined *= extent
    return reshape(input, (*input.shape[:first], joined, *input.shape[last + 1 :]))


def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """The axes from start_dim to end_dim as one; by default all but the first."""
    if start_dim == 1 and end_dim == -1 and input.ndim > 1:
        return _FLATTEN(input)
    return flatten_dims(input, start_dim, end_dim)


def squeeze(input: Any, axis: Any = None) -> Tensor:
    """Axes of size 1 taken out."""
    return prim("Squeeze", axis=() if axis is None else axis)(input)


def broadcast_to(input: Any, shape: Any) -> Tensor:
    """Spread to a shape."""
    return prim("BroadcastTo", shape=tuple(shape))(input)


def tile(input: Any, dims: Any) -> Tensor:
    """Repeated along each axis."""
    return prim("Tile")(input, tuple(dims) if not isinstance(dims, int) else (dims,))


def concat(tensors: Any, axis: int = 0) -> Tensor:
    """Tensors joined along an axis."""
    return prim("Concat", axis=axis)(tuple(tensors))


cat = concat


def stack(tensors: Any, axis: int = 0) -> Tensor:
    """Tensors joined along a new axis."""
    return prim("Stack", axis=axis)(tuple(tensors))


def split(tensor: Any, split_size_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """Cut into parts of one size (the last may be shorter) or of the sizes given."""
    if isinstance(split_size_or_sections, int):
        return many("SplitTensor")(tensor, split_size_or_sections, axis)
    return many("SplitWithSize")(tensor, tuple(split_size_or_sections), axis)


def roll(input: Any, shifts: Any, dims: Any = None) -> Tensor:
    """Shifted round along axes."""
    return prim("Roll", shift=shifts, axis=dims)(input)


def flip(input: Any, dims: Any) -> Tensor:
    """Read backwards along axes."""
    return prim("ReverseV2", axis=dims)(input)


def pad(input: Any, padding: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Padded by (before, after) pairs from the last axis back."""
    return prim("PadV3", mode=mode)(input, tuple(padding), 0 if value is None else value)


def where(condition: Any, input: Any, other: Any) -> Tensor:
    """`input` where condition holds, `other` elsewhere."""
    return select_where(condition, input, other)

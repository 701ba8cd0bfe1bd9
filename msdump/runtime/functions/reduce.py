"""Functions of `msdump.ops` that reduce, sort and count."""

from __future__ import annotations

from typing import Any

from msdump.runtime.functions.build import FLOAT32, INT64, many, op, prim
from msdump.runtime.tensor import Tensor

_SUM, _MEAN, _ALL, _ANY, _PROD = op("SumExt"), op("ReduceMean"), op("ReduceAll"), op("ReduceAny"), op("ReduceProd")


def _axis(axis: Any) -> Any:
    return () if axis is None else tuple(axis) if isinstance(axis, list) else axis


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum along axes; integers and Bool give Int64 unless dtype tells another type."""
    return _SUM(input, dim, keepdim, dtype)


def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Tensor:
    """Mean along axes."""
    return _MEAN(x, _axis(axis), keep_dims)


def prod(input: Any, axis: Any = None, keep_dims: bool = False) -> Tensor:
    """Product along axes."""
    return _PROD(input, _axis(axis), keep_dims)


def all(input: Any, axis: Any = None, keep_dims: bool = False) -> Tensor:
    """Whether all elements are true along axes."""
    return _ALL(input, _axis(axis), keep_dims)


def any(input: Any, axis: Any = None, keep_dims: bool = False) -> Tensor:
    """Whether any element is true along axes."""
    return _ANY(input, _axis(axis), keep_dims)


def amax(input: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Maximum along axes."""
    return prim("ReduceMax", keep_dims=keepdims)(input, _axis(axis))


def amin(input: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Minimum along axes."""
    return prim("ReduceMin", keep_dims=keepdims)(input, _axis(axis))


reduce_max, reduce_min = amax, amin


def max(input: Any, axis: Any = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """(value, index) of the maximum along an axis, of all elements without one."""
    return _with_index("ArgMaxWithValue", input, axis, keepdims)


def min(input: Any, axis: Any = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """(value, index) of the minimum along an axis, of all elements without one."""
    return _with_index("ArgMinWithValue", input, axis, keepdims)


def _with_index(name: str, input: Any, axis: Any, keepdims: bool) -> tuple[Tensor, Tensor]:
    if axis is None:
        input, axis = input.reshape((-1,)), 0
    index, value = prim(name, axis=axis, keep_dims=keepdims)(input)
    return value, index


def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Index of the first maximum along an axis, of all elements without one, Int64."""
    return _position("Argmax", input, dim, keepdim)


def argmin(input: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Index of the first minimum along an axis, of all elements without one, Int64."""
    return _position("Argmin", input, axis, keepdims)


def _position(name: str, input: Any, axis: Any, keep: bool) -> Tensor:
    whole = axis is None
    if whole:
        input, axis = input.reshape((-1,)), 0
    found: Tensor = prim(name, axis=axis, output_type=INT64)(input)
    return found.expand_dims(axis) if keep and not whole else found


def var(input: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False) -> Tensor:
    """Variance along axes; ddof is taken from the count (True: 1)."""
    return prim("Var")(input, axis, int(ddof), keepdims)


def std(input: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False) -> Tensor:
    """Standard deviation along axes."""
    return prim("Std")(input, axis, int(ddof), keepdims)


def logsumexp(input: Any, axis: Any = (), keep_dims: bool = False) -> Tensor:
    """Log Σ exp along axes."""
    return prim("LogSumExp")(input, _axis(axis), keep_dims)


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Vector norm along axes: the 2-norm, or the ord-norm."""
    return prim("LpNorm", axis=_axis(dim), p=2 if ord is None else ord, keep_dims=keepdim)(A)


def cumsum(x: Any, axis: int, dtype: Any = None) -> Tensor:
    """Running sum along an axis."""
    return prim("CumSum")(x if dtype is None else x.astype(dtype), axis)


def cumprod(input: Any, dim: int, dtype: Any = None) -> Tensor:
    """Running product along an axis."""
    return prim("CumProd")(input if dtype is None else input.astype(dtype), dim)


def topk(input: Any, k: int, dim: Any = None, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """(values, indices) of the k largest (or smallest) along an axis, the last by default."""
    last = input.ndim - 1
    axis = last if dim is None else dim % input.ndim
    work = input if axis == last else input.swapaxes(axis, last)
    values, indices = prim("TopK", sorted=sorted)(work if largest else -work, k)
    values = values if largest else -values
    return (values, indices) if axis == last else (values.swapaxes(axis, last), indices.swapaxes(axis, last))


def sort(input_x: Any, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """(values, indices) in order along an axis."""
    values, indices = many("Sort", axis=axis, descending=descending)(input_x)
    return values, indices


def argsort(input: Any, axis: int = -1, descending: bool = False) -> Tensor:
    """Indices that would sort along an axis."""
    return sort(input, axis, descending)[1]


def count_nonzero(x: Any, axis: Any = (), keep_dims: bool = False, dtype: Any = None) -> Tensor:
    """How many elements are not zero."""
    found: Tensor = prim("ReduceSum", keep_dims=keep_dims)((x != 0).astype(dtype or FLOAT32), _axis(axis))
    return found.astype(dtype or INT64)

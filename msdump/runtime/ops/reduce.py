"""Reductions, running sums, and searches for extremes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from msdump.runtime.misfit import ValueMisfit
from msdump.runtime.ops.elementwise import quiet
from msdump.runtime.ops.registry import Array, TensorSpec, operator, same
from msdump.runtime.promotion import BFLOAT16, BOOL, FLOAT16, FLOAT32, INT64, is_float, numpy_type

_HALF = (FLOAT16, BFLOAT16)
# What np.sum comes to, without its way there.
_add_up: Callable[..., Any] = np.add.reduce
_RUNS = (tuple, list, np.ndarray)
_INT32 = np.dtype(np.int32)


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes as non-negative numbers; None, () and [] mean all. ValueError when one is out of range."""
    if type(axis) is int and -rank <= axis < rank:
        return (axis % rank,)
    if axis is None or (isinstance(axis, _RUNS) and len(axis) == 0):
        return tuple(range(rank))
    wanted = tuple(int(a) for a in np.asarray(axis).reshape(-1))
    for a in wanted:
        if not -max(rank, 1) <= a < max(rank, 1):
            raise ValueMisfit(f"axis {a} is out of range for {rank} dimensions")
    return tuple(a % rank for a in wanted) if rank else ()


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keep_dims: bool) -> tuple[int, ...]:
    """The shape that is left when `axes` are reduced."""
    if keep_dims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _typed(result: Callable[[np.dtype[Any]], np.dtype[Any]]) -> Callable[..., TensorSpec]:
    def infer(x: Any, axis: Any = (), keep_dims: bool = False, *_: Any, **__: Any) -> TensorSpec:
        return TensorSpec(reduced_shape(x.shape, axes_of(axis, len(x.shape)), bool(keep_dims)), result(x.dtype))

    return infer


def _sum(x: Array, axes: tuple[int, ...], keep: bool) -> Any:
    # Half types are summed in Float32 and rounded once.
    if x.dtype in _HALF:
        return _add_up(x.astype(FLOAT32), axis=axes, keepdims=keep).astype(x.dtype)
    return _add_up(x, axis=axes, dtype=x.dtype, keepdims=keep)


def _mean(x: Array, axes: tuple[int, ...], keep: bool) -> Any:
    if x.dtype in _HALF:
        return np.mean(x.astype(FLOAT32), axis=axes, keepdims=keep).astype(x.dtype)
    if x.dtype.kind in "iu":
        return np.trunc(np.mean(x, axis=axes, keepdims=keep)).astype(x.dtype)
    return np.mean(x, axis=axes, keepdims=keep, dtype=x.dtype)


@operator("ReduceSum", inputs=2, infer=_typed(lambda d: d))
def reduce_sum(x: Array, axis: Any = (), keep_dims: bool = False, skip_mode: bool = False) -> Any:
    """Sum along axes; with skip_mode an empty axis means none instead of all."""
    if skip_mode and isinstance(axis, tuple | list) and len(axis) == 0:
        return x
    return _sum(x, axes_of(axis, x.ndim), bool(keep_dims))


@operator("ReduceMean", inputs=2, infer=_typed(lambda d: d))
@quiet
def reduce_mean(x: Array, axis: Any = (), keep_dims: bool = False) -> Any:
    """Mean along axes; of integers, truncated."""
    return _mean(x, axes_of(axis, x.ndim), bool(keep_dims))


def _wide_sum(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return INT64 if dtype.kind in "iub" else dtype


@operator("SumExt", inputs=4)
def sum_ext(x: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Sum along dim; integers and Bool give Int64 unless dtype tells another type."""
    target = _wide_sum(x.dtype) if dtype is None else numpy_type(dtype)
    return _sum(x.astype(target, copy=False), axes_of(dim, x.ndim), bool(keepdim))


@operator("MeanExt", inputs=4)
@quiet
def mean_ext(x: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Mean along dim, in dtype when it is given."""
    return _mean(x if dtype is None else x.astype(numpy_type(dtype)), axes_of(dim, x.ndim), bool(keepdim))


def _reduction(name: str, function: Callable[..., Any], result: Callable[[Any], Any] = lambda d: d) -> None:
    def kernel(x: Array, axis: Any = (), keep_dims: bool = False) -> Any:
        return function(x, axis=axes_of(axis, x.ndim), keepdims=bool(keep_dims))

    operator(name, inputs=2, infer=_typed(result))(kernel)


def _product(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    if x.dtype in _HALF:
        return np.prod(x.astype(FLOAT32), axis=axis, keepdims=keepdims).astype(x.dtype)
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


_reduction("ReduceMax", np.max)
_reduction("ReduceMin", np.min)
_reduction("ReduceProd", _product)
_reduction("ReduceAll", np.all, lambda d: BOOL)
_reduction("ReduceAny", np.any, lambda d: BOOL)


@operator("LogSumExp", inputs=3, infer=_typed(lambda d: d))
@quiet
def log_sum_exp(x: Array, dim: Any = (), keepdim: bool = False) -> Any:
    """Log Σ exp(x) along dim, computed stably."""
    axes = axes_of(dim, x.ndim)
    wide = x.astype(FLOAT32) if x.dtype in _HALF else x
    top = np.max(wide, axis=axes, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    found = np.log(np.sum(np.exp(wide - top), axis=axes, keepdims=True)) + top
    return (found if keepdim else np.squeeze(found, axis=axes)).astype(x.dtype)


def variance(x: Array, axis: Any, correction: float, keepdim: bool) -> Any:
    """Σ (x − mean)² / (n − correction) along axis, in x's type."""
    wide = x.astype(FLOAT32) if x.dtype in _HALF else x
    found = np.var(wide, axis=axes_of(axis, x.ndim), ddof=correction, keepdims=keepdim)
    return np.asarray(found).astype(x.dtype)


@operator("Var", "VarMean", inputs=4)
@quiet
def var(x: Array, dim: Any = None, correction: float = 1, keepdim: bool = False) -> Any:
    """Variance along dim; `correction` is taken from the count."""
    return variance(x, dim, correction, keepdim)


@operator("Std", "ReduceStd", inputs=4)
@quiet
def std(x: Array, dim: Any = None, correction: float = 1, keepdim: bool = False) -> Any:
    """Standard deviation along dim."""
    return np.sqrt(variance(x, dim, correction, keepdim))


@operator("Argmax", "ArgMaxExt", spelling={"output_type": ("output_dtype",)})
def argmax(x: Array, axis: Any = -1, output_type: Any = _INT32) -> Any:
    """Index of the first maximum along axis."""
    return np.asarray(np.argmax(x, axis=axis)).astype(numpy_type(output_type))


@operator("Argmin", "ArgMinExt", spelling={"output_type": ("output_dtype",)})
def argmin(x: Array, axis: Any = -1, output_type: Any = _INT32) -> Any:
    """Index of the first minimum along axis."""
    return np.asarray(np.argmin(x, axis=axis)).astype(numpy_type(output_type))


def _extreme(x: Array, axis: int, keep_dims: bool, search: Callable[..., Any]) -> tuple[Array, Array]:
    if x.ndim == 0:
        return np.zeros((), INT64), x
    index = np.expand_dims(search(x, axis=axis), axis)
    value = np.take_along_axis(x, index, axis)
    if not keep_dims:
        index, value = np.squeeze(index, axis), np.squeeze(value, axis)
    return index.astype(INT64), value


@operator("ArgMaxWithValue")
def arg_max_with_value(x: Array, axis: int = 0, keep_dims: bool = False) -> Any:
    """(index, value) of the first maximum along axis."""
    return _extreme(x, axis, keep_dims, np.argmax)


@operator("ArgMinWithValue")
def arg_min_with_value(x: Array, axis: int = 0, keep_dims: bool = False) -> Any:
    """(index, value) of the first minimum along axis."""
    return _extreme(x, axis, keep_dims, np.argmin)


@operator("TopK", "TopkExt", inputs=2)
def top_k(x: Array, k: Any, sorted: bool = True) -> Any:
    """(values, indices) of the k largest along the last axis, largest first."""
    order = np.argsort(-x if is_float(x.dtype) else np.flip(x, -1), axis=-1, kind="stable")
    if not is_float(x.dtype):
        # Negating the smallest integer overflows: sort the mirrored array upwards and read it back.
        order = np.flip(x.shape[-1] - 1 - order, -1)
    order = order[..., : int(k)]
    return np.take_along_axis(x, order, -1), order.astype(_INT32)


@operator("Sort")
def sort(x: Array, axis: int = -1, descending: bool = False) -> Any:
    """(values, indices) along axis; equal values keep their order."""
    if descending:
        flipped = np.flip(x, axis)
        order = x.shape[axis] - 1 - np.flip(np.argsort(flipped, axis=axis, kind="stable"), axis)
    else:
        order = np.argsort(x, axis=axis, kind="stable")
    return np.take_along_axis(x, order, axis), order.astype(_INT32)


def _running(x: Array, axis: int, exclusive: bool, reverse: bool, function: Callable[..., Any], first: int) -> Any:
    work = x.astype(FLOAT32) if x.dtype in _HALF else x
    work = np.flip(work, axis) if reverse else work
    found = function(work, axis=axis, dtype=work.dtype)
    if exclusive:
        head = np.full_like(np.take(found, [0], axis=axis), first)
        found = np.concatenate([head, np.delete(found, -1, axis=axis)], axis=axis)
    found = np.flip(found, axis) if reverse else found
    return np.ascontiguousarray(found).astype(x.dtype, copy=False)


@operator("CumSum", inputs=2, infer=same)
def cum_sum(x: Array, axis: Any, exclusive: bool = False, reverse: bool = False) -> Any:
    """Running sum along axis; exclusive: without the element itself; reverse: from the end."""
    return _running(x, int(axis), exclusive, reverse, np.cumsum, 0)


@operator("CumProd", inputs=2, infer=same)
def cum_prod(x: Array, axis: Any, exclusive: bool = False, reverse: bool = False) -> Any:
    """Running product along axis."""
    return _running(x, int(axis), exclusive, reverse, np.cumprod, 1)


@operator("CumsumExt", inputs=3)
def cumsum_ext(x: Array, dim: Any, dtype: Any = None) -> Any:
    """Running sum along dim; integers give Int64."""
    target = _wide_sum(x.dtype) if dtype is None else numpy_type(dtype)
    return _running(x.astype(target, copy=False), int(dim), False, False, np.cumsum, 0)


@operator("LpNorm")
@quiet
def lp_norm(x: Array, axis: Any = (), p: float = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Any:
    """(Σ |x|^p)^(1/p) along axes."""
    total = np.sum(np.abs(x) ** p, axis=axes_of(axis, x.ndim), keepdims=keep_dims)
    return np.asarray(total ** (1.0 / p)).astype(x.dtype)


@operator("CountNonZero", inputs=2)
def count_nonzero(x: Array, dim: Any = None) -> Any:
    """How many elements along dim are not zero (Int64)."""
    return np.asarray(np.count_nonzero(x, axis=axes_of(dim, x.ndim)), INT64)

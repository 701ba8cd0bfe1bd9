"""What Tensor can compute: its operators and methods, each a function of `msdump.ops`.

One table, registered with Tensor when this module is imported: the front doors and Parameter do so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msdump.runtime import functions as functional
from msdump.runtime.tensor import Array, register, wrap_array
from msdump.runtime.tensor import Tensor as Tensor

Unary = Callable[[Any], Tensor]
Binary = Callable[[Any, Any], Tensor]


def _unary(function: Callable[..., Any]) -> Unary:
    def method(self: Any) -> Any:
        return function(self)

    method.__doc__ = function.__doc__
    return method


def _binary(function: Callable[..., Any]) -> Binary:
    def method(self: Any, other: Any) -> Any:
        return function(self, other)

    method.__doc__ = function.__doc__
    return method


def _reflected(function: Callable[..., Any]) -> Binary:
    def method(self: Any, other: Any) -> Any:
        return function(other, self)

    method.__doc__ = function.__doc__
    return method


def _cast(dtype: Any) -> Unary:
    def method(self: Any) -> Tensor:
        return functional.cast(self, dtype)

    method.__doc__ = f"The values as {dtype.name}."
    return method


class TensorCasts:
    """Methods named like Python's types, in a class of their own: in its body these names mean the methods."""

    __slots__ = ()

    bool, int, long = _cast(functional.BOOL), _cast(functional.INT32), _cast(functional.INT64)
    half, bfloat16 = _cast(functional.FLOAT16), _cast(functional.BFLOAT16)
    float, double = _cast(functional.FLOAT32), _cast(functional.FLOAT64)


class TensorMethods(TensorCasts):
    """Operators and methods of Tensor that compute."""

    __slots__ = ()

    # Python's operators

    __add__, __radd__ = _binary(functional.add), _reflected(functional.add)
    __sub__, __rsub__ = _binary(functional.sub), _reflected(functional.sub)
    __mul__, __rmul__ = _binary(functional.mul), _reflected(functional.mul)
    __truediv__, __rtruediv__ = _binary(functional.div), _reflected(functional.div)
    __floordiv__, __rfloordiv__ = _binary(functional.floor_div), _reflected(functional.floor_div)
    __mod__, __rmod__ = _binary(functional.floor_mod), _reflected(functional.floor_mod)
    __pow__, __rpow__ = _binary(functional.pow), _reflected(functional.pow)
    __matmul__, __rmatmul__ = _binary(functional.matmul), _reflected(functional.matmul)
    __and__, __rand__ = _binary(functional.bitwise_and), _reflected(functional.bitwise_and)
    __or__, __ror__ = _binary(functional.bitwise_or), _reflected(functional.bitwise_or)
    __xor__, __rxor__ = _binary(functional.bitwise_xor), _reflected(functional.bitwise_xor)
    __lshift__, __rlshift__ = _binary(functional.left_shift), _reflected(functional.left_shift)
    __rshift__, __rrshift__ = _binary(functional.right_shift), _reflected(functional.right_shift)
    __lt__, __le__ = _binary(functional.less), _binary(functional.less_equal)
    __gt__, __ge__ = _binary(functional.greater), _binary(functional.greater_equal)
    __neg__, __abs__ = _unary(functional.neg), _unary(functional.abs)
    __invert__, __pos__ = _unary(functional.invert_or_not), _unary(functional.identity)
    __getitem__ = functional.get_item

    def __eq__(self, other: Any) -> Any:
        return False if other is None or isinstance(other, str) else functional.equal(self, other)

    def __ne__(self, other: Any) -> Any:
        return True if other is None or isinstance(other, str) else functional.not_equal(self, other)

    def __round__(self, digits: int | None = None) -> Tensor:
        return functional.round(self)

    # element by element

    add, sub, mul, div = map(_binary, (functional.add, functional.sub, functional.mul, functional.div))
    pow, matmul, bmm, atan2 = map(_binary, (functional.pow, functional.matmul, functional.bmm, functional.atan2))
    equal, not_equal = _binary(functional.equal), _binary(functional.not_equal)
    less, less_equal = _binary(functional.less), _binary(functional.less_equal)
    greater, greater_equal = _binary(functional.greater), _binary(functional.greater_equal)
    maximum, minimum = _binary(functional.maximum), _binary(functional.minimum)
    logical_and, logical_or = _binary(functional.logical_and), _binary(functional.logical_or)
    bitwise_and, bitwise_or = _binary(functional.bitwise_and), _binary(functional.bitwise_or)
    floor_divide, fmod, remainder = map(_binary, (functional.floor_divide, functional.fmod, functional.remainder))
    abs, neg, sign, square = map(_unary, (functional.abs, functional.neg, functional.sign, functional.square))
    exp, expm1, reciprocal = map(_unary, (functional.exp, functional.expm1, functional.reciprocal))
    log, log2, log10, log1p = map(_unary, (functional.log, functional.log2, functional.log10, functional.log1p))
    sqrt, rsqrt, erf, erfc = map(_unary, (functional.sqrt, functional.rsqrt, functional.erf, functional.erfc))
    sin, cos, tan = map(_unary, (functional.sin, functional.cos, functional.tan))
    asin, acos, atan = map(_unary, (functional.asin, functional.acos, functional.atan))
    sinh, cosh, tanh = map(_unary, (functional.sinh, functional.cosh, functional.tanh))
    sigmoid, relu, logical_not = map(_unary, (functional.sigmoid, functional.relu, functional.logical_not))
    floor, ceil, round, trunc = map(_unary, (functional.floor, functional.ceil, functional.round, functional.trunc))
    isnan, isinf, isfinite = map(_unary, (functional.isnan, functional.isinf, functional.isfinite))
    contiguous, detach = _unary(functional.identity), _unary(functional.identity)
    clip = clamp = functional.clamp

    # types and shapes

    def astype(self, dtype: Any, copy: bool = True) -> Tensor:
        """The values in another type."""
        return functional.cast(self, dtype)

    def to(self, dtype: Any) -> Tensor:
        """The values in another type."""
        return functional.cast(self, dtype)

    def type_as(self, other: Any) -> Tensor:
        """The values in another tensor's type."""
        return functional.cast(self, other.dtype)

    @property
    def T(self) -> Tensor:
        """The tensor with its axes in reverse order."""
        return functional.transpose(self, None)

    @property
    def mT(self) -> Tensor:
        """The tensor with its last two axes swapped."""
        return functional.swapaxes(self, -1, -2)

    swapaxes, squeeze, broadcast_to = functional.swapaxes, functional.squeeze, functional.broadcast_to
    split, chunk, roll, flip = functional.split, functional.chunk, functional.roll, functional.flip

    def reshape(self, *shape: Any) -> Tensor:
        """The elements in order in another shape; one size may be -1."""
        return functional.reshape(self, functional.sizes(shape))

    view = reshape

    def view_as(self, other: Any) -> Tensor:
        """The elements in another tensor's shape."""
        return functional.reshape(self, other.shape)

    def flatten(self, order: Any = None, *, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """The axes from start_dim to end_dim as one."""
        return functional.flatten_dims(self, start_dim, end_dim)

    def ravel(self) -> Tensor:
        """All elements as a vector."""
        return functional.reshape(self, (-1,))

    def transpose(self, *axes: Any) -> Tensor:
        """The axes in another order; none given: reversed."""
        return functional.transpose(self, functional.sizes(axes) if axes else None)

    def permute(self, *axes: Any) -> Tensor:
        """The axes in another order."""
        return functional.transpose(self, functional.sizes(axes))

    def expand_dims(self, axis: int) -> Tensor:
        """An axis of size 1 put in."""
        return functional.expand_dims(self, axis)

    def unsqueeze(self, dim: int) -> Tensor:
        """An axis of size 1 put in."""
        return functional.expand_dims(self, dim)

    def expand(self, *size: Any) -> Tensor:
        """Spread to a shape."""
        return functional.broadcast_to(self, functional.sizes(size))

    def expand_as(self, x: Any) -> Tensor:
        """Spread to another tensor's shape."""
        return functional.broadcast_to(self, x.shape)

    def tile(self, *reps: Any) -> Tensor:
        """Repeated along each axis."""
        return functional.tile(self, functional.sizes(reps))

    def repeat(self, repeats: Any, axis: Any = None) -> Tensor:
        """Each element repeated in place."""
        return functional.repeat_interleave(self, repeats, axis)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """The slices along an axis."""
        return tuple(functional.unstack(self, dim))

    # reductions and orders

    mean, prod, var, std = functional.mean, functional.prod, functional.var, functional.std
    amax, amin, all, any = functional.amax, functional.amin, functional.all, functional.any
    argmin, sort, argsort = functional.argmin, functional.sort, functional.argsort
    softmax, log_softmax, nonzero = functional.softmax, functional.log_softmax, functional.nonzero

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
        """Sum along axes; integers give Int64."""
        return functional.sum(self, axis, keepdims, dtype=dtype)

    def max(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The maximum along axes."""
        return functional.reduce_max(self, axis, keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The minimum along axes."""
        return functional.reduce_min(self, axis, keepdims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Index of the first extreme, Int64."""
        return functional.argmax(self, axis, keepdims)

    def cumsum(self, axis: int = 0, dtype: Any = None) -> Tensor:
        """Running sum along an axis."""
        return functional.cumsum(self, axis, dtype)

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
        """(values, indices) of the k largest."""
        return functional.topk(self, k, dim, largest, sorted)

    def norm(self, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Vector norm along axes."""
        return functional.norm(self, ord, axis, keepdims)

    # picking and placing

    gather, gather_elements = functional.gather, functional.gather_elements
    addmm, triu, tril = functional.addmm, functional.triu, functional.tril

    def masked_fill(self, mask: Any, value: Any) -> Tensor:
        """Value where the mask holds."""
        return functional.masked_fill(self, mask, value)

    def masked_select(self, mask: Any) -> Tensor:
        """Elements where the mask holds."""
        return functional.masked_select(self, mask)

    def where(self, condition: Any, y: Any) -> Tensor:
        """The tensor where condition holds, y elsewhere."""
        return functional.where(condition, self, y)

    def select(self, axis: int, index: int) -> Tensor:
        """One slice along an axis."""
        return functional.select(self, axis, index)

    def index_select(self, axis: int, index: Any) -> Tensor:
        """Slices along an axis at indices."""
        return functional.index_select(self, axis, index)

    def isclose(self, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
        """Whether elements are close."""
        return functional.isclose(self, x2, rtol, atol, equal_nan)

    def fill(self, value: Any) -> Tensor:
        """A tensor of one value in this shape."""
        return functional.full_like(self, value)

    def new_zeros(self, size: Any, dtype: Any = None) -> Tensor:
        """Zeros of this type."""
        return functional.zeros(size, self.dtype if dtype is None else dtype)  # type: ignore[attr-defined]  # Tensor's own

    def new_ones(self, size: Any, dtype: Any = None) -> Tensor:
        """Ones of this type."""
        return functional.ones(size, self.dtype if dtype is None else dtype)  # type: ignore[attr-defined]  # Tensor's own

    def __reduce__(self) -> Any:
        return restored, (self._data,)  # type: ignore[attr-defined]  # Tensor's own


def restored(array: Array) -> Tensor:
    """A Tensor out of a pickle: where this is found, Tensors have their methods."""
    return wrap_array(array)


for _methods in (TensorCasts, TensorMethods):
    register(_methods)

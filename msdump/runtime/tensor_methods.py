"""Methods of Tensor that reshape, reduce, pick and place: each is one function of msdump.ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msdump.runtime.tensor_elementwise import TensorElementwise
from msdump.runtime.tensor_operators import TensorOperators

if TYPE_CHECKING:
    from msdump.runtime import functions as functional
    from msdump.runtime.tensor import Tensor
else:
    # msdump.runtime.functions puts itself here: it needs Tensor, and Tensor's methods need it.
    functional = None


class TensorMethods(TensorOperators, TensorElementwise):
    """Methods of Tensor that compute."""

    __slots__ = ()

    @property
    def T(self) -> Tensor:
        """The tensor with its axes in reverse order."""
        return functional.transpose(self, None)

    @property
    def mT(self) -> Tensor:
        """The tensor with its last two axes swapped."""
        return functional.swapaxes(self, -1, -2)

    def astype(self, dtype: Any, copy: bool = True) -> Tensor:
        """The values in another type."""
        return functional.cast(self, dtype)

    def to(self, dtype: Any) -> Tensor:
        """The values in another type."""
        return functional.cast(self, dtype)

    def type_as(self, other: Any) -> Tensor:
        """The values in another tensor's type."""
        return functional.cast(self, other.dtype)

    def reshape(self, *shape: Any) -> Tensor:
        """The elements in order in another shape; one size may be -1."""
        return functional.reshape(self, functional.sizes(shape))

    def view(self, *shape: Any) -> Tensor:
        """The same as reshape."""
        return functional.reshape(self, functional.sizes(shape))

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

    def swapaxes(self, axis0: int, axis1: int) -> Tensor:
        """Two axes swapped."""
        return functional.swapaxes(self, axis0, axis1)

    def expand_dims(self, axis: int) -> Tensor:
        """An axis of size 1 put in."""
        return functional.expand_dims(self, axis)

    def unsqueeze(self, dim: int) -> Tensor:
        """An axis of size 1 put in."""
        return functional.expand_dims(self, dim)

    def squeeze(self, axis: Any = None) -> Tensor:
        """Axes of size 1 taken out."""
        return functional.squeeze(self, axis)

    def broadcast_to(self, shape: Any) -> Tensor:
        """Spread to a shape."""
        return functional.broadcast_to(self, shape)

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

    def split(self, split_size_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
        """Cut along an axis."""
        return functional.split(self, split_size_or_sections, axis)

    def chunk(self, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
        """Cut into at most so many parts."""
        return functional.chunk(self, chunks, axis)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """The slices along an axis."""
        return functional.unstack(self, dim)

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
        """Sum along axes; integers give Int64."""
        return functional.sum(self, axis, keepdims, dtype=dtype)

    def mean(self, axis: Any = None, keep_dims: bool = False) -> Tensor:
        """The mean along axes."""
        return functional.mean(self, axis, keep_dims)

    def prod(self, axis: Any = None, keep_dims: bool = False) -> Tensor:
        """The prod along axes."""
        return functional.prod(self, axis, keep_dims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The maximum along axes."""
        return functional.reduce_max(self, axis, keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The minimum along axes."""
        return functional.reduce_min(self, axis, keepdims)

    def amax(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The extreme along axes."""
        return functional.amax(self, axis, keepdims)

    def amin(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The extreme along axes."""
        return functional.amin(self, axis, keepdims)

    def all(self, axis: Any = None, keep_dims: bool = False) -> Tensor:
        """Whether all elements are true along axes."""
        return functional.all(self, axis, keep_dims)

    def any(self, axis: Any = None, keep_dims: bool = False) -> Tensor:
        """Whether any element is true along axes."""
        return functional.any(self, axis, keep_dims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Index of the first extreme, Int64."""
        return functional.argmax(self, axis, keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Index of the first extreme, Int64."""
        return functional.argmin(self, axis, keepdims)

    def var(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
        """Variance along axes."""
        return functional.var(self, axis, ddof, keepdims)

    def std(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
        """Standard deviation along axes."""
        return functional.std(self, axis, ddof, keepdims)

    def cumsum(self, axis: int = 0, dtype: Any = None) -> Tensor:
        """Running sum along an axis."""
        return functional.cumsum(self, axis, dtype)

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
        """(values, indices) of the k largest."""
        return functional.topk(self, k, dim, largest, sorted)

    def sort(self, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
        """(values, indices) in order."""
        return functional.sort(self, axis, descending)

    def argsort(self, axis: int = -1, descending: bool = False) -> Tensor:
        """Indices that would sort."""
        return functional.argsort(self, axis, descending)

    def norm(self, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Vector norm along axes."""
        return functional.norm(self, ord, axis, keepdims)

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

    def gather(self, input_indices: Any, axis: int, batch_dims: int = 0) -> Tensor:
        """Slices along an axis at indices."""
        return functional.gather(self, input_indices, axis, batch_dims)

    def gather_elements(self, dim: int, index: Any) -> Tensor:
        """Elements along dim, one an element of index."""
        return functional.gather_elements(self, dim, index)

    def index_select(self, axis: int, index: Any) -> Tensor:
        """Slices along an axis at indices."""
        return functional.index_select(self, axis, index)

    def nonzero(self) -> Tensor:
        """Index vectors of elements that are not zero."""
        return functional.nonzero(self)

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """Held between min and max."""
        return functional.clamp(self, min, max)

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Held between min and max."""
        return functional.clamp(self, min, max)

    def addmm(self, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """Beta · self + alpha · (mat1 @ mat2)."""
        return functional.addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def triu(self, diagonal: int = 0) -> Tensor:
        """Zeros below the diagonal."""
        return functional.triu(self, diagonal)

    def tril(self, diagonal: int = 0) -> Tensor:
        """Zeros above the diagonal."""
        return functional.tril(self, diagonal)

    def softmax(self, axis: int = -1) -> Tensor:
        """Softmax along an axis."""
        return functional.softmax(self, axis)

    def log_softmax(self, axis: int = -1) -> Tensor:
        """log(softmax) along an axis."""
        return functional.log_softmax(self, axis)

    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        """Shifted round along axes."""
        return functional.roll(self, shifts, dims)

    def flip(self, dims: Any) -> Tensor:
        """Read backwards along axes."""
        return functional.flip(self, dims)

    def isclose(self, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
        """Whether elements are close."""
        return functional.isclose(self, x2, rtol, atol, equal_nan)

    def fill(self, value: Any) -> Tensor:
        """A tensor of one value in this shape."""
        return functional.full_like(self, value)

    def contiguous(self) -> Tensor:
        """The tensor itself."""
        return functional.identity(self)

    def detach(self) -> Tensor:
        """The tensor itself, no part of a gradient."""
        return functional.identity(self)

    def new_zeros(self, size: Any, dtype: Any = None) -> Tensor:
        """Zeros of this type."""
        return functional.zeros(size, self.dtype if dtype is None else dtype)  # type: ignore[attr-defined]  # Tensor's own

    def new_ones(self, size: Any, dtype: Any = None) -> Tensor:
        """Ones of this type."""
        return functional.ones(size, self.dtype if dtype is None else dtype)  # type: ignore[attr-defined]  # Tensor's own

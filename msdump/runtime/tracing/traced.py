"""Traced: a Tensor whose values are not known yet, only its shape and type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from msdump.errors import TraceError
from msdump.runtime.ops.registry import TensorSpec
from msdump.runtime.tensor import Tensor

if TYPE_CHECKING:
    from msdump.runtime.tracing.builder import FuncBuilder


class Unknown:
    """Stands where a Tensor has its array: shape and type are known, and all else is an error.

    A dimension of -1 is one that only a run tells; then the shape is an error, too.
    """

    __slots__ = ("dtype", "spec")

    def __init__(self, spec: TensorSpec) -> None:
        self.spec = spec
        self.dtype = spec.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """TraceError when a dimension is not known."""
        if self.is_dynamic:
            raise TraceError(
                "the shape of this tensor is known only when the graph runs",
                hint="return it from construct as it is, or keep its shape with ops.select or ops.where",
            )
        return self.spec.shape

    @property
    def is_dynamic(self) -> bool:
        """Whether only a run tells the shape."""
        return any(dim < 0 for dim in self.spec.shape)

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.spec.shape)

    @property
    def size(self) -> int:
        """How many elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, a dimension, as the tensor will lie in memory."""
        found, step = [], self.itemsize
        for dim in reversed(self.shape):
            found.append(step)
            step *= dim
        return tuple(reversed(found))

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        no_values("a numpy function of a tensor", "use the function of that name in msdump.ops")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # asked by copy, numpy and the like
            raise AttributeError(name)
        no_values(
            f"what was asked of the tensor ({name})", "use a function of msdump.ops, or do it outside of construct"
        )


def no_values(what: str, instead: str) -> NoReturn:
    """Raise the TraceError of something that a graph's tensors cannot do."""
    raise TraceError(f"{what} needs the tensor's values, which a graph does not have yet; {instead}")


class Traced(Tensor):
    """The output of a node that is being recorded.

    It has a Tensor's shape, type and methods; those that would need its values raise TraceError
    saying what to write instead. `func` and `node` say which node it is.
    """

    __slots__ = ("func", "node", "number")
    func: FuncBuilder
    node: str
    number: bool

    @staticmethod
    def of(spec: TensorSpec, func: FuncBuilder, node: str, number: bool = False) -> Traced:
        """The output `node` of a FuncGraph being recorded, of a shape and type; `number`: it stands for
        a number of Python's that a tensor decided, and gives way to tensors' types as such a one does.
        """
        made = Traced.__new__(Traced)
        made._data = Unknown(spec)  # type: ignore[assignment]  # all that asks for an array's values is told so
        made._init = None
        made.func = func
        made.node = node
        made.number = number
        return made

    @property
    def spec(self) -> TensorSpec:
        """Shape and numpy type; a dimension that only a run tells is -1."""
        spec: TensorSpec = self._data.spec  # type: ignore[attr-defined]  # it is an Unknown
        return spec

    def __bool__(self) -> bool:
        no_values("a tensor as a condition here", "use if, while, and, or, not directly in construct, or ops.select")

    def __int__(self) -> int:
        no_values("int(tensor)", "use tensor.astype(msdump.int64)")

    def __float__(self) -> float:
        no_values("float(tensor)", "use tensor.astype(msdump.float32)")

    def __complex__(self) -> complex:
        no_values("complex(tensor)", "use tensor.astype(msdump.complex64)")

    def __index__(self) -> int:
        no_values("a tensor as an index into Python's own list or tuple", "stack the items, then index the tensor")

    def __contains__(self, value: Any) -> bool:
        no_values("value in tensor", "use (tensor == value).any()")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        no_values("a numpy function of a tensor", "use the function of that name in msdump.ops")

    def __array_ufunc__(self, *_arguments: Any, **_keywords: Any) -> Any:
        no_values("a numpy function of a tensor", "use the function of that name in msdump.ops")

    def __array_function__(self, *_arguments: Any, **_keywords: Any) -> Any:
        no_values("a numpy function of a tensor", "use the function of that name in msdump.ops")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")

    def asnumpy(self) -> Any:
        """TraceError: there are no values yet."""
        no_values("asnumpy()", "return the tensor from construct and convert it outside")

    def numpy(self) -> Any:
        """TraceError: there are no values yet."""
        no_values("numpy()", "return the tensor from construct and convert it outside")

    def tolist(self) -> Any:
        """TraceError: there are no values yet."""
        no_values("tolist()", "return the tensor from construct and convert it outside")

    def item(self, index: Any = None) -> Any:
        """TraceError: there are no values yet."""
        no_values("item()", "keep the 0-d tensor, or return it from construct")

    def copy(self) -> Tensor:
        """The tensor itself: nothing changes it."""
        return self

    def set_data(self, data: Any) -> None:
        """TraceError: a tensor of a graph is what its operator gives."""
        raise TraceError("set_data of a tensor cannot be compiled; bind the name to the new tensor instead")

    def assign_value(self, value: Any) -> Tensor:
        """TraceError: a tensor of a graph is what its operator gives."""
        raise TraceError("assign_value of a tensor cannot be compiled; bind the name to the new tensor instead")

    def __setitem__(self, index: Any, value: Any) -> None:
        no_values("tensor[…] = value in code that is not compiled", "assign in construct itself")

    def __format__(self, spec: str) -> str:
        no_values("a tensor in a formatted string", "print it: ops.Print()(text, tensor)")

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __reduce__(self) -> Any:
        no_values("pickling a tensor", "do it outside of construct")

    def __repr__(self) -> str:
        return f"Traced(shape={list(self.spec.shape)}, dtype={self.dtype.name}, node={self.node})"

    def __str__(self) -> str:
        no_values("str(tensor)", "print it: ops.Print()(text, tensor)")

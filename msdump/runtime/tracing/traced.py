"""Traced: a Tensor whose values are not known yet, only its shape and type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from msdump.errors import TraceError
from msdump.runtime.ops.registry import TensorSpec
from msdump.runtime.tensor import Tensor

if TYPE_CHECKING:
    from msdump.runtime.tracing.builder import FuncBuilder


class Traced(Tensor):
    """The output of a node that is being recorded.

    It has a Tensor's shape, type and methods; those that would need its values raise TraceError
    saying what to write instead. `func` and `node` say which node it is.
    """

    __slots__ = ("func", "node")
    func: FuncBuilder
    node: str

    @staticmethod
    def of(spec: TensorSpec, func: FuncBuilder, node: str) -> Traced:
        """The output `node` of a FuncGraph being recorded, of a shape and type."""
        made = Traced.__new__(Traced)
        # Zero strides: an array of any shape in the memory of one element, for shape and dtype.
        made._data = np.broadcast_to(np.zeros((), spec.dtype), spec.shape)
        made._init = None
        made.func = func
        made.node = node
        return made

    @property
    def spec(self) -> TensorSpec:
        """Shape and numpy type."""
        return TensorSpec(self._data.shape, self._data.dtype)

    def _unknown(self, what: str, instead: str) -> NoReturn:
        raise TraceError(f"{what} needs the tensor's values, which a graph does not have yet; {instead}")

    def __bool__(self) -> bool:
        self._unknown(
            "a tensor as a condition here", "use if, while, and, or, not directly in construct, or ops.select"
        )

    def __int__(self) -> int:
        self._unknown("int(tensor)", "use tensor.astype(msdump.int64)")

    def __float__(self) -> float:
        self._unknown("float(tensor)", "use tensor.astype(msdump.float32)")

    def __complex__(self) -> complex:
        self._unknown("complex(tensor)", "use tensor.astype(msdump.complex64)")

    def __index__(self) -> int:
        self._unknown("a tensor as an index into Python's own list or tuple", "stack the items, then index the tensor")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._unknown("a numpy function of a tensor", "use the function of that name in msdump.ops")

    def asnumpy(self) -> Any:
        """TraceError: there are no values yet."""
        self._unknown("asnumpy()", "return the tensor from construct and convert it outside")

    def numpy(self) -> Any:
        """TraceError: there are no values yet."""
        self._unknown("numpy()", "return the tensor from construct and convert it outside")

    def tolist(self) -> Any:
        """TraceError: there are no values yet."""
        self._unknown("tolist()", "return the tensor from construct and convert it outside")

    def item(self, index: Any = None) -> Any:
        """TraceError: there are no values yet."""
        self._unknown("item()", "keep the 0-d tensor, or return it from construct")

    def __setitem__(self, index: Any, value: Any) -> None:
        self._unknown("tensor[…] = value in code that is not compiled", "assign in construct itself")

    def __format__(self, spec: str) -> str:
        self._unknown("a tensor in a formatted string", "print it: ops.Print()(text, tensor)")

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __repr__(self) -> str:
        return f"Traced(shape={list(self.shape)}, dtype={self.dtype.name}, node={self.node})"

    __str__ = __repr__

"""Python's operators on Tensors: each is one function of msdump.ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msdump.runtime import functions as functional
    from msdump.runtime.tensor import Tensor
else:
    # msdump.runtime.functions puts itself here: it needs Tensor, and Tensor's methods need it.
    functional = None


class TensorOperators:
    """What `+`, `@`, `<`, `[…]` and their like do."""

    __slots__ = ()

    def __add__(self, other: Any) -> Tensor:
        return functional.add(self, other)

    def __sub__(self, other: Any) -> Tensor:
        return functional.sub(self, other)

    def __mul__(self, other: Any) -> Tensor:
        return functional.mul(self, other)

    def __truediv__(self, other: Any) -> Tensor:
        return functional.div(self, other)

    def __floordiv__(self, other: Any) -> Tensor:
        return functional.floor_div(self, other)

    def __mod__(self, other: Any) -> Tensor:
        return functional.floor_mod(self, other)

    def __pow__(self, other: Any) -> Tensor:
        return functional.pow(self, other)

    def __matmul__(self, other: Any) -> Tensor:
        return functional.matmul(self, other)

    def __and__(self, other: Any) -> Tensor:
        return functional.bitwise_and(self, other)

    def __or__(self, other: Any) -> Tensor:
        return functional.bitwise_or(self, other)

    def __xor__(self, other: Any) -> Tensor:
        return functional.bitwise_xor(self, other)

    def __lshift__(self, other: Any) -> Tensor:
        return functional.left_shift(self, other)

    def __rshift__(self, other: Any) -> Tensor:
        return functional.right_shift(self, other)

    def __radd__(self, other: Any) -> Tensor:
        return functional.add(other, self)

    def __rsub__(self, other: Any) -> Tensor:
        return functional.sub(other, self)

    def __rmul__(self, other: Any) -> Tensor:
        return functional.mul(other, self)

    def __rtruediv__(self, other: Any) -> Tensor:
        return functional.div(other, self)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return functional.floor_div(other, self)

    def __rmod__(self, other: Any) -> Tensor:
        return functional.floor_mod(other, self)

    def __rpow__(self, other: Any) -> Tensor:
        return functional.pow(other, self)

    def __rmatmul__(self, other: Any) -> Tensor:
        return functional.matmul(other, self)

    def __rand__(self, other: Any) -> Tensor:
        return functional.bitwise_and(other, self)

    def __ror__(self, other: Any) -> Tensor:
        return functional.bitwise_or(other, self)

    def __rxor__(self, other: Any) -> Tensor:
        return functional.bitwise_xor(other, self)

    def __rlshift__(self, other: Any) -> Tensor:
        return functional.left_shift(other, self)

    def __rrshift__(self, other: Any) -> Tensor:
        return functional.right_shift(other, self)

    def __lt__(self, other: Any) -> Tensor:
        return functional.less(self, other)

    def __le__(self, other: Any) -> Tensor:
        return functional.less_equal(self, other)

    def __gt__(self, other: Any) -> Tensor:
        return functional.greater(self, other)

    def __ge__(self, other: Any) -> Tensor:
        return functional.greater_equal(self, other)

    def __eq__(self, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return False
        return functional.equal(self, other)

    def __ne__(self, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return True
        return functional.not_equal(self, other)

    def __neg__(self) -> Tensor:
        return functional.neg(self)

    def __abs__(self) -> Tensor:
        return functional.abs(self)

    def __invert__(self) -> Tensor:
        return functional.invert_or_not(self)

    def __pos__(self) -> Tensor:
        return functional.identity(self)

    def __round__(self, digits: int | None = None) -> Tensor:
        return functional.round(self)

    def __getitem__(self, index: Any) -> Tensor:
        return functional.get_item(self, index)

"""Methods of Tensor that work element by element: each is the function of msdump.ops of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msdump.runtime import functions as functional
    from msdump.runtime.tensor import Tensor
else:
    # msdump.runtime.functions puts itself here: it needs Tensor, and Tensor's methods need it.
    functional = None


class TensorElementwise:
    """Elementwise methods."""

    __slots__ = ()

    def add(self, other: Any) -> Tensor:
        """See ops.add."""
        return functional.add(self, other)

    def sub(self, other: Any) -> Tensor:
        """See ops.sub."""
        return functional.sub(self, other)

    def mul(self, other: Any) -> Tensor:
        """See ops.mul."""
        return functional.mul(self, other)

    def div(self, other: Any) -> Tensor:
        """See ops.div."""
        return functional.div(self, other)

    def pow(self, other: Any) -> Tensor:
        """See ops.pow."""
        return functional.pow(self, other)

    def matmul(self, other: Any) -> Tensor:
        """See ops.matmul."""
        return functional.matmul(self, other)

    def equal(self, other: Any) -> Tensor:
        """See ops.equal."""
        return functional.equal(self, other)

    def not_equal(self, other: Any) -> Tensor:
        """See ops.not_equal."""
        return functional.not_equal(self, other)

    def less(self, other: Any) -> Tensor:
        """See ops.less."""
        return functional.less(self, other)

    def less_equal(self, other: Any) -> Tensor:
        """See ops.less_equal."""
        return functional.less_equal(self, other)

    def greater(self, other: Any) -> Tensor:
        """See ops.greater."""
        return functional.greater(self, other)

    def greater_equal(self, other: Any) -> Tensor:
        """See ops.greater_equal."""
        return functional.greater_equal(self, other)

    def maximum(self, other: Any) -> Tensor:
        """See ops.maximum."""
        return functional.maximum(self, other)

    def minimum(self, other: Any) -> Tensor:
        """See ops.minimum."""
        return functional.minimum(self, other)

    def logical_and(self, other: Any) -> Tensor:
        """See ops.logical_and."""
        return functional.logical_and(self, other)

    def logical_or(self, other: Any) -> Tensor:
        """See ops.logical_or."""
        return functional.logical_or(self, other)

    def bitwise_and(self, other: Any) -> Tensor:
        """See ops.bitwise_and."""
        return functional.bitwise_and(self, other)

    def bitwise_or(self, other: Any) -> Tensor:
        """See ops.bitwise_or."""
        return functional.bitwise_or(self, other)

    def floor_divide(self, other: Any) -> Tensor:
        """See ops.floor_divide."""
        return functional.floor_divide(self, other)

    def fmod(self, other: Any) -> Tensor:
        """See ops.fmod."""
        return functional.fmod(self, other)

    def remainder(self, other: Any) -> Tensor:
        """See ops.remainder."""
        return functional.remainder(self, other)

    def atan2(self, other: Any) -> Tensor:
        """See ops.atan2."""
        return functional.atan2(self, other)

    def bmm(self, other: Any) -> Tensor:
        """See ops.bmm."""
        return functional.bmm(self, other)

    def abs(self) -> Tensor:
        """See ops.abs."""
        return functional.abs(self)

    def neg(self) -> Tensor:
        """See ops.neg."""
        return functional.neg(self)

    def exp(self) -> Tensor:
        """See ops.exp."""
        return functional.exp(self)

    def log(self) -> Tensor:
        """See ops.log."""
        return functional.log(self)

    def log2(self) -> Tensor:
        """See ops.log2."""
        return functional.log2(self)

    def log10(self) -> Tensor:
        """See ops.log10."""
        return functional.log10(self)

    def log1p(self) -> Tensor:
        """See ops.log1p."""
        return functional.log1p(self)

    def expm1(self) -> Tensor:
        """See ops.expm1."""
        return functional.expm1(self)

    def sqrt(self) -> Tensor:
        """See ops.sqrt."""
        return functional.sqrt(self)

    def rsqrt(self) -> Tensor:
        """See ops.rsqrt."""
        return functional.rsqrt(self)

    def square(self) -> Tensor:
        """See ops.square."""
        return functional.square(self)

    def reciprocal(self) -> Tensor:
        """See ops.reciprocal."""
        return functional.reciprocal(self)

    def sin(self) -> Tensor:
        """See ops.sin."""
        return functional.sin(self)

    def cos(self) -> Tensor:
        """See ops.cos."""
        return functional.cos(self)

    def tan(self) -> Tensor:
        """See ops.tan."""
        return functional.tan(self)

    def asin(self) -> Tensor:
        """See ops.asin."""
        return functional.asin(self)

    def acos(self) -> Tensor:
        """See ops.acos."""
        return functional.acos(self)

    def atan(self) -> Tensor:
        """See ops.atan."""
        return functional.atan(self)

    def sinh(self) -> Tensor:
        """See ops.sinh."""
        return functional.sinh(self)

    def cosh(self) -> Tensor:
        """See ops.cosh."""
        return functional.cosh(self)

    def tanh(self) -> Tensor:
        """See ops.tanh."""
        return functional.tanh(self)

    def sigmoid(self) -> Tensor:
        """See ops.sigmoid."""
        return functional.sigmoid(self)

    def relu(self) -> Tensor:
        """See ops.relu."""
        return functional.relu(self)

    def erf(self) -> Tensor:
        """See ops.erf."""
        return functional.erf(self)

    def erfc(self) -> Tensor:
        """See ops.erfc."""
        return functional.erfc(self)

    def floor(self) -> Tensor:
        """See ops.floor."""
        return functional.floor(self)

    def ceil(self) -> Tensor:
        """See ops.ceil."""
        return functional.ceil(self)

    def round(self) -> Tensor:
        """See ops.round."""
        return functional.round(self)

    def trunc(self) -> Tensor:
        """See ops.trunc."""
        return functional.trunc(self)

    def sign(self) -> Tensor:
        """See ops.sign."""
        return functional.sign(self)

    def isnan(self) -> Tensor:
        """See ops.isnan."""
        return functional.isnan(self)

    def isinf(self) -> Tensor:
        """See ops.isinf."""
        return functional.isinf(self)

    def isfinite(self) -> Tensor:
        """See ops.isfinite."""
        return functional.isfinite(self)

    def logical_not(self) -> Tensor:
        """See ops.logical_not."""
        return functional.logical_not(self)

    def float(self) -> Tensor:
        """The values as Float32."""
        return functional.cast(self, functional.FLOAT32)

    def half(self) -> Tensor:
        """The values as Float16."""
        return functional.cast(self, functional.FLOAT16)

    def int(self) -> Tensor:
        """The values as Int32."""
        return functional.cast(self, functional.INT32)

    def long(self) -> Tensor:
        """The values as Int64."""
        return functional.cast(self, functional.INT64)

    def bool(self) -> Tensor:
        """The values as Bool."""
        return functional.cast(self, functional.BOOL)

    def bfloat16(self) -> Tensor:
        """The values as Bfloat16."""
        return functional.cast(self, functional.BFLOAT16)

    def double(self) -> Tensor:
        """The values as Float64."""
        return functional.cast(self, functional.FLOAT64)

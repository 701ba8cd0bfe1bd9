"""Pooling layers."""

from __future__ import annotations

from typing import Any

from msdump.runtime.cell import Cell
from msdump.runtime.nn.checks import one_of, pair
from msdump.runtime.nn.of_primitive import OfPrimitive
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor


class _Pool(Cell):
    """What the 2-D pools share."""

    def __init__(self, kernel_size: Any, stride: Any, pad_mode: str, data_format: str) -> None:
        super().__init__()
        self.pad_mode = one_of(pad_mode.lower(), ("valid", "same", "pad"), "pad_mode", self.cls_name)
        self.kernel_size = pair(kernel_size, "kernel_size", self.cls_name)
        self.stride = pair(stride, "stride", self.cls_name)
        self.data_format = one_of(data_format, ("NCHW", "NHWC"), "format", self.cls_name)

    def _windows(self, primitive: str) -> Primitive:
        windows = {"kernel_size": self.kernel_size, "strides": self.stride, "pad_mode": self.pad_mode}
        return Primitive(primitive, **windows, data_format=self.data_format)

    def extend_repr(self) -> str:
        """The windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode.upper()}"


class MaxPool2d(_Pool):
    """Maximum of each window of (N, C, H, W).

    Args:
        kernel_size, stride: an int or (height, width).
        pad_mode: "valid", "same", or "pad" with `padding`, `dilation`, `ceil_mode`, `return_indices`.
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        self.return_indices = return_indices
        self.explicit = self.pad_mode == "pad"
        if not self.explicit and (padding != 0 or dilation != 1 or return_indices or ceil_mode):
            raise ValueError(
                f"For '{self.cls_name}', the parameter 'padding', 'dilation', 'return_indices', 'ceil_mode' can not be "
                f"set to non-default value when pad_mode is not 'pad', but got pad_mode:{pad_mode}."
            )
        if self.explicit:
            more = {"pads": padding, "dilation": dilation, "ceil_mode": ceil_mode}
            self.max_pool = Primitive("MaxPoolWithMask", kernel_size=self.kernel_size, strides=self.stride, **more)
        else:
            self.max_pool = self._windows("MaxPool")

    def construct(self, x: Tensor) -> Any:
        """Apply the pool."""
        if not self.explicit:
            return self.max_pool(x)
        out, index = self.max_pool(x)
        return (out, index) if self.return_indices else out


class AvgPool2d(_Pool):
    """Mean of each window of (N, C, H, W).

    Args:
        kernel_size, stride: an int or (height, width).
        pad_mode: "valid", "same", or "pad" with `padding`, `ceil_mode`, `count_include_pad`,
            `divisor_override`.
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        if self.pad_mode == "pad":
            self.avg_pool = Primitive(
                "AvgPool2D",
                kernel_size=self.kernel_size,
                stride=self.stride,
                padding=padding,
                ceil_mode=ceil_mode,
                count_include_pad=count_include_pad,
                divisor_override=divisor_override,
            )
        else:
            if padding != 0 or ceil_mode or not count_include_pad or divisor_override is not None:
                raise ValueError(
                    f"For '{self.cls_name}', the parameter 'padding', 'ceil_mode', 'count_include_pad', "
                    f"'divisor_override' can not be set to non-default value when pad_mode is not 'pad', but got "
                    f"pad_mode:{pad_mode}."
                )
            self.avg_pool = self._windows("AvgPool")

    def construct(self, x: Tensor) -> Any:
        """Apply the pool."""
        return self.avg_pool(x)


class _Pool1d(Cell):
    """A 1-D pool by way of a height of 1."""

    kind: type[_Pool]

    def __init__(self, kernel_size: int = 1, stride: int = 1, pad_mode: str = "valid", **more: Any) -> None:
        super().__init__()
        self.pool = type(self).kind((1, kernel_size), (1, stride), pad_mode, **more)
        self.expand = Primitive("ExpandDims")
        self.squeeze = Primitive("Squeeze", axis=2)

    def construct(self, x: Tensor) -> Any:
        """Apply the pool to (N, C, L)."""
        return self.squeeze(self.pool(self.expand(x, 2)))


class MaxPool1d(_Pool1d):
    """Maximum of each window of (N, C, L)."""

    kind = MaxPool2d


class AvgPool1d(_Pool1d):
    """Mean of each window of (N, C, L)."""

    kind = AvgPool2d


class AdaptiveAvgPool2d(OfPrimitive, of="AdaptiveAvgPool2D", output_size=...):
    """Mean over windows that divide the last two axes into output_size parts."""


class AdaptiveMaxPool2d(OfPrimitive, of="AdaptiveMaxPool2D", at="adaptive_max_pool2d", output_size=...):
    """Maximum over windows that divide the last two axes into output_size parts."""


class AdaptiveAvgPool1d(OfPrimitive, of="AdaptiveAvgPool1D", at="pool", output_size=...):
    """Mean over windows that divide the last axis into output_size parts."""

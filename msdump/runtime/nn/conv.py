"""Convolution layers."""

from __future__ import annotations

import math
from typing import Any

from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.initializer import HeUniform, Uniform
from msdump.runtime.nn.checks import boolean, one_of, pair, positive
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor, initializer


class _Conv(Cell):
    """What the convolutions share: arguments checked, `weight` and `bias` made."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        pad_mode: str,
        padding: Any,
        dilation: tuple[int, ...],
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        data_format: str,
        dtype: Any,
        transposed: bool = False,
    ) -> None:
        super().__init__()
        name = self.cls_name
        self.in_channels = positive(in_channels, "in_channels", name)
        self.out_channels = positive(out_channels, "out_channels", name)
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode = one_of(pad_mode, ("valid", "same", "pad"), "pad_mode", name)
        self.padding = self._checked_padding(padding, 2 * len(kernel_size))
        self.group = positive(group, "group", name)
        self.has_bias = boolean(has_bias, "has_bias", name)
        self.data_format = one_of(data_format, ("NCHW", "NHWC", "NCDHW"), "format", name)
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"The argument 'group' should be divisible by 'in_channels' and 'out_channels', but got "
                f"group:{group}, in_channels:{in_channels}, out_channels:{out_channels}."
            )
        if transposed:
            shape = (in_channels, out_channels // group, *kernel_size)
        elif data_format == "NHWC":
            shape = (out_channels, *kernel_size, in_channels // group)
        else:
            shape = (out_channels, in_channels // group, *kernel_size)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias_init = bias_init
        self.bias = None
        if has_bias:
            if bias_init is None:
                # As MindSpore counts the inputs of one unit: second size times the kernel.
                self.bias_init = Uniform(1 / math.sqrt(shape[1] * math.prod(shape[2:])))
            self.bias = Parameter(initializer(self.bias_init, (out_channels,), dtype), name="bias")

    def _checked_padding(self, padding: Any, count: int) -> Any:
        if isinstance(padding, int) and not isinstance(padding, bool):
            numbers: tuple[Any, ...] = (padding,)
        elif isinstance(padding, tuple):
            numbers = padding
            if len(padding) not in (1, count // 2, count):
                raise ValueError(f"For '{self.cls_name}', 'padding' must be {count} numbers, but got {padding}.")
        else:
            raise TypeError(
                f"For '{self.cls_name}', the type of 'padding' must be int or tuple(int), but got "
                f"{type(padding).__name__}."
            )
        if any(not isinstance(n, int) or n < 0 for n in numbers):
            raise ValueError(f"For '{self.cls_name}', the 'padding' must be at least 0, but got {padding}.")
        if self.pad_mode != "pad" and any(numbers):
            raise ValueError(
                f"For '{self.cls_name}', the 'padding' must be zero when 'pad_mode' is not 'pad', but got "
                f"'padding': {padding} and 'pad_mode': {self.pad_mode}."
            )
        return padding

    def _primitive(self, name: str, out_channel: int, pad: Any, **more: Any) -> Primitive:
        sizes = {"kernel_size": self.kernel_size, "stride": self.stride, "dilation": self.dilation}
        return Primitive(
            name, out_channel=out_channel, mode=1, pad_mode=self.pad_mode, pad=pad, group=self.group, **sizes, **more
        )

    def extend_repr(self) -> str:
        """Everything that tells one convolution from another."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}, "
            f"weight_init={self.weight_init}, bias_init={self.bias_init}, format={self.data_format}"
        )


def _pairs(layer: str, *sizes: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(pair(v, name, layer) for v, name in zip(sizes, ("kernel_size", "stride", "dilation"), strict=True))


class Conv2d(_Conv):
    """2-D convolution of (N, C, H, W).

    Args:
        in_channels, out_channels: channels before and after.
        kernel_size, stride, dilation: an int or (height, width).
        pad_mode: "same" (output ceil(size / stride)), "valid" (no padding) or "pad" (`padding`).
        padding: an int, or (top, bottom, left, right); needs pad_mode "pad".
        group: groups of channels that do not mix.
        has_bias: whether there is a bias.
        weight_init, bias_init: initializers; by default HeUniform(√5) and Uniform.
        data_format: "NCHW" or "NHWC".
        dtype: type of the parameters `weight` (out, in/group, height, width) and `bias` (out).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: Any = FLOAT32,
    ) -> None:
        kernel, steps, gaps = _pairs("Conv2d", kernel_size, stride, dilation)
        super().__init__(
            in_channels, out_channels, kernel, steps, pad_mode, padding, gaps, group, has_bias, weight_init, bias_init,
            data_format, dtype,
        )  # fmt: skip
        self.conv2d = self._primitive("Conv2D", out_channels, padding, data_format=data_format)
        self.bias_add = Primitive("BiasAdd", data_format=data_format)

    def construct(self, x: Tensor) -> Tensor:
        """Apply the convolution."""
        output: Tensor = self.conv2d(x, self.weight)
        if self.has_bias:
            output = self.bias_add(output, self.bias)
        return output


class Conv1d(_Conv):
    """1-D convolution of (N, C, L); the arguments are Conv2d's with one number an axis."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = FLOAT32,
    ) -> None:
        kernel, steps, gaps = (1, kernel_size), (1, stride), (1, dilation)
        super().__init__(
            in_channels, out_channels, kernel, steps, pad_mode, padding, gaps, group, has_bias, weight_init, bias_init,
            "NCHW", dtype,
        )  # fmt: skip
        around = (0, 0, padding, padding) if isinstance(padding, int) else (0, 0, *padding)
        self.conv2d = self._primitive("Conv2D", out_channels, around)
        self.bias_add = Primitive("BiasAdd")
        self.expand_dims = Primitive("ExpandDims")
        self.squeeze = Primitive("Squeeze", axis=2)

    def construct(self, x: Tensor) -> Tensor:
        """Apply the convolution, by way of a height of 1."""
        output: Tensor = self.conv2d(self.expand_dims(x, 2), self.weight)
        if self.has_bias:
            output = self.bias_add(output, self.bias)
        output = self.squeeze(output)
        return output


class Conv2dTranspose(_Conv):
    """2-D transposed convolution of (N, C, H, W); `weight` is (in, out/group, height, width)."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = FLOAT32,
    ) -> None:
        kernel, steps, gaps = _pairs("Conv2dTranspose", kernel_size, stride, dilation)
        super().__init__(
            in_channels, out_channels, kernel, steps, pad_mode, padding, gaps, group, has_bias, weight_init, bias_init,
            "NCHW", dtype, transposed=True,
        )  # fmt: skip
        self.output_padding = (output_padding,) * 2 if isinstance(output_padding, int) else tuple(output_padding)
        if any(p < 0 or p >= max(s, d) for p, s, d in zip(self.output_padding, steps, gaps, strict=True)):
            raise ValueError("output_padding must be in range of [0, max(stride, dilation)).")
        if any(self.output_padding) and pad_mode != "pad":
            raise ValueError("when output_padding is not zero, pad_mode must be 'pad'")
        self.around = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
        self.conv2d_transpose = self._primitive("Conv2DTranspose", in_channels, padding)
        self.bias_add = Primitive("BiasAdd")
        self.pad = Primitive("Pad", paddings=((0, 0), (0, 0), (0, self.output_padding[0]), (0, self.output_padding[1])))

    def _length(self, size: int, axis: int) -> int:
        reach: int = self.kernel_size[axis] + (self.kernel_size[axis] - 1) * (self.dilation[axis] - 1)
        stride: int = self.stride[axis]
        if self.pad_mode == "same":
            return size * stride
        if self.pad_mode == "valid":
            return size * stride + max(reach - stride, 0)
        around: int = self.around[2 * axis] + self.around[2 * axis + 1]
        return (size - 1) * stride + reach - around

    def construct(self, x: Tensor) -> Tensor:
        """Apply the transposed convolution."""
        n, _, h, w = x.shape
        output: Tensor = self.conv2d_transpose(
            x, self.weight, (n, self.out_channels, self._length(h, 0), self._length(w, 1))
        )
        if self.has_bias:
            output = self.bias_add(output, self.bias)
        if self.output_padding != (0, 0):
            output = self.pad(output)
        return output

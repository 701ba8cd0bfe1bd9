"""Dense layers, dropout, flattening, and the small ones."""

from __future__ import annotations

import math
from typing import Any

from msdump.runtime import functions as ops
from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.initializer import HeUniform, Uniform
from msdump.runtime.nn.activation import get_activation
from msdump.runtime.nn.checks import boolean, positive
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor, initializer


class Dense(Cell):
    """activation(x @ weightᵀ + bias) over the last axis of x.

    Args:
        in_channels, out_channels: sizes of the last axis before and after.
        weight_init, bias_init: initializers; by default HeUniform(√5) and Uniform(1/√in_channels).
        has_bias: whether there is a bias.
        activation: a layer or its name, applied at the end.
        dtype: type of the parameters `weight` (out, in) and `bias` (out).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: Any = FLOAT32,
    ) -> None:
        super().__init__()
        self.in_channels = positive(in_channels, "in_channels", self.cls_name)
        self.out_channels = positive(out_channels, "out_channels", self.cls_name)
        self.has_bias = boolean(has_bias, "has_bias", self.cls_name)
        weight = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight, (out_channels, in_channels), dtype), name="weight")
        self.bias = None
        if has_bias:
            bias = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias, (out_channels,), dtype), name="bias")
            self.bias_add = Primitive("BiasAdd")
        self.matmul = Primitive("MatMul", transpose_b=True)
        self.reshape = Primitive("Reshape")
        self.activation = get_activation(activation, self.cls_name)
        self.activation_flag = self.activation is not None
        if self.activation_flag and not isinstance(self.activation, Cell | Primitive):
            raise TypeError(
                f"For '{self.cls_name}', the 'activation' must be str or Cell or Primitive, but got "
                f"{type(activation).__name__}."
            )

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to x (…, in_channels): (…, out_channels)."""
        x_shape = x.shape
        if len(x_shape) != 2:
            x = self.reshape(x, (-1, x_shape[-1]))
        x = self.matmul(x, self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        if self.activation_flag:
            x = self.activation(x)
        if len(x_shape) != 2:
            x = self.reshape(x, (*x_shape[:-1], self.out_channels))
        return x

    def extend_repr(self) -> str:
        """Sizes and bias."""
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        if self.activation_flag:
            text += f", activation={self.activation}"
        return text


class Dropout(Cell):
    """Drops elements with probability p while training, and scales the others; nothing otherwise."""

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = FLOAT32) -> None:
        super().__init__()
        if p is None:
            if not isinstance(keep_prob, float | int) or not 0 < keep_prob <= 1:
                raise ValueError(
                    f"For '{self.cls_name}', the 'keep_prob' must be a number in range (0, 1], but got {keep_prob}."
                )
        elif not isinstance(p, float | int) or not 0 <= p < 1:
            raise ValueError(f"For '{self.cls_name}', the 'p' must be a number in range [0, 1), but got {p}.")
        self.p = p
        self.keep_prob = keep_prob
        self.dropout = Primitive("Dropout", keep_prob=keep_prob if p is None else 1.0 - p)

    def construct(self, x: Tensor) -> Any:
        """Apply dropout when training."""
        if not self.training or self.p == 0 or (self.p is None and self.keep_prob == 1):
            return x
        return self.dropout(x)[0]

    def extend_repr(self) -> str:
        """The probability."""
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class Flatten(Cell):
    """The axes from start_dim to end_dim as one; by default all but the first."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def construct(self, x: Tensor) -> Any:
        """Apply flattening."""
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Identity(Cell):
    """x itself; arguments are taken and not used."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        """Give the input back."""
        return input


class OneHot(Cell):
    """on_value at each index along a new axis of size depth, off_value elsewhere."""

    def __init__(
        self, axis: int = -1, depth: int = 1, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = FLOAT32
    ) -> None:
        super().__init__()
        self.depth = depth
        self.onehot = Primitive("OneHot", axis=axis)
        self.on_value = Tensor(on_value, dtype)
        self.off_value = Tensor(off_value, dtype)

    def construct(self, indices: Tensor) -> Any:
        """Apply one-hot coding."""
        return self.onehot(indices, self.depth, self.on_value, self.off_value)


class Pad(Cell):
    """Padding with zeros (CONSTANT) or by mirroring (REFLECT, SYMMETRIC): (before, after) an axis."""

    def __init__(self, paddings: Any, mode: str = "CONSTANT") -> None:
        super().__init__()
        if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            raise ValueError(
                f"For '{self.cls_name}', the 'mode' must be CONSTANT, REFLECT or SYMMETRIC, but got {mode}."
            )
        self.paddings = paddings
        self.mode = mode
        if mode == "CONSTANT":
            self.pad = Primitive("Pad", paddings=paddings)
        else:
            self.pad = Primitive("MirrorPad", mode=mode)

    def construct(self, x: Tensor) -> Any:
        """Apply padding."""
        return self.pad(x) if self.mode == "CONSTANT" else self.pad(x, self.paddings)

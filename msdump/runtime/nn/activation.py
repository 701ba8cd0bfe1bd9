"""Activation layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime import functions as ops
from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor


class _OfPrimitive(Cell):
    """A layer that is one primitive; `primitive` is its name, `attribute` what the cell calls it."""

    primitive = ""
    attribute = "op"

    def __init__(self, **attrs: Any) -> None:
        super().__init__()
        setattr(self, self.attribute, Primitive(self.primitive, **attrs))

    def construct(self, x: Tensor) -> Tensor:
        """Apply the function element by element."""
        found: Tensor = getattr(self, self.attribute)(x)
        return found


class ReLU(_OfPrimitive):
    """max(x, 0)."""

    primitive, attribute = "ReLU", "relu"


class ReLU6(_OfPrimitive):
    """x held between 0 and 6."""

    primitive, attribute = "ReLU6", "relu6"


class Sigmoid(_OfPrimitive):
    """1 / (1 + exp(−x))."""

    primitive, attribute = "Sigmoid", "sigmoid"


class Tanh(_OfPrimitive):
    """Hyperbolic tangent."""

    primitive, attribute = "Tanh", "tanh"


class SiLU(_OfPrimitive):
    """x · sigmoid(x)."""

    primitive, attribute = "SiLU", "silu"


class HSwish(_OfPrimitive):
    """x · ReLU6(x + 3) / 6."""

    primitive, attribute = "HSwish", "hswish"


class HSigmoid(_OfPrimitive):
    """x/6 + ½ held between 0 and 1."""

    primitive, attribute = "HSigmoid", "hsigmoid"


class Mish(_OfPrimitive):
    """x · tanh(softplus(x))."""

    primitive, attribute = "Mish", "mish"


class Softsign(_OfPrimitive):
    """x / (1 + |x|)."""

    primitive, attribute = "Softsign", "softsign"


class SeLU(_OfPrimitive):
    """Scaled exponential linear unit."""

    primitive, attribute = "SeLU", "selu"


class LogSigmoid(_OfPrimitive):
    """log(sigmoid(x))."""

    primitive, attribute = "LogSigmoid", "logsigmoid"


class FastGelu(_OfPrimitive):
    """x · sigmoid(1.702 x)."""

    primitive, attribute = "FastGeLU", "fast_gelu"


class GELU(Cell):
    """Gaussian error linear unit: by tanh (approximate, the default) or exact by erf."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = approximate
        self.gelu = Primitive("GeLU") if approximate else Primitive("GeluExt", approximate="none")

    def construct(self, x: Tensor) -> Tensor:
        """Apply GELU."""
        found: Tensor = self.gelu(x)
        return found


class Softmax(Cell):
    """exp(x) over its sum along an axis."""

    def __init__(self, axis: Any = -1) -> None:
        super().__init__()
        self.axis = axis
        self.softmax = Primitive("Softmax", axis=axis)

    def construct(self, x: Tensor) -> Tensor:
        """Apply softmax."""
        found: Tensor = self.softmax(x)
        return found

    def extend_repr(self) -> str:
        """The axis."""
        return f"axis={self.axis}"


class LogSoftmax(Cell):
    """log(softmax(x)) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis
        self.log_softmax = Primitive("LogSoftmax", axis=axis)

    def construct(self, x: Tensor) -> Tensor:
        """Apply log-softmax."""
        found: Tensor = self.log_softmax(x)
        return found

    def extend_repr(self) -> str:
        """The axis."""
        return f"axis={self.axis}"


class Softmin(Cell):
    """softmax(−x) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.softmax = Primitive("Softmax", axis=axis)

    def construct(self, x: Tensor) -> Tensor:
        """Apply softmin."""
        found: Tensor = self.softmax(-x)
        return found


class LeakyReLU(Cell):
    """x where positive, alpha · x elsewhere."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.leaky_relu = Primitive("LeakyReLU", negative_slope=alpha)

    def construct(self, x: Tensor) -> Tensor:
        """Apply the function."""
        found: Tensor = self.leaky_relu(x)
        return found


class ELU(_OfPrimitive):
    """x where positive, alpha · (exp(x) − 1) elsewhere."""

    primitive, attribute = "Elu", "elu"

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(alpha=alpha)


class CELU(_OfPrimitive):
    """max(0, x) + min(0, alpha · (exp(x/alpha) − 1))."""

    primitive, attribute = "CeLU", "celu"

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(alpha=alpha)


class Hardtanh(_OfPrimitive):
    """x held between min_val and max_val."""

    primitive, attribute = "Hardtanh", "hardtanh"

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__(min_val=min_val, max_val=max_val)


class HShrink(_OfPrimitive):
    """x outside [−lambd, lambd], 0 inside."""

    primitive, attribute = "HShrink", "hshrink"

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd=lambd)


class SoftShrink(_OfPrimitive):
    """x moved towards 0 by lambd."""

    primitive, attribute = "SoftShrink", "softshrink"

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd=lambd)


class Threshold(_OfPrimitive):
    """x where above threshold, value elsewhere."""

    primitive, attribute = "Threshold", "threshold"

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__(threshold=threshold, value=value)


class GLU(_OfPrimitive):
    """The first half along an axis times the sigmoid of the second."""

    primitive, attribute = "GLU", "glu"

    def __init__(self, axis: int = -1) -> None:
        super().__init__(axis=axis)


class Tanhshrink(Cell):
    """x − tanh(x)."""

    def __init__(self) -> None:
        super().__init__()
        self.tanh = Primitive("Tanh")

    def construct(self, x: Tensor) -> Tensor:
        """Apply the function."""
        found: Tensor = x - self.tanh(x)
        return found


class PReLU(Cell):
    """x where positive, w · x elsewhere; w is learnt, one for all or one a channel."""

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        weight = Tensor(np.full(channel, w, np.float32)) if isinstance(w, float | int) else Tensor(w, FLOAT32)
        self.w = Parameter(weight, name="a")
        self.prelu = Primitive("PReLU")

    def construct(self, x: Tensor) -> Tensor:
        """Apply the function."""
        found: Tensor = self.prelu(x, self.w)
        return found


_BY_NAME: dict[str, Any] = {
    "softmax": Softmax,
    "logsoftmax": LogSoftmax,
    "relu": ReLU,
    "relu6": ReLU6,
    "tanh": Tanh,
    "gelu": GELU,
    "elu": ELU,
    "sigmoid": Sigmoid,
    "prelu": PReLU,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "silu": SiLU,
    "mish": Mish,
    "selu": SeLU,
}


def get_activation(name: Any, prim_name: str | None = None) -> Any:
    """The layer of a name; a layer as it is, None for None. KeyError names what there is."""
    if not isinstance(name, str):
        return name
    if name not in _BY_NAME:
        raise KeyError(
            f"For '{prim_name or 'get_activation'}', the 'name' must be in {list(_BY_NAME)}, but got {name}."
        )
    return _BY_NAME[name]()


def activation_function(name: str) -> Any:
    """ops.relu or ops.gelu by name; ValueError for another one."""
    if name not in ("relu", "gelu"):
        raise ValueError(f"The activation must be relu/gelu, but get {name}")
    return getattr(ops, name)

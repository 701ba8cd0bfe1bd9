"""Activation layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime import functions as ops
from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.nn.of_primitive import OfPrimitive
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor


class ReLU(OfPrimitive, of="ReLU"):
    """max(x, 0)."""


class ReLU6(OfPrimitive, of="ReLU6"):
    """x held between 0 and 6."""


class Sigmoid(OfPrimitive, of="Sigmoid"):
    """1 / (1 + exp(−x))."""


class Tanh(OfPrimitive, of="Tanh"):
    """Hyperbolic tangent."""


class SiLU(OfPrimitive, of="SiLU"):
    """x · sigmoid(x)."""


class HSwish(OfPrimitive, of="HSwish"):
    """x · ReLU6(x + 3) / 6."""


class HSigmoid(OfPrimitive, of="HSigmoid"):
    """x/6 + ½ held between 0 and 1."""


class Mish(OfPrimitive, of="Mish"):
    """x · tanh(softplus(x))."""


class Softsign(OfPrimitive, of="Softsign"):
    """x / (1 + |x|)."""


class SeLU(OfPrimitive, of="SeLU"):
    """Scaled exponential linear unit."""


class LogSigmoid(OfPrimitive, of="LogSigmoid"):
    """log(sigmoid(x))."""


class FastGelu(OfPrimitive, of="FastGeLU", at="fast_gelu"):
    """x · sigmoid(1.702 x)."""


class Softmax(OfPrimitive, of="Softmax", axis=-1):
    """exp(x) over its sum along an axis."""


class LogSoftmax(OfPrimitive, of="LogSoftmax", at="log_softmax", axis=-1):
    """log(softmax(x)) along an axis."""


class ELU(OfPrimitive, of="Elu", alpha=1.0):
    """x where positive, alpha · (exp(x) − 1) elsewhere."""


class CELU(OfPrimitive, of="CeLU", alpha=1.0):
    """max(0, x) + min(0, alpha · (exp(x/alpha) − 1))."""


class Hardtanh(OfPrimitive, of="Hardtanh", min_val=-1.0, max_val=1.0):
    """x held between min_val and max_val."""


class HShrink(OfPrimitive, of="HShrink", lambd=0.5):
    """x outside [−lambd, lambd], 0 inside."""


class SoftShrink(OfPrimitive, of="SoftShrink", lambd=0.5):
    """x moved towards 0 by lambd."""


class Threshold(OfPrimitive, of="Threshold", threshold=..., value=...):
    """x where above threshold, value elsewhere."""


class GLU(OfPrimitive, of="GLU", axis=-1):
    """The first half along an axis times the sigmoid of the second."""


class LeakyReLU(Cell):
    """x where positive, alpha · x elsewhere."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.leaky_relu = Primitive("LeakyReLU", negative_slope=alpha)

    def construct(self, x: Tensor) -> Any:
        """Apply the function."""
        return self.leaky_relu(x)


class GELU(Cell):
    """Gaussian error linear unit: by tanh (approximate, the default) or exact by erf."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.gelu = Primitive("GeLU") if approximate else Primitive("GeluExt", approximate="none")

    def construct(self, x: Tensor) -> Any:
        """Apply GELU."""
        return self.gelu(x)


class Softmin(Softmax, of="Softmax", axis=-1):
    """softmax(−x) along an axis."""

    def construct(self, x: Tensor) -> Any:
        """Apply softmin."""
        return super().construct(-x)


class Tanhshrink(Tanh, of="Tanh"):
    """x − tanh(x)."""

    def construct(self, x: Tensor) -> Any:
        """Apply the function."""
        return x - super().construct(x)


class PReLU(Cell):
    """x where positive, w · x elsewhere; w is learnt, one for all or one a channel."""

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        weight = Tensor(np.full(channel, w, np.float32)) if isinstance(w, float | int) else Tensor(w, FLOAT32)
        self.w = Parameter(weight, name="a")
        self.prelu = Primitive("PReLU")

    def construct(self, x: Tensor) -> Any:
        """Apply the function."""
        return self.prelu(x, self.w)


_NAMED = (
    *(Softmax, LogSoftmax, ReLU, ReLU6, Tanh, GELU, ELU, Sigmoid, PReLU, LeakyReLU, HSwish, HSigmoid, SiLU, Mish),
    SeLU,
)
_BY_NAME: dict[str, Any] = {layer.__name__.lower(): layer for layer in _NAMED}


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

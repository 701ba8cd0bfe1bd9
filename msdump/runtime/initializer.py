"""Initializers: what fills a new parameter. Names and formulas as MindSpore's common.initializer."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from msdump.runtime.ops.random import generator
from msdump.runtime.ops.registry import Array
from msdump.runtime.promotion import FLOAT32


class Initializer:
    """Base of all initializers: `fill` gives the numbers of a shape, in Float64 or Float32."""

    names: ClassVar[tuple[str, ...]] = ()

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The numbers of one tensor."""
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={v}" for k, v in vars(self).items())
        return f"{type(self).__name__}({shown})"


def _fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """(inputs, outputs) of one unit of a weight (out, in, kernel…)."""
    if len(shape) == 0:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    receptive = math.prod(shape[2:])
    return shape[1] * receptive, shape[0] * receptive


def gain_of(nonlinearity: str, slope: float = 0.01) -> float:
    """How much a nonlinearity is made up for; ValueError names those that are known."""
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "sigmoid"):
        return 1.0
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + slope * slope))
    found = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0)}.get(nonlinearity)
    if found is None:
        raise ValueError(
            f"The argument 'nonlinearity' should be one of ['sigmoid', 'tanh', 'relu', 'leaky_relu'], "
            f"but got {nonlinearity}."
        )
    return found


class Zero(Initializer):
    """All zeros."""

    names = ("zeros", "zero")

    def fill(self, shape: tuple[int, ...]) -> Array:
        """Zeros."""
        return np.zeros(shape, FLOAT32)


class One(Initializer):
    """All ones."""

    names = ("ones", "one")

    def fill(self, shape: tuple[int, ...]) -> Array:
        """Ones."""
        return np.ones(shape, FLOAT32)


class Constant(Initializer):
    """One number everywhere."""

    names = ("constant",)

    def __init__(self, value: Any = 0) -> None:
        self.value = value

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The number."""
        return np.full(shape, self.value)


class Uniform(Initializer):
    """Draws from [−scale, scale]."""

    names = ("uniform",)

    def __init__(self, scale: float = 0.07) -> None:
        self.scale = scale

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The draws."""
        return generator().uniform(-self.scale, self.scale, shape)


class Normal(Initializer):
    """Draws of a normal distribution."""

    names = ("normal",)

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        self.sigma = sigma
        self.mean = mean

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The draws."""
        return generator().normal(self.mean, self.sigma, shape)


class TruncatedNormal(Initializer):
    """Draws of a normal distribution between a and b standard deviations."""

    names = ("truncatednormal", "truncated_normal")

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        self.sigma = sigma
        self.mean = mean
        self.a = a
        self.b = b

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The draws; those outside are drawn again."""
        draws = generator().standard_normal(shape)
        outside = (draws < self.a) | (draws > self.b)
        while outside.any():
            draws[outside] = generator().standard_normal(int(outside.sum()))
            outside = (draws < self.a) | (draws > self.b)
        found: Array = self.mean + self.sigma * draws
        return found


class _Scaled(Initializer):
    def __init__(self, gain: float = 1) -> None:
        self.gain = gain


class XavierUniform(_Scaled):
    """Uniform in ±gain·√(6 / (inputs + outputs))."""

    names = ("xavier_uniform", "xavieruniform")

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The draws."""
        bound = self.gain * math.sqrt(6.0 / sum(_fans(shape)))
        return generator().uniform(-bound, bound, shape)


class XavierNormal(_Scaled):
    """Normal with deviation gain·√(2 / (inputs + outputs))."""

    names = ("xavier_normal", "xaviernormal")

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The draws."""
        return generator().normal(0.0, self.gain * math.sqrt(2.0 / sum(_fans(shape))), shape)


class _He(Initializer):
    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> None:
        if mode not in ("fan_in", "fan_out"):
            raise ValueError(f"'mode' {mode} not supported, please use one of ['fan_in', 'fan_out']")
        self.negative_slope = negative_slope
        self.mode = mode
        self.nonlinearity = nonlinearity

    def deviation(self, shape: tuple[int, ...]) -> float:
        """The standard deviation for a shape."""
        fan = _fans(shape)[self.mode == "fan_out"]
        return gain_of(self.nonlinearity, self.negative_slope) / math.sqrt(fan or 1)


class HeUniform(_He):
    """Uniform in ±√3 · deviation (Kaiming)."""

    names = ("he_uniform", "heuniform")

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The draws."""
        bound = math.sqrt(3.0) * self.deviation(shape)
        return generator().uniform(-bound, bound, shape)


class HeNormal(_He):
    """Normal with Kaiming's deviation."""

    names = ("he_normal", "henormal")

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The draws."""
        return generator().normal(0.0, self.deviation(shape), shape)


class Identity(Initializer):
    """A matrix with ones on its diagonal."""

    names = ("identity",)

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The matrix; ValueError for another number of dimensions."""
        if len(shape) != 2:
            raise ValueError(f"Identity initializes matrices, but the shape is {shape}.")
        return np.eye(*shape)


class Orthogonal(Initializer):
    """Rows, or columns when there are fewer of them, at right angles to one another."""

    names = ("orthogonal",)

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def fill(self, shape: tuple[int, ...]) -> Array:
        """The matrix, from the QR decomposition of a random one."""
        rows, columns = shape[0], math.prod(shape[1:])
        q, r = np.linalg.qr(generator().standard_normal((max(rows, columns), min(rows, columns))))
        q = q * np.sign(np.diag(r))
        return (self.gain * (q.T if rows < columns else q)).reshape(shape)


_BY_NAME = {
    name: kind
    for kind in (
        Zero, One, Constant, Uniform, Normal, TruncatedNormal, XavierUniform, XavierNormal, HeUniform, HeNormal,
        Identity, Orthogonal,
    )
    for name in kind.names
}  # fmt: skip


def filled(init: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """The array an initializer, its name, a number or a tensor stands for.

    ValueError for a name that is not known (the known ones are listed) or a tensor of another shape.
    """
    if hasattr(init, "__array__"):
        with np.errstate(all="ignore"):
            array = np.array(init, dtype)
        if array.shape != tuple(shape):
            raise ValueError(f"For 'initializer', the shape of 'init' must be {tuple(shape)}, but got {array.shape}.")
        return array
    if isinstance(init, str):
        kind = _BY_NAME.get(init.lower())
        if kind is None:
            known = ", ".join(sorted(_BY_NAME))
            raise ValueError(f"For 'initializer', the initializer {init!r} is not known; there are {known}.")
        init = kind()
    if isinstance(init, bool | int | float):
        init = Constant(init)
    if not isinstance(init, Initializer):
        raise TypeError(
            f"For 'initializer', the type of the 'init' argument must be 'Tensor', 'number', 'string' or "
            f"'initializer', but got {type(init).__name__}."
        )
    with np.errstate(all="ignore"):
        return np.asarray(init.fill(tuple(int(n) for n in shape)), dtype=dtype)


__all__ = [
    "Constant", "HeNormal", "HeUniform", "Identity", "Initializer", "Normal", "One", "Orthogonal", "TruncatedNormal",
    "Uniform", "XavierNormal", "XavierUniform", "Zero",
]  # fmt: skip

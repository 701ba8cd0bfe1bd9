"""Initializers: what fills a new parameter. Names and formulas as MindSpore's common.initializer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from msdump.runtime.ops.random import generator
from msdump.runtime.ops.registry import Array
from msdump.runtime.promotion import FLOAT32

_BY_NAME: dict[str, Callable[[], Initializer]] = {}


class Initializer:
    """Base of all initializers: `_draw` gives the numbers of a shape, in Float64 or Float32."""

    def __init_subclass__(cls, names: tuple[str, ...] = ()) -> None:
        super().__init_subclass__()
        _BY_NAME.update(dict.fromkeys(names, cls))

    def _draw(self, shape: tuple[int, ...]) -> Array:
        raise NotImplementedError


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


@dataclass
class Zero(Initializer, names=("zeros", "zero")):
    """All zeros."""

    def _draw(self, shape: tuple[int, ...]) -> Array:
        return np.zeros(shape, FLOAT32)


@dataclass
class One(Initializer, names=("ones", "one")):
    """All ones."""

    def _draw(self, shape: tuple[int, ...]) -> Array:
        return np.ones(shape, FLOAT32)


@dataclass
class Constant(Initializer, names=("constant",)):
    """One number everywhere."""

    value: Any = 0

    def _draw(self, shape: tuple[int, ...]) -> Array:
        return np.full(shape, self.value)


@dataclass
class Uniform(Initializer, names=("uniform",)):
    """Draws from [−scale, scale]."""

    scale: float = 0.07

    def _draw(self, shape: tuple[int, ...]) -> Array:
        return generator().uniform(-self.scale, self.scale, shape)


@dataclass
class Normal(Initializer, names=("normal",)):
    """Draws of a normal distribution."""

    sigma: float = 0.01
    mean: float = 0.0

    def _draw(self, shape: tuple[int, ...]) -> Array:
        return generator().normal(self.mean, self.sigma, shape)


@dataclass
class TruncatedNormal(Initializer, names=("truncatednormal", "truncated_normal")):
    """Draws of a normal distribution between a and b standard deviations; those outside are drawn again."""

    sigma: float = 0.01
    mean: float = 0.0
    a: float = -2.0
    b: float = 2.0

    def _draw(self, shape: tuple[int, ...]) -> Array:
        draws = generator().standard_normal(shape)
        while (outside := (draws < self.a) | (draws > self.b)).any():
            draws[outside] = generator().standard_normal(int(outside.sum()))
        found: Array = self.mean + self.sigma * draws
        return found


@dataclass
class XavierUniform(Initializer, names=("xavier_uniform", "xavieruniform")):
    """Uniform in ±gain·√(6 / (inputs + outputs))."""

    gain: float = 1

    def _draw(self, shape: tuple[int, ...]) -> Array:
        bound = self.gain * math.sqrt(6.0 / sum(_fans(shape)))
        return generator().uniform(-bound, bound, shape)


@dataclass
class XavierNormal(Initializer, names=("xavier_normal", "xaviernormal")):
    """Normal with deviation gain·√(2 / (inputs + outputs))."""

    gain: float = 1

    def _draw(self, shape: tuple[int, ...]) -> Array:
        return generator().normal(0.0, self.gain * math.sqrt(2.0 / sum(_fans(shape))), shape)


@dataclass
class HeNormal(Initializer, names=("he_normal", "henormal")):
    """Normal with Kaiming's deviation."""

    negative_slope: float = 0
    mode: str = "fan_in"
    nonlinearity: str = "leaky_relu"

    def __post_init__(self) -> None:
        if self.mode not in ("fan_in", "fan_out"):
            raise ValueError(f"'mode' {self.mode} not supported, please use one of ['fan_in', 'fan_out']")

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan = _fans(shape)[self.mode == "fan_out"]
        return gain_of(self.nonlinearity, self.negative_slope) / math.sqrt(fan or 1)

    def _draw(self, shape: tuple[int, ...]) -> Array:
        return generator().normal(0.0, self._deviation(shape), shape)


@dataclass
class HeUniform(HeNormal, names=("he_uniform", "heuniform")):
    """Uniform in ±√3 · Kaiming's deviation."""

    def _draw(self, shape: tuple[int, ...]) -> Array:
        bound = math.sqrt(3.0) * self._deviation(shape)
        return generator().uniform(-bound, bound, shape)


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
        return np.asarray(init._draw(tuple(int(n) for n in shape)), dtype=dtype)


__all__ = [
    "Constant", "HeNormal", "HeUniform", "Initializer", "Normal", "One", "TruncatedNormal", "Uniform", "XavierNormal",
    "XavierUniform", "Zero",
]  # fmt: skip

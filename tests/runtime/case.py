"""A call that real MindSpore and msdump both run, and the seeded values it is given."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FLOATS = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class T:
    """A tensor argument: float64 or integer values, and the element type they get."""

    values: Any
    dtype: str = "float32"


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes:
        kind: "op" (a primitive: ops.NAME(**attrs)(*args)), "fn" (ops.NAME(*args, **attrs)), "method"
            (args[0].NAME(*args[1:], **attrs)), "operator" (Python's), "nn" (nn.NAME(**attrs)(*args)), "net"
            (a network of nets.py), or "grad" (a primitive of the backward half).
        instead: what msdump gives where MindSpore's CPU has no kernel and refuses the call; None: it has one.
        rtol, atol: how far apart Float32 results may be.
        train: call the layer in training.
    """

    kind: str
    name: str
    args: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    label: str = ""
    instead: Any = None
    rtol: float = 1e-5
    atol: float = 1e-6
    train: bool = False

    @property
    def key(self) -> str:
        """A name for it that stays the same."""
        return f"{self.kind}.{self.name}" + (f".{self.label}" if self.label else "")


def values(*shape: int, seed: str = "", low: float = -2.0, high: float = 2.0) -> Any:
    """Seeded values of a shape, exact in every floating type (multiples of 1/16)."""
    rng = np.random.RandomState(zlib.crc32(f"{seed}{shape}".encode()))
    return np.round(rng.uniform(low, high, shape) * 16) / 16


def whole(*shape: int, seed: str = "", low: int = -9, high: int = 10) -> Any:
    """Seeded integers of a shape."""
    return np.random.RandomState(zlib.crc32(f"{seed}{shape}".encode())).randint(low, high, shape)


def parameter_value(name: str, shape: tuple[int, ...]) -> Any:
    """What a layer's parameter of a name is set to in both runtimes."""
    found = values(*shape, seed=name, low=-0.5, high=0.5)
    return np.abs(found) + 0.5 if "variance" in name else found


A, B = values(2, 3, seed="a"), values(2, 3, seed="b")
P = values(2, 3, seed="p", low=0.125, high=3.0)
X4 = values(2, 4, 7, 6, seed="x")

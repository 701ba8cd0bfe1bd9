"""Operators that draw numbers, from one generator a thread, seeded by `set_seed`."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.ops.registry import Array, TensorSpec, operator
from msdump.runtime.ops.shape import ints
from msdump.runtime.promotion import FLOAT32, INT64, numpy_type
from msdump.runtime.session import current


def set_seed(seed: int) -> None:
    """Seed this thread's generator: the same seed gives the same draws.

    TypeError unless seed is an int, ValueError when it is negative.
    """
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"The argument 'seed' must be type of int, but got {type(seed).__name__}.")
    if seed < 0:
        raise ValueError(f"The argument 'seed' must be greater than or equal to 0, but got {seed}.")
    thread = current().thread
    thread.generator, thread.seed = np.random.default_rng(seed), seed


def get_seed() -> int | None:
    """The seed last set on this thread, or None."""
    return current().thread.seed


def generator() -> np.random.Generator:
    """This thread's generator."""
    thread = current().thread
    if thread.generator is None:
        thread.generator = np.random.default_rng()
    return thread.generator


def _seeded(seed0: int, seed1: int) -> np.random.Generator:
    return np.random.default_rng((seed0, seed1)) if seed0 or seed1 else generator()


def _drawn(shape: Any, dtype: np.dtype[Any]) -> TensorSpec:
    # Inferring must not draw: what is drawn later would differ from a run without it.
    return TensorSpec(ints(shape), dtype)


@operator(
    "Dropout", infer=lambda x, *_, **__: (x, x), effect="draw", spelling={"seed0": ("Seed0",), "seed1": ("Seed1",)}
)
def dropout(x: Array, keep_prob: float = 0.5, seed0: int = 0, seed1: int = 0) -> Any:
    """(x with elements dropped and the kept scaled by 1/keep_prob, the mask)."""
    if keep_prob >= 1.0:
        return x, np.ones(x.shape, x.dtype)
    mask = np.asarray(_seeded(seed0, seed1).random(x.shape, np.float32) < keep_prob, x.dtype)
    return x * mask * x.dtype.type(1.0 / keep_prob), mask


@operator("DropoutGrad", inputs=2)
def dropout_grad(dout: Array, mask: Array, keep_prob: float = 0.5) -> Any:
    """Dout through the mask, scaled as in the forward pass."""
    return dout * mask * dout.dtype.type(1.0 / keep_prob)


@operator("StandardNormal", "NormalFloatFloat", infer=lambda shape, *_, **__: _drawn(shape, FLOAT32), effect="draw")
def standard_normal(shape: Any, seed: int = 0, seed2: int = 0) -> Any:
    """Draws of the standard normal distribution, Float32."""
    return _seeded(seed, seed2).standard_normal(ints(shape), np.float32)


@operator("UniformReal", "RandExt", infer=lambda shape, *_, **__: _drawn(shape, FLOAT32), effect="draw")
def uniform_real(shape: Any, seed: int = 0, seed2: int = 0) -> Any:
    """Draws from [0, 1), Float32."""
    return _seeded(seed, seed2).random(ints(shape), np.float32)


@operator("UniformInt", inputs=3, infer=lambda shape, *_, **__: _drawn(shape, np.dtype(np.int32)), effect="draw")
def uniform_int(shape: Any, minval: Any, maxval: Any, seed: int = 0, seed2: int = 0) -> Any:
    """Draws from the integers in [minval, maxval), Int32."""
    return _seeded(seed, seed2).integers(int(minval), int(maxval), ints(shape), np.int32)


@operator("RandpermV2", infer=lambda n, dtype=INT64, **_: _drawn(int(n), numpy_type(dtype)), effect="draw")
def randperm(n: Any, dtype: Any = INT64) -> Any:
    """The numbers 0 … n−1 in a random order."""
    return generator().permutation(int(n)).astype(numpy_type(dtype))


@operator("Randn", infer=lambda shape, dtype=FLOAT32, **_: _drawn(shape, numpy_type(dtype)), effect="draw")
def randn(shape: Any, dtype: Any = FLOAT32) -> Any:
    """Draws of the standard normal distribution."""
    return generator().standard_normal(ints(shape)).astype(numpy_type(dtype))

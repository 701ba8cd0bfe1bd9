"""TensorData: a tensor that stands in a file, its bytes read when asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msdump.dtype import DType

MOST_AXES = 32
"""Axes of a tensor, at most: what every release of numpy holds."""


@dataclass(frozen=True, slots=True, eq=False)
class TensorData:
    """A tensor by reference.

    Attributes:
        dtype: element type.
        shape: sizes from the outermost dimension in; () is a scalar.
        load: gives the values as a numpy array of `shape` and `dtype.np`; each call may read the
            file anew, so that nothing large is held.
        name: what the file calls it, or "".
        nbytes: bytes it takes in the file.
    """

    dtype: DType
    shape: tuple[int, ...]
    load: Callable[[], np.ndarray[Any, Any]] = field(repr=False)
    name: str = ""
    nbytes: int = 0

    @property
    def sliceable(self) -> bool:
        """Whether `flat` reads only the part asked for; False: it costs as much as the whole."""
        return False

    @property
    def opaque(self) -> bool:
        """Whether nobody knows what its bytes stand for, so that its elements are those bytes."""
        return False

    def numpy(self) -> np.ndarray[Any, Any]:
        """The values, shape `shape`, dtype `dtype.np`."""
        return self.load()

    def flat(self, start: int, stop: int, into: memoryview | None = None) -> np.ndarray[Any, Any]:
        """Elements `start` to `stop` of all in row-major order, as one dimension.

        `into` is room for their bytes that may be used, and then holds them until it is used again.
        """
        return self.load().reshape(-1)[start:stop]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.load()
        return array if dtype is None else array.astype(dtype)

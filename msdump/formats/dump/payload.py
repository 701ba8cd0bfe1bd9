"""A tensor that lies as bare bytes somewhere in a file: packed, padded, or in a chip's layout."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from msdump.dtype import DType
from msdump.errors import DecodeError, TruncatedError
from msdump.formats.dump import storage
from msdump.formats.dump.device_format import LayoutError, is_device_format, to_host
from msdump.formats.packed import capacity, packed_bytes, plain, unpack
from msdump.source import BytePlace
from msdump.tensor import MOST_AXES, TensorData

Array: TypeAlias = "np.ndarray[Any, Any]"


class PayloadTensor(TensorData):
    """A tensor of `size` bytes from `offset` on.

    Attributes:
        path, offset, size: where the bytes lie.
        format: the layout's name; one of a chip is brought back when `original` is known.
        stored_shape: the shape the bytes have; None when the file tells none (then they are flat).
        original: the shape the program knows, or ().
        groups: of a grouped convolution, for FRACTAL_Z.
        unknown: whether the file has a type that is not known, so that its bytes are given.
    """

    __slots__ = ("format", "groups", "offset", "original", "path", "size", "stored_shape", "unknown")

    path: str
    offset: int
    size: int
    format: str
    stored_shape: tuple[int, ...] | None
    original: tuple[int, ...]
    groups: int
    unknown: bool

    def __init__(
        self,
        path: str,
        offset: int,
        size: int,
        dtype: DType,
        stored_shape: tuple[int, ...] | None,
        format: str = "",
        original: tuple[int, ...] = (),
        groups: int = 1,
        name: str = "",
        unknown: bool = False,
    ) -> None:
        back = is_device_format(format) and bool(original)
        shape = original if back else stored_shape
        fields = {
            "path": path,
            "offset": offset,
            "size": size,
            "dtype": dtype,
            "stored_shape": stored_shape,
            "format": format,
            "original": original,
            "groups": groups,
            "unknown": unknown,
            "name": name,
            "nbytes": size,
            "shape": (capacity(size, dtype),) if shape is None else shape,
        }
        for key, value in fields.items():
            object.__setattr__(self, key, value)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return PayloadTensor, (
            self.path,
            self.offset,
            self.size,
            self.dtype,
            self.stored_shape,
            self.format,
            self.original,
            self.groups,
            self.name,
            self.unknown,
        )

    @property
    def opaque(self) -> bool:
        """Whether its type is not known."""
        return self.unknown

    @property
    def load(self) -> Callable[[], Array]:
        """Gives the values in the program's layout."""
        return self._load

    @property
    def _back(self) -> bool:
        return is_device_format(self.format) and bool(self.original)

    @property
    def sliceable(self) -> bool:
        """Whether elements lie one after another, each a whole number of bytes."""
        return plain(self.dtype) and not self._back

    def _content(self, start: int, length: int, whole: bool, into: memoryview | None = None) -> Array:
        if whole:
            content = storage.view(self.path)[start : start + length]
        elif into is not None and len(into) >= length:
            content = into[: storage.read_into(self.path, start, into[:length])]
        else:
            content = memoryview(storage.read_range(self.path, start, length))
        if len(content) < length:
            raise TruncatedError(
                f"{self.size} bytes of data are announced, the file ends before",
                BytePlace(self.path, start + len(content)),
            )
        return np.frombuffer(content, np.uint8)

    def check(self) -> int:
        """The number of elements. Raises DecodeError when their bytes are not there."""
        stored = self._stored
        if len(stored) > MOST_AXES:
            raise DecodeError(
                f"{len(stored)} axes are more than a tensor has", BytePlace(self.path, self.offset, self.name)
            )
        count = math.prod(stored)
        needed = packed_bytes(count, self.dtype)
        if needed > self.size:
            raise DecodeError(
                f"shape {stored} of {self.dtype.name} needs {needed} bytes, {self.size} are there",
                BytePlace(self.path, self.offset, self.name),
            )
        return count

    @property
    def _stored(self) -> tuple[int, ...]:
        return (capacity(self.size, self.dtype),) if self.stored_shape is None else self.stored_shape

    def _load(self) -> Array:
        stored = self._stored
        count = self.check()
        needed = packed_bytes(count, self.dtype)
        # Six-bit elements may take a byte each; what lies behind the last element is padding.
        used = min(self.size, count) if self.dtype.bits == 6 else needed
        flat = unpack(self._content(self.offset, used, whole=True), count, self.dtype)
        array = flat.reshape(stored)
        if not self._back:
            return array
        try:
            return to_host(array, self.format, self.original, self.groups)
        except (LayoutError, ValueError) as error:
            raise DecodeError(
                f"{self.format} {stored} cannot be brought back to {self.original}: {error}",
                BytePlace(self.path, self.offset),
            ) from None

    def flat(self, start: int, stop: int, into: memoryview | None = None) -> Array:
        """Elements `start` to `stop` in row-major order; only they are read where `sliceable`."""
        if not self.sliceable:
            return self._load().reshape(-1)[start:stop]
        count = math.prod(self.shape)
        width = self.dtype.np.itemsize
        self.check()
        stop = min(stop, count)
        content = self._content(self.offset + start * width, max(0, stop - start) * width, whole=False, into=into)
        return content.view(self.dtype.np)

"""The bytes of a tensor's elements as a numpy array: a view wherever numpy has such elements.

Elements stand row-major and little-endian. Where numpy has no such layout (types of less than a
byte, complex32, types of ml_dtypes on a big-endian host) they are unpacked into an array of its own.
"""

from __future__ import annotations

import sys
from typing import Any, Literal

import numpy as np

from msdump.dtype import DType
from msdump.formats.packed import packed_bytes, plain, unpack

MOST_DIMS = 64 if int(np.__version__.split(".")[0]) >= 2 else 32
"""The most dimensions numpy can hold."""


def view_type(dtype: DType, host: Literal["little", "big"] = sys.byteorder) -> np.dtype[Any] | None:
    """The numpy type that views the bytes of a file as they are, or None when they must be unpacked."""
    if not plain(dtype) or (dtype.ml and host == "big" and dtype.bits > 8):
        return None
    return dtype.np if dtype.ml else dtype.np.newbyteorder("<")


def array_of(
    dtype: DType,
    shape: tuple[int, ...],
    buffer: Any,
    offset: int,
    host: Literal["little", "big"] = sys.byteorder,
    size: int | None = None,
) -> np.ndarray[Any, Any]:
    """A read-only array of the elements that start at `offset` of a read-only buffer, aligned or not.

    `size` is how many bytes they take; needed for 6-bit types only, which stand packed or a byte each.

    Raises:
        ValueError: the buffer ends before, or the shape is beyond numpy.
    """
    seen_as = view_type(dtype, host)
    if seen_as is not None:
        return np.ndarray(shape, seen_as, buffer, offset)
    count = int(np.prod(shape, dtype=object))
    raw = np.ndarray((packed_bytes(count, dtype) if size is None else size,), np.uint8, buffer, offset)
    if plain(dtype):
        flat = raw.view(f"<u{dtype.bits // 8}").astype(f"=u{dtype.bits // 8}").view(dtype.np)
    else:
        flat = unpack(raw, count, dtype)
    array = flat.reshape(shape)
    array.flags.writeable = False
    return array

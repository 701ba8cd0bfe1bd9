"""The bytes of a tensor's elements as a numpy array: a view wherever numpy has such elements.

Elements stand row-major and little-endian. Types of less than a byte (Int4) are packed, the first
element in the lowest bits; numpy has no such layout, so they are unpacked into an array of their
own, as are types of ml_dtypes on a big-endian host.
"""

from __future__ import annotations

import sys
from typing import Any, Literal

import numpy as np

from msdump.dtype import DType

MOST_DIMS = 64 if int(np.__version__.split(".")[0]) >= 2 else 32
"""The most dimensions numpy can hold."""


def byte_count(dtype: DType, elements: int) -> int:
    """Bytes that so many elements take."""
    return (elements * dtype.bits + 7) // 8


def view_type(dtype: DType, host: Literal["little", "big"] = sys.byteorder) -> np.dtype[Any] | None:
    """The numpy type that views the bytes of a file as they are, or None when they must be unpacked."""
    if dtype.bits % 8 or (dtype.ml and host == "big" and dtype.bits > 8):
        return None
    return dtype.np if dtype.ml else dtype.np.newbyteorder("<")


def array_of(
    dtype: DType,
    shape: tuple[int, ...],
    buffer: Any,
    offset: int,
    host: Literal["little", "big"] = sys.byteorder,
) -> np.ndarray[Any, Any]:
    """A read-only array of the elements that start at `offset` of a read-only buffer, aligned or not.

    Raises:
        ValueError: the buffer ends before, or the shape is beyond numpy.
    """
    seen_as = view_type(dtype, host)
    if seen_as is not None:
        return np.ndarray(shape, seen_as, buffer, offset)
    count = int(np.prod(shape, dtype=object))
    raw = np.ndarray((byte_count(dtype, count),), np.uint8, buffer, offset)
    array = _unpack(dtype, count, raw).reshape(shape)
    array.flags.writeable = False
    return array


def _unpack(dtype: DType, count: int, raw: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if dtype.bits % 8 == 0:
        return raw.view(f"<u{dtype.bits // 8}").astype(f"=u{dtype.bits // 8}").view(dtype.np)
    if dtype.bits in (1, 2, 4):
        # Every byte once for each element in it, the element shifted down to the lowest bits.
        shifts = np.arange(0, 8, dtype.bits, dtype=np.uint8)
        mask = np.uint8((1 << dtype.bits) - 1)
        codes = (raw[:, None] >> shifts & mask).reshape(-1)[:count]
    else:
        bits = np.unpackbits(raw, bitorder="little")[: count * dtype.bits].reshape(count, dtype.bits)
        codes = np.packbits(bits, axis=1, bitorder="little").reshape(-1)
    if dtype.numpy == "bool":
        return codes.astype(np.bool_)
    if dtype.numpy.startswith("int"):
        top = np.uint8(8 - dtype.bits)
        return ((codes << top).view(np.int8) >> top.view(np.int8)).astype(dtype.np)
    return codes.astype(dtype.np) if dtype.numpy.startswith("uint") else codes.view(dtype.np)

"""Elements narrower than a byte, and others that numpy has no type for: unpacked and packed.

The first element lies in the lowest bits of the first byte (1-, 2- and 4-bit types; four 6-bit ones
in three bytes likewise). complex32 is two float16 and becomes complex64.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from msdump.dtype import DType

Array: TypeAlias = "np.ndarray[Any, Any]"


def plain(dtype: DType) -> bool:
    """Whether elements lie in the file as numpy keeps them in memory."""
    return dtype.bits >= 8 and dtype.bits == dtype.np.itemsize * 8


def packed_bytes(count: int, dtype: DType) -> int:
    """Bytes that `count` elements take at least."""
    return (count * dtype.bits + 7) // 8


def capacity(nbytes: int, dtype: DType) -> int:
    """How many elements `nbytes` bytes hold; 6-bit ones take a byte each."""
    return nbytes if dtype.bits == 6 else nbytes * 8 // dtype.bits


def unpack(content: Array, count: int, dtype: DType) -> Array:
    """`count` elements from bytes (uint8, at least as many as they take), of dtype `dtype.np`.

    6-bit types are taken as one byte each where there are bytes enough, since that is how most
    software keeps them.
    """
    if plain(dtype):
        return content[: count * dtype.np.itemsize].view(dtype.np)
    if dtype.bits == 32:
        halves = content[: count * 4].view("<f2").astype(np.float32)
        return halves.view(np.complex64)
    if dtype.bits == 1:
        return np.unpackbits(content, count=count, bitorder="little").view(np.bool_)
    if dtype.bits == 6:
        codes = content[:count] if content.size >= count else _six(content, count)
        return codes.view(dtype.np)
    per_byte = 8 // dtype.bits
    shifts = np.arange(0, 8, dtype.bits, dtype=np.uint8)
    used = content[: -(-count // per_byte)]
    codes = ((used[:, None] >> shifts) & ((1 << dtype.bits) - 1)).reshape(-1)[:count]
    if dtype.numpy.startswith("int"):
        top = 1 << (dtype.bits - 1)
        return ((codes ^ top).astype(np.int8) - top).astype(dtype.np)
    if dtype.numpy.startswith("uint"):
        return codes.astype(dtype.np)
    return codes.view(dtype.np)


def _six(content: Array, count: int) -> Array:
    bits = np.unpackbits(content, count=count * 6, bitorder="little").reshape(count, 6)
    return np.packbits(bits, axis=1, bitorder="little").reshape(-1)


def pack(array: Array, dtype: DType) -> bytes:
    """The bytes of an array of dtype `dtype.np` in row-major order, packed as `unpack` reads them."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if plain(dtype):
        return flat.astype(flat.dtype.newbyteorder("<") if flat.dtype.kind in "iufc" else flat.dtype).tobytes()
    if dtype.bits == 32:
        return flat.view(np.float32).astype(np.float16).tobytes()
    if dtype.bits == 6:
        return flat.view(np.uint8).tobytes()
    if dtype.bits == 1:
        return np.packbits(flat.astype(np.bool_), bitorder="little").tobytes()
    if dtype.numpy.startswith(("int", "uint")):
        codes = flat.astype(np.int8).view(np.uint8) & ((1 << dtype.bits) - 1)
    else:
        codes = flat.view(np.uint8)
    bits = np.unpackbits(codes.astype(np.uint8)[:, None], axis=1, count=dtype.bits, bitorder="little")
    return np.packbits(bits.reshape(-1), bitorder="little").tobytes()

"""The values of a call as bytes of print.pb: strings and tensors, as MindSpore's 2.x writer has them.

Types are spelled its way (`UInt8`, `BFloat16`), dims are left out for a 0-d tensor only, elements
are row-major and little-endian. Large tensors are not copied.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from msdump.dtype import DType, by_numpy
from msdump.formats.framing import encode_varint
from msdump.formats.packed import pack
from msdump.records import BadValue, PrintValue

Chunk: TypeAlias = "bytes | memoryview[Any]"

LARGE = 1 << 16
"""Bytes from which a tensor is written from where it stands; below, copying it is cheaper."""
_LITTLE = sys.byteorder == "little"


def encode_values(values: Sequence[PrintValue | bool | int | float]) -> list[Chunk]:
    """The field-1 values of a Print message; small ones joined, large tensors as views of their memory.

    Python's numbers become 0-d tensors of Bool, Int64 and Float64. TypeError names what no print
    file can hold.
    """
    if len(values) == 1 and (number := _PYTHON_NUMBERS.get(type(values[0]))) is not None:
        return [number[0] + number[1](values[0])]
    done: list[Chunk] = []
    small: list[bytes] = []
    value: Any
    for value in values:
        kind = type(value)
        if kind is str:
            text = value.encode("utf-8", "backslashreplace")
            size = len(text)
            small.append(_SHORT_STRINGS[size] + text if size < 0x7E else _field(0x0A, _field(0x0A, text)))
        elif (number := _PYTHON_NUMBERS.get(kind)) is not None:
            small.append(number[0] + number[1](value))
        elif kind is np.ndarray and value.nbytes >= LARGE:
            prefix, content = _large_tensor(value)
            small.append(prefix)
            done += [b"".join(small), content]
            small = []
        elif kind is BadValue:
            small.append(_bad(value))
        else:
            small.append(_small_tensor(value))
    if small:
        done.append(b"".join(small) if len(small) > 1 else small[0])
    return done


_prefixes: dict[tuple[np.dtype[Any], tuple[int, ...]], bytes] = {}
_types: dict[np.dtype[Any], tuple[DType, np.dtype[Any]]] = {}


def _small_tensor(value: Any) -> bytes:
    try:
        key = (value.dtype, value.shape)
    except AttributeError:
        raise TypeError(f"a print file holds strings and tensors, not {type(value).__name__}") from None
    prefix = _prefixes.get(key)
    if prefix is None:
        known, stored = _stored_type(value.dtype)
        name = known.name.encode()
        if stored != value.dtype:
            content = bytes(_content(np.asarray(value), known, stored))
            return _tensor_prefix(name, value.shape, len(content)) + content
        prefix = _tensor_prefix(name, value.shape, value.nbytes)
        if len(_prefixes) < 4096:
            _prefixes[key] = prefix
    return prefix + bytes(value.tobytes())


def _large_tensor(array: np.ndarray[Any, Any]) -> tuple[bytes, memoryview[Any]]:
    known, stored = _stored_type(array.dtype)
    content = _content(array, known, stored)
    return _tensor_prefix(known.name.encode(), array.shape, len(content)), content


def _content(array: np.ndarray[Any, Any], known: DType, stored: np.dtype[Any]) -> memoryview[Any]:
    """The elements as the file has them; the array's own memory where it has them so."""
    if known.bits < 8:
        return memoryview(pack(array, known))
    flat = np.ascontiguousarray(array).reshape(-1)
    if known.ml and stored != flat.dtype:
        flat = flat.view(f"=u{flat.itemsize}")
    return flat.astype(stored, copy=False).view(np.uint8).data


def _stored_type(dtype: np.dtype[Any]) -> tuple[DType, np.dtype[Any]]:
    """MindSpore's type, and the little-endian numpy type of its content."""
    if (found := _types.get(dtype)) is not None:
        return found
    known = by_numpy(dtype)
    if known is None:
        raise TypeError(f"MindSpore has no tensors of the numpy type {dtype}")
    if known.bits < 8:
        stored = np.dtype("V1")
    elif known.ml:
        # numpy cannot turn the bytes of these types, but those of integers as wide.
        stored = dtype if _LITTLE or dtype.itemsize == 1 else np.dtype(f"<u{dtype.itemsize}")
    else:
        stored = dtype if dtype.byteorder == "|" else dtype.newbyteorder("<")
    _types[dtype] = found = (known, stored)
    return found


def _tensor_prefix(name: bytes | None, shape: Sequence[int], size: int) -> bytes:
    """Everything of a value before the bytes of its tensor's content; a type of None is left out."""
    dims = b"".join(b"\x08" + encode_varint(dim) for dim in shape)
    inner = dims + (b"" if name is None else _field(0x12, name)) + b"\x1a" + encode_varint(size)
    length = len(inner) + size
    value = b"\x12" + encode_varint(length)
    return b"\x0a" + encode_varint(len(value) + length) + value + inner


def _bad(value: BadValue) -> bytes:
    """The value as it stood in the file it was read from."""
    if value.part == "value":
        return _field(0x0A, value.raw)
    if value.part == "string":
        return _field(0x0A, _field(0x0A, value.raw))
    dtype = value.dtype.encode("utf-8", "backslashreplace") if value.dtype else None
    return _tensor_prefix(dtype, value.shape, len(value.raw)) + value.raw


def _field(tag: int, content: bytes) -> bytes:
    size = len(content)
    return (bytes((tag, size)) if size < 0x80 else bytes((tag,)) + encode_varint(size)) + content


def _integer(value: int) -> bytes:
    if -(1 << 63) <= value < 1 << 63:
        return _INT64 + _INT64_BYTES(value)
    if 0 <= value < 1 << 64:
        return _small_tensor(np.uint64(value))
    raise TypeError(f"a print file holds integers of 64 bits, not {value}")


_INT64 = _tensor_prefix(b"Int64", (), 8)
_INT64_BYTES = struct.Struct("<q").pack
_SHORT_STRINGS = [bytes((0x0A, size + 2, 0x0A, size)) for size in range(0x7E)]
_PYTHON_NUMBERS: dict[type, tuple[bytes, Callable[[Any], bytes]]] = {
    bool: (_tensor_prefix(b"Bool", (), 1), struct.Struct("?").pack),
    int: (b"", _integer),
    float: (_tensor_prefix(b"Float64", (), 8), struct.Struct("<d").pack),
}

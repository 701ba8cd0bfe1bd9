"""print.pb files put together byte by byte, by rules of their own and not by msdump's writer."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence


def varint(number: int) -> bytes:
    number %= 1 << 64
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + varint(number >> 7)


def delimited(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def string(text: str | bytes) -> bytes:
    """A field-1 value that holds a string."""
    return delimited(1, delimited(1, text.encode() if isinstance(text, str) else text))


def tensor_message(name: str | bytes | None, dims: Sequence[int], content: bytes | None) -> bytes:
    out = b"".join(b"\x08" + varint(dim) for dim in dims)
    if name is not None:
        out += delimited(2, name.encode() if isinstance(name, str) else name)
    return out if content is None else out + delimited(3, content)


def tensor(name: str | bytes | None, dims: Sequence[int], content: bytes | None) -> bytes:
    """A field-1 value that holds a tensor."""
    return delimited(1, delimited(2, tensor_message(name, dims, content)))


def call(payload: bytes, number: int = 0, *, step: int | None = None, file: str = "", line: int = 0) -> bytes:
    """One call as msdump's writer has it: metadata (proto/print.proto) and the values."""
    rest = b"\x18" + varint(number) + b"\x21" + struct.pack("<Q", 1_700_000_000_000_000_000 + number)
    if step is not None:
        rest += b"\x30" + varint(step)
    if file:
        rest += delimited(7, file.encode()) + b"\x40" + varint(line)
    fixed = b"\x09" + struct.pack("<Q", len(payload)) + b"\x15" + struct.pack("<I", zlib.crc32(rest + payload))
    size = len(fixed + rest)
    tag = varint(462659293 << 3 | 2)
    return tag + bytes([size & 0x7F | 0x80, size >> 7]) + fixed + rest + payload

"""The metadata that msdump's writer puts before the values of each call: its layout in bytes.

proto/print.proto documents it as the message Meta. A record of msdump's print.pb is::

    TAG            5 bytes, the tag of field 462659293: no other writer makes them
    length         2 bytes, a varint of the metadata's length, two bytes even when one would do
    0x09 payload   fixed64, bytes of the values that follow the metadata
    0x15 crc32     fixed32, zlib's CRC-32 of everything of the record after this field
    0x18 call      varint, calls through this writer before this one
    0x21 time_ns   fixed64, wall clock, nanoseconds since the epoch
    0x28 rank      varint, left out when 0
    0x30 step      varint (int64), left out when unknown
    0x3a file      string, left out when unknown
    0x40 line      varint, left out when unknown
    values         `payload` bytes: field-1 values, as every print.pb has them

TAG makes a record findable in a damaged file, the CRC says whether what was found is whole.
Readers that do not know the field skip it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from msdump.formats.checksum import crc32
from msdump.formats.framing import encode_varint
from msdump.records import PrintMeta

FIELD = 462659293
TAG = b"\xea\xed\xf3\xe4\x0d"
LONGEST = (1 << 14) - 1
"""The most bytes of metadata that its two bytes of length can tell."""

Bytes: TypeAlias = "bytes | bytearray | memoryview[Any] | Any"
"""Anything with the buffer protocol: bytes, memoryview, mmap."""

_FIXED = struct.Struct("<5sHBQBI")
_TIME = struct.Struct("<Q")
_PACK_TIME, _PACK_CRC = _TIME.pack, struct.Struct("<I").pack
_AFTER_LENGTH = len(TAG) + 2
_U64 = (1 << 64) - 1
_LONGEST_FILE = LONGEST - 100


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of one record, where it stands, and where its payload does.

    Attributes:
        meta: what the writer noted.
        start: offset of the record, that is of TAG.
        crc32: the checksum the writer noted, of the bytes from `covered` to `end`.
        covered: offset of the first byte the checksum covers.
        payload: offset of the first byte of the values.
        end: offset after the last byte of the values; may lie past the end of a cut file.
    """

    meta: PrintMeta
    start: int
    crc32: int
    covered: int
    payload: int
    end: int


def encode(meta: PrintMeta, chunks: Iterable[Bytes]) -> bytes:
    """The metadata of a record whose payload is `chunks` joined, from TAG to before the payload.

    Each chunk is a contiguous buffer of bytes; it is read for the checksum and not copied.
    """
    return assemble(meta.call, meta.time_ns, encode_place(meta.rank, meta.step, meta.file, meta.line), chunks)


def encode_place(rank: int, step: int | None, file: str, line: int) -> bytes:
    """The fields that stay the same from call to call of one line of a program."""
    place = b""
    if rank:
        place += b"\x28" + encode_varint(rank & 0xFFFFFFFF)
    if step is not None:
        place += b"\x30" + encode_varint(step & _U64)
    if file:
        name = file.encode("utf-8", "replace")[:_LONGEST_FILE]
        place += b"\x3a" + encode_varint(len(name)) + name
    if line:
        place += b"\x40" + encode_varint(line & 0xFFFFFFFF)
    return place


def assemble(call: int, time_ns: int, place: bytes, chunks: Iterable[Bytes]) -> bytes:
    """As `encode`, with the fields of `encode_place` made before."""
    rest = b"\x18" + encode_varint(call & _U64) + b"\x21" + _TIME.pack(time_ns & _U64) + place
    crc = zlib.crc32(rest)
    payload = 0
    for chunk in chunks:
        crc = crc32(chunk, crc)
        payload += chunk.nbytes if isinstance(chunk, memoryview) else len(chunk)
    return _FIXED.pack(TAG, _two_bytes(len(rest)), 0x09, payload, 0x15, crc) + rest


def assemble_small(call: bytes, time_ns: int, place: bytes, payload: Bytes) -> bytes:
    """A whole record, metadata and payload, for a payload of less than 64 KiB.

    `call` is the varint of the call's number between its tag and that of the time.
    """
    covered = call + _PACK_TIME(time_ns) + place + payload
    size = len(payload)
    key = len(covered) << 16 | size
    head = _heads.get(key)
    if head is None:
        head = _FIXED.pack(TAG, _two_bytes(len(covered) - size), 0x09, size, 0x15, 0)[:-4]
        if len(_heads) < 4096:
            _heads[key] = head
    return head + _PACK_CRC(zlib.crc32(covered)) + covered


_heads: dict[int, bytes] = {}
"""What stands before the checksum, by the sizes of what it covers and of the payload in it."""


def _two_bytes(rest: int) -> int:
    """The metadata's length as a varint of two bytes, read as a little-endian number."""
    size = rest + _FIXED.size - _AFTER_LENGTH
    return size & 0x7F | 0x80 | size >> 7 << 8


def decode(buffer: Bytes, at: int) -> Header | None:
    """The metadata that starts at `at`, or None when it is cut, damaged, or not there.

    That it is well formed does not say that it is right: the checksum does, see `is_whole`.
    """
    if at < 0 or at + _FIXED.size > len(buffer):
        return None
    tag, length, tag1, payload_length, tag2, crc = _FIXED.unpack_from(buffer, at)
    if tag != TAG or tag1 != 0x09 or tag2 != 0x15 or length & 0x8080 != 0x80:
        return None
    payload = at + _AFTER_LENGTH + (length & 0x7F | length >> 8 << 7)
    rest = bytes(buffer[at + _FIXED.size : payload])
    if payload > len(buffer) or (meta := _decode_rest(rest)) is None:
        return None
    return Header(meta, at, crc, at + _FIXED.size, payload, payload + payload_length)


def _decode_rest(rest: bytes) -> PrintMeta | None:
    found: dict[int, int] = {}
    file = ""
    at = 0
    try:
        while at < len(rest):
            tag, at = _read_varint(rest, at)
            if tag & 7 == 1:
                (found[tag],) = _TIME.unpack_from(rest, at)
                at += 8
            elif tag & 7 == 5:
                at += 4
            elif tag & 7 == 0:
                found[tag], at = _read_varint(rest, at)
            elif tag & 7 == 2:
                size, at = _read_varint(rest, at)
                if at + size > len(rest):
                    return None
                if tag == 0x3A:
                    file = rest[at : at + size].decode("utf-8", "replace")
                at += size
            else:
                return None
    except (IndexError, struct.error):
        return None
    if at != len(rest) or 0x18 not in found or 0x21 not in found:
        return None
    step = found.get(0x30)
    if step is not None and step >> 63:
        step -= 1 << 64
    return PrintMeta(found[0x18], found[0x21], found.get(0x28, 0), step, file, found.get(0x40, 0))


def _read_varint(rest: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while (byte := rest[at]) > 0x7F:
        number |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if shift > 63:
            raise IndexError
    return (number | byte << shift) & _U64, at + 1


def is_whole(buffer: Bytes, header: Header) -> bool:
    """True when all of the record is there and its checksum is the one the writer noted."""
    if header.end > len(buffer):
        return False
    with memoryview(buffer) as view, view[header.covered : header.end] as covered:
        return crc32(covered) == header.crc32

"""Protobuf's wire by hand, over bytes or a mapped file: no copy, no limit of 2 GiB, no protobuf.

A protobuf runtime cannot take a message over 2 GiB, copies what it reads, and must not be loaded
before `import mindspore`. The wire itself is small: a message is a run of fields, each a tag
(number << 3 | wire type, a varint) and then, by wire type: 0 a varint, 1 eight bytes, 2 a varint
length and as many bytes, 3 and 4 the begin and end of a group, 5 four bytes.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, overload

from msdump.errors import DecodeError, TruncatedError
from msdump.source import BytePlace

VARINT, FIXED64, DELIMITED, GROUP, GROUP_END, FIXED32 = range(6)
LARGEST_FIELD = (1 << 29) - 1
_DEEPEST_GROUP = 100
_U64 = (1 << 64) - 1


class Buffer(Protocol):
    """bytes, or a mapping of a file: both index to int and slice to bytes."""

    @overload
    def __getitem__(self, key: int, /) -> int: ...
    @overload
    def __getitem__(self, key: slice, /) -> bytes: ...
    def __len__(self) -> int: ...


class Broken(Exception):
    """Bytes that are no protobuf wire.

    Attributes:
        what: what is wrong, in one line.
        offset: byte it is wrong at.
        cut: True when more bytes would have mended it: the end came inside a field.
    """

    def __init__(self, what: str, offset: int, cut: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.offset = offset
        self.cut = cut

    def error(self, file: str, field: str = "") -> DecodeError:
        """The error to raise for it, with the file's name."""
        kind = TruncatedError if self.cut else DecodeError
        return kind(self.what, BytePlace(file, self.offset, field))


class Field(NamedTuple):
    """One field: its number and wire type, where its value stands, and the value of a varint.

    `start` and `stop` are the offsets of the value's first byte and of the one after its last: for
    wire type 2 of the content after the length, for a group of everything between its tags.
    """

    number: int
    wire: int
    start: int
    stop: int
    value: int
    after: int
    """Offset of the field that follows."""


def read_varint(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """The varint at `at` and the offset after it.

    Raises:
        Broken: it does not end before `end`, or is longer than 10 bytes.
    """
    start = at
    number = shift = 0
    while at < end:
        byte = buffer[at]
        at += 1
        if byte < 0x80:
            return (number | byte << shift) & _U64, at
        number |= (byte & 0x7F) << shift
        shift += 7
        if shift >= 70:
            raise Broken("a varint is longer than 10 bytes", start)
    raise Broken("the end comes inside a varint", start, cut=True)


def signed(number: int) -> int:
    """A varint's value as int64 or int32, which the wire holds as two's complement of 64 bits."""
    return number - (1 << 64) if number >> 63 else number


def read_field(buffer: Buffer, at: int, end: int) -> Field:
    """The field whose tag starts at `at`; nothing of a delimited value's content is read.

    Raises:
        Broken: it does not end before `end`, or there is no such wire type or field number.
    """
    tag, start = read_varint(buffer, at, end)
    number, wire = tag >> 3, tag & 7
    if not 0 < number <= LARGEST_FIELD:
        raise Broken(f"{number} is no field number", at)
    value = 0
    if wire == DELIMITED:
        value, start = read_varint(buffer, start, end)
        stop = after = start + value
    elif wire == VARINT:
        value, stop = read_varint(buffer, start, end)
        after = stop
    elif wire == FIXED64:
        stop = after = start + 8
    elif wire == FIXED32:
        stop = after = start + 4
    elif wire == GROUP:
        stop, after = _read_group(buffer, start, end, number)
    else:
        raise Broken("a group ends that did not begin" if wire == GROUP_END else f"there is no wire type {wire}", at)
    if stop > end:
        raise Broken(f"field {number} has {stop - start:,} bytes, {end - start:,} are there", at, cut=True)
    return Field(number, wire, start, stop, value, after)


def _read_group(buffer: Buffer, at: int, end: int, number: int) -> tuple[int, int]:
    """Offsets of a group's end tag and of what follows it."""
    begin = at
    open_groups = [number]
    while at < end:
        tag, inner = read_varint(buffer, at, end)
        wire = tag & 7
        if wire == GROUP:
            open_groups.append(tag >> 3)
            if len(open_groups) > _DEEPEST_GROUP:
                raise Broken(f"groups are nested deeper than {_DEEPEST_GROUP}", at)
            at = inner
        elif wire == GROUP_END:
            if open_groups.pop() != tag >> 3:
                raise Broken("a group ends that did not begin", at)
            if not open_groups:
                return at, inner
            at = inner
        else:
            at = read_field(buffer, at, end).after
    raise Broken("the end comes inside a group", begin, cut=True)


def encode_varint(number: int) -> bytes:
    """The varint of a number from 0 to 2**64 - 1; of a negative one its two's complement."""
    number &= _U64
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def encode_delimited(number: int, size: int) -> bytes:
    """Tag and length of a delimited field of `size` bytes; the content is to follow."""
    return encode_varint(number << 3 | DELIMITED) + encode_varint(size)

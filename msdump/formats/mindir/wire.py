"""The wire of a .mindir file walked by hand, so that weights stay in the file.

protobuf's own parser copies every weight and takes no message over 2 GiB; here the message is
split into spans, and only the small ones are given to it. Wire format:
https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Protocol, TypeVar

from msdump.errors import DecodeError, TruncatedError
from msdump.source import BytePlace

if TYPE_CHECKING:
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Buffer(Protocol):
    """bytes, mmap: what gives an int for an index and bytes for a slice."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: slice, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Window:
    """Part of a file: a message from `start` up to `end`, offsets counted in the whole file."""

    data: Buffer
    file: str
    start: int
    end: int

    def bytes(self) -> bytes:
        """The bytes of the window, copied."""
        return self.data[self.start : self.end]

    def part(self, start: int, end: int) -> Window:
        """A window of the same file."""
        return Window(self.data, self.file, start, end)

    def fields(self, what: str) -> Iterator[tuple[int, int, int, int]]:
        """The fields of the message: (number, wire type, start, end of the payload).

        For a varint, `start` is its value and `end` the offset behind it. `what` names the message
        in errors.

        Raises:
            TruncatedError: the window ends inside a field.
            DecodeError: a wire type or field number that no message has.
        """
        at, end = self.start, self.end
        while at < end:
            begin = at
            tag, at = self._varint(at, what)
            number, wire = tag >> 3, tag & 7
            if number == 0:
                raise DecodeError("field number 0 does not exist", BytePlace(self.file, begin, what))
            if wire == BYTES:
                size, at = self._varint(at, what)
            elif wire == VARINT:
                value, at = self._varint(at, what)
                yield number, wire, value, at
                continue
            elif wire == FIXED64:
                size = 8
            elif wire == FIXED32:
                size = 4
            else:
                raise DecodeError(f"wire type {wire} does not exist here", BytePlace(self.file, begin, what))
            if at + size > end:
                raise TruncatedError(
                    f"field {number} needs {size} bytes, {end - at} are left", BytePlace(self.file, begin, what)
                )
            yield number, wire, at, at + size
            at += size

    def _varint(self, at: int, what: str) -> tuple[int, int]:
        value = shift = 0
        for position in range(at, min(at + 10, self.end)):
            byte = self.data[position : position + 1][0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, position + 1
            shift += 7
        place = BytePlace(self.file, at, what)
        if self.end - at < 10:
            raise TruncatedError("the file ends inside a number", place)
        raise DecodeError("a number longer than 10 bytes", place)


def window_of(path: str | PathLike[str]) -> Window:
    """The whole file, mapped into memory."""
    import mmap

    with open(path, "rb") as file:
        size = file.seek(0, 2)
        data: Buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    return Window(data, fspath(path), 0, size)


def parse(message: Callable[[], M], data: bytes, window: Window, what: str) -> M:
    """A small message, by protobuf's own parser.

    Raises:
        DecodeError: protobuf refuses it.
    """
    from google.protobuf.message import DecodeError as Refused

    made = message()
    try:
        made.ParseFromString(data)
    except Refused as error:
        raise DecodeError(f"not a {type(made).__name__}", BytePlace(window.file, window.start, what)) from error
    return made

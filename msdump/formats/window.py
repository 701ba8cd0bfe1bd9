"""A message inside a file as a window on it: its fields by offset, small ones parsed by protobuf.

Large models stay in the file: protobuf's own parser copies every weight and takes no message over
2 GiB, so a message is split by hand (framing) and only its small parts are given to the parser.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, TypeVar

from msdump.errors import DecodeError
from msdump.formats.framing import Broken, Buffer, Field, read_field
from msdump.source import BytePlace

if TYPE_CHECKING:
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")


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

    def part(self, field: Field) -> Window:
        """The window of a field's content."""
        return Window(self.data, self.file, field.start, field.stop)

    def text(self, field: Field) -> str:
        """A string field; it has `\\xNN` where it is no UTF-8."""
        return self.data[field.start : field.stop].decode("utf-8", "backslashreplace")

    def place(self, what: str = "") -> BytePlace:
        """Where the window begins; `what` is the path of fields to it."""
        return BytePlace(self.file, self.start, what)

    def fields(self, what: str) -> Iterator[Field]:
        """The fields of the message; `what` is the path of fields to it, for errors.

        Raises:
            TruncatedError: the window ends inside a field.
            DecodeError: a wire type or field number that no message has.
        """
        at = self.start
        while at < self.end:
            try:
                field = read_field(self.data, at, self.end)
            except Broken as broken:
                raise broken.error(self.file, what) from None
            yield field
            at = field.after


def window_of(path: str | PathLike[str]) -> Window:
    """The whole file, mapped into memory."""
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        data: Buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    return Window(data, fspath(path), 0, size)


def parse(message: Callable[[], M], data: bytes, window: Window, what: str) -> M:
    """A small message, by protobuf's own parser; `window` and `what` say where it stands.

    Strings that are no UTF-8 (paths in another encoding, damage) have `\\xNN` where they are not.

    Raises:
        DecodeError: protobuf refuses it.
    """
    from google.protobuf.message import DecodeError as Refused

    made = message()
    try:
        made.ParseFromString(data)
    except Refused as error:
        raise DecodeError(f"not a {type(made).__name__}", window.place(what)) from error
    if not data.isascii():
        _mend_strings(made)
    return made


def _mend_strings(message: Message) -> None:
    # protobuf gives a string of proto2 that is no UTF-8 as bytes.
    for field, value in message.ListFields():
        if field.type == field.TYPE_STRING:
            if isinstance(value, bytes):
                setattr(message, field.name, value.decode("utf-8", "backslashreplace"))
            elif not isinstance(value, str):
                for index, text in enumerate(value):
                    if isinstance(text, bytes):
                        value[index] = text.decode("utf-8", "backslashreplace")
        elif field.type == field.TYPE_MESSAGE:
            for part in (value,) if hasattr(value, "ListFields") else value:
                _mend_strings(part)

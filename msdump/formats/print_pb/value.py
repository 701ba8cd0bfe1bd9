"""One value of a print.pb: a string, a tensor as a view of the file, or what is wrong with it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from msdump import dtype as dtypes
from msdump.formats.elements import MOST_DIMS, array_of, view_type
from msdump.formats.framing import DELIMITED, VARINT, Broken, Buffer, encode_delimited, read_field, read_varint, signed
from msdump.formats.packed import packed_bytes
from msdump.records import BadValue, PrintValue
from msdump.source import BytePlace, Note

DESC, TENSOR = 1, 2
DIMS, TENSOR_TYPE, TENSOR_CONTENT = 1, 2, 3

DAMAGED = "the value is damaged"
"""How `what` of a BadValue begins whose bytes follow no schema."""

_LONGEST_TYPE = 200
"""Bytes of a type's name that are kept; MindSpore's longest is 12."""
_LONGEST_HEADER = 512
_MOST_KNOWN = 4096
_MOST_PER_LENGTH = 8

Span = tuple[int, int]
Known = tuple[bytes, int, "np.dtype[Any]", tuple[int, ...]]


class ValueReader:
    """Reads the Value messages of one file.

    Attributes:
        known: by the length of a Value, what stood before the elements of tensors met so far:
            (bytes from the value's tag to its elements, how many, numpy type, shape). A value that
            starts with the same bytes and is as long has the same type and shape.
        on_note: is told of what is odd.
        host: byte order of this machine.
        keep_raw: False leaves `raw` of a BadValue empty, for a reader that only tries.
    """

    def __init__(
        self,
        file: str,
        buffer: Buffer,
        on_note: Callable[[Note], None] | None = None,
        host: Literal["little", "big"] = sys.byteorder,
        keep_raw: bool = True,
    ) -> None:
        self.keep_raw = keep_raw
        self.file = file
        self.buffer = buffer
        self.on_note = on_note
        self.host = host
        self.known: dict[int, list[Known]] = {}
        self._count = 0

    def note(self, what: str, offset: int, level: Literal["note", "warning"] = "note") -> None:
        """Tell of something odd at a byte."""
        if self.on_note is not None:
            self.on_note(Note(what, BytePlace(self.file, offset), level))

    def read(self, start: int, stop: int) -> PrintValue:
        """The Value whose message stands from `start` to `stop`, both within the file."""
        try:
            kind, spans = self._choose(start, stop)
        except Broken as broken:
            return self._bad(start, stop, f"{DAMAGED}: {broken.what} (byte {broken.offset})")
        if kind == DESC:
            return self._string(*spans[0])
        if kind == TENSOR:
            return self._tensor(spans, start, stop)
        return self._bad(start, stop, "neither desc nor tensor is set")

    def _choose(self, start: int, stop: int) -> tuple[int, list[Span]]:
        """Which member of the oneof is set, and where: the last one in the message wins."""
        kind, spans, at = 0, list[Span](), start
        while at < stop:
            field = read_field(self.buffer, at, stop)
            if field.wire == DELIMITED and field.number in (DESC, TENSOR):
                if kind and kind != field.number:
                    self.note("desc and tensor are both set; the last one is kept", start)
                if kind != TENSOR or field.number != TENSOR:
                    spans = []
                # A message that is set twice is merged, as protobuf has it; a string is replaced.
                spans.append((field.start, field.stop))
                kind = field.number
            else:
                self.note(f"unknown field {field.number} in a value is skipped", at)
            at = field.after
        return kind, spans

    def _string(self, start: int, stop: int) -> PrintValue:
        raw = self.buffer[start:stop]
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            return BadValue(
                raw, "", (), f"the string is not UTF-8: byte {error.start} of it is 0x{raw[error.start]:02x}", "string"
            )

    def _tensor(self, spans: list[Span], start: int, stop: int) -> PrintValue:
        dims: list[int] = []
        spelling: bytes | None = None
        content: Span | None = None
        too_many = False
        try:
            for at, end in spans:
                while at < end:
                    field = read_field(self.buffer, at, end)
                    if field.number == DIMS and field.wire in (VARINT, DELIMITED):
                        too_many = not self._add_dims(dims, field.wire, field.value, field.start, field.stop)
                    elif field.number == TENSOR_TYPE and field.wire == DELIMITED:
                        spelling = self.buffer[field.start : min(field.stop, field.start + _LONGEST_TYPE)]
                    elif field.number == TENSOR_CONTENT and field.wire == DELIMITED:
                        content = field.start, field.stop
                    else:
                        self.note(f"unknown field {field.number} in a tensor is skipped", at)
                    at = field.after
                    if too_many:
                        break
        except Broken as broken:
            return self._bad(start, stop, f"{DAMAGED}: {broken.what} (byte {broken.offset})")
        name = "" if spelling is None else spelling.decode("utf-8", "backslashreplace")
        shape = tuple(dims)
        if too_many:
            return self._bad(start, stop, f"there are more than {MOST_DIMS} dims", name, shape)
        if spelling is None:
            what = "tensor_type is missing"
            if content is None:
                return self._bad(start, stop, what, name, shape)
            return self._bad(*content, what, name, shape, "content")
        if content is None:
            return self._bad(start, stop, "tensor_content is missing", name, shape)
        return self._elements(name, shape, content, start, stop)

    def _add_dims(self, dims: list[int], wire: int, value: int, at: int, stop: int) -> bool:
        """Add one dim, or packed ones; False when numpy cannot hold as many."""
        if wire == VARINT:
            dims.append(signed(value))
        else:
            while at < stop and len(dims) <= MOST_DIMS:
                value, at = read_varint(self.buffer, at, stop)
                dims.append(signed(value))
        if len(dims) > MOST_DIMS:
            del dims[MOST_DIMS:]
            return False
        return True

    def _elements(self, name: str, shape: tuple[int, ...], content: Span, start: int, stop: int) -> PrintValue:
        dtype = dtypes.by_name(name)
        size = content[1] - content[0]
        if dtype is None:
            if not name:
                return self._bad(start, stop, "the type is empty", name, shape)
            what = f'the type "{name}" is unknown'
            if not name.isascii() or "\\" in name or len(name) == _LONGEST_TYPE:
                # The name here may not be the bytes of the file, so they are kept.
                return self._bad(start, stop, what, name, shape)
            return self._bad(*content, what, name, shape, "content")
        if any(dim < 0 for dim in shape):
            return self._bad(*content, f"a dim is negative: {list(shape)}", name, shape, "content")
        count = math.prod(shape)
        needed = packed_bytes(count, dtype)
        if size != needed and not (dtype.bits == 6 and size == count):
            what = f"the content has {size:,} bytes, {dtype.name}{list(shape)} needs {needed:,}"
            return self._bad(*content, what, name, shape, "content")
        try:
            array = array_of(dtype, shape, self.buffer, content[0], self.host, size)
        except (ValueError, OverflowError):
            return self._bad(*content, f"dims {list(shape)} are more than numpy can hold", name, shape, "content")
        seen_as = view_type(dtype, self.host)
        if seen_as is not None and content[1] == stop:
            self._learn(start, stop, content[0], seen_as, shape)
        return array if shape else array[()]

    def _learn(self, start: int, stop: int, elements: int, seen_as: np.dtype[Any], shape: tuple[int, ...]) -> None:
        if elements - start > _LONGEST_HEADER or self._count == _MOST_KNOWN:
            return
        entries = self.known.setdefault(stop - start, [])
        if len(entries) < _MOST_PER_LENGTH:
            header = encode_delimited(1, stop - start) + self.buffer[start:elements]
            entries.append((header, len(header), seen_as, shape))
            self._count += 1

    def _bad(
        self,
        start: int,
        stop: int,
        what: str,
        dtype: str = "",
        shape: tuple[int, ...] = (),
        part: Literal["content", "value"] = "value",
    ) -> BadValue:
        return BadValue(self.buffer[start:stop] if self.keep_raw else b"", dtype, shape, what, part)

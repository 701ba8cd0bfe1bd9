"""The records of a print.pb, one after another in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from msdump.errors import DecodeError
from msdump.formats import print_meta
from msdump.formats.framing import DELIMITED, Broken, Field, read_field
from msdump.formats.mapped import MappedFile
from msdump.formats.print_pb.calls import CallReader
from msdump.formats.print_pb.value import DESC, ValueReader
from msdump.records import BadValue, PrintMeta, PrintRecord, PrintValue
from msdump.source import Note

VALUE = 1
_VALUE_TAG = VALUE << 3 | DELIMITED
_DESC_TAG = DESC << 3 | DELIMITED
_META_TAG = print_meta.TAG[0]
_FIRST_WINDOW = 1 << 12
_LARGEST_WINDOW = 1 << 18
_MARGIN = 16
"""Bytes of a window in which no record is begun, so that tags and lengths are never cut."""
_RELEASE_EVERY = 1 << 25
CHECKED_UP_TO = 1 << 16
"""A record of up to this many bytes is checked against its checksum as it is read; a larger one only
by `recover`, for its tensors are not touched when it is listed."""


@dataclass(slots=True, eq=False)
class _Draft:
    """A PrintRecord in the making. A frozen dataclass takes four times as long to make, and files
    hold millions; the two have the same slots, so that one can become the other."""

    index: int
    values: tuple[PrintValue, ...]
    offset: int
    meta: PrintMeta | None


def record_of(index: int, values: tuple[PrintValue, ...], offset: int, meta: PrintMeta | None) -> PrintRecord:
    """A PrintRecord, made the short way."""
    draft = _Draft(index, values, offset, meta)
    draft.__class__ = PrintRecord  # type: ignore[assignment]  # the slots are the same
    return draft  # type: ignore[return-value]  # it is one now


def iter_records(
    file: MappedFile,
    *,
    start: int = 0,
    first: int = 0,
    on_note: Callable[[Note], None] | None = None,
) -> Iterator[PrintRecord]:
    """The records from byte `start` on, numbered from `first`.

    Arrays are views of the file. Memory of the file that lies well behind the last record given is
    let go; the views stay valid.

    Raises:
        TruncatedError: the file ends inside a record; every whole one was given. The error's
            offset is where that record begins.
        DecodeError: what stands at its offset is no field of a protobuf message.
    """
    buffer, size = file.buffer, file.size
    reader = ValueReader(file.name, buffer, on_note)
    known, read, array, read_call = reader.known, reader.read, np.ndarray, CallReader().read
    index, at, released, window = first, start, start, _FIRST_WINDOW
    value: PrintValue
    while at < size:
        if at - released > _RELEASE_EVERY:
            file.release(released, at)
            released = at
        # Copied to bytes, since those are faster to index; arrays are made over the file itself.
        data = buffer[at : at + window]
        there = len(data)
        last = there - _MARGIN
        # Offsets in the window: of the field to read, of its record, and of that record's end when
        # it is a call of several values.
        p = begin = end = 0
        while p < last:
            if data[p] != _VALUE_TAG:
                if end or data[p] != _META_TAG or (call := read_call(data, p)) is None:
                    break
                meta, p, end = call
                values: list[PrintValue] = []
                if p < end:
                    continue
            else:
                n = data[p + 1]
                q = p + 2
                if n > 0x7F:
                    if data[q] > 0x7F:
                        break
                    n += (data[q] << 7) - 0x80
                    q += 1
                e = q + n
                if e > there:
                    break
                if data[q] == _DESC_TAG and data[q + 1] == n - 2 and n < 0x82:
                    try:
                        value = data[q + 2 : e].decode()
                    except UnicodeDecodeError:
                        value = read(at + q, at + e)
                else:
                    for header, skip, dtype, shape in known.get(n, ()):
                        if data.startswith(header, p):
                            value = array(shape, dtype, buffer, at + p + skip)
                            if not shape:
                                value = value[()]
                            break
                    else:
                        value = read(at + q, at + e)
                p = e
                if end:
                    values.append(value)
                    if p < end:
                        continue
                    if p > end:
                        break
            if end:
                draft = _Draft(index, tuple(values), at + begin, meta)
                end = 0
            else:
                draft = _Draft(index, (value,), at + begin, None)
            draft.__class__ = PrintRecord  # type: ignore[assignment]  # see _Draft
            yield draft  # type: ignore[misc]  # it is a PrintRecord now
            index += 1
            begin = p
        if begin:
            window = min(window * 2, _LARGEST_WINDOW) if begin * 2 > window else _FIRST_WINDOW
            at += begin
            continue
        window = _FIRST_WINDOW
        record, at = read_record(file, reader, at, index)
        if record is not None:
            yield record
            index += 1


def iter_offsets(file: MappedFile, on_note: Callable[[Note], None] | None = None) -> Iterator[int]:
    """Where each record begins: no value is decoded, no tensor touched.

    Raises:
        TruncatedError, DecodeError: as `iter_records`.
    """
    buffer, size = file.buffer, file.size
    at, released, window = 0, 0, _FIRST_WINDOW
    reader = ValueReader(file.name, buffer, on_note)
    read_call = CallReader().read
    while at < size:
        if at - released > _RELEASE_EVERY:
            file.release(released, at)
            released = at
        data = buffer[at : at + window]
        last = len(data) - _MARGIN
        p = 0
        while p < last:
            if data[p] == _VALUE_TAG:
                n = data[p + 1]
                if n < 0x80:
                    e = p + 2 + n
                elif data[p + 2] < 0x80:
                    e = p + 3 + n + (data[p + 2] << 7) - 0x80
                else:
                    break
                if e > last + _MARGIN:
                    break
            elif data[p] == _META_TAG and (call := read_call(data, p, False)) is not None:
                e = call[2]
            else:
                break
            yield at + p
            p = e
        if p:
            window = min(window * 2, _LARGEST_WINDOW) if p * 2 > window else _FIRST_WINDOW
            at += p
            continue
        window = _FIRST_WINDOW
        found, after = _frame(file, reader, at)
        if found:
            yield at
        at = after


def read_record(file: MappedFile, reader: ValueReader, at: int, index: int) -> tuple[PrintRecord | None, int]:
    """The record at `at`, or None for a field that is none, and the offset of the next.

    Raises:
        TruncatedError, DecodeError: as `iter_records`.
    """
    field, header = _frame_parts(file, reader, at)
    if header is not None:
        if header.end - at <= CHECKED_UP_TO and not print_meta.is_whole(file.buffer, header):
            reader.note("the record is damaged: its checksum does not match", at, "warning")
        return record_of(index, tuple(_values(reader, header.payload, header.end)), at, header.meta), header.end
    if field.number == VALUE and field.wire == DELIMITED:
        return record_of(index, (reader.read(field.start, field.stop),), at, None), field.after
    return None, field.after


def _frame(file: MappedFile, reader: ValueReader, at: int) -> tuple[bool, int]:
    """Whether a record begins at `at`, and the offset of what follows."""
    field, header = _frame_parts(file, reader, at)
    if header is not None:
        return True, header.end
    return field.number == VALUE and field.wire == DELIMITED, field.after


def _frame_parts(file: MappedFile, reader: ValueReader, at: int) -> tuple[Field, print_meta.Header | None]:
    """The field at `at`, and the header of the record when it is metadata; all of it is there."""
    size = file.size
    try:
        field = read_field(file.buffer, at, size)
    except Broken as broken:
        raise _at_record(file, at, broken) from None
    if field.wire != DELIMITED or field.number not in (VALUE, print_meta.FIELD):
        reader.note(f"unknown field {field.number} is skipped", at)
    if field.wire != DELIMITED or field.number != print_meta.FIELD:
        return field, None
    header = print_meta.decode(file.buffer, at)
    if header is None:
        reader.note("metadata of a record is damaged; its values are given one by one", at, "warning")
    elif header.end > size:
        what = f"the record has {header.end - at:,} bytes, {size - at:,} are there"
        raise _at_record(file, at, Broken(what, at, cut=True))
    return field, header


def _at_record(file: MappedFile, at: int, broken: Broken) -> DecodeError:
    inside = "" if broken.offset == at else f" (byte {broken.offset})"
    what = f"the file ends inside a record: {broken.what}" if broken.cut else f"no record begins here: {broken.what}"
    return Broken(what + inside, at, broken.cut).error(file.name)


def _values(reader: ValueReader, at: int, end: int) -> Iterator[PrintValue]:
    """The values of one record of msdump's; what cannot be told apart any more is one BadValue."""
    buffer = reader.buffer
    while at < end:
        try:
            field = read_field(buffer, at, end)
        except Broken as broken:
            yield BadValue(buffer[at:end], "", (), f"the rest of the record is damaged: {broken.what}", "value")
            return
        if field.number == VALUE and field.wire == DELIMITED:
            yield reader.read(field.start, field.stop)
        else:
            reader.note(f"unknown field {field.number} is skipped", at)
        at = field.after

"""Every whole record of a damaged print.pb, and what was lost between them.

Where msdump wrote the file, the metadata of each record is looked for and its checksum decides. In
MindSpore's own files there is nothing to look for but the values' own shape: a tensor is told by
its frame around the name of a type, a string by an exact frame that leads to other whole values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from msdump.dtype import DTYPES
from msdump.formats import print_meta
from msdump.formats.framing import DELIMITED, Broken, read_field
from msdump.formats.mapped import MappedFile
from msdump.formats.print_pb.records import VALUE, read_record, record_of
from msdump.formats.print_pb.value import DAMAGED, DESC, ValueReader
from msdump.records import BadValue, PrintRecord

_VARINT = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
_NAMES = b"|".join(re.escape(name.encode()) for d in DTYPES for name in {d.name, d.name.replace("UInt", "Uint")})
# Both look ahead and take nothing, so that a false start hides no true one that begins inside it.
_TENSOR = re.compile(
    rb"(?=\x0a%(v)s\x12%(v)s(?:\x08%(v)s|\x0a%(v)s[\x00-\xff]{1,64}?)*\x12[\x01-\x20](?:%(n)s|bfloat16)\x1a)"
    % {b"v": _VARINT, b"n": _NAMES}
)
_STRING = re.compile(rb"(?=\x0a%(v)s\x0a)" % {b"v": _VARINT})
_CHAIN = 3
"""Whole strings one after another that are believed to be records, when no tensor follows."""
_MOST_UNKNOWN = 32
_LONGEST_FRAME = 1 << 10
_FAR = 1 << 26


@dataclass(frozen=True, slots=True)
class Lost:
    """Bytes between records that belong to no whole one.

    Attributes:
        offset: where they begin.
        nbytes: how many there are.
        what: what is wrong there, in one line.
    """

    offset: int
    nbytes: int
    what: str


def iter_recovered(file: MappedFile) -> Iterator[PrintRecord | Lost]:
    """Every whole record in order, numbered as given, and a Lost for each stretch between them.

    A record of msdump's is whole when its checksum says so; a value of MindSpore's when its frame
    and what is in it agree. A value that is framed well and holds what cannot be understood (a type
    unknown, a content too short) stays a BadValue.
    """
    reader = ValueReader(file.name, file.buffer)
    at = index = 0
    # A string is believed for its frame alone, and a cut one may have run into what follows it: it
    # is held back until what comes after it is whole too.
    held: PrintRecord | None = None
    while at < file.size:
        file.release_before(at - _FAR)
        record, after, what = _whole(file, reader, at, index)
        if not what:
            if record is not None:
                if held is not None:
                    yield held
                held = record if record.meta is None and isinstance(record.values[0], str) else None
                if held is None:
                    yield record
                index += 1
            at = after
            continue
        start = at
        if held is not None and (inside := _run_into(file, reader, held.offset + 1, at)) < at:
            start, at, index, held = held.offset, inside, index - 1, None
        else:
            at = _resume(file, reader, at + 1)
        if held is not None:
            yield held
            held = None
        yield Lost(start, at - start, what)
    if held is not None:
        yield held


def _whole(file: MappedFile, reader: ValueReader, at: int, index: int) -> tuple[PrintRecord | None, int, str]:
    """The record at `at`, the offset after it, and what is wrong with it ("" when it is whole)."""
    buffer = file.buffer
    if buffer[at : at + len(print_meta.TAG)] == print_meta.TAG:
        header = print_meta.decode(buffer, at)
        if header is None:
            return None, at, "the metadata of a record is damaged or cut"
        if header.end > file.size:
            return None, at, f"the record has {header.end - at:,} bytes, {file.size - at:,} are there"
        if not print_meta.is_whole(buffer, header):
            return None, at, "the checksum of the record does not match"
        record, after = read_record(file, reader, at, index)
        return record, after, ""
    try:
        field = read_field(buffer, at, file.size)
    except Broken as broken:
        return None, at, broken.what
    if field.wire != DELIMITED or field.number != VALUE:
        # Another writer's field is a field of a sound file: records follow it, or the end.
        sound = _leads_on(file, reader, field.after)
        return None, field.after, "" if sound else f"a field {field.number} stands where a record should"
    value = reader.read(field.start, field.stop)
    if isinstance(value, BadValue) and value.what.startswith(DAMAGED):
        return None, at, value.what
    return record_of(index, (value,), at, None), field.after, ""


def _leads_on(file: MappedFile, reader: ValueReader, at: int) -> bool:
    """Whether unknown fields, however many within reason, lead from `at` to a record or the end."""
    for _ in range(_MOST_UNKNOWN):
        if at == file.size or print_meta.decode(file.buffer, at) is not None:
            return True
        try:
            field = read_field(file.buffer, at, file.size)
        except Broken:
            return False
        if field.number == VALUE and field.wire == DELIMITED:
            return not isinstance(reader.read(field.start, field.stop), BadValue)
        at = field.after
    return False


def _resume(file: MappedFile, reader: ValueReader, start: int) -> int:
    """Where the next whole record begins after damage, or the file's end."""
    buffer, size = file.buffer, file.size
    if isinstance(buffer, bytes):
        return size
    at = buffer.find(print_meta.TAG, start)
    while at >= 0:
        header = print_meta.decode(buffer, at)
        if header is not None and print_meta.is_whole(buffer, header):
            break
        at = buffer.find(print_meta.TAG, at + 1)
    ours = at if at >= 0 else size
    if buffer[start - 1 : start - 1 + len(print_meta.TAG)] == print_meta.TAG:
        # The damage is in a record of msdump's; single values in it are no records.
        return ours
    tensor = _tensor_from(file, reader, start, ours)
    return _string_from(file, reader, start, ours if tensor is None else tensor)


def _run_into(file: MappedFile, reader: ValueReader, start: int, stop: int) -> int:
    """Where values begin that a string before `stop` ran into, or `stop`: a tensor must be among them."""
    tensor = _tensor_from(file, reader, start, stop)
    return stop if tensor is None else _string_from(file, reader, start, tensor)


def _string_from(file: MappedFile, reader: ValueReader, start: int, stop: int) -> int:
    """Where strings begin that lead to `stop`, or are enough to be believed; else `stop`."""
    for match in _STRING.finditer(file.buffer, start, stop):
        if _is_chain(file, reader, match.start(), stop):
            return match.start()
    return stop


def _tensor_from(file: MappedFile, reader: ValueReader, start: int, stop: int) -> int | None:
    """Where the first whole tensor begins between two offsets."""
    # A match may reach over `stop`: only its beginning must lie before it.
    for match in _TENSOR.finditer(file.buffer, start, min(stop + _LONGEST_FRAME, file.size)):
        if match.start() < stop and _is_tensor(file, reader, match.start()):
            return match.start()
    return None


def _is_tensor(file: MappedFile, reader: ValueReader, at: int) -> bool:
    if _TENSOR.match(file.buffer, at) is None:
        return False
    try:
        field = read_field(file.buffer, at, file.size)
    except Broken:
        return False
    return not isinstance(reader.read(field.start, field.stop), BadValue)


def _is_chain(file: MappedFile, reader: ValueReader, at: int, goal: int = -1) -> bool:
    """Whether whole strings lead from `at` to `goal`, to the file's end, or are enough in number."""
    for _ in range(_CHAIN):
        if at in (goal, file.size):
            return True
        try:
            field = read_field(file.buffer, at, file.size)
            inner = read_field(file.buffer, field.start, field.stop)
        except Broken:
            return _is_tensor(file, reader, at)
        if field.number != VALUE or field.wire != DELIMITED or inner.number != DESC or inner.after != field.stop:
            return _is_tensor(file, reader, at)
        if not isinstance(reader.read(field.start, field.stop), str):
            return False
        at = field.after
    return True

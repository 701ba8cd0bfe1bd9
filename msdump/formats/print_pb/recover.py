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
    rb"(?=\x0a%(v)s\x12%(v)s(?:\x08%(v)s){0,64}(?:\x0a%(v)s[\x00-\xff]{1,64}?)?\x12[\x01-\x20](?:%(n)s|bfloat16)\x1a)"
    % {b"v": _VARINT, b"n": _NAMES}
)
_STRING = re.compile(rb"(?=\x0a%(v)s\x0a)" % {b"v": _VARINT})
_CHAIN = 3
"""Whole strings one after another that are believed to be records, when no tensor follows."""
_LONGEST_STRING = 1 << 12
"""Bytes of a string that is believed for what follows it."""
_MOST_UNKNOWN = 32
_LONGEST_FRAME = 1 << 10
_FAR = 1 << 26
_CHECKED_TIMES = 16
"""How often over the file's size checksums are computed in search of records. Without a bound a file
made for it, of headers that each claim all the rest, takes hours."""


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
    search = _Search(file)
    at = index = released = 0
    # A string is believed for its frame alone, and a cut one may have run into what follows it: it
    # is held back until what comes after it is whole too.
    held: PrintRecord | None = None
    while at < file.size:
        if at - released > _FAR:
            file.release(released, at)
            released = at
        record, after, what = search.whole(at, index)
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
        if held is not None and (inside := search.run_into(held.offset + 1, at)) < at:
            start, at, index, held = held.offset, inside, index - 1, None
        else:
            at = search.resume(at)
        if held is not None:
            yield held
            held = None
        yield Lost(start, at - start, what)
    if held is not None:
        yield held


class _Search:
    """Tells whole records of one file, and finds the next one behind damage."""

    def __init__(self, file: MappedFile) -> None:
        self.file = file
        self.buffer = file.buffer
        self.size = file.size
        self.reader = ValueReader(file.name, file.buffer)
        self.trying = ValueReader(file.name, file.buffer, keep_raw=False)
        # Where the next whole call and the next whole tensor begin, as far as they were looked for:
        # without it each damage of many would be a search to the end of the file.
        self.next_call = -1
        self.next_tensor = -1
        self.checks_left = _CHECKED_TIMES * file.size

    def whole(self, at: int, index: int) -> tuple[PrintRecord | None, int, str]:
        """The record at `at`, the offset after it, and what is wrong with it ("" when it is whole)."""
        if self._is_ours(at):
            header = print_meta.decode(self.buffer, at)
            if header is None:
                return None, at, "the metadata of a record is damaged or cut"
            if header.end > self.size:
                return None, at, f"the record has {header.end - at:,} bytes, {self.size - at:,} are there"
            if not print_meta.is_whole(self.buffer, header):
                return None, at, "the checksum of the record does not match"
            record, after = read_record(self.file, self.reader, at, index)
            return record, after, ""
        try:
            field = read_field(self.buffer, at, self.size)
        except Broken as broken:
            return None, at, broken.what
        if field.wire != DELIMITED or field.number != VALUE:
            # Another writer's field is a field of a sound file: records follow it, or the end.
            sound = self._leads_on(field.after)
            return None, field.after, "" if sound else f"a field {field.number} stands where a record should"
        value = self.reader.read(field.start, field.stop)
        if isinstance(value, BadValue) and value.what.startswith(DAMAGED):
            return None, at, value.what
        return record_of(index, (value,), at, None), field.after, ""

    def resume(self, damage: int) -> int:
        """Where the next whole record begins after damage, or the file's end."""
        start = damage + 1
        if self.next_call < start:
            self.next_call = self._find_call(start)
        if self._is_ours(damage):
            # The damage is in a record of msdump's; single values in it are no records.
            return self.next_call
        if self.next_tensor < start:
            self.next_tensor = self._find_tensor(start, self.size)
        return self._find_string(start, min(self.next_call, self.next_tensor))

    def run_into(self, start: int, stop: int) -> int:
        """Where values begin that a string before `stop` ran into, or `stop`; one must be a tensor."""
        tensor = self._find_tensor(start, stop)
        return stop if tensor == stop else self._find_string(start, tensor)

    def _is_ours(self, at: int) -> bool:
        return self.buffer[at : at + len(print_meta.TAG)] == print_meta.TAG

    def _find_call(self, start: int) -> int:
        at = self.buffer.find(print_meta.TAG, start)
        while at >= 0:
            header = print_meta.decode(self.buffer, at)
            if header is not None and header.end <= self.size:
                self.checks_left -= header.end - at
                if self.checks_left < 0:
                    break
                if print_meta.is_whole(self.buffer, header):
                    return at
            at = self.buffer.find(print_meta.TAG, at + 1)
        return self.size

    def _find_string(self, start: int, stop: int) -> int:
        """Where strings begin that lead to `stop`, or are enough to be believed; else `stop`."""
        for match in _STRING.finditer(self.buffer, start, stop):
            if self._is_chain(match.start(), stop):
                return match.start()
        return stop

    def _find_tensor(self, start: int, stop: int) -> int:
        """Where the first whole tensor begins between two offsets, or `stop`."""
        # A match may reach over `stop`: only its beginning must lie before it.
        for match in _TENSOR.finditer(self.buffer, start, min(stop + _LONGEST_FRAME, self.size)):
            if match.start() < stop and self._is_tensor(match.start()):
                return match.start()
        return stop

    def _is_tensor(self, at: int) -> bool:
        if _TENSOR.match(self.buffer, at) is None:
            return False
        try:
            field = read_field(self.buffer, at, self.size)
        except Broken:
            return False
        return not isinstance(self.trying.read(field.start, field.stop), BadValue)

    def _is_chain(self, at: int, goal: int) -> bool:
        """Whether whole strings lead from `at` to `goal`, to the file's end, or are enough in number."""
        for _ in range(_CHAIN):
            if at in (goal, self.size):
                return True
            try:
                field = read_field(self.buffer, at, self.size)
                inner = read_field(self.buffer, field.start, field.stop)
            except Broken:
                return self._is_tensor(at)
            if field.number != VALUE or field.wire != DELIMITED or inner.number != DESC or inner.after != field.stop:
                return self._is_tensor(at)
            if field.value > _LONGEST_STRING or not isinstance(self.trying.read(field.start, field.stop), str):
                return False
            at = field.after
        return True

    def _leads_on(self, at: int) -> bool:
        """Whether unknown fields, however many within reason, lead from `at` to a record or the end."""
        for _ in range(_MOST_UNKNOWN):
            if at == self.size or print_meta.decode(self.buffer, at) is not None:
                return True
            try:
                field = read_field(self.buffer, at, self.size)
            except Broken:
                return False
            if field.number == VALUE and field.wire == DELIMITED:
                return not isinstance(self.trying.read(field.start, field.stop), BadValue)
            at = field.after
        return False

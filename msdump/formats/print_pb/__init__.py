"""print.pb: what MindSpore's Print operator writes to a file, and msdump's own writer too.

A file is Print messages one after another; joined they are one message, a run of field-1 values.
In MindSpore's own files each value is a record. msdump's writer puts metadata before the values of
each call, so there a call is a record, and a damaged file can be entered again at the next one.
proto/print.proto has the schema.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from msdump.formats.format import Format, Reading
from msdump.formats.framing import DELIMITED, Broken, read_field
from msdump.formats.print_meta import TAG
from msdump.records import BadValue, PrintRecord
from msdump.source import Note


def read(
    path: str | os.PathLike[str],
    *,
    start: int = 0,
    first: int = 0,
    on_note: Callable[[Note], None] | None = None,
) -> Iterator[PrintRecord]:
    """The records of a file, lazily, in constant memory; arrays are read-only views of the file.

    Args:
        path: the file; `-` is standard input.
        start: the byte to begin at, where a record does.
        first: the number of the record there.
        on_note: is told of what is odd (unknown fields, checksums that do not match).

    Raises:
        OSError: the file is not there or cannot be read (at once).
        TruncatedError: the file ends inside a record, after every whole one was given.
        DecodeError: what stands at its offset is no record, after every one before it was given.
    """
    from msdump.formats.mapped import open_mapped
    from msdump.formats.print_pb.records import iter_records

    return iter_records(open_mapped(path), start=start, first=first, on_note=on_note)


def inspect(path: str | os.PathLike[str]) -> Reading:
    """A file's PrintLog with everything that is wrong or odd in it, each at its byte offset."""
    from msdump.formats.print_pb.log import open_log

    log = open_log(path)
    return Reading(log, log.problems, log.error, format="print.pb", path=log.name)


def sniff(head: bytes, name: str) -> int:
    """How sure it is that a file is a print.pb, from its first bytes and its name."""
    from msdump.formats.print_pb.value import ValueReader

    if head.startswith(TAG):
        return 100
    reader = ValueReader(name, head, keep_raw=False)
    tensors = strings = bad = at = 0
    try:
        while at < len(head) and tensors + strings + bad < 100:
            field = read_field(head, at, len(head))
            if field.number == 1 and field.wire == DELIMITED:
                value = reader.read(field.start, field.stop)
                # A value of a print log holds one thing; another schema's message seldom does.
                if isinstance(value, str):
                    strings += read_field(head, field.start, field.stop).after == field.stop
                elif not isinstance(value, BadValue) or value.dtype.isidentifier():
                    tensors += 1
                else:
                    bad += 1
            at = field.after
    except Broken:
        tensors += _begins_tensor(head, at)
    if tensors:
        return 90
    if strings:
        return 70 if strings > bad else 30
    # An empty file, or one that is cut in its first value or damaged from the start.
    return 20 if head[:1] in (b"", b"\x0a") and _NAME.search(os.path.basename(name)) else 0


_NAME = re.compile(r"^(?!ms_output).*\.pb(\.\d+){0,2}$", re.I)
"""With what MindSpore and msdump add where the name was taken: `.<unix seconds>`, and a counter."""


def _begins_tensor(head: bytes, at: int) -> bool:
    """Whether a tensor of a known type begins at `at`, of which the first bytes of the file hold a part."""
    from msdump.dtype import by_name
    from msdump.formats.framing import read_varint

    end = len(head)
    try:
        for tag in (b"\x0a", b"\x12"):
            if head[at : at + 1] != tag:
                return False
            _, at = read_varint(head, at + 1, end)
        while True:
            field = read_field(head, at, end)
            if field.number == 2:
                return by_name(head[field.start : field.stop].decode("latin-1")) is not None
            at = field.after
    except Broken:
        return False


def write(
    records: Iterable[PrintRecord], path: str | os.PathLike[str], *, force: bool = False, lossy: bool = False
) -> None:
    """Write records: with the metadata they carry, or one value after another as MindSpore does.

    Raises:
        WriteError: the name is taken and not `force`, or the file cannot be written.
        TypeError: a value of a type that MindSpore has no tensors of.
    """
    from msdump.formats.atomic import new_file
    from msdump.formats.print_encode import encode_values
    from msdump.formats.print_meta import encode

    with new_file(path, force=force) as stream:
        for record in records:
            chunks = encode_values(record.values)
            if record.meta is not None:
                stream.write(encode(record.meta, chunks))
            for chunk in chunks:
                stream.write(chunk)


FORMATS = (
    Format(
        name="print.pb",
        kind="print",
        summary="print log of MindSpore's Print operator",
        read=read,
        write=write,
        inspect=inspect,
        capabilities=frozenset({"calls", "values", "meta"}),
    ),
)

"""Random access to the records of a print.pb, over an index made in one pass."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import overload

from msdump.errors import DecodeError
from msdump.formats.mapped import MappedFile, open_mapped
from msdump.formats.print_pb.records import iter_offsets, iter_records, read_record
from msdump.formats.print_pb.value import ValueReader
from msdump.records import BadValue, PrintRecord, PrintValue, labelled
from msdump.source import BytePlace, Note

_RELEASE_EVERY = 1 << 26


class PrintLog(Sequence[PrintRecord]):
    """The records of a print.pb by position: `log[3]`, `log[-10:]`, `len(log)`.

    The index takes eight bytes a record and is made without touching what tensors hold. Records are
    read when asked for; their arrays are read-only views of the file, and keep it open.

    A damaged or cut file gives the records before the damage, and `error` says what and where.

    Attributes:
        error: what ended the reading before the end of the file (a TruncatedError or DecodeError
            with the byte offset), or None.
    """

    def __init__(self, file: MappedFile) -> None:
        self._file = file
        self._offsets = array("Q")
        self._notes: list[Note] = []
        self._problems: tuple[Note, ...] | None = None
        self.error: DecodeError | None = None
        try:
            for offset in iter_offsets(file, self._notes.append):
                self._offsets.append(offset)
        except DecodeError as error:
            self.error = error
        self._reader = ValueReader(file.name, file.buffer)
        self._given = 0

    @property
    def name(self) -> str:
        """What messages call the file: its path."""
        return self._file.name

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, key: int) -> PrintRecord: ...
    @overload
    def __getitem__(self, key: slice) -> list[PrintRecord]: ...
    def __getitem__(self, key: int | slice) -> PrintRecord | list[PrintRecord]:
        if isinstance(key, slice):
            return [self._record(i) for i in range(*key.indices(len(self)))]
        position = key + len(self) if key < 0 else key
        if not 0 <= position < len(self):
            raise IndexError(f"record {key} of {len(self)}")
        return self._record(position)

    def _record(self, position: int) -> PrintRecord:
        offset = self._offsets[position]
        record, after = read_record(self._file, self._reader, offset, position)
        assert record is not None
        # What is likely touched of records given before is let go, wherever in the file they stand.
        self._given += after - offset
        if self._given > _RELEASE_EVERY:
            self._file.release(0, self._file.size)
            self._given = 0
        return record

    def __iter__(self) -> Iterator[PrintRecord]:
        """The records in order, in constant memory; ends quietly where `error` stands."""
        try:
            yield from iter_records(self._file)
        except DecodeError:
            return

    def labels(self) -> list[str]:
        """The distinct labels of the tensors, in order of first appearance.

        A tensor's label is the nearest string before it: in the same call where the file tells
        calls apart, anywhere before it in MindSpore's own files. A tensor without one has the
        label "".
        """
        return list(dict.fromkeys(label for label, _, _ in self.labelled()))

    def labelled(self) -> Iterator[tuple[str, PrintRecord, PrintValue]]:
        """Every value that is no string, with its label and its record."""
        return labelled(self)

    @property
    def problems(self) -> tuple[Note, ...]:
        """What is wrong or odd in the file, by byte offset: damage, bad values, unknown fields.

        Read when first asked for, in a pass over every value's header and string.
        """
        if self._problems is None:
            found: list[Note] = []
            try:
                for record in iter_records(self._file, on_note=found.append):
                    for value in record.values:
                        if isinstance(value, BadValue):
                            found.append(Note(value.what, BytePlace(self.name, record.offset), "warning"))
            except DecodeError as error:
                found.append(Note(error.what, error.where, "warning"))
            self._problems = tuple(found)
        return self._problems

    def __enter__(self) -> PrintLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to close: the file stays mapped as long as arrays of it are in use."""

    def __repr__(self) -> str:
        return f"<PrintLog {self.name!r}: {len(self)} records>"


def open_log(path: str | os.PathLike[str]) -> PrintLog:
    """The log of a file; see PrintLog.

    Raises:
        OSError: the file is not there or cannot be read. Damage in it does not raise.
    """
    return PrintLog(open_mapped(path))

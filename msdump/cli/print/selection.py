"""Which records of a print log a command is about: by index, label, pattern, first and last."""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import click

from msdump.errors import DecodeError, MsdumpError, ReadError
from msdump.io import open_print, read_print, stream
from msdump.records import BadValue, PrintRecord
from msdump.source import BytePlace, Note


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for; None where nothing was.

    `index` is over all records; then `label` and `grep` choose; `head` and `tail` are of what is left.
    """

    index: slice | None = None
    head: int | None = None
    tail: int | None = None
    grep: re.Pattern[str] | None = None
    label: str | None = None

    def of(self, records: Iterable[PrintRecord]) -> Iterator[PrintRecord]:
        """The chosen ones of records in order (`index` is not looked at here)."""
        chosen = self._matching(records) if self.label is not None or self.grep is not None else iter(records)
        if self.head is not None:
            chosen = itertools.islice(chosen, self.head)
        if self.tail is not None:
            chosen = iter(deque(chosen, self.tail))
        return chosen

    def _matching(self, records: Iterable[PrintRecord]) -> Iterator[PrintRecord]:
        label = ""
        for record in records:
            if record.meta is not None:
                label = ""
            kept: list[Any] = []
            found = self.grep is None
            for value in record.values:
                label = value if isinstance(value, str) else label
                found = found or (self.grep is not None and self.grep.search(label) is not None)
                if self.label is None or plain(label) == plain(self.label):
                    kept.append(value)
            if found and kept:
                yield record if len(kept) == len(record.values) else replace(record, values=tuple(kept))


def plain(label: str) -> str:
    """A label without what people put around it: `loss`, `loss:` and ` loss = ` are one."""
    return label.strip().rstrip(":=").rstrip()


class Source:
    """A print log being read for a command, in any of its formats.

    Attributes:
        notes: what was odd so far.
        bad: how many values could not be understood so far.
        error: what ended `until_error` early, or None.
    """

    def __init__(self, path: str, format_name: str) -> None:
        self.path = path
        self.binary = format_name == "print.pb"
        self.notes: list[Note] = []
        self.bad = 0
        self.error: ReadError | None = None
        self._first: tuple[str, int] | None = None

    def records(self, selection: Selection) -> Iterator[PrintRecord]:
        """The records chosen; damage raises after everything before it was given."""
        try:
            yield from self._counted(selection.of(self._indexed(selection)))
        except ReadError as error:
            if self.binary:
                error.hint = error.hint or f"`msdump print recover {self.path} -o OUT` saves every whole record"
            raise

    def _counted(self, records: Iterable[PrintRecord]) -> Iterator[PrintRecord]:
        for record in records:
            for value in record.values:
                if isinstance(value, BadValue):
                    self.bad += 1
                    self._first = self._first or (value.what, record.offset)
                    self.notes.append(Note(value.what, BytePlace(self.path, record.offset), "warning"))
            yield record

    def _indexed(self, selection: Selection) -> Iterator[PrintRecord]:
        index = selection.index
        last = selection.tail if selection.label is None and selection.grep is None and selection.head is None else None
        if self.binary and index is None and last is None:
            return read_print(self.path, on_note=self.notes.append)
        if index is None and last is None:
            return stream(self.path)
        chosen = index or slice(-last if last else 0, None) if last != 0 else slice(0, 0)
        if self.binary:
            return self._from_log(chosen)
        if any(x is not None and x < 0 for x in (chosen.start, chosen.stop, chosen.step)):
            return iter(list(stream(self.path))[chosen])
        return itertools.islice(stream(self.path), chosen.start, chosen.stop, chosen.step)

    def _from_log(self, chosen: slice) -> Iterator[PrintRecord]:
        log = open_print(self.path)
        numbers = range(len(log))[chosen]
        for number in numbers:
            yield log[number]
        # The damage is beyond what was asked for, unless that reaches to the end.
        if log.error is not None and (chosen.stop is None or chosen.stop > len(log)):
            raise log.error

    def until_error(self, records: Iterable[PrintRecord]) -> Iterator[PrintRecord]:
        """The records up to where reading fails; the failure is kept as `error` and among the notes."""
        try:
            yield from records
        except ReadError as error:
            self.error = error
            self.notes.append(Note(error.what, error.where, "warning"))

    def check(self) -> None:
        """Raise what is to be said at the end: values that could not be understood."""
        if self._first is not None:
            what, offset = self._first
            several = f"{self.bad} values cannot be understood, the first: {what}" if self.bad > 1 else what
            raise DecodeError(several, BytePlace(self.path, offset), "all else was read; --json has their bytes")


def parse_index(_ctx: click.Context, _param: click.Parameter, value: str | None) -> slice | None:
    """`I:J` as Python's slices, from 0, the end left out, negative from the end; `I` alone is one record."""
    if value is None:
        return None
    parts = value.split(":")
    try:
        numbers = [int(part) if part.strip() else None for part in parts]
        if len(numbers) == 1 and numbers[0] is not None:
            return slice(numbers[0], numbers[0] + 1 or None)
        if 2 <= len(numbers) <= 3 and (len(numbers) == 2 or numbers[2] != 0):
            return slice(*numbers)
    except ValueError:
        pass
    raise click.BadParameter(f"{value!r} is not I:J (positions from 0; J is left out)")


def parse_grep(_ctx: click.Context, _param: click.Parameter, value: str | None) -> re.Pattern[str] | None:
    """A regular expression."""
    if value is None:
        return None
    try:
        return re.compile(value)
    except re.error as error:
        raise click.BadParameter(f"{value!r} is no regular expression: {error}") from None


def print_format(path: str) -> str:
    """Name of the format of a print log at a path.

    Raises:
        MsdumpError: what stands there is no print log.
    """
    from msdump.io import source_format

    found = source_format(path)
    if found.kind != "print":
        raise MsdumpError(f"{path}: holds a {found.kind}, not a print log", hint=f"msdump show {path}")
    return found.name

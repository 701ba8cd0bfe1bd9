"""What MindSpore's Print wrote on the screen, found again in a training log.

Three generations of text are known:

- 2.x: `Tensor(shape=[2, 2], dtype=Float32, value=` and the elements, with commas (PYNATIVE_MODE) or
  without (GRAPH_MODE), until `)`; releases from 1.1 on write the same without commas;
- 1.0 and before: `Tensor shape:[[const vector][2, 1]]Int32`, and on the next line `val:[[1]`;
  a scalar as `Tensor shape:[1] Int32` and `val:3`.

A log does not tell which of its other lines Print wrote. So the line right before a tensor is taken
for its label, lines of loggers and progress bars excepted, and the rest is left out; `strings="all"`
takes every such line as a string. Words before and behind a tensor on its own line are in its record;
what is left out there (brackets, commas) and lines that may be Print's are told to `on_left`.
Tensors that the screen shows in part (`...`), that are cut, or whose elements do not fit their shape
become a BadValue with the text in it. Time stamps, tags of ranks and colours in front of all lines
are taken off first (formats.pasted); lines of several ranks that are mixed are told apart by their tags.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from math import prod
from typing import Literal

from msdump.errors import ReadError
from msdump.formats.pasted import Unwrapper
from msdump.formats.pasted.encoding import LineDecoder
from msdump.formats.print_screen.elements import ELEMENT, QUOTED, STRING, value_of
from msdump.records import BadValue, PrintRecord, PrintValue
from msdump.source import WHOLE, BytePlace, Note, TextPlace

Strings = Literal["labels", "all", "none"]
OnNote = Callable[[Note], None]

_SAMPLE = 2000
_SIZES = r"((?:-?[0-9]{1,18}(?:[, ]+|(?=\])))*)"
_SIZE = re.compile("-?[0-9]+")
_START = re.compile(rf"Tensor\(shape=\[{_SIZES}\], dtype=(\w+), value=")
_OLD_START = re.compile(rf"Tensor shape:\[(?:\[const vector\])?\[?{_SIZES}\]\]? ?(\w+)\s*$")
_END = re.compile(r"(?:, \w+=[^,()]*)*\)")
_NAMES = re.compile(r"(?:, \w+=[^,()]*)+$")
_ROW = re.compile(rf"[\s\[][\s\[\],]*(?:{ELEMENT}(?:[\s\[\],]+|$|(?=[,)])))*[\s\[\],]*")
_STRINGS_ROW = re.compile(rf"[\s\[\],]*(?:(?:{QUOTED}|\.\.\.)[\s\[\],]*)*")
_STRINGS_STOP = re.compile(rf"(?:[^'\")]|{QUOTED})*\)")
_OLD_VALUE = re.compile(rf"\s*(?:{ELEMENT})?[\s\]]*")
_LOGGED = re.compile(
    r"\s*$|\[(?:TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\]|(?:TRACE|DEBUG|INFO|WARNING|ERROR|CRITICAL)[: ]"
    r"|\[?\d{4}[-/]\d\d[-/]\d\d[T ]|(?:train )?epoch(?: time)?:? ?\[?\d|per step time|.*\d+%\s*\|",
    re.IGNORECASE,
)
_LIKE_PRINT = re.compile(r"\bTensor\b|\btensor\(|\bParameter ?\(")


@dataclass(slots=True)
class _Open:
    """A tensor whose end has not come yet."""

    shape: tuple[int, ...]
    dtype: str
    old: bool
    line: int
    offset: int
    label: str | None
    parts: list[str] = field(default_factory=list)
    size: int = 0
    depth: int = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)
        self.depth += text.count("[") - text.count("]")

    @property
    def too_long(self) -> bool:
        """True when there is far more text than the shape has elements for."""
        return self.size > 4096 + 64 * max(1, min(prod(self.shape), 1 << 40))

    def is_row(self, text: str) -> bool:
        """Whether a line goes on with the elements, or ends them."""
        row = (_STRINGS_ROW if self.dtype == STRING else _ROW).match(text)
        end = row.end() if row is not None else 0
        return (row is not None and end == len(text)) or _END.match(text, end) is not None

    def stop(self, text: str) -> int:
        """Where the `)` that ends the tensor stands in a text; -1 when it does not."""
        if self.dtype != STRING:
            return text.find(")")
        found = _STRINGS_STOP.match(text)
        return found.end() - 1 if found else -1


class _Lines:
    """The lines of one writer: those of a log, or of one rank in it."""

    def __init__(self, name: str, strings: Strings, note: OnNote, left: OnNote) -> None:
        self.name = name
        self.strings = strings
        self._note = note
        self._left = left
        self.open: _Open | None = None
        self.label: tuple[str, int, int] | None = None

    def end(self) -> Iterator[PrintRecord]:
        """What is open when the log ends."""
        if self.open is not None:
            yield self.give_up("the log ends inside it")
        yield from self.drop_label()

    def line(self, text: str, number: int, offset: int) -> Iterator[PrintRecord]:
        """The records that a line ends."""
        if (tensor := self.open) is not None:
            starts = _START.search(text) or _OLD_START.search(text)
            if tensor.old and not tensor.parts and text.startswith("val:"):
                yield from self.take(text[4:], number, offset)
                return
            if tensor.is_row(text) and not tensor.too_long:
                yield from self.take("\n" + text, number, offset)
                return
            if starts is None or tensor.too_long:
                if tensor.too_long:
                    yield self.give_up("it has far more elements than its shape")
                elif not _LOGGED.match(text):
                    self.note(f"a line of something else inside a tensor was left out: {text[:60]!r}", number)
                return
            yield self.give_up("another tensor begins inside it")
        yield from self.outside(text, number, offset)

    def outside(self, text: str, number: int, offset: int) -> Iterator[PrintRecord]:
        """A line, or what follows a tensor on it, while no tensor is open."""
        found = _START.search(text)
        old = None if found else _OLD_START.search(text)
        if (start := found or old) is not None:
            words = self.words(text[: start.start()], number)
            if words:
                yield from self.drop_label()
                self.label = (words, offset, number)
            self.begin(start, old is not None, number, offset)
            if found is not None:
                yield from self.take(text[found.end() :], number, offset)
        elif _LOGGED.match(text):
            if _LIKE_PRINT.search(text):
                self.left(f"a line of a logger or a progress bar: {text[:200]!r}", number)
        else:
            # A label stands right before its tensor; only a logger may write between the two.
            yield from self.drop_label()
            self.label = (text, offset, number)

    def words(self, text: str, number: int) -> str:
        """What stands beside a tensor on its line; "" when it is no more than brackets and commas."""
        words = text.strip().rstrip(" ([") if any(map(str.isalnum, text)) else ""
        if self.strings == "none" and words:
            words = ""
        rest = text.strip().replace(words, "", 1) if words else text.strip()
        if rest:
            self.left(f"left out beside a tensor: {rest[:200]!r}", number)
        return words

    def begin(self, found: re.Match[str], old: bool, number: int, offset: int) -> None:
        """Open a tensor; the label before it is its own from here on."""
        shape = tuple(map(int, _SIZE.findall(found[1])))
        label, self.label = self.label, None
        if label is not None and self.strings == "none":
            self.left(f"a line before a tensor: {label[0][:200]!r}", label[2])
            label = None
        text, at, _ = label if label is not None else (None, offset, number)
        self.open = _Open(shape, found[2], old, number, at, text)

    def take(self, text: str, number: int, offset: int) -> Iterator[PrintRecord]:
        """Take text that belongs to the open tensor; after its end the line goes on."""
        tensor = self.open
        assert tensor is not None
        if tensor.old:
            stop = text.rfind("]") + 1 or _end_of_scalar(text)
            tensor.add(text[:stop])
            if tensor.depth:
                return
            rest = text[stop:]
        else:
            stop = tensor.stop(text)
            if stop < 0:
                tensor.add(text)
                return
            tensor.add(text[:stop])
            rest = text[stop + 1 :]
        if _START.search(rest) is not None:
            yield self.finish("")
            yield from self.outside(rest, number, offset)
        else:
            yield self.finish(self.words(rest, number))

    def finish(self, after: str) -> PrintRecord:
        """The record of the open tensor, whose end has come; `after` are the words behind it."""
        tensor = self.open
        assert tensor is not None
        text, named = _split_names("".join(tensor.parts), tensor.dtype == STRING)
        if named:
            self.left(f"left out beside a tensor: {named[:200]!r}", tensor.line)
        value, lossy = value_of(text, tensor.shape, tensor.dtype)
        if isinstance(value, BadValue):
            self.note(f"a tensor cannot be read back: {value.what}", tensor.line, "warning")
        elif lossy:
            self.note(f"the screen shows {tensor.dtype} with fewer digits than it has", tensor.line)
        return self.record(tensor, value, after)

    def give_up(self, why: str) -> PrintRecord:
        """The record of the open tensor, whose end does not come."""
        tensor = self.open
        assert tensor is not None
        self.note(f"a tensor is not whole: {why}", tensor.line, "warning")
        raw = "".join(tensor.parts).encode("utf-8", "surrogateescape")
        return self.record(tensor, BadValue(raw, tensor.dtype, tensor.shape, f"not whole: {why}"))

    def record(self, tensor: _Open, value: PrintValue, after: str = "") -> PrintRecord:
        self.open = None
        before: tuple[PrintValue, ...] = () if tensor.label is None else (tensor.label,)
        return PrintRecord(0, (*before, value, *((after,) if after else ())), tensor.offset)

    def drop_label(self) -> Iterator[PrintRecord]:
        """A line no tensor followed: a string of its own when all are wanted."""
        if self.label is not None:
            text, offset, number = self.label
            if self.strings == "all":
                yield PrintRecord(0, (text,), offset)
            else:
                self.left(f"a line that no tensor follows: {text[:200]!r}", number)
        self.label = None

    def note(self, what: str, line: int, level: Literal["note", "warning"] = "note") -> None:
        self._note(Note(what, TextPlace(self.name, line), level))

    def left(self, what: str, line: int) -> None:
        self._left(Note(what, TextPlace(self.name, line)))


def _split_names(text: str, strings: bool) -> tuple[str, str]:
    """The elements, and what follows them before the `)`: `, name=conv.weight`."""
    found = None if strings else _NAMES.search(text)
    return (text[: found.start()], found[0]) if found else (text, "")


def _end_of_scalar(text: str) -> int:
    found = _OLD_VALUE.match(text)
    return found.end() if found else len(text)


def iter_print_log(
    lines: Iterable[bytes],
    name: str = "<log>",
    *,
    strings: Strings = "labels",
    encoding: str = "",
    notes: list[Note] | None = None,
    on_left: OnNote = lambda note: None,
) -> Iterator[PrintRecord]:
    """The records in the lines of a log, in constant memory.

    Args:
        lines: lines with their ends, as a binary file gives them.
        name: what notes call the log.
        strings: "labels" takes the line right before a tensor for its label; "all" every line that
            no logger wrote; "none" tensors alone.
        encoding: what the log is in; "" tells UTF-8, UTF-16 and GBK by itself, with a note.
        notes: gets what was odd, with the line.
        on_left: is told of each piece of text that may be Print's and is in no record.

    A record is a label, where there is one, its tensor, and words behind it on its line; `offset` is
    where it begins in the log. A tensor of a shape such as [] is a numpy scalar.
    """
    notes = notes if notes is not None else []
    writers: dict[str, _Lines] = {}
    decoder = LineDecoder(encoding, name, notes.append)
    given = decoder.lines(lines)
    sample = list(islice(given, _SAMPLE))
    unwrap = Unwrapper([text for text, _ in sample], name, notes.append)

    def found() -> Iterator[PrintRecord]:
        for number, (raw, offset) in enumerate(chain(sample, given), 1):
            text, tag = unwrap(raw)
            writer = writers.get(tag)
            if writer is None:
                writer = writers[tag] = _Lines(name, strings, notes.append, on_left)
            shown = text.rpartition("\r")[2]
            if shown != text and _START.search(text):
                writer.left(f"overwritten on the screen: {text[: -len(shown) or None][:200]!r}", number)
            yield from writer.line(shown, number, offset)
        for writer in writers.values():
            yield from writer.end()

    for index, record in enumerate(found()):
        yield PrintRecord(index, record.values, record.offset)


def read_print_log(
    path: str | os.PathLike[str],
    *,
    strings: Strings = "labels",
    encoding: str = "",
    notes: list[Note] | None = None,
    on_left: OnNote = lambda note: None,
) -> Iterator[PrintRecord]:
    """The records in a log file; see `iter_print_log`.

    Raises:
        ReadError: it cannot be opened, or nothing that Print wrote is in it.
    """
    name = os.fspath(path)
    empty = True
    try:
        with open(path, "rb") as stream:
            for record in iter_print_log(
                stream, name, strings=strings, encoding=encoding, notes=notes, on_left=on_left
            ):
                empty = False
                yield record
    except OSError as error:
        raise ReadError(f"{name}: {error.strerror}") from error
    if empty:
        raise ReadError("nothing that Print wrote is in it", BytePlace(name, WHOLE))

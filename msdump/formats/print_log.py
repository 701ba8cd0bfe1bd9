"""What MindSpore's Print wrote on the screen, found again in a training log.

Three generations of text are known:

- 2.x: `Tensor(shape=[2, 2], dtype=Float32, value=` and the elements, with commas (PYNATIVE_MODE) or
  without (GRAPH_MODE), until `)`; releases from 1.1 on write the same without commas;
- 1.0 and before: `Tensor shape:[[const vector][2, 1]]Int32`, and on the next line `val:[[1]`;
  a scalar as `Tensor shape:[1] Int32` and `val:3`.

A log does not tell which of its other lines Print wrote. So the line right before a tensor is taken
for its label, lines of loggers and progress bars excepted, and the rest is left out; `strings="all"`
takes every such line as a string. Tensors that the screen shows in part (`...`), that are cut, or
whose elements do not fit their shape become a BadValue with the text in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

import numpy as np

from msdump.dtype import DType, by_name
from msdump.errors import ReadError
from msdump.formats.format import Format
from msdump.records import BadValue, PrintRecord, PrintValue
from msdump.source import Note, TextPlace

Strings = Literal["labels", "all", "none"]

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)"
_ELEMENT = rf"(?:{_NUMBER}[-+](?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)j|{_NUMBER}|True|False|\.\.\.)"
_START = re.compile(r"Tensor\(shape=\[([-\d, ]*)\], dtype=(\w+), value=")
_OLD_START = re.compile(r"Tensor shape:\[(?:\[const vector\])?\[?([-\d, ]*)\]\]? ?(\w+)\s*$")
_END = re.compile(r"(?:, \w+=[^,()]*)*\)")
_ROW = re.compile(rf"[\s\[][\s\[\],]*(?:{_ELEMENT}(?:[\s\[\],]+|$|(?=[,)])))*[\s\[\],]*")
_ELEMENTS = re.compile(_ELEMENT)
_LOGGED = re.compile(
    r"\s*$|\[(?:TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\]|(?:TRACE|DEBUG|INFO|WARNING|ERROR|CRITICAL)[: ]"
    r"|\[?\d{4}[-/]\d\d[-/]\d\d[T ]|(?:train )?epoch(?: time)?:? ?\[?\d|per step time|.*\d+%\s*\|",
    re.IGNORECASE,
)
_RANK_PREFIX = re.compile(r"^\[\d+,\d+\]<std(?:out|err)>: ?")
_INTEGERS = re.compile(r"U?Int\d+")


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


class _Reader:
    def __init__(self, name: str, strings: Strings, notes: list[Note]) -> None:
        self.name = name
        self.strings = strings
        self.notes = notes
        self.index = 0
        self.open: _Open | None = None
        self.label: tuple[str, int] | None = None

    def records(self, lines: Iterable[bytes]) -> Iterator[PrintRecord]:
        offset = 0
        for number, raw in enumerate(lines, 1):
            text = raw.decode("utf-8", "surrogateescape").rstrip("\r\n")
            text = _RANK_PREFIX.sub("", text.rpartition("\r")[2])
            yield from self.line(text, number, offset)
            offset += len(raw)
        if self.open is not None:
            yield self.give_up("the log ends inside it")
        yield from self.drop_label()

    def line(self, text: str, number: int, offset: int) -> Iterator[PrintRecord]:
        if (tensor := self.open) is not None:
            starts = _START.search(text) or _OLD_START.search(text)
            if tensor.old and not tensor.parts and text.startswith("val:"):
                yield from self.take(text[4:], number, offset)
                return
            if self.is_row(text) and not tensor.too_long:
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

    def is_row(self, text: str) -> bool:
        """Whether a line goes on with the elements of the open tensor, or ends it."""
        row = _ROW.match(text)
        end = row.end() if row is not None else 0
        return (row is not None and end == len(text)) or _END.match(text, end) is not None

    def outside(self, text: str, number: int, offset: int) -> Iterator[PrintRecord]:
        if (found := _START.search(text)) is not None:
            before = text[: found.start()].strip(" ([{,:=")
            if before and not _LOGGED.match(text):
                yield from self.drop_label()
                self.label = (text[: found.start()].rstrip(" (["), offset)
            self.begin(found, False, number, offset)
            yield from self.take(text[found.end() :], number, offset)
        elif (old := _OLD_START.search(text)) is not None:
            self.begin(old, True, number, offset)
        elif not _LOGGED.match(text) and self.strings != "none":
            # A label stands right before its tensor; only a logger may write between the two.
            yield from self.drop_label()
            self.label = (text, offset)

    def begin(self, found: re.Match[str], old: bool, number: int, offset: int) -> None:
        shape = tuple(int(size) for size in found[1].replace(" ", "").split(",") if size.lstrip("-").isdigit())
        label, self.label = self.label, None
        text, at = label if label is not None else (None, offset)
        self.open = _Open(shape, found[2], old, number, at, text)

    def take(self, text: str, number: int, offset: int) -> Iterator[PrintRecord]:
        """Take text that belongs to the open tensor; after its end the line goes on."""
        tensor = self.open
        assert tensor is not None
        if tensor.old:
            tensor.add(text)
            if tensor.depth == 0:
                yield self.finish()
            return
        stop = text.find(")")
        if stop < 0:
            tensor.add(text)
            return
        tensor.add(text[:stop])
        yield self.finish()
        rest = text[stop + 1 :]
        if _START.search(rest) is not None:
            yield from self.outside(rest, number, offset)

    def finish(self) -> PrintRecord:
        tensor = self.open
        assert tensor is not None
        text = re.sub(r"(?:, \w+=[^,()]*)+$", "", "".join(tensor.parts))
        value, lossy = _value(text, tensor.shape, tensor.dtype)
        if isinstance(value, BadValue):
            self.note(f"a tensor cannot be read back: {value.what}", tensor.line, "warning")
        elif lossy:
            self.note(f"the screen shows {tensor.dtype} with fewer digits than it has", tensor.line)
        return self.record(tensor, value)

    def give_up(self, why: str) -> PrintRecord:
        tensor = self.open
        assert tensor is not None
        self.note(f"a tensor is not whole: {why}", tensor.line, "warning")
        raw = "".join(tensor.parts).encode("utf-8", "surrogateescape")
        return self.record(tensor, BadValue(raw, tensor.dtype, tensor.shape, f"not whole: {why}"))

    def record(self, tensor: _Open, value: PrintValue) -> PrintRecord:
        self.open = None
        values: tuple[PrintValue, ...] = (value,) if tensor.label is None else (tensor.label, value)
        return self.numbered(values, tensor.offset)

    def numbered(self, values: tuple[PrintValue, ...], offset: int) -> PrintRecord:
        self.index += 1
        return PrintRecord(self.index - 1, values, offset)

    def drop_label(self) -> Iterator[PrintRecord]:
        """A line no tensor followed: a string of its own when all are wanted."""
        if self.label is not None and self.strings == "all":
            yield self.numbered((self.label[0],), self.label[1])
        self.label = None

    def note(self, what: str, line: int, level: Literal["note", "warning"] = "note") -> None:
        self.notes.append(Note(what, TextPlace(self.name, line), level))


def iter_print_log(
    lines: Iterable[bytes], name: str = "<log>", *, strings: Strings = "labels", notes: list[Note] | None = None
) -> Iterator[PrintRecord]:
    """The records in the lines of a log, in constant memory.

    Args:
        lines: lines with their ends, as a binary file gives them.
        name: what notes call the log.
        strings: "labels" takes the line right before a tensor for its label; "all" every line that
            no logger wrote; "none" tensors alone.
        notes: gets what was odd, with the line.

    A record is a label, where there is one, and its tensor; `offset` is where it begins in the log.
    A tensor of a shape such as [] is a numpy scalar.
    """
    yield from _Reader(name, strings, notes if notes is not None else []).records(lines)


def read_print_log(
    path: str | os.PathLike[str], *, strings: Strings = "labels", notes: list[Note] | None = None
) -> Iterator[PrintRecord]:
    """The records in a log file; see `iter_print_log`. ReadError when it cannot be opened."""
    try:
        with open(path, "rb") as stream:
            yield from iter_print_log(stream, os.fspath(path), strings=strings, notes=notes)
    except OSError as error:
        raise ReadError(f"{os.fspath(path)}: {error.strerror}") from error


# --- one tensor ---------------------------------------------------------------------------------


def _value(text: str, shape: tuple[int, ...], dtype_name: str) -> tuple[Any, bool]:
    """(the tensor of a text, whether digits were lost), or (BadValue, False)."""

    def bad(what: str) -> tuple[BadValue, bool]:
        return BadValue(text.encode("utf-8", "surrogateescape"), dtype_name, shape, what), False

    dtype = by_name(dtype_name)
    if dtype is None:
        return bad(f"unknown type {dtype_name}")
    if any(size < 0 for size in shape):
        return bad(f"the shape {list(shape)} has a negative size")
    wanted = prod(shape)
    items = _ELEMENTS.findall(text)
    if "..." in items:
        return bad(f"the screen shows {len(items) - items.count('...')} of {wanted} elements")
    if len(items) != wanted:
        return bad(f"{len(items)} elements, but the shape {list(shape)} has {wanted}")
    if wanted and "[" in text and text.count("[") != _brackets(shape):
        return bad(f"the elements are not nested as the shape {list(shape)} is")
    try:
        array = _array(items, dtype).reshape(shape)
    except (ValueError, OverflowError) as error:
        return bad(f"an element is not of the type {dtype_name}: {error}")
    array.flags.writeable = False
    return (array if shape else array[()]), _lossy(dtype, items, shape)


def _array(items: list[str], dtype: DType) -> np.ndarray[Any, Any]:
    if dtype.name == "Bool":
        if not set(items) <= {"True", "False"}:
            raise ValueError("neither True nor False")
        return np.array([item == "True" for item in items], np.bool_)
    if _INTEGERS.fullmatch(dtype.name):
        whole = np.array([int(item) for item in items], object)
        low, high = _integer_range(dtype)
        if any(not low <= item <= high for item in whole):
            raise OverflowError("out of range")
        return whole.astype(np.int64 if low < 0 else np.uint64).astype(dtype.np)
    if dtype.name.startswith("Complex"):
        return np.array([complex(item) for item in items], dtype.np)
    with np.errstate(over="ignore"):
        return np.array([float(item) for item in items], np.float64).astype(dtype.np)


def _integer_range(dtype: DType) -> tuple[int, int]:
    if dtype.name.startswith("UInt"):
        return 0, (1 << dtype.bits) - 1
    return -(1 << dtype.bits - 1), (1 << dtype.bits - 1) - 1


def _lossy(dtype: DType, items: list[str], shape: tuple[int, ...]) -> bool:
    """Whether the screen's digits do not tell the value: 0-d and BFloat16 have six, Float64 nine."""
    if dtype.name in ("Bool", "Float16", "BFloat16") or _INTEGERS.fullmatch(dtype.name):
        return False
    if dtype.name == "Float32" and shape:
        return False
    digits = 6 if not shape or dtype.name.startswith("Complex") else 9
    return any(sum(char.isdigit() for char in item.split("e")[0]) >= digits for item in items)


def _brackets(shape: tuple[int, ...]) -> int:
    total = count = 1
    for size in shape[:-1]:
        count *= size
        total += count
    return total


def _sniff(head: bytes, name: str) -> int:
    if re.search(rb"^(?:Tensor\(shape=\[[-\d, ]*\], dtype=\w+, value=|Tensor shape:\[)", head, re.MULTILINE):
        return 40 if name.endswith((".log", ".txt", ".out")) else 30
    return 0


FORMATS = (
    Format(
        name="print-log",
        kind="print",
        suffixes=(".log",),
        summary="a training log with what MindSpore's Print wrote on the screen",
        sniff=_sniff,
        read=read_print_log,
    ),
)

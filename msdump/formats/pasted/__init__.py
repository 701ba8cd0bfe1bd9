"""Text that went through other hands, as it was before: pasted, quoted, logged, saved by another program.

A graph dump or a log that people send has often come by way of an issue, a mail, a log collector or an
editor: in a Markdown fence, behind `> `, indented, with line numbers or time stamps in front of each
line, in colours, in UTF-16. `read_lines` undoes that, says so in notes, and keeps where each line and
column stood in the file. A file as MindSpore wrote it is told by the first line that only such a file
has at column 1, and is left to its own reader: `unpaste` of it is None.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import unescape
from os import PathLike, fspath
from typing import BinaryIO

from msdump.formats.pasted.encoding import encoding_of
from msdump.formats.pasted.wrapping import CLEAN, COLOR, FENCE, fenced, layers_of, mostly, strip
from msdump.source import Note, TextPlace

_HEAD = 1 << 16
CRLF = "the lines end in CR LF"


@dataclass(frozen=True, slots=True)
class Pasted:
    """A text with its wrapping undone.

    Attributes:
        lines: its lines, without newlines.
        notes: what was undone.
        origin: for each line its number in the file (from 1) and how many characters went before it.
    """

    lines: list[str]
    notes: tuple[Note, ...]
    origin: Sequence[tuple[int, int]]

    @property
    def only_newlines(self) -> bool:
        """Whether nothing but the ends of the lines is odd."""
        return [note.what for note in self.notes] == [CRLF]

    def place(self, file: str, line: int, column: int = 1) -> TextPlace:
        """Where a line (index from 0) and column (from 1) of this text stand in the file."""
        if not 0 <= line < len(self.lines):
            return TextPlace(file, self.origin[-1][0] + 1 if self.origin else 1)
        number, before = self.origin[line]
        return TextPlace(file, number, before + column, " " * before + self.lines[line])


def unpaste(path: str | PathLike[str], encoding: str = "") -> Pasted | None:
    """A file's text as it was before it was pasted; None when it stands as MindSpore wrote it.

    Args:
        path: the file.
        encoding: what its bytes are in; "" tells UTF-8 from UTF-16 by itself.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as stream:
        head = stream.read(_HEAD)
        if not encoding and (not _touched(head) or not unpaste_bytes(head).notes):
            return None
        data = head + stream.read()
    found = unpaste_bytes(data, fspath(path), encoding)
    return found if found.notes else None


def unpaste_bytes(data: bytes, name: str = "<text>", encoding: str = "") -> Pasted:
    """As `unpaste`, of bytes in memory; a text that needs nothing comes back as it is, without notes."""
    told = encoding_of(data[:_HEAD])
    codec = encoding or told
    notes: list[Note] = []
    if told and not encoding:
        notes.append(Note(f"the text is in {told.upper()}", TextPlace(name, 1), "undone"))
    return _undo(_decode(data, codec).split("\n"), name, notes)


def clean_stream(path: str | PathLike[str]) -> BinaryIO:
    """A file open for reading as bytes, or, when it was pasted, what it was before.

    Raises:
        OSError: the file cannot be read.
    """
    found = unpaste(path)
    if found is None:
        return open(path, "rb")
    return io.BytesIO("\n".join(found.lines).encode("utf-8", "surrogateescape"))


def clean_head(head: bytes) -> bytes:
    """The first bytes of a file for the formats to tell it by: as they were before it was pasted."""
    if not _touched(head):
        return head
    found = unpaste_bytes(head)
    if not found.notes or not any(map(CLEAN.match, found.lines)):
        return head
    return "\n".join(found.lines).encode("utf-8", "surrogateescape")


def _touched(head: bytes) -> bool:
    """Whether the head of a file calls for a closer look; cheap, and False for files of MindSpore's own."""
    if encoding_of(head):
        return True
    if b"\0" in head:
        return False
    if any(trace in head for trace in _TRACES):
        return True
    return _CLEAN_BYTES.search(head) is None


_TRACES = (b"\x1b[", b"```", b"~~~", b"\r", b"\xc2\xa0", b"&lt;", b"&gt;", b"&#", b"&quot;", b"  \n", b"\t\n")
"""Bytes that a file of MindSpore's own seldom has, for a closer look."""
_ENTITY = re.compile("&(?:lt|gt|quot|#x?[0-9a-fA-F]+);")
_CLEAN_BYTES = re.compile(CLEAN.pattern.encode(), re.MULTILINE)


def _decode(data: bytes, codec: str) -> str:
    if not codec:
        return data.decode("utf-8", "surrogateescape")
    errors = "surrogateescape" if codec.startswith("utf-8") or not codec.startswith("utf") else "replace"
    return data.decode(codec, errors)


def _undo(lines: list[str], name: str, notes: list[Note]) -> Pasted:
    origin = [(number, 0) for number in range(1, len(lines) + 1)]

    def note(what: str) -> None:
        notes.append(Note(what, TextPlace(name, origin[0][0] if origin else 1), "undone"))

    if len(lines) == 1 and lines[0].count("\r") > 1:
        lines = lines[0].split("\r")
        origin = [(number, 0) for number in range(1, len(lines) + 1)]
        note("the lines end in CR")
    if any(map(_ENTITY.search, lines)) and not any("<" in line or ">" in line for line in lines):
        lines = [unescape(line) for line in lines]
        note("characters escaped for HTML are read as what they stand for")
    if sum(line.endswith("\r") for line in lines) * 2 > len(lines) - 1 > 0:
        lines = [line.removesuffix("\r") for line in lines]
        note(CRLF)
    if mostly(lines, lambda line: "\xa0" in line):
        lines = [line.replace("\xa0", " ") for line in lines]
        note("no-break spaces are read as spaces")
    if mostly(lines, COLOR.search):
        lines = [COLOR.sub("", line) for line in lines]
        note("left out: colour codes of a terminal")
    if sum(line[-1:] in (" ", "\t") for line in lines) * 2 > len(lines):
        lines = [line.rstrip(" \t") for line in lines]
        note("left out: blanks at the ends of lines")
    while True:
        kept = fenced(lines) if any(map(FENCE.fullmatch, lines)) else None
        if kept is not None:
            lines, origin = [lines[i] for i in kept], [origin[i] for i in kept]
            note("left out: Markdown fences and what is around them")
            continue
        layers = layers_of(lines)
        if not layers:
            return Pasted(lines, tuple(notes), origin)
        taken_off = []
        for layer in layers:
            split = [strip(layer, line) for line in lines]
            bare = sum(not taken and bool(line.strip()) for line, taken in split)
            lines = [rest for rest, _ in split]
            origin = [(at, before + len(taken)) for (at, before), (_, taken) in zip(origin, split, strict=True)]
            taken_off.append(f"{layer.what} (not of {bare:,})" if bare else layer.what)
        note(f"left out in front of each line: {', '.join(taken_off)}")


class Unwrapper:
    """Takes off, line by line, what stands in front of the lines of a log that is read as it comes.

    Args:
        sample: its first lines, which tell what that is.
        name: what notes call the log.
        on_note: is told of what is taken off.
    """

    def __init__(self, sample: Sequence[str], name: str, on_note: Callable[[Note], None]) -> None:
        colored = any("\x1b" in line for line in sample)
        self._layers = layers_of([COLOR.sub("", line) for line in sample] if colored else sample, trusted=True)
        self._name, self._on_note = name, on_note
        self._told: set[str] = set()
        if self._layers:
            self._tell(f"left out in front of each line: {', '.join(layer.what for layer in self._layers)}")

    def __call__(self, line: str) -> tuple[str, str]:
        """A line without what is in front of it, and the tag that was there: from whom it is."""
        if "\x1b" in line:
            line = COLOR.sub("", line)
            self._tell("left out: colour codes of a terminal")
        tag = ""
        for layer in self._layers:
            line, taken = strip(layer, line)
            if layer.tag:
                tag += taken.strip()
        if FENCE.fullmatch(line):
            self._tell("left out: Markdown fences")
            return "", tag
        return line, tag

    def _tell(self, what: str) -> None:
        if what not in self._told:
            self._told.add(what)
            self._on_note(Note(what, TextPlace(self._name, 1), "undone"))

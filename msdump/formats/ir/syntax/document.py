"""A graph dump as parts: its head, its subgraphs, its end. The parts joined are the file again.

Any text at all has these parts; a text that is no graph dump is all head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from msdump.formats.ir.syntax.lines import join_lines
from msdump.formats.pasted import Pasted
from msdump.source import Note, TextPlace

_FLAG = re.compile(r"[A-Za-z_]\w*: ?\S*")
_ORDER = re.compile(r"# ?[Oo]rder:")
_COMMENT = re.compile(r" *#(.*)")
_KNOWN = re.compile(
    r" ?(?:(?: - |   )?(?:inlined:)?In file |scope: |fullname[ _]with|total |ir entry|order:|attrs|params:|parameters: "
    r"|side_?effect:|corresponding |\s*\d+: @|-+> \d)",
    re.IGNORECASE,
)
"""Comments that MindSpore writes: one that stands where it is not expected has lost its place."""
_ORDER_ENTRY = re.compile(r"#\s+\d+: ")


@dataclass(slots=True)
class Block:
    """One subgraph as ranges of lines: [start, head) before its head, [head, body) the head,
    [body, close) its nodes, `close` the closing brace, and up to `end` what follows it."""

    start: int
    head: int
    body: int
    close: int
    end: int


@dataclass(slots=True)
class Document:
    """A file as lines and the parts they form.

    Attributes:
        name: what to call the file in messages.
        lines: all lines, without newlines.
        newline: "\\n", or "\\r\\n" when every line ends so (then `lines` have no "\\r").
        head: number of lines before the first subgraph.
        blocks: the subgraphs.
        tail: index of the first line after the last subgraph and what belongs to it.
        notes: what is odd, with places.
        pasted: what the text was before its wrapping was undone, which knows the places of its lines.
    """

    name: str
    lines: list[str]
    newline: str = "\n"
    head: int = 0
    blocks: list[Block] = field(default_factory=list)
    tail: int = 0
    notes: list[Note] = field(default_factory=list)
    pasted: Pasted | None = None

    def parts(self) -> Iterator[list[str]]:
        """The lines of the head, of each subgraph, of the end."""
        yield self.lines[: self.head]
        for block in self.blocks:
            yield self.lines[block.start : block.end]
        yield self.lines[self.tail :]

    def to_bytes(self) -> bytes:
        """The bytes of the file, put together of its parts."""
        lines = [line for part in self.parts() for line in part]
        return join_lines(lines) if self.newline == "\n" else join_lines([*(li + "\r" for li in lines[:-1]), lines[-1]])

    def place(self, line: int, column: int = 1) -> TextPlace:
        """The place of a line (index from 0) and column (from 1)."""
        if self.pasted is not None:
            return self.pasted.place(self.name, line, column)
        text = self.lines[line] if 0 <= line < len(self.lines) else ""
        return TextPlace(self.name, line + 1, column, text)

    def note(self, what: str, line: int, column: int = 1, warn: bool = False) -> None:
        """Adds a note about a line (index from 0)."""
        self.notes.append(Note(what, self.place(line, column), "warning" if warn else "note"))

    def unread(self, line: int) -> None:
        """Notes that a line (index from 0) is not understood; it is a warning but for comments of unknown kinds."""
        comment = _COMMENT.match(self.lines[line])
        known = comment is not None and _KNOWN.match(comment[1])
        if comment and not known:
            self.note("this comment is of an unknown kind", line)
        else:
            self.note("this line is not understood", line, warn=True)


def parse_document(lines: list[str], name: str = "<text>", pasted: Pasted | None = None) -> Document:
    """The parts of a text. Never fails: what is not understood stays in the part where it stands."""
    newline = "\n"
    if len(lines) > 1 and all(line.endswith("\r") for line in lines[:-1]) and not lines[-1].endswith("\r"):
        newline = "\r\n"
        lines = [*(line[:-1] for line in lines[:-1]), lines[-1]]
    document = Document(name, lines, newline, notes=list(pasted.notes) if pasted else [], pasted=pasted)
    heads = [i for i, line in enumerate(lines) if line.startswith("subgraph @")]
    at = 0
    for number, head in enumerate(heads):
        if head < at:
            continue  # stands inside the subgraph before it
        following = heads[number + 1] if number + 1 < len(heads) else len(lines)
        block = _block(document, at, head, following)
        if not document.blocks:
            document.head = block.start
        document.blocks.append(block)
        at = block.end
    if not document.blocks:
        document.head = len(lines)
    document.tail = at if document.blocks else len(lines)
    return document


def _block(document: Document, at: int, head: int, following: int) -> Block:
    lines = document.lines
    body = head + 1
    if not lines[head].endswith("{"):
        body = next((i + 1 for i in range(head, following) if lines[i].endswith("{")), head + 1)
    close = next((i for i in range(body, following) if lines[i] == "}"), -1)
    if close < 0:
        close = next((i for i in range(body, following) if lines[i].startswith("subgraph ")), following)
        if following == len(lines) and close == following and lines and not lines[-1]:
            close -= 1
        document.note("the subgraph has no closing brace", head, warn=True)
        return Block(_start(lines, at, head, not document.blocks), head, body, close, close)
    return Block(_start(lines, at, head, not document.blocks), head, body, close, _end(lines, close + 1, following))


def _start(lines: list[str], at: int, head: int, first: bool) -> int:
    """Where what is told before a subgraph's head begins."""
    if not first:
        return at
    start = next((i for i in range(at, head) if lines[i].startswith("subgraph ")), head)
    while start > at and lines[start - 1] and _FLAG.fullmatch(lines[start - 1]):
        start -= 1
    return start


def _end(lines: list[str], at: int, following: int) -> int:
    """Where what follows a subgraph's brace ends: its execution order, and empty lines."""
    end = at
    while end < following and not lines[end]:
        end += 1
    if end < following and _ORDER.fullmatch(lines[end]):
        end += 1
        while (
            end < following
            and lines[end]
            and (_ORDER_ENTRY.match(lines[end]) or not lines[end].startswith("subgraph "))
        ):
            end += 1
        while end < following and not lines[end]:
            end += 1
    if end == len(lines) and end > at and not lines[-1]:
        end -= 1  # what follows the last newline is no line
    return end

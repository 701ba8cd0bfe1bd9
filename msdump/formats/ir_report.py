"""Texts with the suffix .ir that are no graphs: actor sets and memory reports of the runtime.

MindSpore writes them beside its graphs. They are shown as what they are: their sections, and the
lines of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from msdump.errors import ParseError, ReadError
from msdump.formats.format import Format
from msdump.numerals import integer
from msdump.source import TextPlace

_BRACKETS = re.compile(r"\[([A-Z][^\[\]:]*?)(?::(\d+))?\]")
_TITLE = re.compile(r"(All [A-Z][\w ]*):")
_ALLOCATE = re.compile(r"^index:?\s+size:?\s|%\d+T\t#\d+S|^mem_id:\tstart_offset:\t", re.MULTILINE)
_ACTORS = re.compile(
    r"^\[(?:Device tensor stores|Data prepare actor|Graph parameter stores|Control actors|Loop count actor"
    r"|Output actor)",
    re.MULTILINE,
)
_FINAL = re.compile(r"^%\d+ = [\w.]+:[^\s(]+\(.*\n\t# |^ActorDAG|^%\w+ = \w+\(.*\)\n\s*# device tensor", re.MULTILINE)
_SOMAS = re.compile(
    r"^All (?:Tensors|Nodes|Stream Groups):|^\|?Somas|^graph_id:|^All (?:Contiguous|Reference)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a report: its title (with the count it tells), and its lines."""

    title: str
    count: int | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IrReport:
    """A report of MindSpore's runtime.

    Attributes:
        kind: "actor set" (the actors a graph runs as) or "somas" (memory planning).
        sections: in the order of the file; the lines before the first title have title "".
    """

    kind: str
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        titles = ", ".join(
            f"{s.title} ({s.count if s.count is not None else len(s.lines)})" for s in self.sections if s.title
        )
        return f"{self.kind} report of the runtime, no graph" + (f": {titles}" if titles else "")


def kind_of(text: str, name: str = "") -> str:
    """Which report a text is: "actor set", "somas", or "" for none."""
    base = Path(name).name
    if _ACTORS.search(text) or _FINAL.search(text) or ("actor_set" in base and "subgraph @" not in text):
        return "actor set"
    if _SOMAS.search(text) or ("somas" in base and _ALLOCATE.search(text)) or _ALLOCATE.search(text[:4096]):
        return "somas"
    return ""


def sniff(head: bytes, name: str) -> int:
    """How sure it is that a file is a report of the runtime."""
    if b"subgraph @" in head or b"IR entry" in head:
        return 0
    return 90 if kind_of(head.decode("utf-8", "replace"), name) else 0


def parse(text: str, name: str = "<text>") -> IrReport:
    """The report of a text. ParseError when it is none."""
    kind = kind_of(text, name)
    if not kind:
        raise ParseError("neither an actor set nor a memory report", TextPlace(name, 1))
    sections: list[Section] = []
    title, count, lines = "", None, list[str]()
    for line in text.splitlines():
        match = _BRACKETS.fullmatch(line.strip()) or _TITLE.fullmatch(line.strip())
        if match:
            if title or lines:
                sections.append(Section(title, count, tuple(lines)))
            number = match[2] if match.re is _BRACKETS else None
            title, count, lines = match[1], integer(number) if number else None, []
        elif line.strip():
            lines.append(line)
    sections.append(Section(title, count, tuple(lines)))
    return IrReport(kind, tuple(sections))


def read(path: str | Path) -> IrReport:
    """The report of a file. ReadError when it cannot be read or is none."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", TextPlace(str(path), 1)) from error
    return parse(text, str(path))


FORMATS = (
    Format(
        "ir.report",
        "report",
        "actor sets and memory reports that MindSpore writes with the suffix .ir",
        read=read,
    ),
)

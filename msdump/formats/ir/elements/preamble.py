"""What stands before a subgraph's head, and the head: attributes, instance, place, parameters.

Letters name the lines in a layout: f flags, A `subgraph attr:`, a attributes, Y symbol engine,
I instance, X side effects, P types of parameters, L place, B an empty line, C anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.header import blank
from msdump.formats.ir.elements.location import format_place, parse_place
from msdump.formats.ir.elements.note import format_effects, split_types
from msdump.formats.ir.elements.type import Types
from msdump.graph.abstract import Abstract
from msdump.graph.graph import FuncGraph
from msdump.graph.node import Location

_FLAG = re.compile(r"([A-Za-z_]\w*): (\S*)")
_ENGINE = re.compile(r"subgraph symbol engine: (.*) : (0x[0-9a-f]+)")
_INSTANCE = re.compile(r"subgraph instance: (.*) : (0x[0-9a-f]+)")
_EFFECT = re.compile(r"# SideEffect: \{ ((?:\w+ )*)\}")
_PARAMETERS = re.compile(r"# Parameters: (\d{1,18}), \((.*)\)", re.DOTALL)
_LONGEST = 64
"""Lines that the types of a subgraph's parameters take at most."""
_HEAD = re.compile(r"subgraph @(.*?)(?: parent: \[subgraph @(.*?)\])?\((.*)\) \{", re.DOTALL)


@dataclass(slots=True)
class Preamble:
    """What is told before a subgraph, and its layout."""

    flags: list[tuple[str, str]] = field(default_factory=list)
    attrs: list[tuple[str, str]] = field(default_factory=list)
    engine: tuple[str, str] | None = None
    instance: tuple[str, str] | None = None
    side_effects: tuple[str, ...] | None = None
    parameters: tuple[Abstract, ...] | None = None
    location: Location | None = None
    comments: list[str] = field(default_factory=list)
    layout: str = ""
    unread: list[int] = field(default_factory=list)
    """Of each comment, the index of its line."""
    trimmed: bool = False
    """Some line has lost the blank it ends with."""


@dataclass(frozen=True, slots=True)
class Head:
    """The line that opens a subgraph."""

    name: str
    parent: str | None
    parameters: tuple[str, ...]


def read_head(text: str) -> Head | None:
    """What the head of a subgraph tells; None when it is none."""
    match = _HEAD.fullmatch(text.rstrip(" \t"))
    if match is None:
        return None
    inner = match[3]
    if inner.startswith("\n"):
        pieces = [piece.strip(" \n") for piece in inner.split("\n        , ")]
    else:
        pieces = re.split(r", (?=%para)", inner) if inner else []
    return Head(match[1], match[2], tuple(pieces))


def print_head(head: Head, dialect: Dialect) -> str:
    """The line that opens a subgraph (several, where its parameters stand one a line)."""
    parent = "" if head.parent is None else f" parent: [subgraph @{head.parent}]"
    if dialect.parts.block_head:
        inner = "\n        " + "\n        , ".join(head.parameters) + "\n    " if head.parameters else "\n    "
    else:
        inner = ", ".join(head.parameters)
    return f"subgraph @{head.name}{parent}({inner}) {{"


def read_preamble(lines: list[str], dialect: Dialect, types: Types) -> Preamble:
    """What the lines before a subgraph tell."""
    found = Preamble()
    at = 0
    for line in _joined(lines):
        code = _read(line, found, dialect, types)
        if code == "C":
            found.comments.append(line)
            found.unread.append(at)
        at += 1 + line.count("\n")
        if not found.layout.endswith(code) or code not in "fa":
            found.layout += code
    return found


def _joined(lines: list[str]) -> Iterator[str]:
    """The lines, with types of parameters that hold newlines as one line."""
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if line.startswith("# Parameters: ") and not line.endswith(")"):
            while end < len(lines) and not line.endswith(">)") and end - at < _LONGEST:
                line += "\n" + lines[end]
                end += 1
            if not line.endswith(">)"):
                line, end = lines[at], at + 1
        yield line
        at = end


def _read(line: str, found: Preamble, dialect: Dialect, types: Types) -> str:
    if not line:
        return "B"
    if line == "subgraph attr:":
        return "A"
    if "A" not in found.layout:
        match = _FLAG.fullmatch(line)
        if match and match[1] not in dict(found.flags):
            found.flags.append((match[1], match[2]))
            return "f"
    elif (found.layout[-1] == "a" or "a" not in found.layout) and not line.startswith(("#", "subgraph ")):
        key, colon, value = (line + blank(line, dialect.parts.colon)).partition(dialect.parts.colon)
        if colon and key not in dict(found.attrs):
            found.attrs.append((key, value))
            found.trimmed |= not value and not line.endswith(" ")
            return "a"
    if found.engine is None and (match := _ENGINE.fullmatch(line)):
        found.engine = (match[1], match[2])
        return "Y"
    if found.instance is None and (match := _INSTANCE.fullmatch(line)):
        found.instance = (match[1], match[2])
        return "I"
    if found.side_effects is None and (match := _EFFECT.fullmatch(line)):
        found.side_effects = tuple(match[1].split())
        return "X"
    if found.parameters is None and (match := _PARAMETERS.fullmatch(line)):
        parameters = tuple(types.parse(piece) for piece in split_types(match[2]))
        if parameters_line(parameters, types) == line:
            found.parameters = parameters
            return "P"
    if found.location is None and (place := parse_place(line, dialect)):
        found.location = place
        return "L"
    return "C"


def parameters_line(parameters: tuple[Abstract, ...], types: Types) -> str:
    """The line that tells the types of a subgraph's parameters."""
    return f"# Parameters: {len(parameters)}, ({', '.join(map(types.format, parameters))})"


def default_layout(func: FuncGraph, dialect: Dialect, own_parameters: bool) -> str:
    """The layout of what stands before a subgraph; `own_parameters`: not told in the file's head."""
    return (
        ("f" if func.flags else "")
        + "A"
        + ("a" if func.attrs else "")
        + ("Y" if func.symbol_engine else "")
        + ("I" if dialect.parts.instances else "")
        + ("X" if func.side_effects is not None else "")
        + ("P" if dialect.parts.parameters_line and own_parameters else "")
        + ("L" if func.location else "B" if dialect.parts.no_place else "")
        + "C" * len(func.comments)
    )


@dataclass(frozen=True, slots=True)
class Told:
    """What the model does not hold: addresses, and the texts of attributes."""

    flags: list[str]
    attrs: list[str]
    name: str
    address: str
    engine_address: str


def print_preamble(layout: str, func: FuncGraph, told: Told, dialect: Dialect, types: Types) -> list[str]:
    """The lines before a subgraph."""
    lines: list[str] = []
    comments = list(func.comments)
    for code in layout:
        if code == "f":
            lines.extend(told.flags)
        elif code == "A":
            lines.append("subgraph attr:")
        elif code == "a":
            lines.extend(told.attrs)
        elif code == "Y" and func.symbol_engine:
            lines.append(f"subgraph symbol engine: {func.symbol_engine.name} : {told.engine_address}")
        elif code == "I":
            lines.append(f"subgraph instance: {told.name} : {told.address}")
        elif code == "X" and func.side_effects is not None:
            lines.append(format_effects(func.side_effects))
        elif code == "P":
            lines.append(parameters_line(tuple(p.abstract for p in func.parameters), types))
        elif code == "L" and func.location:
            lines.append(format_place(func.location, dialect))
        elif code == "B":
            lines.append("")
        elif code == "C" and comments:
            lines.append(comments.pop(0))
    return lines

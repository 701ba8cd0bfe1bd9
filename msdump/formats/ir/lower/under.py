"""The lines under a node put together. A few sequences of them stand under most nodes, so each
distinct sequence of source lines is put together once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from msdump.formats.ir.elements.note import Line, Notes, Types2
from msdump.graph.node import Location, Signature

_HEAD = "TDKYSFX"
"""Codes that stand before the source lines."""


@dataclass(slots=True)
class Under:
    """What the lines under a node tell, and their layout."""

    types: Types2 | None = None
    layout: str = ""
    scope: str = ""
    fullname: str = ""
    locations: tuple[Location, ...] = ()
    comments: tuple[str, ...] = ()
    side_effects: tuple[str, ...] | None = None
    device: Signature[Any] | None = None
    kinds: Signature[Any] | None = None
    symbols: Signature[Any] | None = None


class UnderReader:
    """Reads the lines under nodes."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._tails: dict[tuple[str, ...], Under] = {(): Under()}
        self._whole: dict[tuple[str, ...], Under] = {}
        self._placed: dict[tuple[int, str, int], Location] = {}

    def read(self, lines: list[str], width: int) -> Under:
        """What the lines, indented by `width`, tell. The same lines give the same object."""
        whole = tuple(lines)
        found = self._whole.get(whole)
        if found is None:
            found = self._read(lines, width)
            if "F" not in found.layout:  # a full name stands under one node only
                self._whole[whole] = found
        return found

    def _parse(self, text: str, width: int) -> Line:
        """One line; what is not indented as it should be tells nothing."""
        if not text[:width].isspace():
            return Line("c", text)
        return self._notes.parse(text) if text[width : width + 1] != " " else Line("C", text)

    def _read(self, lines: list[str], width: int) -> Under:
        found = Under()
        at = 0
        for text in lines:
            line = self._parse(text, width)
            if line.code not in _HEAD or line.code in found.layout:
                break
            self._set(found, line.code, line.value)
            found.layout += line.code
            at += 1
        key = tuple(lines[at:])
        tail = self._tails.get(key)
        if tail is None:
            tail = self._tails[key] = self._mixed(Under(), key, width)
        if not tail.layout:
            return found
        if any(code in _HEAD for code in tail.layout):
            return self._mixed(found, key, width)
        found.layout += tail.layout
        found.locations, found.comments = tail.locations, tail.comments
        return found

    def _set(self, found: Under, code: str, value: Any) -> None:
        if code == "T":
            found.types = value
        elif code == "S":
            found.scope = value
        elif code == "F":
            found.fullname = value
        elif code == "X":
            found.side_effects = value
        elif code == "D":
            found.device = value
        elif code == "K":
            found.kinds = value
        elif code == "Y":
            found.symbols = value

    def _mixed(self, found: Under, texts: tuple[str, ...], width: int) -> Under:
        """Goes on with lines in any order."""
        lines = [self._parse(text, width) for text in texts]
        role, group = "", 0
        locations: list[Location] = []
        comments: list[str] = []
        layout = found.layout
        for at, line in enumerate(lines):
            if line.code == "T" and "T" in layout:
                line = self._notes.symbols(texts[at][width:])
            code = line.code
            if code == "H" and (at + 1 == len(lines) or lines[at + 1].code not in "LMN"):
                code = "C"  # a heading of nothing
            if code in "LMN":
                group += code == "M"
                locations.append(self._place(line.value, role, group))
            elif code == "H":
                group = group + 1 if line.value == role else 0
                role = line.value
            elif code in _HEAD and code not in layout:
                self._set(found, code, line.value)
            elif code != "E":
                code = "c" if code == "c" else "C"
                comments.append(texts[at] if code == "c" else texts[at][width:])
            layout += code
        found.layout, found.locations, found.comments = layout, tuple(locations), tuple(comments)
        return found

    def _place(self, location: Location, role: str, group: int) -> Location:
        if not role:
            return location
        key = (id(location), role, group)
        found = self._placed.get(key)
        if found is None:
            found = self._placed[key] = replace(location, role=role, group=group)
        return found

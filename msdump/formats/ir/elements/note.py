"""The lines under a node: types, device types, scope, source lines, side effects, other notes.

Each distinct line is read once. What a line is, is told by its look; the code letters name it in
layouts (see `printer`): T types, D device types, K kinds of objects, Y symbolic shapes, S scope,
F full name, L M N source line, H heading of other source lines, X side effects, E empty note,
C anything else, c the same where it is not indented as the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.type import Types, device_type, format_device
from msdump.formats.ir.syntax.lexer import split_items
from msdump.graph.abstract import Abstract
from msdump.graph.node import Location, Signature

ROLES = {"# Corresponding forward node candidate:": "forward", "# Corresponding code candidate:": "code"}
"""Headings of source lines that are not the node's own."""
HEADINGS = {role: heading for heading, role in ROLES.items()}

PLACES = {"L": "# ", "M": "#  - ", "N": "#    "}
"""What stands before a source line: M starts a call stack among other source lines, N goes on."""

SHARED = "<~~This line of code can be shared by multiple nodes, and may be duplicated./"
_PLACE = re.compile(
    r"#(?: |  - |    )(inlined:)?In file (.*?)"
    r"(?:\((\d{1,18})\)|:(\d{1,18})(?:~(\d{1,18}))?(?:, (\d{1,18})~(\d{1,18}))?)"
    r"/(?:(.*?)/(" + re.escape(SHARED) + ")?)?",
    re.DOTALL,
)
_SCOPE = re.compile(r"(# ?[Ss]cope: (?:\((?=.*\)$))?)(.*?)\)?", re.DOTALL)
_FULLNAME = re.compile(r"(# [Ff]ullname[ _]with[ _]scope: \()(.*)\)", re.DOTALL)
_EFFECT = re.compile(r"# SideEffect: \{ ((?:\w+ )*)\}")
_SYMBOL = re.compile(r"<null>$|[SV]:")
_KINDS = re.compile(r": \((\w+(?:, \w+)*)?\) -> \((\w+(?:, \w+)*)?\)")


@dataclass(frozen=True, slots=True)
class Types2:
    """A line of types: of the inputs, and of the output (None at a Return)."""

    inputs: tuple[Abstract, ...]
    output: Abstract | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line under a node: what it is, and what it tells."""

    code: str
    value: Any


class Notes:
    """Reads the lines under the nodes of one file, and prints them."""

    def __init__(self, dialect: Dialect, types: Types) -> None:
        self._dialect = dialect
        self._types = types
        self._read: dict[str, Line] = {}
        self.trimmed = False
        """Some line has lost the blank it ends with."""

    def parse(self, text: str) -> Line:
        """What the line `text` tells, whatever its indentation."""
        found = self._read.get(text)
        if found is None:
            found = self._read[text] = self._parse(text.lstrip(" "))
        return found

    def _parse(self, text: str) -> Line:
        if text.startswith((self._dialect.types_before + "<", self._dialect.types_before + ") -> (")):
            return self._types_line(text)
        if match := _PLACE.fullmatch(text):
            location = location_of(match)
            for code, before in PLACES.items():
                if format_place(location, self._dialect, before) == text:
                    return Line(code, location)
            return Line("C", text)
        if text in ROLES:
            return Line("H", ROLES[text])
        if match := _SCOPE.fullmatch(text):
            if match[1] == self._dialect.scope and self.closed(match[1], match[2]) == text:
                return Line("S", match[2])
            return Line("C", text)
        if match := _FULLNAME.fullmatch(text):
            return Line("F", match[2]) if match[1] == self._dialect.fullname else Line("C", text)
        if text in ("# ", "#"):
            self.trimmed |= text == "#"
            return Line("E", None)
        if match := _EFFECT.fullmatch(text):
            return Line("X", tuple(match[1].split()))
        if text.startswith(": ("):
            return self._colon_line(text)
        return Line("C", text)

    def _types_line(self, text: str) -> Line:
        inner = text[len(self._dialect.types_before) : -1]
        if inner.startswith(") -> ("):
            inputs, arrow, output = "", ") -> (", inner[6:]
        else:
            inputs, arrow, output = inner.partition(") -> (")
        pieces = split_types(inputs)
        if pieces and (device := device_type(pieces[0])) and format_device(device, self._dialect) == pieces[0]:
            return self._device_line(text, pieces, split_types(output))
        found = Types2(
            tuple(self._types.parse(piece) for piece in pieces), self._types.parse(output) if arrow else None
        )
        return Line("T", found) if self.format_types(found) == text else self.symbols(text)

    def _device_line(self, text: str, inputs: list[str], outputs: list[str]) -> Line:
        signature = Signature(
            tuple(d for t in inputs if (d := device_type(t))), tuple(d for t in outputs if (d := device_type(t)))
        )
        return Line("D", signature) if self.format_devices(signature) == text else Line("C", text)

    def _colon_line(self, text: str) -> Line:
        if match := _KINDS.fullmatch(text):
            return Line("K", Signature(tuple(split_items(match[1] or "")), tuple(split_items(match[2] or ""))))
        if text.startswith((": (S:", ": (V:")):
            return self.symbols(text)
        if self._dialect.fullname == ": (" and text.endswith(")"):
            return Line("F", text[3:-1])
        return Line("C", text)

    def symbols(self, text: str) -> Line:
        """What a line of symbolic shapes and values tells; a type without any is `<null>`."""
        inputs, _, outputs = text[3:-1].partition(") -> (")
        signature = Signature(tuple(split_items(inputs)), tuple(split_items(outputs)))
        if not all(map(_SYMBOL.match, signature.inputs + signature.outputs)):
            return Line("C", text)
        return Line("Y", signature) if format_symbols(signature) == text else Line("C", text)

    def format_types(self, types: Types2) -> str:
        """The text of a line of types."""
        inputs = ", ".join(map(self._types.format, types.inputs))
        output = "" if types.output is None else f" -> ({self._types.format(types.output)})"
        return f"{self._dialect.types_before}{inputs}){output}"

    def closed(self, label: str, text: str) -> str:
        """A label with its text, and the bracket that the label opens."""
        return f"{label}{text})" if label.endswith("(") else f"{label}{text}"

    def format_devices(self, signature: Signature[Any]) -> str:
        """The text of a line of device types."""
        inputs = ", ".join(format_device(d, self._dialect) for d in signature.inputs)
        outputs = ", ".join(format_device(d, self._dialect) for d in signature.outputs)
        return f"{self._dialect.types_before}{inputs}) -> ({outputs})"


def split_types(text: str) -> list[str]:
    """The types of `<A>, <B>`."""
    if not text:
        return []
    pieces = text.split(">, <")
    last = len(pieces) - 1
    return [("<" if i else "") + piece + (">" if i < last else "") for i, piece in enumerate(pieces)]


def format_symbols(signature: Signature[str]) -> str:
    """The text of a line of symbolic shapes."""
    outputs = f" -> ({', '.join(signature.outputs)})" if signature.outputs else ""
    return f": ({', '.join(signature.inputs)}){outputs}"


def format_kinds(signature: Signature[str]) -> str:
    """The text of a line of kinds of objects."""
    return f": ({', '.join(signature.inputs)}) -> ({', '.join(signature.outputs)})"


def format_effects(effects: tuple[str, ...]) -> str:
    """The text of a line of side effects."""
    return "# SideEffect: { " + "".join(f"{effect} " for effect in effects) + "}"


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def location_of(match: re.Match[str]) -> Location:
    """The place that a match of a source line tells."""
    return Location(
        file=match[2],
        line=int(match[3] or match[4]),
        end_line=_number(match[5]),
        column=_number(match[6]),
        end_column=_number(match[7]),
        code=match[8] or "",
        inlined=match[1] is not None,
        shared=match[9] is not None,
    )


def parse_place(text: str, dialect: Dialect) -> Location | None:
    """The place of a line `# In file f.py:1/code/`, None when it is not one of this dialect."""
    match = _PLACE.fullmatch(text)
    found = location_of(match) if match else None
    return found if found is not None and format_place(found, dialect) == text else None


def format_place(place: Location, dialect: Dialect, before: str = "# ") -> str:
    """The text of a source line."""
    if dialect.place == "paren":
        at = f"({place.line})"
    else:
        at = f":{place.line}"
        if dialect.place == "span":
            if place.end_line is not None:
                at += f"~{place.end_line}"
            if place.column is not None and place.end_column is not None:
                at += f", {place.column}~{place.end_column}"
    inlined = "inlined:" if place.inlined else ""
    code = f"{place.code}/{SHARED if place.shared else ''}" if place.code or place.shared else ""
    return f"{before}{inlined}In file {place.file}{at}/{code}"

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
from msdump.formats.ir.elements.device import device_type, format_device
from msdump.formats.ir.elements.location import PLACE, PLACES, ROLES, format_place, location_of
from msdump.formats.ir.elements.type import Types
from msdump.formats.ir.syntax.lexer import split_items
from msdump.graph.abstract import Abstract
from msdump.graph.node import Signature

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
        if text.startswith((self._dialect.notes.types_before + "<", self._dialect.notes.types_before + ") -> (")):
            return self._types_line(text)
        if match := PLACE.fullmatch(text):
            location = location_of(match)
            for code, before in PLACES.items():
                if format_place(location, self._dialect, before) == text:
                    return Line(code, location)
            return Line("C", text)
        if text in ROLES:
            return Line("H", ROLES[text])
        if match := _SCOPE.fullmatch(text):
            if match[1] == self._dialect.notes.scope and self.closed(match[1], match[2]) == text:
                return Line("S", match[2])
            return Line("C", text)
        if match := _FULLNAME.fullmatch(text):
            return Line("F", match[2]) if match[1] == self._dialect.notes.fullname else Line("C", text)
        if text in ("# ", "#"):
            self.trimmed |= text == "#"
            return Line("E", None)
        if match := _EFFECT.fullmatch(text):
            return Line("X", tuple(match[1].split()))
        if text.startswith(": ("):
            return self._colon_line(text)
        return Line("C", text)

    def _types_line(self, text: str) -> Line:
        inner = text[len(self._dialect.notes.types_before) : -1]
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
        if self._dialect.notes.fullname == ": (" and text.endswith(")"):
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
        return f"{self._dialect.notes.types_before}{inputs}){output}"

    def closed(self, label: str, text: str) -> str:
        """A label with its text, and the bracket that the label opens."""
        return f"{label}{text})" if label.endswith("(") else f"{label}{text}"

    def format_devices(self, signature: Signature[Any]) -> str:
        """The text of a line of device types."""
        inputs = ", ".join(format_device(d, self._dialect) for d in signature.inputs)
        outputs = ", ".join(format_device(d, self._dialect) for d in signature.outputs)
        return f"{self._dialect.notes.types_before}{inputs}) -> ({outputs})"


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

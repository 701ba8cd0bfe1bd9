"""Attributes of nodes as text: ` {instance name: x} primitive_attrs: {k: v} cnode_attrs: {…}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.value import Values
from msdump.formats.ir.syntax.lexer import closing, split_items
from msdump.graph.value import NO_ATTRS, Attrs, Opaque, Value

_GROUP = re.compile(r" (?:([a-z_]+): )?\{")
_INSTANCE = "instance name: "
LABELS = ("primitive_attrs", "cnode_attrs", "cnode_primal_attrs")
"""The labels with a place of their own in a CNode, in the order they are printed."""


@dataclass(frozen=True, slots=True)
class NodeAttrs:
    """All attributes of a node."""

    instance: str = ""
    primitive: Attrs = NO_ATTRS
    cnode: Attrs = NO_ATTRS
    primal: Attrs = NO_ATTRS
    other: tuple[tuple[str, Attrs], ...] = ()


NOTHING = NodeAttrs()


class AttrText:
    """Reads and prints the attributes of nodes of one dialect."""

    def __init__(self, dialect: Dialect, values: Values) -> None:
        self._dialect = dialect
        self._values = values
        self._read: dict[str, NodeAttrs | None] = {"": NOTHING}
        self._groups: dict[str, Attrs] = {}

    def parse(self, text: str) -> NodeAttrs | None:
        """What `text` (all that follows the operands) tells; None when it is something else."""
        if text in self._read:
            return self._read[text]
        found = self._parse(text)
        if found is not None and self.format(found) != text:
            found = None
        self._read[text] = found
        return found

    def readable(self, text: str) -> bool:
        """Whether `text` is attributes and nothing else."""
        return self.parse(text) is not None

    def _parse(self, text: str) -> NodeAttrs | None:
        groups: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _GROUP.match(text, at)
            if match is None:
                return None
            opening = match.end() - 1
            end = closing(text, opening, self._dialect.values.typed)
            if end < 0 or not (end + 1 == len(text) or _GROUP.match(text, end + 1)):
                end = self._far_end(text, opening)
            if end < 0:
                return None
            groups.append((match[1] or "", text[opening + 1 : end]))
            at = end + 1
        return self._sort(groups)

    def _far_end(self, text: str, opening: int) -> int:
        """The first brace after which another group follows, or the end."""
        at = opening
        while (at := text.find("}", at + 1)) >= 0:
            if at + 1 == len(text) or _GROUP.match(text, at + 1):
                return at
        return -1

    def _sort(self, groups: list[tuple[str, str]]) -> NodeAttrs:
        instance = ""
        own: dict[str, Attrs] = {}
        other: list[tuple[str, Attrs]] = []
        for number, (label, inner) in enumerate(groups):
            if not number and not label and inner.startswith(_INSTANCE):
                instance = inner[len(_INSTANCE) :]
            elif not inner:
                other.append((label, NO_ATTRS))
            elif not label and not self._dialect.nodes.labels and "primitive_attrs" not in own and not other:
                own["primitive_attrs"] = self.parse_group(inner)
            elif label in LABELS and label not in own and not other:
                own[label] = self.parse_group(inner)
            else:
                other.append((label, self.parse_group(inner)))
        primitive, cnode, primal = (own.get(label, NO_ATTRS) for label in LABELS)
        return NodeAttrs(instance, primitive, cnode, primal, tuple(other))

    def parse_group(self, text: str) -> Attrs:
        """The attributes of `k: v, k: v`."""
        found = self._groups.get(text)
        if found is None:
            found = self._groups[text] = self._parse_group(text)
        return found

    def _parse_group(self, text: str) -> Attrs:
        items: list[str] = []
        for piece in split_items(text, self._dialect.values.typed):
            if items and ": " not in piece:
                items[-1] += ", " + piece  # a string with a comma
            else:
                items.append(piece)
        found: dict[str, Value] = {}
        for item in items:
            key, _, value = item.partition(": ")
            if key in found or ": " not in item:
                return Attrs({"": Opaque(text)})
            found[key] = self._values.parse(value, None, "attr")
        return Attrs(found)

    def format(self, attrs: NodeAttrs) -> str:
        """The text of a node's attributes."""
        text = f" {{{_INSTANCE}{attrs.instance}}}" if attrs.instance else ""
        for label, group in zip(LABELS, (attrs.primitive, attrs.cnode, attrs.primal), strict=True):
            if group and (self._dialect.nodes.labels or label == "primitive_attrs"):
                told = "" if label == "primitive_attrs" and not self._dialect.nodes.labels else f"{label}: "
                text += f" {told}{{{self.format_group(group)}}}"
        for label, group in attrs.other:
            text += f" {label}: {{{self.format_group(group)}}}" if label else f" {{{self.format_group(group)}}}"
        return text

    def format_group(self, attrs: Attrs) -> str:
        """The text of one group, without braces."""
        pairs = ((key, self._values.format(value, "attr")) for key, value in attrs.items())
        return ", ".join(f"{key}: {value}" if key else value for key, value in pairs)

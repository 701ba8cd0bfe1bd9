"""The lines before the first subgraph: entry, counts, attributes, parameters of the entry graph.

Which lines stand there and in which order is a layout: one template a line, `{attrs}`,
`{parameters}` and `{jit_config}` for as many lines as there are. A template with `[attrs]` before it
stands only where there are some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.parameter import ParameterLine
from msdump.graph.graph import NodeCounts

_ENTRY = re.compile(r"(# ?IR entry\s*: @)(.*)")
_SUBGRAPHS = re.compile(r"(# ?Total subgraphs?\s*: )(\d{1,18})")
_PARAMS = re.compile(r"(# ?Total params\s*: )(\d{1,18})")
_ATTRS = re.compile(r"# ?[Aa]ttrs\s*:")
_ATTR = re.compile(r"([^#%\s][^\s:]*)( ?: )(.*)")
_NODES = re.compile(r"(Total number of nodes: )(\d{1,18})")
_CNODES = re.compile(r"(Total number of cnodes: )(\d{1,18})")
_KNOWN = ("# Params:", "Node counting information:", "###Deep Sort Order###")


@dataclass(slots=True)
class Header:
    """What the head tells, and its layout."""

    entry: str | None = None
    subgraphs: int | None = None
    params: int | None = None
    nodes: int | None = None
    cnodes: int | None = None
    attrs: list[tuple[str, str]] = field(default_factory=list)
    jit_config: list[tuple[str, str]] | None = None
    parameters: list[ParameterLine] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    layout: list[str] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    """Of each comment, the index of its line."""
    trimmed: bool = False
    """Some line has lost the blank it ends with."""

    @property
    def counts(self) -> NodeCounts | None:
        """The compiler's count of nodes."""
        return NodeCounts(self.nodes, self.cnodes) if self.nodes is not None and self.cnodes is not None else None


def read_header(lines: list[str], colon: str, parameter: Callable[[str], ParameterLine | None]) -> Header:
    """What the lines of a head tell; those that tell nothing known are comments."""
    header = Header()
    layout = header.layout
    within = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if within == "jit":
            if line == "}":
                layout.append("}}")
                within = ""
                continue
            key, told, value = (line + blank(line, colon)).partition(colon)
            header.trimmed |= not line.endswith(" ") and not value
            if told and header.jit_config is not None:
                header.jit_config.append((key, value))
                _once(layout, "{jit_config}")
                continue
        if not line:
            layout.append("")
            within = ""
        elif line.startswith("%para"):
            taken = at
            text = line
            while (
                (found := parameter(text)) is None
                and taken < len(lines)
                and taken - at < 8
                and not _starts(lines[taken])
            ):
                text += "\n" + lines[taken]
                taken += 1
            if found is not None:
                header.parameters.append(found)
                _once(layout, "{parameters}")
                at = taken
            else:
                _comment(header, line, at - 1)
        elif line == "jit config {":
            header.jit_config = []
            layout.append("jit config {{")
            within = "jit"
        elif _ATTRS.fullmatch(line):
            layout.append(line)
            within = "attrs"
        elif within == "attrs" and (match := _ATTR.fullmatch(line + blank(line, colon))) and match[2] == colon:
            header.trimmed |= not line.endswith(" ") and not match[3]
            header.attrs.append((match[1], match[3]))
            _once(layout, "{attrs}")
        else:
            within = ""
            _single(header, line, at - 1)
    return header


def blank(line: str, colon: str) -> str:
    """The blank that a line with nothing behind its colon has lost, or ""."""
    return " " if line.endswith(colon[:-1]) else ""


def _starts(line: str) -> bool:
    return not line or line.startswith(("%para", "#", "subgraph ", "Node counting"))


def _once(layout: list[str], template: str) -> None:
    if not layout or layout[-1] != template:
        layout.append(template)


def _comment(header: Header, line: str, at: int) -> None:
    header.comments.append(line)
    header.unread.append(at)
    header.layout.append("{comment}")


def _single(header: Header, line: str, at: int) -> None:
    """A line that tells one thing, at most once."""
    if header.entry is None and (match := _ENTRY.fullmatch(line)):
        header.entry = match[2]
        header.layout.append(match[1] + "{entry}")
    elif header.subgraphs is None and (match := _SUBGRAPHS.fullmatch(line)):
        header.subgraphs = int(match[2])
        header.layout.append(match[1] + "{subgraphs}")
    elif header.params is None and (match := _PARAMS.fullmatch(line)):
        header.params = int(match[2])
        header.layout.append(match[1] + "{params}")
    elif header.nodes is None and (match := _NODES.fullmatch(line)):
        header.nodes = int(match[2])
        header.layout.append(match[1] + "{nodes}")
    elif header.cnodes is None and (match := _CNODES.fullmatch(line)):
        header.cnodes = int(match[2])
        header.layout.append(match[1] + "{cnodes}")
    elif line in _KNOWN:
        header.layout.append(line)
    else:
        _comment(header, line, at)


def default_layout(dialect: Dialect, present: Mapping[str, bool]) -> list[str]:
    """The layout of a dialect's head, `present` telling of which things there are some."""
    layout: list[str] = []
    for template in dialect.parts.header:
        if template.startswith("["):
            key, _, template = template[1:].partition("]")
            if not present.get(key):
                continue
        if template.startswith("{") and template.endswith("}") and not present.get(template[1:-1], True):
            continue
        layout.append(template)
    return layout


def print_header(layout: Iterable[str], single: Mapping[str, str], several: Mapping[str, list[str]]) -> list[str]:
    """The lines of a head: `single` fills templates, `several` stands for as many lines as it has.

    Comments stand where the layout has them; those it has no place for come before the rest.
    """
    comments = list(several.get("comment", []))
    layout = list(layout)
    spare = len(comments) - layout.count("{comment}")
    lines = [comments.pop(0) for _ in range(spare)] if spare > 0 else []
    for template in layout:
        if template == "{comment}":
            if comments:
                lines.append(comments.pop(0))
        elif template.startswith("{") and template.endswith("}") and template[1:-1] in several:
            lines.extend(several[template[1:-1]])
        elif template in ("jit config {{", "}}"):
            lines.append(template.replace("{{", "{").replace("}}", "}"))
        else:
            before, brace, key = template.partition("{")
            lines.append(before + single.get(key.rstrip("}"), "") if brace else template)
    return lines

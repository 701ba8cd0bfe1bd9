"""The lines between the braces of a subgraph: nodes, each with the lines under it, and the rest.

A line that begins nothing belongs to what stands before it: tensors and strings hold newlines.
Letters name what stands between nodes in a layout: f failure mark, v a constant listed by itself,
B an empty line, C anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_MARK = re.compile(r"#-+> (\d+)")
_VALUE = re.compile(r"(\[\w+\]\d*)\((.*)\)", re.DOTALL)
_LISTED = re.compile(r" +\[[A-Za-z]\w*\]\d*\(")


_LONGEST = 1000
"""Lines a constant listed by itself has at most."""


@dataclass(slots=True)
class RawNode:
    """A node as text: its line, the lines under it without indentation, the failure mark before it."""

    line: int
    text: str
    notes: list[str] = field(default_factory=list)
    failure: int | None = None


@dataclass(slots=True)
class Body:
    """The nodes of a subgraph, and what stands between them: (index of the next node, code)."""

    nodes: list[RawNode] = field(default_factory=list)
    between: list[tuple[int, str]] = field(default_factory=list)
    values: list[tuple[int, str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


_FIRST = re.compile(r"( +)(?:%\d|[Rr]eturn\(|Primitive::Return)")


def indent_of(lines: list[str], first: int, last: int, usual: int) -> int:
    """How far the nodes of a subgraph are indented: documentation shows some otherwise."""
    for at in range(first, min(last, first + 50)):
        if match := _FIRST.match(lines[at]):
            return len(match[1])
    return usual


def read_body(lines: list[str], first: int, last: int, indent: int) -> Body:
    """The nodes of the lines [first, last)."""
    body = Body()
    nodes = body.nodes
    outer = " " * indent
    under = " " * (indent + 4)
    width = indent + 4
    starts = (outer + "%", outer + "Return", outer + "return", outer + "Primitive::Return")
    current: RawNode | None = None
    mark: int | None = None
    at = first - 1
    while (at := at + 1) < last:
        line = lines[at]
        if line.startswith(under) and line[width : width + 1] in ("#", ":"):
            if current is not None:
                current.notes.append(line[width:])
                continue
        elif line.startswith(starts):
            current = RawNode(at, line, failure=mark)
            mark = None
            nodes.append(current)
            continue
        elif line.startswith("#--") and (match := _MARK.fullmatch(line)):
            if body.between and body.between[-1] == (len(nodes), "B"):
                body.between.pop()
                mark = int(match[1])
                continue
        elif _LISTED.match(line):
            end = at + 1
            while end < last and line.count("(") > line.count(")") and end - at < _LONGEST:
                line += "\n" + lines[end]
                end += 1
            if match := _VALUE.fullmatch(line[indent:]):
                body.values.append((len(nodes), match[1], match[2]))
                body.between.append((len(nodes), "v"))
                at = end - 1
                continue
            line = lines[at]
        noted = line.lstrip(" ").startswith("#")
        if not line or noted or current is None:
            if current is not None and _open(current) and not noted:
                _continue(current, line)
                continue
            body.between.append((len(nodes), "C" if line else "B"))
            if line:
                body.comments.append(line)
            continue
        _continue(current, line)
    return body


def _open(node: RawNode) -> bool:
    """Whether a bracket of the last line of a node is still open (a tensor goes on)."""
    text = node.notes[-1] if node.notes else node.text
    return text.count("[") > text.count("]")


def _continue(node: RawNode, line: str) -> None:
    if node.notes:
        node.notes[-1] += "\n" + line
    else:
        node.text += "\n" + line

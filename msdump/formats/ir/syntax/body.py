"""The lines between the braces of a subgraph: nodes, each with the lines under it, and the rest.

A line that begins nothing belongs to what stands before it: tensors and strings hold newlines.
Letters name what stands between nodes in a layout: f failure mark, v a constant listed by itself,
B an empty line, C anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_MARK = re.compile(r"#-+> (\d{1,18})")
_VALUE = re.compile(r"([^\s()]+)\((.*)\)", re.DOTALL)
_LISTED = re.compile(r" +[^\s()%#:\"',]+\(")


_LONGEST = 1000
"""Lines a constant listed by itself has at most."""


@dataclass(slots=True)
class RawNode:
    """A node as text: its line, the lines under it, the failure mark before it."""

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
    unread: list[int] = field(default_factory=list)
    """Of each comment, the index of its line in the file."""

    def add(self, code: str, line: str, at: int) -> None:
        """Something that stands before the next node, at a line of the file."""
        self.between.append((len(self.nodes), code))
        if code == "C":
            self.comments.append(line)
            self.unread.append(at)


_FIRST = re.compile(r"( *)(?:%\d|[Rr]eturn\(|Primitive::Return)")


def indent_of(lines: list[str], first: int, last: int, usual: int) -> int:
    """How far the nodes of a subgraph are indented: documentation shows some otherwise."""
    for at in range(first, min(last, first + 50)):
        if match := _FIRST.match(lines[at]):
            return len(match[1])
    return usual


def read_body(lines: list[str], first: int, last: int, indent: int) -> Body:
    """The nodes of the lines [first, last)."""
    body = Body()
    outer = " " * indent
    width = indent + 5
    notes = (" " * (indent + 4) + "#", " " * (indent + 4) + ":")
    starts = (outer + "%", outer + "Return", outer + "return", outer + "Primitive::Return")
    mark: tuple[int, str] | None = None
    at = first
    while at < last:
        line = lines[at]
        if line.startswith(starts):
            end = at + 1
            while end < last and (lines[end][:width] in notes or _deeper(lines[end], outer)):
                end += 1
            body.nodes.append(RawNode(at, line, lines[at + 1 : end], mark[0] if mark else None))
            mark = None
            at = end
            continue
        if mark is not None:  # a mark of nothing
            body.add("B", "", at)
            body.add("C", mark[1], at - 1)
            mark = None
        match = _MARK.fullmatch(line) if line.startswith("#--") else None
        if match and body.between and body.between[-1] == (len(body.nodes), "B"):
            body.between.pop()
            mark = (int(match[1]), line)
            at += 1
            continue
        if _LISTED.match(line) and _complete(body, line, indent) and (end := _listed(lines, at, last, indent, body)):
            at = end
            continue
        at = _other(lines, at, last, notes, body)
    if mark is not None:
        body.add("B", "", last)
        body.add("C", mark[1], last - 1)
    return body


def _complete(body: Body, line: str, indent: int) -> bool:
    """Whether nothing before a line is open, so that it can be a constant listed by itself."""
    if line[indent : indent + 1] == " ":
        return False
    return not body.nodes or (bool(body.nodes[-1].notes) and _depth(body.nodes[-1]) <= 0)


def _deeper(line: str, outer: str) -> bool:
    """Whether a line is the further text of a comment under a node."""
    return line.startswith(outer + "      # ") and line.lstrip(" ").startswith("#")


def _listed(lines: list[str], at: int, last: int, indent: int, body: Body) -> int:
    """Reads a constant listed by itself; the line after it, or 0 when it is none."""
    end = at + 1
    taken = [lines[at]]
    depth = lines[at].count("(") - lines[at].count(")")
    while depth > 0 and end < last and end - at < _LONGEST:
        taken.append(lines[end])
        depth += lines[end].count("(") - lines[end].count(")")
        end += 1
    match = _VALUE.fullmatch("\n".join(taken)[indent:])
    if match is None:
        return 0
    body.values.append((len(body.nodes), match[1], match[2]))
    body.add("v", "", at)
    return end


def _other(lines: list[str], at: int, last: int, notes: tuple[str, str], body: Body) -> int:
    """A line that begins nothing: it goes on what stands before it, or is an empty line or comment.

    Returns the line after it; the lines of a tensor are taken all at once.
    """
    line = lines[at]
    noted = line.lstrip(" ").startswith("#")
    node = body.nodes[-1] if body.nodes else None
    if node is not None and noted and line and at + 1 < last and lines[at + 1].startswith(notes):
        node.notes.append(line)
        return _after(lines, at + 1, last, notes, node)
    if node is None or noted or not (line or _depth(node) > 0):
        body.add("C" if line else "B", line, at)
        return at + 1
    if _whole(node):
        if at + 1 < last and lines[at + 1].startswith(notes):
            node.notes.append(line)  # stands among the lines under a node
        else:
            body.add("C", line, at)
        return _after(lines, at + 1, last, notes, node)
    taken = [line]
    depth = _depth(node) + _balance(line)
    end = at + 1
    while depth > 0 and end < last and not lines[end].startswith(("  %", *notes)):
        taken.append(lines[end])
        depth += _balance(lines[end])
        end += 1
    tail = "\n" + "\n".join(taken)
    if node.notes:
        node.notes[-1] += tail
    else:
        node.text += tail
    return _after(lines, end, last, notes, node)


def _after(lines: list[str], at: int, last: int, notes: tuple[str, str], node: RawNode) -> int:
    """Gives a node the lines under it from `at` on; where they end."""
    end = at
    while end < last and lines[end].startswith(notes):
        end += 1
    node.notes.extend(lines[at:end])
    return end


def _whole(node: RawNode) -> bool:
    """Whether the last line of a node is complete, so that no other goes on with it."""
    text = node.notes[-1] if node.notes else node.text
    return text.endswith((")", "}", "/")) and text.count("(") == text.count(")") and _balance(text) <= 0


def _depth(node: RawNode) -> int:
    """How many brackets of the last line of a node are still open."""
    return _balance(node.notes[-1] if node.notes else node.text)


def _balance(text: str) -> int:
    return text.count("[") - text.count("]")

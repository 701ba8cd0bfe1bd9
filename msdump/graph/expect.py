"""Expectations on a graph, in the manner of LLVM's FileCheck.

A file of expectations has lines such as::

    CHECK: Conv2D … {stride: (1, 1, 1, 1)}
    CHECK-NEXT: BiasAdd
    CHECK-NOT: Cast
    CHECK-COUNT-4: ReLU
    CHECK-DAG: Softmax
    CHECK-SCOPE: Default/block1
    CHECK-GRAPH: construct

* CHECK: a node that matches comes after the one matched last. Nodes stand in the order of
  `msdump graph canon`: each after what it uses.
* CHECK-NEXT: the very next node matches.
* CHECK-NOT: no node matches between the last match and the next one (or the end).
* CHECK-COUNT-N: exactly N nodes match, in all (of the scope).
* CHECK-DAG: a node matches, wherever it stands (in the scope).
* CHECK-SCOPE, CHECK-GRAPH: what follows is about the nodes of this scope prefix, or of this
  subgraph, alone; without a text: about all again. The order starts anew.

A pattern names the operator first (`*` is any), then in any combination: attributes in braces, all
of which the node must have; other text that its canonical line must hold, with `…` or `...`
between pieces that need not be adjacent; `{{regex}}` for a regular expression. Lines without a
directive are ignored, so expectations can stand in comments.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field

from msdump.errors import GraphError
from msdump.graph.canon import canon_lines
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.names import graph_label, in_scope
from msdump.graph.node import CNode, operator_name
from msdump.graph.text import value_text

_DIRECTIVE = re.compile(r"\bCHECK(?:-(NEXT|NOT|DAG|SCOPE|GRAPH|COUNT-[0-9]{1,9}))?:[ \t]*(.*?)\s*$")
_ATTRS = re.compile(r"(?<!\{)\{([^{}]*)\}(?!\})")
_REGEX = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a node must be.

    Attributes:
        text: as written.
        op: the operator, or a pattern with `*` and `?`.
        attrs: attribute → value as `graph canon` spells it.
        pieces: compiled pieces of text that the node's canonical line must hold in this order.
    """

    text: str
    op: str
    attrs: tuple[tuple[str, str], ...] = ()
    pieces: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """A pattern from its text."""
        attrs: list[tuple[str, str]] = []
        rest = text
        for match in _ATTRS.finditer(text):
            for item in _split(match[1]):
                key, colon, value = item.partition(":")
                if colon:
                    attrs.append((key.strip(), _spaceless(value)))
        rest = _ATTRS.sub("…", text)
        word = re.match(r"\s*([^\s({…]+)", rest)
        op = word[1] if word else "*"
        rest = rest[word.end() :] if word else rest
        pieces = [p.strip() for p in re.split(r"…|\.\.\.", rest) if p.strip()]
        return cls(text, op, tuple(attrs), tuple(re.compile(_as_regex(piece)) for piece in pieces))

    def matches(self, node: Line) -> bool:
        """Whether a node is all that the pattern says."""
        return self._is_op(node) and not self.missing(node) and self._holds(node)

    def _is_op(self, node: Line) -> bool:
        return node.op == self.op or fnmatch.fnmatchcase(node.op, self.op)

    def missing(self, node: Line) -> tuple[str, ...]:
        """The attributes that a node of the right operator has otherwise, as `key: value`."""
        have = node.attrs()
        wrong = [key for key, value in self.attrs if have.get(key, "").replace(" ", "").strip('"') != value.strip('"')]
        return tuple(f"{key}: {have.get(key, '(none)')}" for key in wrong)

    def _holds(self, node: Line) -> bool:
        at = 0
        for piece in self.pieces:
            found = piece.search(node.text, at)
            if found is None:
                return False
            at = found.end()
        return True


def _as_regex(piece: str) -> str:
    """A piece of text as a regular expression; what stands in {{ }} is one already."""
    parts = _REGEX.split(piece)
    return "".join(f"(?:{part})" if number % 2 else re.escape(part) for number, part in enumerate(parts))


def _split(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _spaceless(text: str) -> str:
    return text.strip().replace(" ", "")


@dataclass(frozen=True, slots=True)
class Line:
    """A node and its canonical line."""

    func: FuncGraph
    node: CNode
    op: str
    text: str

    def attrs(self) -> dict[str, str]:
        """The node's attributes as text."""
        groups = (self.node.primal_attrs, self.node.cnode_attrs, self.node.primitive_attrs)
        return {key: value_text(value) for group in groups for key, value in group.items()}


@dataclass(frozen=True, slots=True)
class Miss:
    """An expectation that does not hold.

    Attributes:
        line: line of the expectations, from 1.
        directive: "CHECK: Conv2D …" as written.
        why: what is so instead.
    """

    line: int
    directive: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.directive}\n    {self.why}"


@dataclass(slots=True)
class _Run:
    lines: list[Line]
    everything: list[Line]
    at: int = 0
    forbidden: list[tuple[int, str, Pattern]] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)


def check(graph: Graph, expectations: str) -> tuple[Miss, ...]:
    """The expectations that do not hold; () when all do.

    GraphError when the text holds no expectation, or one that cannot be read.
    """
    lines = [Line(f, n, operator_name(n), text) for f, n, text in canon_lines(graph)]
    run = _Run(lines, lines)
    found = 0
    for number, text in enumerate(expectations.split("\n"), 1):
        directive = _DIRECTIVE.search(text)
        if directive is None:
            continue
        found += 1
        kind, rest = directive[1] or "", directive[2]
        shown = directive[0].strip()
        if kind in ("SCOPE", "GRAPH"):
            _allow(run, len(run.lines))
            run.lines = [line for line in run.everything if _within(line, kind, rest)]
            run.at = 0
            if not run.lines:
                run.misses.append(Miss(number, shown, f"there is no node in {rest}"))
            continue
        if not rest:
            raise GraphError(f"line {number}: {shown} names no operator")
        try:
            pattern = Pattern.parse(rest)
        except re.error as error:
            raise GraphError(f"line {number}: {shown}: {error}") from None
        _expect(run, number, shown, kind, pattern)
    if not found:
        raise GraphError("no expectation in it", hint="expectations are lines with CHECK: OPERATOR")
    _allow(run, len(run.lines))
    return tuple(run.misses)


def _within(line: Line, kind: str, text: str) -> bool:
    if not text:
        return True
    if kind == "SCOPE":
        return in_scope(line.node.scope or line.node.fullname, text)
    name = text.lstrip("@")
    return name in (line.func.name, graph_label(line.func.name))


def _expect(run: _Run, number: int, shown: str, kind: str, pattern: Pattern) -> None:
    if kind == "NOT":
        run.forbidden.append((number, shown, pattern))
    elif kind == "DAG":
        if not any(pattern.matches(line) for line in run.lines):
            run.misses.append(Miss(number, shown, _instead(run.lines, pattern, "no node matches")))
    elif kind.startswith("COUNT"):
        want = int(kind.rpartition("-")[2])
        have = [line for line in run.lines if pattern.matches(line)]
        if len(have) != want:
            some = "; ".join(line.text for line in have[:3])
            run.misses.append(
                Miss(number, shown, f"{len(have)} nodes match, not {want}" + (f": {some}" if some else ""))
            )
    elif kind == "NEXT":
        following = run.lines[run.at] if run.at < len(run.lines) else None
        if following is None or not pattern.matches(following):
            there = "the end" if following is None else following.text
            run.misses.append(Miss(number, shown, f"next comes {there}"))
        run.at += following is not None
        run.forbidden.clear()
    else:
        for position in range(run.at, len(run.lines)):
            if pattern.matches(run.lines[position]):
                _allow(run, position)
                run.at = position + 1
                return
        earlier = any(pattern.matches(line) for line in run.lines[: run.at])
        what = "no later node matches (an earlier one does)" if earlier else "no node matches"
        run.misses.append(Miss(number, shown, _instead(run.lines, pattern, what)))


def _instead(lines: list[Line], pattern: Pattern, what: str) -> str:
    """What comes nearest: a node of the same operator with other attributes, or another spelling."""
    same = [line for line in lines if fnmatch.fnmatchcase(line.op, pattern.op)]
    for line in same:
        missing = pattern.missing(line)
        if missing:
            return f"{what}; {line.op} is there with {', '.join(missing)}"
    if same:
        return f"{what}; there is {same[0].text}"
    near = [line.op for line in lines if line.op.lower() == pattern.op.lower()]
    return f"{what}; there is {near[0]}" if near else f"{what}; there is no {pattern.op}"


def _allow(run: _Run, end: int) -> None:
    """Hold the CHECK-NOTs against the nodes up to here."""
    for number, shown, pattern in run.forbidden:
        for line in run.lines[run.at : end]:
            if pattern.matches(line):
                run.misses.append(Miss(number, shown, f"there is {line.text}"))
                break
    run.forbidden.clear()

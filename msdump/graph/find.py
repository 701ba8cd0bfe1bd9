"""Nodes by what a person knows of them: operator, name, scope, source line, dtype."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msdump.errors import GraphError
from msdump.graph.abstract import Abstract, ScalarType, TensorType
from msdump.graph.names import file_label, in_library, in_scope, scope_label
from msdump.graph.node import CNode, GraphRef, Location, operator_name
from msdump.graph.walk import iter_types

if TYPE_CHECKING:
    from msdump.graph.graph import FuncGraph, Graph


@dataclass(frozen=True, slots=True)
class Query:
    """What a node must be; an empty field asks nothing, all that are set must hold.

    Attributes:
        op: the operator ("Conv2D"), or a pattern with `*` and `?` ("*Grad"). Case counts.
        name: the node's name ("%3"), debug name or instance name, or a pattern.
        scope: a scope prefix at a word's edge: "Default/conv1" holds "Default/conv1-Conv2d/…".
        source: "FILE:LINE", "FILE:LINE-LINE" or "FILE"; FILE may be the end of a path.
        dtype: a dtype of its output ("Float16"), or a pattern.
        graph: the name of its FuncGraph, or a pattern.

    Raises:
        GraphError: `source` has something else than a line, or lines, behind its colon.
    """

    op: str = ""
    name: str = ""
    scope: str = ""
    source: str = ""
    dtype: str = ""
    graph: str = ""

    def __post_init__(self) -> None:
        _, colon, line = self.source.rpartition(":")
        # A drive's colon has a path behind it.
        if colon and not re.fullmatch(r"\d+(-\d+)?|.*[/\\].*", line):
            raise GraphError(f"{self.source!r} is no source line", hint="FILE:LINE is one, or FILE:LINE-LINE, or FILE")

    @classmethod
    def parse(cls, text: str) -> Query:
        """A query from "op=Cast scope=Default/conv1 net.py:25"; a bare word is an operator, or a
        source line when it looks like FILE:LINE, or a scope when it has a slash.

        GraphError when a key is not known.
        """
        fields: dict[str, str] = {}
        for word in text.split():
            key, equals, value = word.partition("=")
            if not equals:
                value = word
                key = "source" if re.search(r"\.\w+:\d+(-\d+)?$", word) else "scope" if "/" in word else "op"
            if key not in cls.__slots__:
                raise GraphError(f"{key!r} is nothing a node is told by", hint="one of: " + ", ".join(cls.__slots__))
            fields[key] = value
        return cls(**fields)

    def __str__(self) -> str:
        return " ".join(f"{key}={getattr(self, key)}" for key in self.__slots__ if getattr(self, key))

    def matches(self, func: FuncGraph, node: CNode) -> bool:
        """Whether `node`, standing in `func`, is all that is asked."""
        return (
            (not self.op or _is(node.op, self.op) or _is(operator_name(node), self.op))
            and (not self.name or any(_is(n, self.name) for n in _names(node) if n))
            and (not self.scope or any(in_scope(s, self.scope) for s in _scopes(node)))
            and (not self.graph or _is(func.name, self.graph.lstrip("@")))
            and (not self.dtype or any(_is(d, self.dtype) for d in dtypes(node.abstract)))
            and (not self.source or _at_source(node, self.source))
        )


def _is(text: str, pattern: str) -> bool:
    if text == pattern:
        return True
    return ("*" in pattern or "?" in pattern) and fnmatch.fnmatchcase(text, pattern)


def _names(node: CNode) -> tuple[str, ...]:
    callee = node.callee.name if isinstance(node.callee, GraphRef) else ""
    return node.name, node.debug_name, node.instance, node.fullname, scope_label(node.fullname), callee


def _scopes(node: CNode) -> tuple[str, ...]:
    return tuple(s for s in (node.scope, node.fullname) if s)


def dtypes(abstract: Abstract) -> Iterator[str]:
    """Every dtype in a type: of a tensor, of what a reference holds, of the elements of a tuple."""
    for part in iter_types(abstract):
        if isinstance(part, TensorType):
            yield part.dtype
        elif isinstance(part, ScalarType):
            yield part.name


def _at_source(node: CNode, source: str) -> bool:
    match = re.fullmatch(r"(.*?)(?::([0-9]{1,18})(?:-([0-9]{1,18}))?)?", source)
    assert match is not None
    name, first, last = match[1], match[2], match[3]
    for location in node.locations:
        if name and not (
            location.file == name or location.file.endswith("/" + name) or file_label(location.file) == name
        ):
            continue
        if first is None or int(first) <= location.line <= int(last or first):
            return True
    return False


def find(
    graph: Graph, op: str = "", name: str = "", scope: str = "", source: str = "", dtype: str = "", func: str = ""
) -> tuple[CNode, ...]:
    """The CNodes that are all that is asked (see Query for each field), in the order of the file.

    >>> from msdump.graph import CNode, FuncGraph, Graph
    >>> g = Graph("g", {"g": FuncGraph("g", (), (CNode("%0", "ReLU", scope="Default/act"), CNode("", "Return")))})
    >>> [node.name for node in find(g, op="ReLU", scope="Default/act")]
    ['%0']
    """
    query = Query(op, name, scope, source, dtype, func)
    return tuple(node for _, node in select(graph, query))


def select(graph: Graph, query: Query) -> Iterator[tuple[FuncGraph, CNode]]:
    """The CNodes a query asks for, each with its FuncGraph, in the order of the file."""
    for holder, node in graph.iter_nodes():
        if query.matches(holder, node):
            yield holder, node


def own_line(node: CNode) -> Location | None:
    """The line of the user's own code a node comes from: the innermost one that is not a
    library's; the innermost of all when there is none."""
    lines = [place for place in node.locations if place.role == ""] or list(node.locations)
    for place in reversed(lines):
        if not in_library(place.file):
            return place
    return lines[-1] if lines else None

"""msdump's own .dot read back: each statement carries what it says in the attribute `msdump`."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from msdump.errors import GraphError, ParseError
from msdump.graph.codec import Reader
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.layout import Layout
from msdump.graph.node import CNode, Parameter
from msdump.source import Note, TextPlace

_FACTS = 'msdump="'


class OwnReader:
    """One reading of one text; `error` is what ended it early."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.notes: list[Note] = []
        self.error: ParseError | None = None
        self._lines = text.split("\n")
        self._parts = Reader()

    def read(self) -> Graph:
        """The Graph of the text.

        Raises:
            ParseError: nothing in it tells of a graph.
        """
        head: Graph | None = None
        funcs: list[FuncGraph] = []
        parameters: list[list[Parameter]] = []
        nodes: list[list[CNode]] = []
        closed = False
        for number, line in enumerate(self._lines, 1):
            begin = line.find(_FACTS)  # the last attribute; in a label its quote would be escaped
            if begin < 0:
                closed = closed or line == "}"
                continue
            part = self._part(number, line[begin + len(_FACTS) : max(line.rfind('"'), begin + len(_FACTS))])
            if isinstance(part, Graph):
                head = part
            elif isinstance(part, FuncGraph):
                funcs.append(part)
                parameters.append([])
                nodes.append([])
            elif isinstance(part, Parameter) and funcs:
                parameters[-1].append(part)
            elif isinstance(part, CNode) and funcs:
                nodes[-1].append(part)
        if not closed and self.error is None:
            where = TextPlace(self.file, len(self._lines))
            self.error = ParseError("the file ends before the graph's closing brace", where)
        if head is None:
            raise self.error or ParseError("no graph in it", TextPlace(self.file, 1))
        made = {
            func.name: replace(func, parameters=tuple(parameters[i]), nodes=tuple(nodes[i]))
            for i, func in enumerate(funcs)
        }
        return replace(head, funcs=MappingProxyType(made), source=Layout("dot"))

    def _part(self, number: int, quoted: str) -> Any:
        try:
            text = quoted.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\")
            part = self._parts.part(text)
        except GraphError as error:
            self._fail(number, error.what)
            return None
        return part

    def _fail(self, number: int, what: str) -> None:
        if self.error is None:
            self.error = ParseError(what, TextPlace(self.file, number))

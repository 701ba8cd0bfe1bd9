"""Where the nodes and subgraphs of a graph stand in its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msdump.formats.ir.syntax.body import indent_of, read_body
from msdump.formats.ir.syntax.document import Document
from msdump.graph.graph import Graph
from msdump.graph.layout import IrLayout
from msdump.source import Place


class Spans(Mapping[str, Place]):
    """The place of "graph" (its head) and of "graph/%3" (a node), found when asked for."""

    def __init__(self, document: Document, graph: Graph) -> None:
        self._document = document
        unprinted = graph.source.unprinted if isinstance(graph.source, IrLayout) else None
        printed = [key for key in graph.funcs if key != unprinted]
        self._blocks = dict(zip(printed, document.blocks, strict=True))
        self._found: dict[str, int] | None = None

    def _lines(self) -> dict[str, int]:
        if self._found is None:
            self._found = {}
            for key, block in self._blocks.items():
                self._found[key] = block.head
                body = read_body(
                    self._document.lines,
                    block.body,
                    block.close,
                    indent_of(self._document.lines, block.body, block.close, 2),
                )
                for index, node in enumerate(body.nodes):
                    self._found[f"{key}/%{index}"] = node.line
        return self._found

    def __getitem__(self, name: str) -> Place:
        return self._document.place(self._lines()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines())

    def __len__(self) -> int:
        return len(self._lines())


def spans(document: Document, graph: Graph) -> Mapping[str, Place]:
    """The places of a graph's parts."""
    return Spans(document, graph)

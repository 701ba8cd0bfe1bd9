"""Which lines of an .ir file depend on what: pieces of the text, each with all that its words come from.

A piece is a node with the lines under it, or what stands between two subgraphs' nodes (heads,
parameters, execution order). A piece's `depends` is every fact of the graph that may be spelled in
it, with names of nodes replaced by what is printed for them: number, debug name, type of the operand.
Pieces of one name with equal `depends` must be spelled the same before and after an edit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msdump.formats import ir
from msdump.graph import CNode, FuncGraph, Graph, GraphRef, NodeRef, Operand
from msdump.graph.index import GraphIndex
from msdump.source import TextPlace


@dataclass(frozen=True)
class Piece:
    """A run of lines, and all that they depend on."""

    depends: Any
    text: str


def pieces(graph: Graph, path: Path) -> dict[tuple[str, ...], Piece]:
    """The pieces of the graph's text, by ("node", subgraph, node) and ("between", subgraph, next subgraph)."""
    text = ir.format_graph(graph)
    lines = text.split("\n")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    starts = _starts(lines, graph, path)
    told = _Told(graph)
    found: dict[tuple[str, ...], Piece] = {}
    printed = [func for func in graph.funcs.values() if func.name != getattr(graph.source, "unprinted", None)]
    at, before = 0, ""
    for func in printed:
        first = starts[func.name, 0] if func.nodes else at
        found["between", before, func.name] = Piece(
            told.between(graph.funcs.get(before), func), "\n".join(lines[at:first])
        )
        for index, node in enumerate(func.nodes):
            begin = starts[func.name, index]
            end = starts.get((func.name, index + 1), -1)
            if end < 0:
                end = next((at for at in range(begin, len(lines)) if lines[at] == "}"), len(lines))
            found["node", func.name, node.name] = Piece(told.node(func, index), "\n".join(lines[begin:end]))
            at = end
        before = func.name
    found["between", before, ""] = Piece(told.between(graph.funcs.get(before), None), "\n".join(lines[at:]))
    return found


def _starts(lines: list[str], graph: Graph, path: Path) -> dict[tuple[str, int], int]:
    """The first line of each node, by subgraph and position; a failure's mark belongs to its node."""
    reading = ir.inspect(path)
    names = dict(zip(reading.content.funcs, graph.funcs, strict=True))
    found: dict[tuple[str, int], int] = {}
    for key, func in reading.content.funcs.items():
        for index in range(len(func.nodes)):
            place = reading.spans[f"{key}/%{index}"]
            assert isinstance(place, TextPlace)
            start = place.line - 1
            found[names[key], index] = start - 2 if lines[start - 1].startswith("#---") else start
    return found


class _Told:
    """What the pieces of one graph depend on."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.index = GraphIndex(graph)
        self.numbers: dict[tuple[str, str], Any] = {}
        count = 0
        order = [graph.entry, *(key for key in graph.funcs if key != graph.entry)]
        for key in order:
            func = graph.funcs.get(key)
            if func is None:
                continue
            for parameter in func.parameters:
                count += 1
                self.numbers[key, parameter.name] = (count, parameter.name, parameter.abstract)
            for position, node in enumerate(func.nodes):
                self.numbers[key, node.name] = (position, node.debug_name, node.abstract)

    def node(self, func: FuncGraph, index: int) -> Any:
        node = func.nodes[index]
        failures = [n.failure for n in func.nodes[:index]]
        return index, failures, func.constants, self._facts(func, node)

    def _facts(self, func: FuncGraph, node: CNode) -> Any:
        operands = tuple(self._operand(func, operand) for operand in (node.callee, *node.inputs, *node.targets))
        plain = replace(node, name="", inputs=(), callee=None, targets=())
        return plain, operands, [list(g.items()) for g in (node.primitive_attrs, node.cnode_attrs, node.primal_attrs)]

    def _operand(self, func: FuncGraph, operand: Operand | None) -> Any:
        if isinstance(operand, NodeRef):
            owner = self.index.owner(func.name, operand)
            return (
                owner,
                owner == func.name,
                operand.abstract,
                self.numbers.get((owner or "", operand.name), operand.name),
            )
        if isinstance(operand, GraphRef):
            return "graph", operand
        return operand

    def between(self, before: FuncGraph | None, after: FuncGraph | None) -> Any:
        """The end of one subgraph, with its execution order, and the head of the next, or the file's."""
        graph = self.graph
        order = None
        if before is not None and before.order is not None:
            by_name = {node.name: node for node in before.nodes}
            order = [self._facts(before, by_name[name]) if name in by_name else name for name in before.order]
        head = None
        if after is not None:
            head = replace(after, nodes=(), order=None), [self.numbers[after.name, p.name] for p in after.parameters]
        whole = None
        if before is None or after is None:
            root = graph.funcs.get(graph.entry)
            whole = (
                graph.entry,
                graph.attrs,
                graph.jit_config,
                graph.counts,
                graph.comments,
                root.parameters if root else None,
                len(graph.funcs),
                [f.symbol_engine for f in graph.funcs.values()],
            )
        return before.name if before else None, before.detached if before else None, order, head, whole

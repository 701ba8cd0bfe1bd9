"""Mermaid: a small graph as text that GitHub, GitLab and many editors draw.

A picture: operators, names, types of outputs, what feeds what. It is not read back, and nothing else
is in it; a graph too large to be drawn is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING

from msdump.errors import WriteError
from msdump.formats.format import Format

if TYPE_CHECKING:
    from msdump.graph.graph import FuncGraph, Graph
    from msdump.graph.node import CNode, Operand

MOST_EDGES = 500
"""Mermaid draws no more edges (its maxEdges)."""
MOST_TEXT = 50_000
"""Mermaid reads no longer text (its maxTextSize)."""
LONGEST = 40
_SPECIAL = re.compile(r"[^\w \-.,/()%@=\[\]]")


def label(text: str) -> str:
    """Text inside a quoted label; what means something to Mermaid or HTML becomes an entity."""
    short = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", short)


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.ids: dict[tuple[str, str], str] = {}
        self.numbers = {name: i for i, name in enumerate(graph.funcs)}
        for number, func in enumerate(graph.funcs.values()):
            for position, parameter in enumerate(func.parameters):
                self.ids.setdefault((func.name, parameter.name), f"f{number}p{position}")
            for position, node in enumerate(func.nodes):
                self.ids.setdefault((func.name, node.name), f"f{number}n{position}")

    def lines(self) -> Iterator[str]:
        yield "flowchart TB"
        for func in self.graph.funcs.values():
            yield from self.func(func)
        for func in self.graph.funcs.values():
            for node in func.nodes:
                yield from self.edges(func, node)

    def func(self, func: FuncGraph) -> Iterator[str]:
        from msdump.graph.text import type_text

        number = self.numbers[func.name]
        yield f'  subgraph f{number}["{label(func.name)}"]'
        for position, parameter in enumerate(func.parameters):
            kind = type_text(parameter.abstract)
            shown = label(parameter.name) + (f"<br/>{label(kind)}" if kind else "")
            yield f'    f{number}p{position}(["{shown}"])'
        for position, node in enumerate(func.nodes):
            yield f'    f{number}n{position}["{self.shown(node)}"]'
        yield "  end"

    def shown(self, node: CNode) -> str:
        from msdump.graph.node import GraphRef, ValueNode
        from msdump.graph.text import type_text, value_text

        name = f"call {node.callee.name}" if isinstance(node.callee, GraphRef) else node.op
        constants = ", ".join(value_text(i.value) for i in node.inputs if isinstance(i, ValueNode))
        parts = (name, constants, type_text(node.abstract))
        return "<br/>".join(label(part) for part in parts if part)

    def edges(self, func: FuncGraph, node: CNode) -> Iterator[str]:
        target = self.ids[func.name, node.name]
        if node.callee is not None:
            yield from self.edge(func, node.callee, target, "-.->")
        several = len(node.inputs) > 1
        for slot, operand in enumerate(node.inputs):
            yield from self.edge(func, operand, target, f"-->|{slot}|" if several else "-->")

    def edge(self, func: FuncGraph, operand: Operand, target: str, arrow: str) -> Iterator[str]:
        from msdump.graph.node import GraphRef, NodeRef

        if isinstance(operand, NodeRef):
            source = self.ids.get((operand.graph or func.name, operand.name))
            if source is not None:
                yield f"  {source} {arrow} {target}"
        elif isinstance(operand, GraphRef) and operand.name in self.numbers:
            yield f"  {target} -.-> f{self.numbers[operand.name]}"


def text(graph: Graph) -> str:
    """The flowchart of a graph.

    Raises:
        WriteError: the graph is larger than Mermaid draws.
    """
    hint = "write .svg or .dot, or the part of it that matters"
    found: list[str] = []
    edges = size = 0
    for line in _Writer(graph).lines():
        edges += "->" in line and not line.startswith("    ")
        size += len(line) + 1
        if edges > MOST_EDGES:
            raise WriteError(f"the graph has more than {MOST_EDGES} edges, which is all that Mermaid draws", hint=hint)
        if size > MOST_TEXT:
            raise WriteError(f"the graph takes more than {MOST_TEXT:,} characters, all Mermaid reads", hint=hint)
        found.append(line)
    return "\n".join(found) + "\n"


def write(graph: Graph, path: str | PathLike[str], *, lossy: bool = False, force: bool = False) -> None:
    """Write a graph as a Mermaid flowchart. A picture asks for no `lossy`.

    Raises:
        WriteError: the graph is larger than Mermaid draws, or the file cannot be written.
    """
    from msdump.formats.atomic import write_file
    from msdump.graph.verify import require_sound

    require_sound(graph, "mermaid")
    write_file(path, text(graph).encode("utf-8", "replace"), force=force)


FORMAT = Format("mermaid", "graph", "picture of a small graph for Markdown (Mermaid flowchart)", write=write)
FORMATS = (FORMAT,)

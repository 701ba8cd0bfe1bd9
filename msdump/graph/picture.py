"""A Graph as DOT that Graphviz takes: a cluster for each subgraph, ids that depend on order alone.

What a person sees is the label; what msdump reads back is the attribute `msdump` of each statement
(JSON, see graph/codec), which Graphviz passes over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msdump.graph import codec
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.text import type_text, value_text

HEAD = "digraph msdump {"
LONGEST = 60
"""Characters of a constant or a name in a label."""
_CONTROL = {i: f"\\\\x{i:02x}" for i in (*range(32), 127)} | {10: "\\n", 34: '\\"', 92: "\\\\", 38: "&amp;"}
_SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\&]')
_LEAVE_GRAPH = frozenset({"funcs"})
_LEAVE_FUNC = frozenset({"nodes", "parameters"})


def label(text: str) -> str:
    """Text inside a quoted label: shown as it is, whatever it holds."""
    return text.translate(_CONTROL) if _SPECIAL.search(text) else text


def quoted(text: str) -> str:
    """JSON text, which is ASCII, as a quoted string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def short(text: str) -> str:
    """Text cut to what a picture has room for."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def dot_lines(graph: Graph, facts: bool = True) -> Iterator[str]:
    """The lines of the DOT file, without their ends; without `facts` it is for the eye alone."""
    return _Writer(graph, facts).lines()


class _Writer:
    def __init__(self, graph: Graph, facts: bool) -> None:
        self._graph = graph
        self._facts = facts
        self._texts = codec.Writer()
        self._ids: dict[tuple[str, str], str] = {}
        self._clusters: dict[str, int] = {}
        self._types: dict[int, str] = {}
        for number, func in enumerate(graph.funcs.values()):
            self._clusters[func.name] = number
            for position, parameter in enumerate(func.parameters):
                self._ids[func.name, parameter.name] = f"f{number}_p{position}"
            for position, node in enumerate(func.nodes):
                self._ids[func.name, node.name] = f"f{number}_n{position}"

    def lines(self) -> Iterator[str]:
        """The lines of the file, without their ends."""
        yield HEAD
        yield "  compound=true; rankdir=TB;"
        yield '  node [fontname="Helvetica", fontsize=10, shape=box, style="rounded,filled", fillcolor="#eef3fa"];'
        yield '  edge [color="#7a869a", arrowsize=0.6, labelfontsize=7];'
        if self._facts:
            yield f'  msdump="{quoted(self._texts.text(self._graph, _LEAVE_GRAPH))}";'
        for func in self._graph.funcs.values():
            yield from self._cluster(func)
        for func in self._graph.funcs.values():
            for node in func.nodes:
                yield from self._edges(func, node)
        yield "}"

    def _cluster(self, func: FuncGraph) -> Iterator[str]:
        number = self._clusters[func.name]
        yield f"  subgraph cluster_f{number} {{"
        colour = "#4c6ef5" if func.name == self._graph.entry else "#adb5bd"
        yield f'    label="{label(short(func.name))}"; color="{colour}"; fontname="Helvetica";'
        if self._facts:
            yield f'    msdump="{quoted(self._texts.text(func, _LEAVE_FUNC))}";'
        for parameter in func.parameters:
            yield f"    {self._ids[func.name, parameter.name]} {self._parameter(parameter)}"
        for node in func.nodes:
            yield f"    {self._ids[func.name, node.name]} {self._node(node)}"
        yield "  }"

    def _type(self, part: Parameter | CNode) -> str:
        key = id(part.abstract)
        found = self._types.get(key)
        if found is None:
            found = self._types[key] = label(short(type_text(part.abstract)))
        return found

    def _told(self, part: Parameter | CNode) -> str:
        """The attribute that is read back; it stands last."""
        return f', msdump="{quoted(self._texts.text(part))}"' if self._facts else ""

    def _parameter(self, parameter: Parameter) -> str:
        shown = label(short(parameter.name))
        kind = self._type(parameter)
        colour = "#fff3bf" if parameter.has_default else "#d3f9d8"
        shown = f"{shown}\\n{kind}" if kind else shown
        return f'[label="{shown}", shape=ellipse, fillcolor="{colour}"{self._told(parameter)}];'

    def _node(self, node: CNode) -> str:
        shown = self._shown(node)
        constants = [value_text(i.value) for i in node.inputs if isinstance(i, ValueNode)]
        if constants:
            shown += "\\n" + label(short(", ".join(constants)))
        kind = self._type(node)
        if kind:
            shown += "\\n" + kind
        tip = label(node.fullname or node.scope or node.debug_name)
        colour = ', fillcolor="#ffe3e3"' if node.op == RETURN or node.failure is not None else ""
        return f'[label="{shown}", tooltip="{tip}"{colour}{self._told(node)}];'

    def _shown(self, node: CNode) -> str:
        if node.op in (CALL, CALL_VAR) and node.callee is not None:
            if isinstance(node.callee, GraphRef):
                return label("call " + short(node.callee.name))
            if isinstance(node.callee, ValueNode):
                return label("call " + short(value_text(node.callee.value)))
        return label(short(node.op))

    def _edges(self, func: FuncGraph, node: CNode) -> Iterator[str]:
        target = self._ids[func.name, node.name]
        if node.callee is not None:
            yield from self._edge(func, node.callee, target, "style=dashed")
        for slot, operand in enumerate(node.inputs):
            yield from self._edge(func, operand, target, f'headlabel="{slot}"')

    def _edge(self, func: FuncGraph, operand: Operand, target: str, looks: str) -> Iterator[str]:
        if isinstance(operand, NodeRef):
            source = self._ids.get((operand.graph or func.name, operand.name))
            if source is not None:
                yield f"  {source} -> {target} [{looks}];"
        elif isinstance(operand, GraphRef) and operand.name in self._clusters:
            inner = self._graph.funcs[operand.name]
            number = self._clusters[operand.name]
            first = f"f{number}_p0" if inner.parameters else f"f{number}_n0"
            if inner.parameters or inner.nodes:
                yield f'  {target} -> {first} [lhead=cluster_f{number}, style=dashed, color="#4c6ef5"];'

"""GraphML: graphs for yEd, Gephi, NetworkX. One node element for each CNode and Parameter, subgraphs
nested; what tools show is in plain keys (op, type, scope, …), everything in the key "msdump" as JSON.

Written as http://graphml.graphdrawing.org/specification.html has it; not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING

from msdump.capability import EVERYTHING
from msdump.formats.format import Format

if TYPE_CHECKING:
    from msdump.graph.graph import FuncGraph, Graph
    from msdump.graph.node import CNode, Operand, Parameter

HELD = EVERYTHING - {"weights"}
_KEYS = (
    ("kind", "node"),
    ("name", "node"),
    ("op", "node"),
    ("type", "node"),
    ("scope", "node"),
    ("source", "node"),
    ("constants", "node"),
    ("graph", "node"),
    ("slot", "edge"),
    ("role", "edge"),
    ("msdump", "all"),
)
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">"""


def escape(text: str) -> str:
    """Text as XML content or in a quoted attribute: no markup, and no character XML forbids."""
    if text.isascii() and text.isprintable():
        clean = text
    else:
        clean = "".join(c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff") else "\ufffd" for c in text)
        clean = clean.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


class _Writer:
    def __init__(self, graph: Graph) -> None:
        from msdump.graph import codec

        self.graph = graph
        self.texts = codec.Writer()
        self.ids: dict[tuple[str, str], str] = {}
        for number, func in enumerate(graph.funcs.values()):
            for position, parameter in enumerate(func.parameters):
                self.ids.setdefault((func.name, parameter.name), f"f{number}::p{position}")
            for position, node in enumerate(func.nodes):
                self.ids.setdefault((func.name, node.name), f"f{number}::n{position}")
        self.numbers = {name: i for i, name in enumerate(graph.funcs)}

    def lines(self) -> Iterator[str]:
        yield _HEAD
        for name, place in _KEYS:
            yield f'  <key id="{name}" for="{place}" attr.name="{name}" attr.type="string"/>'
        yield '  <graph id="graph" edgedefault="directed">'
        yield f'    <data key="msdump">{escape(self.texts.text(self.graph, frozenset({"funcs"})))}</data>'
        for func in self.graph.funcs.values():
            yield from self.func(func)
        for func in self.graph.funcs.values():
            for node in func.nodes:
                yield from self.edges(func, node)
        yield "  </graph>"
        yield "</graphml>"

    def func(self, func: FuncGraph) -> Iterator[str]:
        number = self.numbers[func.name]
        facts = escape(self.texts.text(func, frozenset({"nodes", "parameters"})))
        yield f'    <node id="f{number}"><data key="kind">graph</data><data key="name">{escape(func.name)}</data>'
        yield f'      <data key="msdump">{facts}</data><graph id="f{number}:" edgedefault="directed">'
        for position, parameter in enumerate(func.parameters):
            yield self.parameter(func, parameter, f"f{number}::p{position}")
        for position, node in enumerate(func.nodes):
            yield self.node(func, node, f"f{number}::n{position}")
        yield "    </graph></node>"

    def parameter(self, func: FuncGraph, parameter: Parameter, key: str) -> str:
        from msdump.graph.text import type_text

        shown = {"kind": "parameter", "name": parameter.name, "type": type_text(parameter.abstract)}
        return self.element(key, {**shown, "graph": func.name}, self.texts.text(parameter))

    def node(self, func: FuncGraph, node: CNode, key: str) -> str:
        from msdump.graph.node import ValueNode
        from msdump.graph.text import type_text, value_text

        place = node.locations[-1] if node.locations else None
        shown = {
            "kind": "node",
            "name": node.name,
            "op": node.op,
            "type": type_text(node.abstract),
            "scope": node.fullname or node.scope,
            "source": f"{place.file}:{place.line}" if place else "",
            "constants": ", ".join(
                f"{slot}={value_text(operand.value)}"
                for slot, operand in enumerate(node.inputs)
                if isinstance(operand, ValueNode)
            ),
            "graph": func.name,
        }
        return self.element(key, shown, self.texts.text(node))

    def element(self, key: str, shown: dict[str, str], facts: str) -> str:
        data = "".join(f'<data key="{name}">{escape(text)}</data>' for name, text in shown.items() if text)
        return f'      <node id="{key}">{data}<data key="msdump">{escape(facts)}</data></node>'

    def edges(self, func: FuncGraph, node: CNode) -> Iterator[str]:
        target = self.ids[func.name, node.name]
        if node.callee is not None:
            yield from self.edge(func, node.callee, target, "callee", "")
        for slot, operand in enumerate(node.inputs):
            yield from self.edge(func, operand, target, "input", str(slot))

    def edge(self, func: FuncGraph, operand: Operand, target: str, role: str, slot: str) -> Iterator[str]:
        from msdump.graph.node import GraphRef, NodeRef

        source = None
        if isinstance(operand, NodeRef):
            source = self.ids.get((operand.graph or func.name, operand.name))
        elif isinstance(operand, GraphRef) and operand.name in self.numbers:
            source = f"f{self.numbers[operand.name]}"
        if source is not None:
            data = f'<data key="role">{role}</data>' + (f'<data key="slot">{slot}</data>' if slot else "")
            yield f'    <edge source="{source}" target="{target}">{data}</edge>'


def write(graph: Graph, path: str | PathLike[str], *, lossy: bool = False, force: bool = False) -> None:
    """Write a graph as GraphML.

    Raises:
        LossError: it holds weights, and `lossy=True` was not given.
        WriteError: the file cannot be written.
    """
    from msdump.formats.atomic import new_file
    from msdump.graph.project import refuse_loss
    from msdump.graph.verify import require_sound

    require_sound(graph, "graphml")
    refuse_loss(graph, HELD, "graphml", lossy)
    with new_file(path, force=force) as stream:
        for line in _Writer(graph).lines():
            stream.write(f"{line}\n".encode())


FORMAT = Format("graphml", "graph", "graph for yEd, Gephi, NetworkX", write=write, capabilities=HELD)
FORMATS = (FORMAT,)

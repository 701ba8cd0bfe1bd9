"""What of a graph is kept as text because its structure is not known, and how much it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msdump.graph.abstract import Abstract, OpaqueType
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.node import CNode, Operand, ValueNode
from msdump.graph.value import Attrs, Opaque, Value
from msdump.graph.walk import iter_types, iter_values


@dataclass(frozen=True, slots=True)
class OpaqueText:
    """One text without known structure.

    Attributes:
        where: "@graph %3 input 1", "@graph", or "" for the graph as a whole.
        kind: "type", "value", "comment" or "order".
        text: as the file has it.
    """

    where: str
    kind: str
    text: str


def iter_opaque(graph: Graph) -> Iterator[OpaqueText]:
    """Every opaque text of a graph, in the order of the file."""
    for comment in graph.comments:
        yield OpaqueText("", "comment", comment)
    yield from _attrs("", graph.attrs)
    for func in graph.funcs.values():
        yield from _func(func)


def _func(func: FuncGraph) -> Iterator[OpaqueText]:
    at = f"@{func.name}"
    unread = (func.order or ()).count("?")
    comments = func.comments[: len(func.comments) - unread] if unread else func.comments
    for comment in comments:
        yield OpaqueText(at, "comment", comment)
    for line in func.comments[len(comments) :]:
        yield OpaqueText(at, "order", line)
    for parameter in func.parameters:
        yield from _type(f"{at} {parameter.name}", parameter.abstract)
    yield from _attrs(at, func.attrs)
    for _, name, value in func.constants:
        yield from _value(f"{at} {name}", value)
    for node in func.nodes:
        yield from _node(f"{at} {node.name}", node)


def _node(at: str, node: CNode) -> Iterator[OpaqueText]:
    yield from _type(at, node.abstract)
    for slot, operand in enumerate(node.inputs):
        yield from _operand(f"{at} input {slot}", operand)
    for operand in (*node.targets, *((node.callee,) if node.callee is not None else ())):
        yield from _operand(f"{at} callee", operand)
    for group in (node.primitive_attrs, node.cnode_attrs, node.primal_attrs, *(a for _, a in node.other_attrs)):
        if group:
            yield from _attrs(at, group)
    for comment in node.comments:
        yield OpaqueText(at, "comment", comment)


def _operand(at: str, operand: Operand) -> Iterator[OpaqueText]:
    if isinstance(operand, ValueNode):
        yield from _value(at, operand.value)
    if operand.abstract is not None:
        yield from _type(at, operand.abstract)


def _attrs(at: str, attrs: Attrs) -> Iterator[OpaqueText]:
    for key, value in attrs.items():
        yield from _value(f"{at} {key}".strip(), value)


def _value(at: str, value: Value) -> Iterator[OpaqueText]:
    return (OpaqueText(at, "value", part.text) for part in iter_values(value) if isinstance(part, Opaque))


def _type(at: str, abstract: Abstract) -> Iterator[OpaqueText]:
    return (OpaqueText(at, "type", part.text) for part in iter_types(abstract) if isinstance(part, OpaqueType))

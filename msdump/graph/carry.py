"""What a file format can carry of a graph: facts by name, a graph cut down to them, what is lost.

Two files that tell the same net are compared on the facts that both carry; a conversion names the
facts that its target cannot hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from msdump.errors import LossError
from msdump.facts import EVERYTHING, FACTS
from msdump.graph.abstract import NULL_TYPE, Abstract, RefType, ScalarType, SequenceType, TensorType
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.node import CNode, GraphRef, Location, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.value import (
    NO_ATTRS,
    Attrs,
    DictValue,
    Named,
    NoneValue,
    Opaque,
    Scalar,
    Sequence,
    Str,
    TensorValue,
    TypeValue,
    Value,
)

__all__ = ["EVERYTHING", "FACTS", "lost", "project", "refuse_loss"]

_FIELD_FACTS = {
    "scope": "scopes",
    "op_number": "fullnames",
    "op_label": "fullnames",
    "instance": "instances",
    "op_kind": "op_kinds",
    "debug_name": "debug_names",
    "comments": "comments",
    "side_effects": "side_effects",
    "device": "device",
    "object_kinds": "device",
    "symbols": "symbols",
    "failure": "failures",
    "cnode_attrs": "node_attrs",
    "primal_attrs": "node_attrs",
    "other_attrs": "node_attrs",
}
"""Fields of a CNode that are one fact as a whole."""
_BLANK = CNode("", "")


def project(graph: Graph, facts: Iterable[str]) -> Graph:
    """The graph cut down to some facts; what is not among them is as if no file had told it.

    Nodes are named by position; parameters and subgraphs too where their names are no fact. Two
    graphs read from files of one net are equal when projected onto what both formats carry.
    """
    return _Projection(graph, frozenset(facts)).graph()


def lost(graph: Graph, carries: Iterable[str]) -> tuple[str, ...]:
    """What of this very graph a format with these facts cannot carry, a phrase each; () is nothing."""
    missing = EVERYTHING - frozenset(carries)
    return tuple(phrase for fact, phrase in FACTS.items() if fact in missing and _holds(graph, fact))


def refuse_loss(graph: Graph, carries: Iterable[str], format: str, lossy: bool) -> None:
    """Raise LossError when a format with these facts cannot carry everything, unless `lossy`."""
    found = () if lossy else lost(graph, carries)
    if found:
        hint = "--lossy (lossy=True) leaves them out"
        raise LossError(f"{format} cannot carry {', '.join(found)}", found, hint)


def _holds(graph: Graph, fact: str) -> bool:
    """Whether the graph says anything of a fact."""
    if fact == "weights":
        return any(p.default is not None for f in graph.funcs.values() for p in f.parameters)
    if fact in ("parameter_names", "graph_names"):
        return True
    whole, without = _Projection(graph, EVERYTHING), _Projection(graph, EVERYTHING - {fact})
    if whole.head() != without.head():
        return True
    return any(whole.func(func) != without.func(func) for func in graph.funcs.values())


class _Projection:
    """One graph on the way to a few facts; equal parts give the same object."""

    def __init__(self, source: Graph, facts: frozenset[str]) -> None:
        self.source = source
        self.facts = facts
        self._types: dict[Abstract, Abstract] = {}
        self._attrs: dict[Attrs, Attrs] = {}
        self._locations: dict[tuple[Location, ...], tuple[Location, ...]] = {}
        kept = "order" in facts
        self._nodes = {func.name: func.nodes if kept else _sorted(func) for func in source.funcs.values()}
        self._fields = [name for name, fact in _FIELD_FACTS.items() if fact not in facts]
        self._blank: dict[str, Any] = {name: getattr(_BLANK, name) for name in self._fields}
        self._graphs = {name: name if "graph_names" in facts else f"g{i}" for i, name in enumerate(self._in_order())}
        self._names = {
            (func.name, old): new for func in source.funcs.values() for old, new in self._renamed(func).items()
        }

    def _in_order(self) -> list[str]:
        """Names of the FuncGraphs as the entry reaches them, the others behind, in the file's order."""
        graph = self.source
        found: dict[str, None] = {}
        waiting = [graph.entry] if graph.entry in graph.funcs else []
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found[name] = None
            called: list[str] = []
            for node in self._nodes[name]:
                for operand in (node.callee, *node.inputs):
                    if isinstance(operand, GraphRef) and operand.name in graph.funcs:
                        called.append(operand.name)
            waiting.extend(reversed(called))
        return [*found, *(name for name in graph.funcs if name not in found)]

    def _renamed(self, func: FuncGraph) -> dict[str, str]:
        names = {node.name: f"%{i}" for i, node in enumerate(self._nodes[func.name])}
        for i, parameter in enumerate(func.parameters):
            names[parameter.name] = parameter.name if "parameter_names" in self.facts else f"para{i}"
        return names

    def graph(self) -> Graph:
        funcs = {self._graphs[func.name]: self.func(func) for func in self.source.funcs.values()}
        entry = self._graphs.get(self.source.entry, self.source.entry)
        return replace(self.head(), entry=entry, funcs=MappingProxyType(funcs))

    def head(self) -> Graph:
        """The graph without its FuncGraphs."""
        source, facts = self.source, self.facts
        return Graph(
            "",
            {},
            attrs=self.attrs(source.attrs) if "graph_attrs" in facts else NO_ATTRS,
            jit_config=source.jit_config if "counts" in facts else None,
            counts=source.counts if "counts" in facts else None,
            comments=source.comments if "comments" in facts else (),
        )

    def func(self, func: FuncGraph) -> FuncGraph:
        facts = self.facts
        detailed = "graph_details" in facts
        parent = self._graphs.get(func.parent, func.parent) if func.parent and "parents" in facts else None
        order = tuple(self._names.get((func.name, n), n) for n in func.order or ())
        return FuncGraph(
            self._graphs[func.name],
            tuple(self._parameter(func, i, p) for i, p in enumerate(func.parameters)),
            tuple(self._node(func, i, node) for i, node in enumerate(self._nodes[func.name])),
            attrs=self.attrs(func.attrs) if "graph_attrs" in facts else NO_ATTRS,
            location=self._location(func.location) if detailed and func.location else None,
            parent=parent,
            flags=func.flags if detailed else NO_ATTRS,
            side_effects=func.side_effects if "side_effects" in facts else None,
            order=order if "order" in facts and func.order is not None else None,
            symbol_engine=func.symbol_engine if "symbol_engine" in facts else None,
            comments=func.comments if detailed and "comments" in facts else (),
            constants=func.constants if "order" in facts else (),
            detached=func.detached if "order" in facts else (),
        )

    def _parameter(self, func: FuncGraph, position: int, parameter: Parameter) -> Parameter:
        facts = self.facts
        detailed = "parameter_details" in facts
        return Parameter(
            self._names[func.name, parameter.name],
            self.type(parameter.abstract) if func.name == self.source.entry or "inner_types" in facts else NULL_TYPE,
            parameter.has_default and "defaults" in facts,
            attrs=self.attrs(parameter.attrs) if detailed else NO_ATTRS,
            location=parameter.location if detailed else None,
            symbols=parameter.symbols if "symbols" in facts else None,
            device=parameter.device if "device" in facts else None,
            is_weight=parameter.is_weight if "device" in facts else None,
        )

    def _node(self, func: FuncGraph, position: int, node: CNode) -> CNode:
        facts = self.facts
        if node.op == RETURN and "return_facts" not in facts:
            node = CNode(node.name, RETURN, node.inputs, node.abstract, debug_name=node.debug_name)
        if node.op == RETURN and "return_names" not in facts:
            node = replace(node, debug_name="")
        made = replace(
            node,
            name=f"%{position}",
            inputs=tuple(self._operand(func, operand) for operand in node.inputs),
            callee=None if node.callee is None else self._operand(func, node.callee),
            abstract=NULL_TYPE if node.op == RETURN and "return_types" not in facts else self.type(node.abstract),
            primitive_attrs=self.attrs(node.primitive_attrs) if self._has_attrs(node) else NO_ATTRS,
            locations=self._places(node.locations),
            targets=tuple(self._operand(func, t) for t in node.targets) if "targets" in facts else (),
        )
        return replace(made, **self._blank) if self._blank else made

    def _has_attrs(self, node: CNode) -> bool:
        return "attrs" in self.facts and (node.op_kind != "S-Prim" or "signature_attrs" in self.facts)

    def _operand(self, func: FuncGraph, operand: Operand) -> Operand:
        if isinstance(operand, NodeRef):
            owner = operand.graph or func.name
            name = self._names.get((owner, operand.name), operand.name)
            graph = None if operand.graph is None else self._graphs.get(operand.graph, operand.graph)
            return NodeRef(name, graph, self._use_type(operand.abstract))
        if isinstance(operand, GraphRef):
            return GraphRef(self._graphs.get(operand.name, operand.name), self._use_type(operand.abstract))
        known = self.type(operand.abstract) if "constant_types" in self.facts else NULL_TYPE
        return ValueNode(self.value(operand.value), known)

    def _use_type(self, abstract: Abstract | None) -> Abstract | None:
        return self.type(abstract) if abstract is not None and "use_types" in self.facts else None

    def _places(self, places: tuple[Location, ...]) -> tuple[Location, ...]:
        if "locations" not in self.facts:
            return ()
        if "call_stacks" not in self.facts:
            places = tuple(place for place in places if not place.role)[:1]
        if "location_details" in self.facts:
            return places
        found = self._locations.get(places)
        if found is None:
            found = self._locations[places] = tuple(self._location(place) for place in places)
        return found

    def _location(self, place: Location) -> Location:
        if "location_details" in self.facts:
            return place
        return Location(place.file, place.line, code=place.code.strip())

    def type(self, abstract: Abstract) -> Abstract:
        """A type cut down to the facts."""
        if "types" not in self.facts:
            return NULL_TYPE
        found = self._types.get(abstract)
        if found is None:
            found = self._types[abstract] = self._type(abstract, False)
        return found

    def _type(self, abstract: Abstract, inside: bool) -> Abstract:
        facts = self.facts
        detailed = "type_details" in facts
        if isinstance(abstract, RefType):
            tensor = self._type(abstract.tensor, inside)
            if "refs" not in facts or not isinstance(tensor, TensorType):
                return tensor
            return replace(abstract, tensor=tensor) if detailed else RefType(tensor)
        if isinstance(abstract, TensorType):
            if inside and "element_shapes" not in facts:
                abstract = replace(abstract, shape=None)
            return abstract if detailed else TensorType(abstract.dtype, abstract.shape)
        if isinstance(abstract, SequenceType) and abstract.elements is not None:
            elements = tuple(self._type(element, True) for element in abstract.elements)
            return replace(abstract, elements=elements) if detailed else SequenceType(abstract.kind, elements)
        if isinstance(abstract, ScalarType):
            return abstract if detailed else ScalarType(abstract.name)
        return abstract

    def attrs(self, attrs: Attrs) -> Attrs:
        """Attributes with their values cut down to the facts."""
        if not attrs:
            return NO_ATTRS
        found = self._attrs.get(attrs)
        if found is None:
            items = {name: self.value(value) for name, value in attrs.items()}
            if "value_kinds" not in self.facts:
                items = {name: Str(_plain_text(value)) for name, value in items.items()}
            found = self._attrs[attrs] = Attrs(items)
        return found

    def value(self, value: Value) -> Value:
        """A value cut down to the facts."""
        if isinstance(value, Scalar):
            kind = value.kind if "value_kinds" in self.facts else ""
            rough = isinstance(value.value, float) and "exact_floats" not in self.facts
            return Scalar(kind, _rounded(value.value) if rough else value.value)
        if isinstance(value, Named) and "named_values" not in self.facts:
            return Named("", "")
        if isinstance(value, TypeValue) and "type_values" not in self.facts:
            return TypeValue("")
        if isinstance(value, TensorValue) and "tensor_numbers" not in self.facts:
            return TensorValue(value.dtype, value.shape)
        if isinstance(value, Sequence):
            return Sequence(value.kind, tuple(self.value(item) for item in value.items))
        if isinstance(value, DictValue):
            return DictValue(tuple((self.value(key), self.value(item)) for key, item in value.items))
        return value


def _rounded(number: float) -> float:
    """A float as the files with the fewest digits have it: six decimals (to 1.6), six digits."""
    return float(f"{round(number, 6):.5g}")


def _plain_text(value: Value) -> str:
    """A value as a label shows it, without telling a number from a string."""
    if isinstance(value, Scalar):
        if isinstance(value.value, bool):
            return "true" if value.value else "false"
        return repr(_rounded(value.value)).removesuffix(".0") if isinstance(value.value, float) else str(value.value)
    if isinstance(value, Str):
        return value.value
    if isinstance(value, NoneValue):
        return "None"
    if isinstance(value, TypeValue | Named):
        return value.name
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, Sequence):
        inner = ", ".join(_plain_text(item) for item in value.items)
        return f"[{inner}]" if value.kind == "List" else f"({inner})"
    return str(value)


def _sorted(func: FuncGraph) -> tuple[CNode, ...]:
    """The CNodes so that each comes after what it uses, from the last one (Return), the first input
    first; nodes it does not need stand before it, sorted from each of them in the file's order."""
    nodes = {node.name: node for node in func.nodes}
    found: list[CNode] = []
    seen: set[str] = set()
    for root in (*func.nodes[-1:], *func.nodes[:-1]):
        stack = [(root, False)]
        while stack:
            node, done = stack.pop()
            if done:
                found.append(node)
            elif node.name not in seen:
                seen.add(node.name)
                stack.append((node, True))
                for operand in reversed((node.callee, *node.inputs)):
                    if isinstance(operand, NodeRef) and operand.graph is None and operand.name in nodes:
                        stack.append((nodes[operand.name], False))
        if root is func.nodes[-1]:
            last = found.pop()
    return (*found, last) if func.nodes else ()

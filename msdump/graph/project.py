"""A graph cut down to what a format can hold, and what is lost of it, counted.

`project` is the law of every writer: what a format (or a dialect of .ir) with some capabilities reads
back of what it wrote is the graph projected onto them. `losses` counts what the projection takes away,
and `refuse_loss` is how a writer says so. Two files that show the same net are compared by projecting
both onto the capabilities that both have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from msdump.capability import CAPABILITIES, EVERYTHING
from msdump.errors import LossError
from msdump.graph.abstract import NULL_TYPE, Abstract
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.node import CNode, GraphRef, Location, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.project_types import cut_type
from msdump.graph.project_values import cut_value, plain
from msdump.graph.value import NO_ATTRS, Attrs, Str, Value

_FIELDS = {
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
    "other_attrs": "other_attrs",
    "targets": "targets",
}
"""Fields of a CNode that one capability holds as a whole."""
_BLANK = CNode("", "")
K = TypeVar("K")
V = TypeVar("V")


def project(graph: Graph, capabilities: Iterable[str]) -> Graph:
    """The graph as a format with these capabilities holds it: what it cannot hold is taken away.

    Parameters and subgraphs are named by position where their names are not held.
    """
    return _Projection(graph, frozenset(capabilities)).graph()


def losses(graph: Graph, capabilities: Iterable[str]) -> dict[str, int]:
    """How often this graph has something that a format with these capabilities cannot hold.

    Returns:
        capability → in how many nodes, parameters, values …; {} when nothing is lost.
    """
    held = frozenset(capabilities)
    missing = EVERYTHING - held
    lost: Counter[str] = Counter()
    if "weights" in missing:
        lost["weights"] = sum(p.default is not None for f in graph.funcs.values() for p in f.parameters)
    if missing - {"weights"}:
        projection = _Projection(graph, held)
        projection.graph()
        lost.update(projection.lost)
    return {name: lost[name] for name in CAPABILITIES if lost[name]}


def refuse_loss(graph: Graph, capabilities: Iterable[str], format: str, lossy: bool) -> None:
    """Raise LossError when a format with these capabilities cannot hold everything, unless `lossy`."""
    if not lossy and (found := losses(graph, capabilities)):
        raise loss_error(found, format)


def loss_error(found: dict[str, int], format: str) -> LossError:
    """The error of a writer that would lose what `losses` found."""
    named = tuple(f"{CAPABILITIES.get(name, name)} ({count:,})" for name, count in found.items())
    return LossError(f"{format} cannot hold {', '.join(named)}", named, "--lossy (lossy=True) leaves them out")


class _Projection:
    """One graph on the way to a few capabilities; equal parts give the same object.

    `lost` counts what was taken away, by the capability that would hold it.
    """

    def __init__(self, source: Graph, held: frozenset[str]) -> None:
        self.source = source
        self.held = held
        self.lost: Counter[str] = Counter()
        self._types: dict[Abstract, tuple[Abstract, Counter[str]]] = {}
        self._attrs: dict[Attrs, tuple[Attrs, Counter[str]]] = {}
        self._locations: dict[tuple[Location, ...], tuple[tuple[Location, ...], Counter[str]]] = {}
        ordered = "order" in held
        self._nodes = {func.name: func.nodes if ordered else _sorted(func) for func in source.funcs.values()}
        self._fields = [(name, what, getattr(_BLANK, name)) for name, what in _FIELDS.items() if what not in held]
        named = "graph_names" in held
        self._graphs = {name: name if named else f"g{i}" for i, name in enumerate(self._in_order())}
        self._used = {} if "unused_types" in held or "inner_types" not in held else _first_uses(source)

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

    def keep(self, capability: str, value: V, without: V) -> V:
        """A value that a capability holds, or what stands for it without: counted when it is another."""
        if capability in self.held or value == without:
            return value
        self.lost[capability] += 1
        return without

    def _once(self, cache: dict[K, tuple[V, Counter[str]]], key: K, make: Callable[[K], V]) -> V:
        """`make(key)`, made once; what it loses is counted at each use."""
        found = cache.get(key)
        if found is None:
            before, self.lost = self.lost, Counter()
            found = cache[key] = (make(key), self.lost)
            self.lost = before
        if found[1]:
            self.lost.update(found[1])
        return found[0]

    def graph(self) -> Graph:
        source = self.source
        if "graph_names" not in self.held:
            self.lost["graph_names"] += len(source.funcs)
        funcs = {self._graphs[func.name]: self._func(func) for func in source.funcs.values()}
        return Graph(
            self._graphs.get(source.entry, source.entry),
            MappingProxyType(funcs),
            self._graph_attrs(source.attrs),
            self.keep("jit_config", source.jit_config, None),
            self.keep("counts", source.counts, None),
            self.keep("comments", source.comments, ()),
        )

    def _graph_attrs(self, attrs: Attrs) -> Attrs:
        attrs = self.keep("graph_attrs", attrs, NO_ATTRS)
        if "graph_attr_kinds" in self.held:
            return self.attrs(attrs)
        texts = {name: self.keep("graph_attr_kinds", value, Str(plain(value))) for name, value in attrs.items()}
        return Attrs(texts)

    def _func(self, func: FuncGraph) -> FuncGraph:
        parent = self.keep("parents", func.parent, None)
        location = self.keep("graph_details", func.location, None)
        comments = self.keep("graph_details", func.comments, ())
        return FuncGraph(
            self._graphs[func.name],
            tuple(self._parameter(func, i, p) for i, p in enumerate(func.parameters)),
            tuple(self._node(func, node) for node in self._nodes[func.name]),
            attrs=self._graph_attrs(func.attrs),
            location=None if location is None else self._location(location),
            parent=None if parent is None else self._graphs.get(parent, parent),
            flags=self.keep("graph_details", func.flags, NO_ATTRS),
            side_effects=self.keep("side_effects", func.side_effects, None),
            order=self.keep("order", func.order, None),
            symbol_engine=self.keep("symbol_engine", func.symbol_engine, None),
            comments=self.keep("comments", comments, ()),
            constants=self.keep("order", func.constants, ()),
            detached=self.keep("order", func.detached, ()),
        )

    def _parameter_name(self, func: str, name: str) -> str:
        """The name of a parameter, or of anything else that a reference to this FuncGraph names."""
        if "parameter_names" in self.held or func not in self.source.funcs:
            return name
        found = (f"para{i}" for i, p in enumerate(self.source.funcs[func].parameters) if p.name == name)
        return next(found, name)

    def _parameter(self, func: FuncGraph, position: int, parameter: Parameter) -> Parameter:
        abstract = parameter.abstract
        if func.name != self.source.entry:
            abstract = self.keep("inner_types", abstract, NULL_TYPE)
            if "unused_types" not in self.held and "inner_types" in self.held:
                abstract = self.keep("unused_types", abstract, self._used.get((func.name, parameter.name), NULL_TYPE))
        return Parameter(
            self.keep("parameter_names", parameter.name, f"para{position}"),
            self.type(abstract),
            self.keep("defaults", parameter.has_default, False),
            attrs=self.attrs(self.keep("parameter_details", parameter.attrs, NO_ATTRS)),
            location=self.keep("parameter_details", parameter.location, None),
            symbols=self.keep("parameter_symbols", parameter.symbols, None),
            device=self.keep("device", parameter.device, None),
            is_weight=self.keep("device", parameter.is_weight, None),
        )

    def _node(self, func: FuncGraph, node: CNode) -> CNode:
        if node.op == RETURN:
            node = self._return(func, node)
        if node.scope and node.op_number is None:
            node = replace(node, scope=self.keep("bare_scopes", node.scope, ""))
        attrs = self.keep("attrs", node.primitive_attrs, NO_ATTRS)
        if node.op_kind == "S-Prim":
            attrs = self.keep("signature_attrs", attrs, NO_ATTRS)
        blank: dict[str, Any] = {name: self.keep(what, getattr(node, name), none) for name, what, none in self._fields}
        node = replace(node, **blank) if blank else node
        return replace(
            node,
            inputs=tuple(self._operand(func, operand) for operand in node.inputs),
            callee=None if node.callee is None else self._operand(func, node.callee),
            abstract=self.type(node.abstract),
            primitive_attrs=self.attrs(attrs),
            cnode_attrs=self.attrs(node.cnode_attrs),
            primal_attrs=self.attrs(node.primal_attrs),
            other_attrs=tuple((label, self.attrs(group)) for label, group in node.other_attrs),
            locations=self._places(node.locations),
            targets=tuple(self._operand(func, t) for t in node.targets),
        )

    def _return(self, func: FuncGraph, node: CNode) -> CNode:
        bare = CNode(node.name, RETURN, node.inputs, node.abstract, debug_name=node.debug_name)
        node = self.keep("return_facts", node, bare)
        if "order" not in self.held or node.name not in (func.order or ()):
            node = replace(node, debug_name=self.keep("return_names", node.debug_name, ""))
        if "return_types" not in self.held:
            node = replace(node, abstract=NULL_TYPE)
        return node

    def _operand(self, func: FuncGraph, operand: Operand) -> Operand:
        if isinstance(operand, NodeRef):
            name = self._parameter_name(operand.graph or func.name, operand.name)
            owner = None if operand.graph is None else self._graphs.get(operand.graph, operand.graph)
            return NodeRef(name, owner, self._use_type(func, operand))
        if isinstance(operand, GraphRef):
            abstract = self.keep("use_types", operand.abstract, None)
            return GraphRef(self._graphs.get(operand.name, operand.name), abstract and self.type(abstract))
        known = self.type(self.keep("constant_types", operand.abstract, NULL_TYPE))
        told = operand.abstract if "constant_types" in self.held else None
        return ValueNode(cut_value(operand.value, told, self.keep, self.held), known)

    def _use_type(self, func: FuncGraph, operand: NodeRef) -> Abstract | None:
        seen = operand.abstract
        first = self._used.get((operand.graph or func.name, operand.name)) if self._used else None
        if first is not None:
            # The parameter has the type of its first use; only uses of another type tell theirs.
            owner = self.source.funcs[operand.graph or func.name]
            own = next((p.abstract for p in owner.parameters if p.name == operand.name), NULL_TYPE)
            seen = None if (seen or own) == first else seen or own
        seen = self.keep("use_types", seen, None)
        return None if seen is None else self.type(seen)

    def _places(self, places: tuple[Location, ...]) -> tuple[Location, ...]:
        places = self.keep("locations", places, ())
        if "call_stacks" not in self.held:
            places = self.keep("call_stacks", places, tuple(place for place in places if not place.role)[:1])
        return self._once(self._locations, places, lambda given: tuple(map(self._location, given)))

    def _location(self, place: Location) -> Location:
        place = self.keep("location_columns", place, replace(place, end_line=None, column=None, end_column=None))
        if "location_details" in self.held:
            return place
        bare = Location(place.file, place.line, place.end_line, place.column, place.end_column, place.code.strip())
        return self.keep("location_details", place, bare)

    def type(self, abstract: Abstract) -> Abstract:
        """A type cut down to the capabilities."""
        if "types" not in self.held:
            return self.keep("types", abstract, NULL_TYPE)
        return self._once(self._types, abstract, lambda given: cut_type(given, self.keep))

    def attrs(self, attrs: Attrs) -> Attrs:
        """Attributes with their values cut down to the capabilities."""
        return self._once(self._attrs, attrs, self._cut_attrs) if attrs else NO_ATTRS

    def _cut_attrs(self, attrs: Attrs) -> Attrs:
        items: dict[str, Value] = {}
        for name, value in attrs.items():
            items[name] = cut_value(value, None, self.keep, self.held)
        return Attrs(items)


def _first_uses(graph: Graph) -> dict[tuple[str, str], Abstract]:
    """Parameters of subgraphs, by the name of the FuncGraph and their own, and the type of their first use."""
    own = {
        (func.name, p.name): p.abstract
        for func in graph.funcs.values()
        if func.name != graph.entry
        for p in func.parameters
    }
    found: dict[tuple[str, str], Abstract] = {}
    for func, operand in _uses(graph):
        key = (operand.graph or func.name, operand.name)
        if key in own and key not in found:
            found[key] = operand.abstract or own[key]
    return found


def _uses(graph: Graph) -> Iterator[tuple[FuncGraph, NodeRef]]:
    for func, node in graph.iter_nodes():
        for operand in node.inputs:
            if isinstance(operand, NodeRef):
                yield func, operand


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


__all__ = ["CAPABILITIES", "EVERYTHING", "loss_error", "losses", "plain", "project", "refuse_loss"]

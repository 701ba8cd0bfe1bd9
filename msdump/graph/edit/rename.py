"""New names for nodes, parameters and subgraphs, with everything that refers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from msdump.errors import GraphError
from msdump.graph.abstract import Abstract, DictType, KeywordType, RefType, SequenceType
from msdump.graph.edit.rewriter import Key
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.node import CNode, GraphRef, NodeRef, Operand, ValueNode


def rename_nodes(graph: Graph, names: Mapping[str, str], func: str = "") -> Graph:
    """The graph with nodes of a FuncGraph (the entry by itself) named anew: old name → new one.

    It equals the graph it was made of: what a node is called means nothing. GraphError when there is
    no such node, or a new name is taken.
    """
    key = func or graph.entry
    holder = _holder(graph, key)
    nodes = [node.name for node in holder.nodes]
    _check(f"node of @{key}", nodes, [p.name for p in holder.parameters], names)
    return _Renaming(graph, {(key, old): new for old, new in names.items()}, {}).graph()


def rename_parameter(graph: Graph, old: str, new: str, func: str = "") -> Graph:
    """The graph with a parameter named anew, its uses and the types that name it as their ref_key too.

    GraphError when there is no such parameter, or the name is taken.
    """
    key = func or graph.entry
    holder = _holder(graph, key)
    _check(f"parameter of @{key}", [p.name for p in holder.parameters], [n.name for n in holder.nodes], {old: new})
    return _Renaming(graph, {(key, old): new}, {}, old if key == graph.entry else None).graph()


def rename_graph(graph: Graph, old: str, new: str) -> Graph:
    """The graph with a FuncGraph named anew, in its calls, references, children and execution orders too.

    GraphError when there is no such FuncGraph, or the name is taken.
    """
    _check("subgraph", graph.funcs, graph.elsewhere, {old: new})
    return _Renaming(graph, {}, {old: new}).graph()


def _holder(graph: Graph, key: str) -> FuncGraph:
    if key not in graph.funcs:
        raise GraphError(f"there is no subgraph @{key}", hint="it has: " + ", ".join(f"@{f}" for f in graph.funcs))
    return graph.funcs[key]


def _check(what: str, own: Iterable[str], others: Iterable[str], names: Mapping[str, str]) -> None:
    own = list(own)
    for old in names:
        if old not in own:
            raise GraphError(f"there is no {what} called {old}")
    after = [*(names.get(name, name) for name in own), *others]
    for new in names.values():
        if after.count(new) > 1:
            raise GraphError(f"the name {new} is taken")


class _Renaming:
    """One pass over a graph that puts new names in place of old ones."""

    def __init__(
        self, graph: Graph, values: Mapping[Key, str], graphs: Mapping[str, str], ref_key: str | None = None
    ) -> None:
        self._graph = graph
        self._values = values
        self._graphs = graphs
        self._ref_key = ref_key
        self._index = GraphIndex(graph)
        self._types: dict[Abstract, Abstract] = {}

    def graph(self) -> Graph:
        funcs = {self._named(key): self._func(func) for key, func in self._graph.funcs.items()}
        return replace(self._graph, entry=self._named(self._graph.entry), funcs=MappingProxyType(funcs))

    def _named(self, graph: str) -> str:
        return self._graphs.get(graph, graph)

    def _func(self, func: FuncGraph) -> FuncGraph:
        def value(name: str) -> str:
            return self._values.get((func.name, name), name)

        return replace(
            func,
            name=self._named(func.name),
            parent=None if func.parent is None else self._named(func.parent),
            parameters=tuple(replace(p, name=value(p.name), abstract=self._type(p.abstract)) for p in func.parameters),
            nodes=tuple(self._node(func.name, value, node) for node in func.nodes),
            order=None if func.order is None else tuple(map(value, func.order)),
            detached=tuple(
                replace(
                    d,
                    graph=None if d.graph is None else self._named(d.graph),
                    items=tuple((kind, self._named(text) if kind == "FuncGraph" else text) for kind, text in d.items),
                )
                for d in func.detached
            ),
        )

    def _node(self, func: str, value: Callable[[str], str], node: CNode) -> CNode:
        return replace(
            node,
            name=value(node.name),
            inputs=tuple(self._operand(func, operand) for operand in node.inputs),
            callee=None if node.callee is None else self._operand(func, node.callee),
            targets=tuple(self._operand(func, operand) for operand in node.targets),
            abstract=self._type(node.abstract),
        )

    def _operand(self, func: str, operand: Operand) -> Operand:
        abstract = None if operand.abstract is None else self._type(operand.abstract)
        if isinstance(operand, GraphRef):
            return GraphRef(self._named(operand.name), abstract)
        if isinstance(operand, ValueNode):
            return operand
        owner = self._index.owner(func, operand)
        if owner is None:
            return replace(operand, abstract=abstract)
        name = self._values.get((owner, operand.name), operand.name)
        return NodeRef(name, None if owner == func else self._named(owner), abstract)

    def _type(self, abstract: Abstract) -> Abstract:
        """A type with the ref_key renamed that names the parameter."""
        if self._ref_key is None:
            return abstract
        found = self._types.get(abstract)
        if found is None:
            found = self._types[abstract] = self._retyped(abstract, self._ref_key)
        return found

    def _retyped(self, abstract: Abstract, old: str) -> Abstract:
        if isinstance(abstract, RefType) and abstract.ref_key == old:
            return replace(abstract, ref_key=self._values[self._graph.entry, old])
        if isinstance(abstract, (SequenceType, DictType)) and abstract.elements is not None:
            return replace(abstract, elements=tuple(map(self._type, abstract.elements)))
        if isinstance(abstract, KeywordType):
            return replace(abstract, element=self._type(abstract.element))
        return abstract

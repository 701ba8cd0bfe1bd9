"""A part of a graph as a graph of its own: what it takes from outside becomes its parameters."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from msdump.errors import GraphError
from msdump.graph.abstract import NULL_TYPE, Abstract, MonadType, SequenceType
from msdump.graph.edit.rewriter import Key, counted, with_operands
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.names import is_generated
from msdump.graph.node import RETURN, CNode, GraphRef, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.value import Monad, NoneValue
from msdump.graph.walk import called, operands_within, preorder

Direction = Literal["upstream", "downstream", "both"]


def neighbours(
    graph: Graph, name: str, func: str = "", *, depth: int | None = 1, direction: Direction = "both"
) -> frozenset[str]:
    """Names of the nodes around a node, within its FuncGraph, itself included and the Return not.

    Args:
        graph: the graph.
        name: the node.
        func: its FuncGraph, the entry by itself.
        depth: over how many edges; None for as many as there are.
        direction: "upstream" for what the node needs, "downstream" for what needs it.

    Raises:
        GraphError: there is no such node.
    """
    holder = _holder(graph, func)
    nodes = {node.name: node for node in holder.nodes if node.op != RETURN}
    if name not in nodes:
        raise GraphError(f"there is no node {name} in @{holder.name}, or it is its Return")
    above = operands_within(holder.name, nodes)
    users: dict[str, list[str]] = {own: [] for own in nodes}
    for user in nodes:
        for operand in above(user):
            users[operand].append(user)
    found = {name}
    for way, other in ((above, "downstream"), (users.__getitem__, "upstream")):
        seen, edge, steps = {name}, {name}, 0
        while direction != other and edge and (depth is None or steps < depth):
            edge = {node for at in edge for node in way(at)} - seen
            seen |= edge
            steps += 1
        found |= seen
    return frozenset(found)


def extract(graph: Graph, nodes: Collection[str], func: str = "", *, outputs: Collection[str] = ()) -> Graph:
    """A new Graph of some nodes of a FuncGraph, with their inputs as its parameters.

    A parameter that is used stays one (a weight with its values). Each other output from outside
    becomes a parameter of its type, a monad a constant. Subgraphs that the nodes call come along,
    what they use freely becomes a parameter too. Nodes keep their names and all that is said of them.

    Args:
        graph: the graph.
        nodes: names of nodes; with the FuncGraph's Return among them, that is what is returned.
        func: their FuncGraph, the entry by itself.
        outputs: those of them that the new graph returns, as a tuple when they are several; by
            itself those that are used outside, or by nothing.

    Raises:
        GraphError: there are no such nodes.
    """
    holder = _holder(graph, func)
    wanted = set(nodes)
    left = wanted.union(outputs) - {node.name for node in holder.nodes}
    if left or not wanted:
        raise GraphError(f"there is no node {', '.join(sorted(left)) or 'at all'} in @{holder.name}")
    return _Extraction(graph, holder, wanted.union(outputs), frozenset(outputs)).graph()


def _holder(graph: Graph, func: str) -> FuncGraph:
    key = func or graph.entry
    if key not in graph.funcs:
        raise GraphError(f"there is no subgraph @{key}", hint="it has: " + ", ".join(f"@{f}" for f in graph.funcs))
    return graph.funcs[key]


class _Extraction:
    """A part on its way to a graph."""

    def __init__(self, graph: Graph, holder: FuncGraph, wanted: set[str], outputs: frozenset[str]) -> None:
        self._source = graph
        self._holder = holder
        self._outputs = outputs
        self._index = GraphIndex(graph)
        self._kept = [node for node in holder.nodes if node.name in wanted and node.op != RETURN]
        self._own = {node.name for node in self._kept}
        self._return = next((n for n in holder.nodes if n.name in wanted and n.op == RETURN and n.inputs), None)
        self._called = self._reached()
        self._entry = holder.name
        while self._entry in self._called:
            self._entry += "_part"
        self._parameters: dict[Key, Parameter] = {}
        self._taken = {node.name for node in holder.nodes}

    def _reached(self) -> dict[str, FuncGraph]:
        """The subgraphs that the nodes call or pass on, and those that these do."""
        funcs = self._source.funcs
        first = called([*self._kept, *([self._return] if self._return else [])])
        found = set(preorder(first, lambda name: called(funcs[name].nodes) if name in funcs else ()))
        return {key: func for key, func in funcs.items() if key in found}

    def graph(self) -> Graph:
        holder = self._holder
        nodes = [self._node(node, holder.name, self._entry) for node in self._kept]
        nodes += self._end()
        funcs = {key: self._func(func) for key, func in self._called.items()}
        order = holder.order
        if order is not None:
            old = [name for name in order if name in self._own]
            order = (*old, *(node.name for node in nodes if node.name not in set(old)))
        entry = replace(
            holder,
            name=self._entry,
            parameters=tuple(self._parameters.values()),
            nodes=tuple(nodes),
            parent=None,
            order=order,
            detached=(),
            constants=(),
            comments=(),
        )
        made = {self._entry: entry, **funcs}
        made = {key: made[key] for key in (*(k for k in self._source.funcs if k in made), *made)}  # in the old order
        counts = None if self._source.counts is None else counted(made)
        return replace(self._source, entry=self._entry, funcs=MappingProxyType(made), comments=(), counts=counts)

    def _func(self, func: FuncGraph) -> FuncGraph:
        parent = func.parent if func.parent is None or func.parent in self._called else self._entry
        nodes = tuple(self._node(node, func.name, func.name) for node in func.nodes)
        return replace(func, parent=parent, nodes=nodes)

    def _node(self, node: CNode, at: str, to: str) -> CNode:
        targets = tuple(t for t in node.targets if not isinstance(t, GraphRef) or t.name in self._called)
        return replace(with_operands(node, lambda operand: self._operand(operand, at, to)), targets=targets)

    def _operand(self, operand: Operand, at: str, to: str) -> Operand:
        """An operand of the old graph's FuncGraph `at`, as it is written in `to` of the new one."""
        owner = self._index.owner(at, operand) if isinstance(operand, NodeRef) else None
        if owner is None or not isinstance(operand, NodeRef):
            return operand
        if owner in self._called and at != self._holder.name:
            return replace(operand, graph=None if owner == to else owner)
        entry = None if to == self._entry else self._entry
        if owner == self._holder.name and operand.name in self._own:
            return replace(operand, graph=entry)
        producer = self._index.producer(at, operand)
        assert producer is not None  # it has an owner
        monad = _monad(producer)
        if monad is not None:
            return ValueNode(Monad(monad.kind.removesuffix("Monad")), monad)
        return replace(operand, name=self._parameter((owner, operand.name), producer), graph=entry)

    def _parameter(self, key: Key, producer: CNode | Parameter) -> str:
        found = self._parameters.get(key)
        if found is None:
            if isinstance(producer, Parameter):
                label, made = producer.name, producer
            else:
                label = _label(producer)
                made = Parameter(label, producer.abstract)
            name, number = label, 0
            while name in self._taken:
                number += 1
                name = f"{label}_{number}"
            self._taken.add(name)
            found = self._parameters[key] = replace(made, name=name)
        return found.name

    def _end(self) -> list[CNode]:
        """What returns the outputs: a Return, before it a tuple of several, and what monads wait for."""
        if self._return is not None:
            return [self._node(self._return, self._holder.name, self._entry)]
        outputs = [node for node in self._kept if self._is_output(node)] or self._kept[-1:]
        values = [node for node in outputs if _monad(node) is None]
        made: list[CNode] = []
        result: Operand = ValueNode(NoneValue())
        abstract: Abstract = NULL_TYPE
        if len(values) == 1:
            result, abstract = NodeRef(values[0].name), values[0].abstract
        elif values:
            abstract = SequenceType("Tuple", tuple(node.abstract for node in values))
            made.append(self._new("MakeTuple", tuple(NodeRef(node.name) for node in values), abstract))
            result = NodeRef(made[-1].name)
        for node in outputs:
            if _monad(node) is not None:
                made.append(self._new("Depend", (result, NodeRef(node.name)), abstract))
                result = NodeRef(made[-1].name)
        made.append(self._new(RETURN, (result,), abstract))
        return made

    def _is_output(self, node: CNode) -> bool:
        users = self._index.users(self._holder.name, node.name)
        if self._outputs:
            return node.name in self._outputs
        holder = self._holder.name
        inside = sum(u.node.name in self._own if u.graph == holder else u.graph in self._called for u in users)
        return inside < len(users) or not users

    def _new(self, op: str, inputs: tuple[Operand, ...], abstract: Abstract) -> CNode:
        name, number = op, 0
        while name in self._taken:
            number += 1
            name = f"{op}_{number}"
        self._taken.add(name)
        listed = op != RETURN or self._holder.order is not None  # a Return is named in an execution order alone
        return CNode(name, op, inputs, abstract, debug_name=name if listed else "")


def _label(producer: CNode) -> str:
    """A name for the parameter in place of a node: what it loads, the user's name of it, or its operator."""
    first = producer.inputs[0] if producer.inputs else None
    if producer.op == "Load" and isinstance(first, NodeRef):
        return first.name
    known = not is_generated(producer.debug_name)
    return re.sub(r"\W+", "_", producer.debug_name if known else producer.op)


def _monad(producer: CNode | Parameter) -> MonadType | None:
    """The type of what is a token of side effects, None for a value."""
    if isinstance(producer.abstract, MonadType):
        return producer.abstract
    return MonadType("UMonad") if isinstance(producer, CNode) and producer.op == "UpdateState" else None

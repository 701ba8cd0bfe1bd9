"""A called subgraph's nodes put in the place of the call."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from msdump.errors import GraphError
from msdump.graph.edit.rewriter import Rewriter, recounted, unique, with_operands
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.node import CALL, RETURN, CNode, GraphRef, NodeRef, Operand


def inline(graph: Graph, name: str, func: str = "") -> Graph:
    """The graph with the nodes of a subgraph in place of a call of it.

    Its parameters become the operands of the call, uses of the call become uses of what the subgraph
    returns. Nodes keep scope and source lines. A subgraph that nothing calls any more is taken out,
    and its children go to the caller.

    Args:
        graph: the graph.
        name: the calling node.
        func: the FuncGraph it stands in, the entry by itself.

    Raises:
        GraphError: it calls no subgraph of the graph; the call is recursive or has another number
            of operands than there are parameters; the subgraph uses what the call gives; children
            use its nodes while others call it as well.
    """
    rewriter = Rewriter(graph)
    key = rewriter.func(func)
    call = rewriter.node(name, key)
    body = _body(graph, key, call)
    if any(use.graph == body.name for use in rewriter.users(name, key)):
        raise GraphError(f"@{body.name} uses the output of {name} of @{key}, which calls it")
    others = [at for at in rewriter.callers(body.name) if at != (key, name)]
    if others:
        _refuse_children(graph, body.name, others)
    made = _Inlining(graph, graph.funcs[key], call, body)
    funcs = {at: made.func(f) for at, f in graph.funcs.items() if others or at != body.name}
    return recounted(replace(graph, funcs=MappingProxyType(funcs)), graph)


def _body(graph: Graph, key: str, call: CNode) -> FuncGraph:
    if call.op != CALL or not isinstance(call.callee, GraphRef) or call.callee.name not in graph.funcs:
        raise GraphError(f"{call.name} ({call.op}) of @{key} calls no subgraph of this graph")
    body = graph.funcs[call.callee.name]
    at: str | None = key
    while at is not None and at in graph.funcs:
        if at == body.name:
            raise GraphError(f"{call.name} of @{key} calls @{body.name}, which it stands in")
        at = graph.funcs[at].parent
    if len(body.parameters) != len(call.inputs):
        takes, gives = len(body.parameters), len(call.inputs)
        raise GraphError(f"@{body.name} has {takes} parameters, {call.name} of @{key} has {gives} operands")
    if not body.nodes or body.nodes[-1].op != RETURN or not body.nodes[-1].inputs:
        raise GraphError(f"@{body.name} does not end in a Return")
    return body


def _refuse_children(graph: Graph, body: str, others: list[tuple[str, str]]) -> None:
    index = GraphIndex(graph)
    for func, node in graph.iter_nodes():
        for operand in (node.callee, *node.inputs):
            if func.name != body and isinstance(operand, NodeRef) and index.owner(func.name, operand) == body:
                called = ", ".join(f"{name} of @{at}" for at, name in others[:8])
                what = f"@{func.name} uses {operand.name} of @{body}, which {called} calls as well"
                raise GraphError(what, hint="inline those calls first, or rename a copy")


class _Inlining:
    """One call on its way to the nodes that it calls."""

    def __init__(self, graph: Graph, caller: FuncGraph, call: CNode, body: FuncGraph) -> None:
        self._index = GraphIndex(graph)
        self._caller, self._call, self._body = caller, call, body
        self._given = {p.name: operand for p, operand in zip(body.parameters, call.inputs, strict=True)}
        taken = {p.name for p in caller.parameters} | {n.name for n in caller.nodes}
        self._names: dict[str, str] = {}
        for node in body.nodes[:-1]:
            name, number = node.name, 0
            while name in taken:
                number += 1
                name = f"{node.name}.{number}"
            taken.add(name)
            self._names[node.name] = name
        debug = {n.debug_name for n in caller.nodes if n.name != call.name}
        self._debug: dict[str, str] = {}
        for node in body.nodes[:-1]:
            self._debug[node.name] = unique(node.debug_name, debug)
            debug.add(self._debug[node.name])

    def func(self, func: FuncGraph) -> FuncGraph:
        """A FuncGraph of the graph after the inlining."""
        at = func.name
        nodes = tuple(with_operands(node, lambda operand: self._operand(operand, at, at)) for node in func.nodes)
        parent = self._caller.name if func.parent == self._body.name and at != self._body.name else func.parent
        func = replace(func, nodes=nodes, parent=parent)
        return self._with_body(func) if at == self._caller.name else func

    def _with_body(self, func: FuncGraph) -> FuncGraph:
        call, body = self._call, self._body
        at = next(i for i, node in enumerate(func.nodes) if node.name == call.name)
        moved = tuple(
            replace(
                with_operands(node, lambda operand: self._operand(operand, body.name, func.name)),
                name=self._names[node.name],
                debug_name=self._debug[node.name],
            )
            for node in body.nodes[:-1]
        )
        more = len(moved) - 1
        constants = (
            *(c for c in func.constants if c[0] <= at),
            *((at + i, name, value) for i, name, value in body.constants),
            *((i + more, name, value) for i, name, value in func.constants if i > at),
        )
        func = replace(func, nodes=(*func.nodes[:at], *moved, *func.nodes[at + 1 :]), constants=constants)
        return self._ordered(func)

    def _ordered(self, func: FuncGraph) -> FuncGraph:
        """The execution order of the body in the place of the call's; "" stands for a detached node."""
        order, body = func.order, self._body
        if order is None or self._call.name not in order:
            return func
        at = order.index(self._call.name)
        own = body.order if body.order is not None else tuple(n.name for n in body.nodes)
        inner = [self._names.get(name, "") for name in own if name in self._names or name == ""]
        before = order[:at].count("")
        return replace(
            func,
            order=(*order[:at], *inner, *order[at + 1 :]),
            detached=(*func.detached[:before], *body.detached[: inner.count("")], *func.detached[before:]),
        )

    def _operand(self, operand: Operand, at: str, to: str) -> Operand:
        """An operand that stands in FuncGraph `at`, as it is written in `to`."""
        owner = self._index.owner(at, operand) if isinstance(operand, NodeRef) else None
        if owner is None or not isinstance(operand, NodeRef):
            return operand
        if (owner, operand.name) == (self._caller.name, self._call.name):
            return self._operand(self._body.nodes[-1].inputs[0], self._body.name, to)
        if owner == self._body.name and at == owner == to:
            return operand  # the subgraph itself stays as it is while others call it
        if owner == self._body.name and operand.name in self._given:
            return self._operand(self._given[operand.name], self._caller.name, to)
        if owner == self._body.name:
            return NodeRef(self._names[operand.name], None if to == self._caller.name else self._caller.name)
        return replace(operand, graph=None if owner == to else owner)

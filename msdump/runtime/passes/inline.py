"""Calls of known graphs replaced by the graph's own nodes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from msdump.graph import CALL, RETURN, CNode, FuncGraph, Graph, GraphRef, NodeRef, Operand
from msdump.runtime.passes.order import callees_first, recursive
from msdump.runtime.passes.substitute import (
    Key,
    drop_graphs,
    iter_operands,
    key_of,
    renumber,
    resolve,
    substitute,
)


def inline(graph: Graph) -> Graph:
    """Every `call @g` with g's nodes in its place, where g does not call itself.

    A graph whose nodes are used by closures is inlined where it is called once; called from several
    places it stays a graph, since its closures would have to be copied with it.
    """
    uses = _uses(graph)
    looping = recursive(graph)
    owners = _owners_of_free_variables(graph)
    inlinable = {
        name
        for name in graph.funcs
        if name != graph.entry
        and name not in looping
        and (name not in owners or uses[name] == 1)
        and graph.funcs[name].output is not None
    }
    mapping: dict[Key, Key | Operand] = {}
    parents: dict[str, str] = {}
    funcs = dict(graph.funcs)
    for name in callees_first(graph):
        funcs[name] = _inline_into(funcs[name], funcs, inlinable, owners, mapping, parents)
    for name, func in funcs.items():
        parent = func.parent
        while parent in parents:
            parent = parents[parent]
        if parent != func.parent:
            funcs[name] = replace(func, parent=None if parent == name else parent)
    return renumber(drop_graphs(substitute(replace(graph, funcs=funcs), mapping)))


def _inline_into(
    func: FuncGraph,
    funcs: dict[str, FuncGraph],
    inlinable: set[str],
    owners: set[str],
    mapping: dict[Key, Key | Operand],
    parents: dict[str, str],
) -> FuncGraph:
    nodes: list[CNode] = []
    copies = 0
    for node in func.nodes:
        callee = node.callee
        if node.op != CALL or not isinstance(callee, GraphRef) or callee.name not in inlinable:
            nodes.append(node)
            continue
        body = funcs[callee.name]
        local: dict[Key, Key | Operand] = {}
        for parameter, argument in zip(body.parameters, node.inputs, strict=True):
            local[(body.name, parameter.name)] = _as_seen(func, argument)
        for inner in body.nodes:
            if inner.op == RETURN:
                continue
            copies += 1
            fresh = f"{node.name}.{copies}"
            nodes.append(
                replace(
                    inner,
                    name=fresh,
                    inputs=tuple(_moved(body, func, o, local, mapping) for o in inner.inputs),
                    callee=None if inner.callee is None else _moved(body, func, inner.callee, local, mapping),
                )
            )
            local[(body.name, inner.name)] = (func.name, fresh)
        output = body.output
        assert output is not None
        mapping[(func.name, node.name)] = _as_seen(func, _moved(body, func, output, local, mapping))
        if body.name in owners:
            mapping.update(local)
            parents[body.name] = func.name
    return replace(func, nodes=tuple(nodes))


def _as_seen(func: FuncGraph, operand: Operand) -> Key | Operand:
    return key_of(func, operand) if isinstance(operand, NodeRef) else operand


def _moved(
    body: FuncGraph,
    func: FuncGraph,
    operand: Operand,
    local: dict[Key, Key | Operand],
    mapping: dict[Key, Key | Operand],
) -> Operand:
    """An operand of `body`, as an operand of `func` where the body now stands."""
    if not isinstance(operand, NodeRef):
        return operand
    end = resolve(key_of(body, operand), mapping)
    if isinstance(end, tuple):
        end = local.get(end, end)
    if not isinstance(end, tuple):
        return end
    owner, name = end
    return NodeRef(name, None if owner == func.name else owner)


def _uses(graph: Graph) -> Counter[str]:
    """How often each FuncGraph is referred to, called or taken as a value."""
    return Counter(
        operand.name
        for _, node in graph.iter_nodes()
        for operand in iter_operands(node)
        if isinstance(operand, GraphRef)
    )


def _owners_of_free_variables(graph: Graph) -> set[str]:
    return {
        operand.graph
        for _, node in graph.iter_nodes()
        for operand in iter_operands(node)
        if isinstance(operand, NodeRef) and operand.graph
    }

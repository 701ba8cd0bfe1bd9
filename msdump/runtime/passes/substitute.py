"""Replacing operands and dropping nodes throughout a graph, free variables included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from msdump.graph import CNode, FuncGraph, Graph, GraphRef, NodeRef, Operand
from msdump.graph.walk import preorder

Replacement: TypeAlias = "Callable[[FuncGraph, Operand], Operand]"
Key: TypeAlias = tuple[str, str]
"""A node or parameter anywhere in a graph: its FuncGraph's name and its own."""


def key_of(func: FuncGraph, operand: NodeRef) -> Key:
    """The node an operand of `func` refers to; `graph` is set when it belongs to another."""
    return (operand.graph or func.name, operand.name)


def iter_operands(node: CNode) -> Iterator[Operand]:
    """What a node uses: the callee first where it is an operand, then the inputs."""
    if node.callee is not None:
        yield node.callee
    yield from node.inputs


def resolve(key: Key, mapping: Mapping[Key, Key | Operand]) -> Key | Operand:
    """Follow a chain of replacements to its end."""
    found: Key | Operand = key
    while isinstance(found, tuple) and found in mapping:
        found = mapping[found]
    return found


def substitute(graph: Graph, mapping: Mapping[Key, Key | Operand]) -> Graph:
    """`graph` with every use of a key replaced by another node (a key) or an operand of no owner.

    The replaced nodes themselves stay; `drop_dead` takes away what nothing uses any more.
    """
    if not mapping:
        return graph

    def one(func: FuncGraph, operand: Operand) -> Operand:
        if not isinstance(operand, NodeRef):
            return operand
        end = resolve(key_of(func, operand), mapping)
        if not isinstance(end, tuple):
            return end
        owner, name = end
        return NodeRef(name, None if owner == func.name else owner)

    return _with_operands(graph, one)


def _with_operands(graph: Graph, one: Replacement) -> Graph:
    funcs = {}
    for name, func in graph.funcs.items():
        nodes = []
        for node in func.nodes:
            inputs = tuple(one(func, operand) for operand in node.inputs)
            callee = None if node.callee is None else one(func, node.callee)
            changed = inputs != node.inputs or callee != node.callee
            nodes.append(replace(node, inputs=inputs, callee=callee) if changed else node)
        funcs[name] = replace(func, nodes=tuple(nodes))
    return replace(graph, funcs=funcs)


def renumber(graph: Graph) -> Graph:
    """Nodes named `%0`, `%1`, … by position in their FuncGraph, as readers name them."""
    names: dict[Key, str] = {
        (func.name, node.name): f"%{index}" for func in graph.funcs.values() for index, node in enumerate(func.nodes)
    }

    def one(func: FuncGraph, operand: Operand) -> Operand:
        if isinstance(operand, NodeRef) and (name := names.get(key_of(func, operand))) is not None:
            return operand if name == operand.name else NodeRef(name, operand.graph)
        return operand

    graph = _with_operands(graph, one)
    funcs = {
        name: replace(func, nodes=tuple(replace(node, name=f"%{i}") for i, node in enumerate(func.nodes)))
        for name, func in graph.funcs.items()
    }
    return replace(graph, funcs=funcs)


def drop_dead(graph: Graph) -> Graph:
    """Without the nodes that no Return needs and the FuncGraphs that nothing refers to."""
    nodes = {(func.name, node.name): (func, node) for func, node in graph.iter_nodes()}
    alive: set[Key] = set()
    funcs: set[str] = set()
    waiting_funcs = [graph.entry]
    waiting: list[Key] = []
    while waiting_funcs or waiting:
        if waiting_funcs:
            name = waiting_funcs.pop()
            if name in funcs or name not in graph.funcs:
                continue
            funcs.add(name)
            if graph.funcs[name].nodes:
                waiting.append((name, graph.funcs[name].nodes[-1].name))
            continue
        key = waiting.pop()
        if key in alive or key not in nodes:
            continue
        alive.add(key)
        func, node = nodes[key]
        for operand in iter_operands(node):
            if isinstance(operand, NodeRef):
                waiting.append(key_of(func, operand))
            elif isinstance(operand, GraphRef):
                waiting_funcs.append(operand.name)
    kept = {
        name: replace(func, nodes=tuple(n for n in func.nodes if (name, n.name) in alive))
        for name, func in graph.funcs.items()
        if name in funcs
    }
    return replace(graph, funcs=kept)


def drop_graphs(graph: Graph) -> Graph:
    """Without the FuncGraphs that nothing refers to any more; nodes stay, needed or not."""

    def below(name: str) -> list[str]:
        return [o.name for n in graph.funcs[name].nodes for o in iter_operands(n) if isinstance(o, GraphRef)]

    kept = set(preorder([graph.entry], lambda name: [n for n in below(name) if n in graph.funcs]))
    return replace(graph, funcs={name: func for name, func in graph.funcs.items() if name in kept})

"""Closures made plain: what a FuncGraph uses of others becomes its parameters.

A graph taken as a value (a branch of a Switch) is bound to them by Partial, as MindSpore does
before it executes.
"""

from __future__ import annotations

from dataclasses import replace

from msdump.graph import CALL, CNode, FuncGraph, FuncType, Graph, GraphRef, NodeRef, Operand, Parameter
from msdump.runtime.passes.order import callees
from msdump.runtime.passes.substitute import Key, iter_operands, key_of, renumber


def lift_closures(graph: Graph) -> Graph:
    """The same graph without free variables."""
    free = _free_variables(graph)
    if not any(free.values()):
        return graph
    types = {(func.name, p.name): p.abstract for func in graph.funcs.values() for p in func.parameters}
    types.update(((func.name, node.name), node.abstract) for func, node in graph.iter_nodes())
    funcs = {}
    for func in graph.funcs.values():
        names: dict[Key, str] = {}
        parameters = list(func.parameters)
        taken = {p.name for p in parameters}
        for key in free[func.name]:
            name = _unique(f"{key[0]}_{key[1][1:]}" if key[1].startswith("%") else key[1], taken)
            taken.add(name)
            names[key] = name
            parameters.append(Parameter(name, types[key]))
        funcs[func.name] = replace(
            func, parameters=tuple(parameters), nodes=tuple(_lifted(func, names, free)), parent=None
        )
    return renumber(replace(graph, funcs=funcs))


def _unique(name: str, taken: set[str]) -> str:
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    return found


def _lifted(func: FuncGraph, names: dict[Key, str], free: dict[str, list[Key]]) -> list[CNode]:
    nodes: list[CNode] = []

    def own(operand: Operand) -> Operand:
        if isinstance(operand, NodeRef):
            return _seen(func, key_of(func, operand), names, operand)
        return operand

    for node in func.nodes:
        inputs: list[Operand] = []
        for operand in node.inputs:
            if isinstance(operand, GraphRef) and free.get(operand.name):
                bound = tuple(_seen(func, key, names, NodeRef(key[1])) for key in free[operand.name])
                name = f"{node.name}.{len(nodes)}"
                nodes.append(
                    CNode(name, "Partial", (operand, *bound), FuncType(), scope=node.scope, locations=node.locations)
                )
                operand = NodeRef(name)
            inputs.append(own(operand))
        callee = None if node.callee is None else own(node.callee)
        if node.op == CALL and isinstance(callee, GraphRef):
            # Its own parameters come first, then what it used to take from around.
            inputs += [_seen(func, key, names, NodeRef(key[1])) for key in free.get(callee.name, ())]
        nodes.append(replace(node, inputs=tuple(inputs), callee=callee))
    return nodes


def _seen(func: FuncGraph, key: Key, names: dict[Key, str], operand: NodeRef) -> NodeRef:
    if key[0] == func.name:
        return NodeRef(operand.name)
    return NodeRef(names[key])


def _free_variables(graph: Graph) -> dict[str, list[Key]]:
    """What each FuncGraph uses of others, itself or through those it calls, in a fixed order."""
    free: dict[str, dict[Key, None]] = {name: {} for name in graph.funcs}
    for func, node in graph.iter_nodes():
        for operand in iter_operands(node):
            if isinstance(operand, NodeRef) and operand.graph and operand.graph != func.name:
                free[func.name][key_of(func, operand)] = None
    users: dict[str, set[str]] = {}
    for name in graph.funcs:
        for callee in callees(graph, name):
            users.setdefault(callee, set()).add(name)
    waiting = list(graph.funcs)
    while waiting:
        name = waiting.pop()
        for user in users.get(name, ()):
            new = [key for key in free[name] if key[0] != user and key not in free[user]]
            if new:
                free[user].update(dict.fromkeys(new))
                waiting.append(user)
    return {name: list(keys) for name, keys in free.items()}

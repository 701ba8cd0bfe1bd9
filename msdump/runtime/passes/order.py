"""The shape of a graph's calls: who calls whom, in which order, and which graphs call themselves."""

from __future__ import annotations

from msdump.graph import Graph, GraphRef
from msdump.graph.walk import postorder
from msdump.runtime.passes.substitute import iter_operands


def callees(graph: Graph, name: str) -> list[str]:
    """The FuncGraphs that one refers to, called or taken as a value, in the order of its nodes."""
    return [
        operand.name
        for node in graph.funcs[name].nodes
        for operand in iter_operands(node)
        if isinstance(operand, GraphRef) and operand.name in graph.funcs
    ]


def callees_first(graph: Graph) -> list[str]:
    """Names of all FuncGraphs, each after those it refers to (but for cycles)."""
    return list(postorder(graph.funcs, lambda name: callees(graph, name)))


def recursive(graph: Graph) -> set[str]:
    """FuncGraphs that reach themselves (Tarjan's strongly connected components, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    component: list[str] = []
    found: set[str] = set()
    called = {name: callees(graph, name) for name in graph.funcs}
    for start in graph.funcs:
        if start in index:
            continue
        work = [(start, iter(called[start]))]
        index[start] = low[start] = len(index)
        component.append(start)
        on_stack.add(start)
        while work:
            name, rest = work[-1]
            child = next(rest, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    members = set()
                    while (member := component.pop()) != name:
                        members.add(member)
                        on_stack.discard(member)
                    on_stack.discard(name)
                    if members or name in called[name]:
                        found |= {name, *members}
            elif child not in index:
                index[child] = low[child] = len(index)
                component.append(child)
                on_stack.add(child)
                work.append((child, iter(called[child])))
            elif child in on_stack:
                low[name] = min(low[name], index[child])
    return found

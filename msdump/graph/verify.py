"""Does a graph contradict itself? Dangling operands, wrong counts, cycles, unreachable subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from msdump.graph.graph import RETURN, Graph
from msdump.graph.index import GraphIndex, operands
from msdump.graph.node import CALL, CNode, GraphRef, NodeRef

Rule = Literal["entry", "duplicate", "dangling", "missing-graph", "arity", "count", "cycle", "unreachable", "no-return"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One contradiction.

    Attributes:
        rule: which law is broken.
        what: one line for a person.
        graph: the FuncGraph it is in, or "".
        node: the node it is at, or "".
        level: "error", or "warning" for what may well be meant (an unreachable subgraph; a callee
            that stands in another file).
    """

    rule: Rule
    what: str
    graph: str = ""
    node: str = ""
    level: Literal["error", "warning"] = "error"


def verify(graph: Graph) -> tuple[Fault, ...]:
    """Every contradiction in a graph, in the order of the file; () when it is sound."""
    return tuple(_faults(graph))


def _faults(graph: Graph) -> Iterator[Fault]:
    index = GraphIndex(graph)
    if graph.entry not in graph.funcs:
        yield Fault("entry", f"the entry graph @{graph.entry} is not in the file")
    for key, func in graph.funcs.items():
        if key != func.name:
            yield Fault("entry", f"@{func.name} is filed under the name @{key}", func.name)
        yield from _duplicates(func.name, [p.name for p in func.parameters], [n.name for n in func.nodes])
        for node in func.nodes:
            yield from _operand_faults(graph, index, func.name, node)
        if func.nodes and func.nodes[-1].op.lower() != RETURN.lower():
            yield Fault("no-return", f"@{func.name} does not end in a Return", func.name)
        yield from _cycle(index, func.name)
    yield from _count_faults(graph)
    if graph.entry in graph.funcs:
        reached = index.reachable()
        for name in graph.funcs:
            if name not in reached:
                yield Fault("unreachable", f"@{name} is reached from nowhere", name, level="warning")


def _duplicates(func: str, parameters: list[str], nodes: list[str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for name in parameters + nodes:
        if name in seen:
            yield Fault("duplicate", f"{name} is defined more than once in @{func}", func, name)
        seen.add(name)


def _operand_faults(graph: Graph, index: GraphIndex, func: str, node: CNode) -> Iterator[Fault]:
    for slot, operand in operands(node):
        if isinstance(operand, NodeRef) and index.owner(func, operand) is None:
            at = "callee" if slot < 0 else f"operand {slot}"
            ref = f"@{operand.graph}:{operand.name}" if operand.graph else operand.name
            what = f"{at} of {node.name} ({node.op}) is {ref}, which nothing defines"
            # With an empty graph it is a name that MindSpore itself prints without declaring it.
            yield Fault("dangling", what, func, node.name, "warning" if operand.graph == "" else "error")
        elif isinstance(operand, GraphRef) and operand.name not in graph.funcs:
            yield Fault("missing-graph", f"@{operand.name} is not in the file", func, node.name, "warning")
    if node.op == CALL and isinstance(node.callee, GraphRef) and node.callee.name in graph.funcs:
        want = len(graph.funcs[node.callee.name].parameters)
        if want != len(node.inputs):
            what = f"@{node.callee.name} takes {want} arguments, {node.name} gives it {len(node.inputs)}"
            # Early stages leave out weights that they add as parameters later.
            yield Fault("arity", what, func, node.name, "error" if len(node.inputs) > want else "warning")


def _cycle(index: GraphIndex, func: str) -> Iterator[Fault]:
    """Nodes of a FuncGraph that use, by way of others, their own output."""
    nodes = index.graph.funcs[func].nodes
    here = {node.name: node for node in reversed(nodes)}
    state: dict[str, int] = {}
    for first in nodes:
        if first.name in state:
            continue
        state[first.name] = 1
        stack = [(first, operands(first))]
        while stack:
            node, rest = stack[-1]
            for _, operand in rest:
                if not isinstance(operand, NodeRef) or operand.graph not in (None, func):
                    continue
                below = here.get(operand.name)
                if below is None:
                    continue
                mark = state.get(below.name, 0)
                if mark == 1:
                    yield Fault("cycle", f"{node.name} uses {below.name}, which needs {node.name}", func, node.name)
                elif mark == 0:
                    state[below.name] = 1
                    stack.append((below, operands(below)))
                    break
            else:
                state[node.name] = 2
                stack.pop()


def _count_faults(graph: Graph) -> Iterator[Fault]:
    """The CNodes the file's header counts (2.5 and later) against those there are."""
    if graph.counts is not None:
        have = sum(len(func.nodes) for func in graph.funcs.values())
        if graph.counts.cnodes != have:
            yield Fault("count", f"the file states {graph.counts.cnodes} CNodes, it has {have}")

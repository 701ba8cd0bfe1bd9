"""Does a graph contradict itself? Dangling operands, wrong counts, cycles, unreachable subgraphs.

`require_sound` is the door that every writer of graphs goes through first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from msdump.errors import WriteError
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.node import CALL, CNode, GraphRef, NodeRef
from msdump.graph.walk import back_edges, operands, operands_within

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


REFUSED: frozenset[Rule] = frozenset({"entry", "duplicate", "dangling", "missing-graph", "cycle"})
"""Rules without which a text cannot mean what the graph does: a reader would resolve other names."""


def require_sound(graph: Graph, writer: str) -> None:
    """Refuse to write a graph with references that dangle, go in a circle, or could mean two things.

    Args:
        graph: what is to be written.
        writer: the format's name, for the message.

    Raises:
        WriteError: it has such; the message names the first, with node and subgraph.
    """
    if _plainly_sound(graph):
        return
    found = [fault for fault in _faults(graph) if fault.level == "error" and fault.rule in REFUSED]
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        at = f" in @{found[0].graph}" if found[0].graph else ""
        what = f"{writer} refuses the graph: {found[0].what}{at}{more}"
        raise WriteError(what, hint="msdump.graph.verify.verify(graph) lists what is wrong with it")


def _plainly_sound(graph: Graph) -> bool:
    """Whether every node stands behind what it uses: then nothing dangles and nothing goes in a circle.

    Most files are written so, and this look at one is a twentieth of the work of `verify`.
    """
    names = {key: {p.name for p in f.parameters}.union([n.name for n in f.nodes]) for key, f in graph.funcs.items()}
    known = graph.funcs.keys() | graph.elsewhere
    for key, func in graph.funcs.items():
        own = names[key]
        if key != func.name or len(own) != len(func.parameters) + len(func.nodes):
            return False
        if func.parent not in (None, *known) or not own.issuperset(n for n in func.order or () if n not in ("", "?")):
            return False
        seen = {p.name for p in func.parameters}
        for node in func.nodes:
            for operand in (node.callee, *node.inputs, *node.targets):
                if isinstance(operand, NodeRef):
                    if operand.name not in (seen if operand.graph in (None, key) else names.get(operand.graph, ())):
                        return False
                elif isinstance(operand, GraphRef) and operand.name not in known:
                    return False
            seen.add(node.name)
    return graph.entry in graph.funcs


def _faults(graph: Graph) -> Iterator[Fault]:
    index = GraphIndex(graph)
    if graph.entry not in graph.funcs:
        yield Fault("entry", f"the entry graph @{graph.entry} is not in the file")
    for key, func in graph.funcs.items():
        if key != func.name:
            yield Fault("entry", f"@{func.name} is filed under the name @{key}", func.name)
        yield from _duplicates(func.name, [p.name for p in func.parameters], [n.name for n in func.nodes])
        yield from _order_faults(func)
        if func.parent is not None and func.parent not in graph.funcs:
            yield _missing(graph, func.parent, func.name, "")
        for node in func.nodes:
            yield from _operand_faults(graph, index, func.name, node)
        if func.nodes and func.nodes[-1].op.lower() != RETURN.lower():
            yield Fault("no-return", f"@{func.name} does not end in a Return", func.name)
        yield from _cycle(func)
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
    for used in (node.callee, *node.inputs, *node.targets):
        if isinstance(used, GraphRef) and used.name not in graph.funcs:
            yield _missing(graph, used.name, func, node.name)
    if node.op == CALL and isinstance(node.callee, GraphRef) and node.callee.name in graph.funcs:
        want = len(graph.funcs[node.callee.name].parameters)
        if want != len(node.inputs):
            what = f"@{node.callee.name} takes {want} arguments, {node.name} gives it {len(node.inputs)}"
            # Early stages leave out weights that they add as parameters later.
            yield Fault("arity", what, func, node.name, "error" if len(node.inputs) > want else "warning")


def _missing(graph: Graph, name: str, func: str, node: str) -> Fault:
    used = f"{node} of @{func} uses it" if node else f"it is the parent of @{func}"
    level: Literal["error", "warning"] = "warning" if name in graph.elsewhere else "error"
    return Fault("missing-graph", f"@{name} is not in the graph; {used}", func, node, level)


def _order_faults(func: FuncGraph) -> Iterator[Fault]:
    """Names in the execution order that no node bears ("" and "?" are none)."""
    if func.order:
        here = {node.name for node in func.nodes}
        for name in func.order:
            if name and name != "?" and name not in here:
                yield Fault("dangling", f"the execution order has {name}, which nothing defines", func.name, name)


def _cycle(func: FuncGraph) -> Iterator[Fault]:
    """Nodes of a FuncGraph that use, by way of others, their own output."""
    here = {node.name: node for node in reversed(func.nodes)}
    for upper, lower in back_edges((node.name for node in func.nodes), operands_within(func.name, here)):
        yield Fault("cycle", f"{upper} uses {lower}, which needs {upper}", func.name, upper)


def _count_faults(graph: Graph) -> Iterator[Fault]:
    """The CNodes the file's header counts (2.5 and later) against those there are."""
    if graph.counts is not None:
        have = sum(len(func.nodes) for func in graph.funcs.values())
        if graph.counts.cnodes != have:
            yield Fault("count", f"the file states {graph.counts.cnodes} CNodes, it has {have}")

"""A graph as arrays: every subgraph, parameter and node a vertex, every operand an edge.

A subgraph is a vertex too, whose one operand is its Return. So a call's callee is an operand like
any other, and what a subgraph computes lies "below" the call, as its arguments do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msdump.diff.labels import Interner, operator_key
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.names import debug_label, graph_label, scope_label
from msdump.graph.node import CNode, GraphRef, NodeRef, Operand, Parameter, ValueNode, operator_name

FUNC, PARAM, NODE = 0, 1, 2


@dataclass(slots=True)
class Flat:
    """One side of a comparison.

    Attributes:
        kind: FUNC, PARAM or NODE.
        item: the FuncGraph, Parameter or CNode.
        func: the vertex of the subgraph it stands in.
        op: number of its operator's name, shared by both sides.
        operands: an operand is a vertex (0 and up) or, below 0, ~number of a constant.
        callee: 1 where the first operand is what the node calls, else 0.
        label: number of (operator, attributes, constants), without operands and type.
        type: number of its output's type.
        scope: number of (operator, scope without numbers), -1 when it has none.
        users: (user, position among its operands) of each vertex.
        order: all vertices, each after its operands, the entry's first: the same for graphs that
            differ in the order of their lines alone.
        rank: position in `order`.
        params: parameters of each subgraph vertex.
        entry: the entry subgraph's vertex, -1 in an empty graph.
    """

    graph: Graph
    kind: list[int] = field(default_factory=list)
    item: list[FuncGraph | Parameter | CNode] = field(default_factory=list)
    func: list[int] = field(default_factory=list)
    op: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    operands: list[list[int]] = field(default_factory=list)
    callee: list[int] = field(default_factory=list)
    label: list[int] = field(default_factory=list)
    type: list[int] = field(default_factory=list)
    scope: list[int] = field(default_factory=list)
    users: list[list[tuple[int, int]]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    params: dict[int, list[int]] = field(default_factory=dict)
    entry: int = -1

    def __len__(self) -> int:
        return len(self.kind)


def flatten(graph: Graph, interner: Interner) -> Flat:
    """The vertices and edges of a graph, in time linear in its size."""
    flat = Flat(graph)
    funcs: dict[str, int] = {}
    names: dict[tuple[str, str], int] = {}
    for key, func in graph.funcs.items():
        vertex = funcs[key] = _add(flat, FUNC, func, len(flat), "graph", interner)
        flat.params[vertex] = []
        for position, parameter in enumerate(func.parameters):
            number = _add(flat, PARAM, parameter, vertex, "Parameter", interner)
            names.setdefault((key, parameter.name), number)
            flat.params[vertex].append(number)
            flat.label[number] = interner.of(("param", position))
            flat.type[number] = interner.type(parameter.abstract)
        for node in func.nodes:
            number = _add(flat, NODE, node, vertex, operator_name(node), interner)
            names.setdefault((key, node.name), number)
            flat.type[number] = interner.node_type(node)
    flat.entry = funcs.get(graph.entry, 0 if flat.kind else -1)
    _connect(flat, graph, funcs, names, interner)
    flat.order = postorder(len(flat), flat.operands, flat.entry)
    flat.rank = [0] * len(flat)
    for position, vertex in enumerate(flat.order):
        flat.rank[vertex] = position
    return flat


def _add(flat: Flat, kind: int, item: FuncGraph | Parameter | CNode, func: int, name: str, interner: Interner) -> int:
    number = len(flat.kind)
    op = interner.of(("op", operator_key(name)))
    flat.kind.append(kind)
    flat.item.append(item)
    flat.func.append(func)
    flat.op.append(op)
    flat.names.append(name)
    flat.operands.append([])
    flat.callee.append(0)
    flat.label.append(op)
    flat.type.append(-1)
    scope = -1
    if kind == NODE:
        assert isinstance(item, CNode)
        where = item.fullname or item.scope
        if where:
            scope = interner.of(("scope", op, scope_label(where)))
    elif kind == FUNC:
        assert isinstance(item, FuncGraph)
        scope = interner.of(("graph", graph_label(item.name)))
    flat.scope.append(scope)
    return number


def _connect(
    flat: Flat,
    graph: Graph,
    funcs: dict[str, int],
    names: dict[tuple[str, str], int],
    interner: Interner,
) -> None:
    index: GraphIndex | None = None
    entry = graph.entry
    vertex = 0
    for key, func in graph.funcs.items():
        holder = funcs[key]
        vertex = holder + 1 + len(func.parameters)
        last = -1
        for node in func.nodes:
            raw: list[Operand] = [] if node.callee is None else [node.callee]
            flat.callee[vertex] = len(raw)
            raw.extend(node.inputs)
            row = flat.operands[vertex]
            constants: list[tuple[int, int]] = []
            for position, operand in enumerate(raw):
                if isinstance(operand, NodeRef):
                    target = names.get((operand.graph or key, operand.name))
                    if target is None and operand.graph is None:
                        target = names.get((entry, operand.name))
                        if target is None:
                            index = index or GraphIndex(graph)
                            owner = index.owner(key, operand)
                            target = None if owner is None else names.get((owner, operand.name))
                    code = ~interner.of(("undeclared", debug_label(operand.name))) if target is None else target
                elif isinstance(operand, GraphRef):
                    code = funcs.get(operand.name, ~interner.of(("elsewhere", graph_label(operand.name))))
                else:
                    assert isinstance(operand, ValueNode)
                    code = ~interner.value(operand.value)
                    constants.append((position, code))
                row.append(code)
            flat.label[vertex] = interner.of((flat.op[vertex], interner.attrs(node), tuple(constants)))
            if node.op.lower() == "return":
                last = vertex
            vertex += 1
        if last < 0 and func.nodes:
            last = vertex - 1
        if last >= 0:
            flat.operands[holder].append(last)
    flat.users = [[] for _ in range(len(flat))]
    for user, row in enumerate(flat.operands):
        for position, code in enumerate(row):
            if code >= 0:
                flat.users[code].append((user, position))


def postorder(count: int, edges: list[list[int]], first: int) -> list[int]:
    """All vertices, each after what it uses (but for cycles), starting at `first`.

    The rest start at those that nothing uses, then at the ones on cycles.
    """
    done = bytearray(count)
    order: list[int] = []
    used = bytearray(count)
    for row in edges:
        for code in row:
            if code >= 0:
                used[code] = 1
    roots = ([first] if first >= 0 else []) + [v for v in range(count) if not used[v]] + list(range(count))
    for root in roots:
        if done[root]:
            continue
        done[root] = 1
        stack = [(root, iter(edges[root]))]
        while stack:
            vertex, rest = stack[-1]
            for code in rest:
                if code >= 0 and not done[code]:
                    done[code] = 1
                    stack.append((code, iter(edges[code])))
                    break
            else:
                order.append(vertex)
                stack.pop()
    return order

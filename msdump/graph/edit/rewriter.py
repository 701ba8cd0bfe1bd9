"""A Rewriter: a graph being changed, one edit after another, with every use kept right.

The model is frozen, so a Rewriter holds the nodes of each FuncGraph in a dict of its own, and
`graph()` gives a new Graph. An edit either leaves every reference whole or is refused with a
GraphError that names the users in the way. A node is told by its name and its FuncGraph (`func`,
the entry graph where it is left out), as is a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

from msdump.errors import GraphError
from msdump.graph.graph import FuncGraph, Graph, NodeCounts
from msdump.graph.index import Use
from msdump.graph.node import (
    CALL,
    CALL_VAR,
    RETURN,
    CNode,
    GraphRef,
    NodeRef,
    Operand,
    Parameter,
    ValueNode,
)
from msdump.graph.walk import CALLEE, operands

Key = tuple[str, str]
"""A node or parameter: the name of its FuncGraph and its own."""
_FIELDS = frozenset(f.name for f in fields(CNode)) - {"name"}


class Rewriter:
    """The graph that is being changed."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._funcs = dict(graph.funcs)
        self._nodes = {key: {node.name: node for node in func.nodes} for key, func in graph.funcs.items()}
        for key, func in graph.funcs.items():
            if len(self._nodes[key]) != len(func.nodes) or key != func.name:
                raise GraphError(f"names in @{key} are not unique", hint="msdump.graph.verify lists them")
        self._parameters = {key: frozenset(p.name for p in func.parameters) for key, func in graph.funcs.items()}
        self._users: dict[Key, dict[Key, None]] = {}
        for key, nodes in self._nodes.items():
            for node in nodes.values():
                self._enter(key, node)

    def graph(self) -> Graph:
        """The graph as it is now; the counts of its head follow."""
        funcs = {key: replace(func, nodes=tuple(self._nodes[key].values())) for key, func in self._funcs.items()}
        return recounted(replace(self._graph, funcs=MappingProxyType(funcs)), self._graph)

    # What there is

    def func(self, name: str = "") -> str:
        """The FuncGraph's name, "" being the entry. GraphError when there is none."""
        found = name or self._graph.entry
        if found not in self._funcs:
            raise GraphError(f"there is no subgraph @{found}", hint="it has: " + _some(f"@{f}" for f in self._funcs))
        return found

    def node(self, name: str, func: str = "") -> CNode:
        """A node. GraphError when there is none of the name."""
        key = self.func(func)
        found = self._nodes[key].get(name)
        if found is None:
            raise GraphError(f"there is no node {name} in @{key}", hint="it has: " + _some(self._nodes[key]))
        return found

    def parameter(self, name: str, func: str = "") -> Parameter:
        """A parameter. GraphError when there is none of the name."""
        key = self.func(func)
        for found in self._funcs[key].parameters:
            if found.name == name:
                return found
        hint = "it has: " + _some(p.name for p in self._funcs[key].parameters)
        raise GraphError(f"there is no parameter {name} of @{key}", hint=hint)

    def users(self, name: str, func: str = "") -> tuple[Use, ...]:
        """Every use of a node or parameter, those in other FuncGraphs included."""
        wanted = (self.func(func), name)
        found: list[Use] = []
        for key, user in self._users.get(wanted, ()):
            node = self._nodes[key][user]
            for slot, operand in operands(node):
                if isinstance(operand, NodeRef) and self._owner(key, operand) == wanted[0] and operand.name == name:
                    found.append(Use(key, node, slot))
        return tuple(found)

    def callers(self, name: str) -> tuple[Key, ...]:
        """The nodes that call a subgraph or pass it on."""
        return tuple(
            (key, node.name)
            for key, nodes in self._nodes.items()
            for node in nodes.values()
            if any(isinstance(o, GraphRef) and o.name == name for o in (node.callee, *node.inputs))
        )

    # Edits of nodes

    def change(self, name: str, func: str = "", /, **changes: Any) -> None:
        """Put other fields in a node: `op`, `inputs`, `abstract`, `scope`, `primitive_attrs`, ….

        A Return takes the type of its operand along. GraphError when the node has no such field;
        a name is changed by `rename_node`.
        """
        key = self.func(func)
        unknown = changes.keys() - _FIELDS
        if unknown:
            hint = "rename_node changes a name" if "name" in unknown else "fields: " + ", ".join(sorted(_FIELDS))
            raise GraphError(f"{', '.join(sorted(unknown))}: no such field to change of a node", hint=hint)
        old = self.node(name, key)
        new = replace(old, **changes)
        self._put(key, new)
        if new.abstract != old.abstract:
            for use in self.users(name, key):
                if use.node.op == RETURN and use.node.abstract == old.abstract:
                    self._put(use.graph, replace(use.node, abstract=new.abstract))

    def replace(self, name: str, node: CNode, func: str = "") -> None:
        """Put another node in a node's place, under the name of the old one: its uses stay uses of it."""
        self.change(name, func, **{field: getattr(node, field) for field in _FIELDS})

    def replace_uses(
        self, name: str, by: Operand, func: str = "", *, where: Callable[[Use], bool] = lambda use: True
    ) -> None:
        """Put another operand wherever a node or parameter is used.

        Args:
            name: the node or parameter.
            by: the operand, as it is written in `func`; its own node keeps what it uses.
            func: the FuncGraph of both.
            where: which uses; all by itself.
        """
        key = self.func(func)
        maker = (self._owner(key, by), by.name) if isinstance(by, NodeRef) else None
        for use in self.users(name, key):
            if (use.graph, use.node.name) != maker and where(use):
                self._set_operand(use, self._seen_from(use.graph, by, key))

    def delete(self, name: str, func: str = "", *, by: Operand | None = None) -> None:
        """Take a node out; `by` takes its place where it is used.

        GraphError that lists the users when it has some and `by` is not given, or uses the node.
        """
        key = self.func(func)
        node = self.node(name, key)
        if by is not None:
            self.replace_uses(name, by, key)
        left = self.users(name, key)
        if left:
            used = _some(f"{use.node.name} ({use.node.op}) of @{use.graph}" for use in left)
            raise GraphError(f"{name} ({node.op}) of @{key} is used by {used}", hint="by= names what takes its place")
        if node.op == RETURN:
            raise GraphError(f"{name} is the Return of @{key}", hint="change it, or delete the subgraph")
        at = list(self._nodes[key]).index(name)
        self._leave(key, node)
        del self._nodes[key][name]
        self._ordered(key, lambda order: tuple(n for n in order if n != name))
        self._moved(key, at, -1)

    def insert_before(self, anchor: str, node: CNode, func: str = "") -> NodeRef:
        """Put a new node in front of another. The reference to it.

        A node named "" gets a name, and one with a debug name that is taken another debug name.
        """
        return self._insert(anchor, node, func, 0)

    def insert_after(self, anchor: str, node: CNode, func: str = "") -> NodeRef:
        """Put a new node behind another, which may not be the Return. The reference to it."""
        if self.node(anchor, func).op == RETURN:
            raise GraphError(f"nothing stands behind the Return of @{self.func(func)}", hint="insert_before does it")
        return self._insert(anchor, node, func, 1)

    def fresh_name(self, func: str, stem: str = "new") -> str:
        """A name that no node and no parameter of a FuncGraph has."""
        taken = self._nodes[func].keys() | self._parameters[func]
        number = len(self._nodes[func])
        while f"{stem}{number}" in taken:
            number += 1
        return f"{stem}{number}"

    def _insert(self, anchor: str, node: CNode, func: str, behind: int) -> NodeRef:
        key = self.func(func)
        self.node(anchor, key)
        if not node.name:
            node = replace(node, name=self.fresh_name(key))
        self._free(node.name, key)
        taken = {n.debug_name for n in self._nodes[key].values()}
        node = replace(node, debug_name=unique(node.debug_name, taken))
        items = list(self._nodes[key].items())
        at = list(self._nodes[key]).index(anchor) + behind
        self._nodes[key] = dict([*items[:at], (node.name, node), *items[at:]])
        self._enter(key, node)

        def ordered(order: tuple[str, ...]) -> tuple[str, ...]:
            place = order.index(anchor) + behind if anchor in order else len(order)
            return (*order[:place], node.name, *order[place:])

        self._ordered(key, ordered)
        self._moved(key, at, 1)
        return NodeRef(node.name)

    # How uses are kept

    def _seen_from(self, at: str, operand: Operand, func: str) -> Operand:
        if not isinstance(operand, NodeRef) or operand.graph == "":
            return operand
        owner = self._owner(func, operand)
        return replace(operand, graph=None if owner == at else owner)

    def _owner(self, func: str, ref: NodeRef) -> str:
        """The FuncGraph a reference leads to; "" when it dangles."""
        if ref.graph is not None:
            return ref.graph
        at: str | None = func
        seen: set[str] = set()
        while at is not None and at in self._funcs and at not in seen:
            if ref.name in self._nodes[at] or ref.name in self._parameters[at]:
                return at
            seen.add(at)
            at = self._funcs[at].parent
        return ""

    def _refs(self, key: str, node: CNode) -> Iterator[Key]:
        for _, operand in operands(node):
            if isinstance(operand, NodeRef) and operand.graph != "":
                yield self._owner(key, operand), operand.name

    def _enter(self, key: str, node: CNode) -> None:
        for maker in self._refs(key, node):
            self._users.setdefault(maker, {})[key, node.name] = None

    def _leave(self, key: str, node: CNode) -> None:
        for maker in self._refs(key, node):
            self._users.get(maker, {}).pop((key, node.name), None)

    def _put(self, key: str, node: CNode) -> None:
        self._leave(key, self._nodes[key][node.name])
        self._nodes[key][node.name] = node
        self._enter(key, node)

    def _set_operand(self, use: Use, by: Operand) -> None:
        node = self._nodes[use.graph][use.node.name]
        slots = iter((*range(len(node.inputs)), CALLEE))  # in the order of `with_operands`
        self._put(use.graph, with_operands(node, lambda operand: by if next(slots) == use.slot else operand))

    def _free(self, name: str, func: str) -> None:
        if name in self._nodes[func] or name in self._parameters[func]:
            raise GraphError(f"the name {name} is taken in @{func}")

    def _ordered(self, key: str, edit: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
        func = self._funcs[key]
        if func.order is not None:
            self._funcs[key] = replace(func, order=edit(func.order))

    def _moved(self, key: str, at: int, by: int) -> None:
        """A back-end graph's constants stand between nodes, told by the index of the next."""
        func = self._funcs[key]
        if func.constants:
            moved = tuple((i + by if i > at else i, name, value) for i, name, value in func.constants)
            self._funcs[key] = replace(func, constants=moved)


def unique(debug_name: str, taken: Container[str]) -> str:
    """A debug name that no other node of a FuncGraph has: files refer by it, in execution orders and
    from other subgraphs."""
    name, number = debug_name, 0
    while name and name in taken:
        number += 1
        name = f"{debug_name}_{number}"
    return name


def _some(names: Any, most: int = 8) -> str:
    found = list(names)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def recounted(graph: Graph, before: Graph) -> Graph:
    """A changed graph with the counts of its head following the change."""
    if before.counts is None:
        return graph
    old, new = counted(before.funcs), counted(graph.funcs)
    nodes, cnodes = before.counts.nodes + new.nodes - old.nodes, before.counts.cnodes + new.cnodes - old.cnodes
    return replace(graph, counts=NodeCounts(nodes, cnodes))


def counted(funcs: Mapping[str, FuncGraph]) -> NodeCounts:
    """The counts of a graph: its CNodes, and these with their operators, constants and parameters.

    MindSpore counts constants that several nodes share once; what they share no file says.
    """
    nodes = [node for func in funcs.values() for node in func.nodes]
    constants = sum(not isinstance(operand, NodeRef) for node in nodes for operand in node.inputs)
    operators = sum(node.op != CALL_VAR for node in nodes)
    parameters = sum(len(func.parameters) for func in funcs.values())
    return NodeCounts(len(nodes) + operators + constants + parameters, len(nodes))


def with_operands(node: CNode, edit: Callable[[Operand], Operand]) -> CNode:
    """The node with each of its operands, its callee among them, put through `edit`.

    What is called by name is a CALL, by an output a CALL_VAR, and no type is told of it. GraphError when
    a constant would be called.
    """
    inputs = tuple(edit(operand) for operand in node.inputs)
    if node.callee is None:
        return node if inputs == node.inputs else replace(node, inputs=inputs)
    callee = edit(node.callee)
    if isinstance(callee, ValueNode):
        raise GraphError(f"{node.name} calls it, and a constant cannot be called")
    if callee.abstract is not None:
        callee = replace(callee, abstract=None)
    if callee == node.callee:
        return node if inputs == node.inputs else replace(node, inputs=inputs)
    named = isinstance(callee, GraphRef)
    targets = () if named else node.targets
    return replace(node, op=CALL if named else CALL_VAR, callee=callee, inputs=inputs, targets=targets)

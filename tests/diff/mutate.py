"""Known edits of real graphs: what a diff must find, and what it must not see."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable

from msdump.diff.labels import GLUE, operator_key
from msdump.graph import RETURN, Attrs, CNode, FuncGraph, Graph, GraphRef, NodeRef, Operand
from msdump.graph.canon import MEANINGLESS_ATTRS
from msdump.graph.layout import Layout
from msdump.graph.node import operator_name
from msdump.graph.value import Str

Truth = Counter[tuple[str, str]]
"""How often each (kind of change, operator) was made."""


class Mutator:
    """Edits one graph after another; `truth` is what was done to it so far."""

    def __init__(self, graph: Graph, seed: int) -> None:
        self.entry = graph.entry
        self.attrs = graph.attrs
        self.source = Layout(graph.source.format, graph.source.dialect)
        self.funcs = {name: list(func.nodes) for name, func in graph.funcs.items()}
        self.shells = dict(graph.funcs)
        self.random = random.Random(seed)
        self.truth: Truth = Counter()
        self.touched: set[tuple[str, str]] = set()
        self.fresh = 0

    def graph(self) -> Graph:
        funcs = {n: dataclasses.replace(self.shells[n], nodes=tuple(nodes)) for n, nodes in self.funcs.items()}
        return Graph(self.entry, funcs, self.attrs, source=self.source)

    # ------------------------------------------------------------------ edits
    def edit(self, kinds: tuple[str, ...] = ("insert", "delete", "attribute", "swap", "duplicate")) -> bool:
        """One edit at a place not touched before; False when none fits."""
        for _ in range(50):
            kind = self.random.choice(kinds)
            name = self.random.choice(list(self.funcs))
            if not self.funcs[name]:
                continue
            position = self.random.randrange(len(self.funcs[name]))
            if (name, self.funcs[name][position].name) in self.touched:
                continue
            done: bool = getattr(self, "_" + kind)(name, position)
            if done:
                return True
        return False

    def _name(self) -> str:
        self.fresh += 1
        return f"%new{self.fresh}"

    def _touch(self, func: str, *names: str) -> None:
        self.touched.update((func, name) for name in names)

    def _free(self, func: str, *names: str) -> bool:
        return all((func, name) not in self.touched for name in names)

    def _replace(self, func: str, old: str, new: Operand, below: int = 0) -> int:
        """Every use of `old` becomes `new`, in this FuncGraph and in those inside it."""
        count = 0
        for holder, nodes in self.funcs.items():
            for i, node in enumerate(nodes):
                if holder == func and i < below:
                    continue
                changed: list[Operand] = []
                for operand in node.inputs:
                    here = isinstance(operand, NodeRef) and operand.name == old and (operand.graph or holder) == func
                    if here:
                        count += 1
                        if isinstance(new, NodeRef) and holder != func and new.graph is None:
                            changed.append(NodeRef(new.name, func))
                        else:
                            changed.append(new)
                    else:
                        changed.append(operand)
                callee = node.callee
                if isinstance(callee, NodeRef) and callee.name == old and (callee.graph or holder) == func:
                    return -1
                if tuple(changed) != node.inputs:
                    nodes[i] = dataclasses.replace(node, inputs=tuple(changed))
        return count

    def _users(self, func: str, name: str) -> list[CNode]:
        return [
            node
            for holder, nodes in self.funcs.items()
            for node in nodes
            for o in (*node.inputs, *((node.callee,) if node.callee else ()))
            if isinstance(o, NodeRef) and o.name == name and (o.graph or holder) == func
        ]

    def _plain(self, node: CNode) -> bool:
        return operator_key(operator_name(node)) not in GLUE

    def _insert(self, func: str, position: int) -> bool:
        """A new operator after a node; all that used the node use it."""
        node = self.funcs[func][position]
        if not self._plain(node) or not self._users(func, node.name):
            return False
        if any(isinstance(u.callee, NodeRef) and u.callee.name == node.name for u in self._users(func, node.name)):
            return False
        op = self.random.choice(["Tanh", "Softplus", "Erf", "Ceil"])
        new = CNode(self._name(), op, (NodeRef(node.name),), node.abstract, scope=node.scope, locations=node.locations)
        self._replace(func, node.name, NodeRef(new.name), position + 1)
        self.funcs[func].insert(position + 1, new)
        self._touch(func, node.name, new.name)
        self.truth["added", op] += 1
        return True

    def _delete(self, func: str, position: int) -> bool:
        """A node goes; what used it uses its first operand."""
        node = self.funcs[func][position]
        first = next((o for o in node.inputs if isinstance(o, NodeRef)), None)
        users = self._users(func, node.name)
        if not self._plain(node) or first is None or not users or any(u.callee == NodeRef(node.name) for u in users):
            return False
        if not self._free(func, *(u.name for u in users)) or any(o == first for u in users for o in u.inputs):
            return False
        if self._replace(func, node.name, first) < 0:
            return False
        self.funcs[func].remove(next(n for n in self.funcs[func] if n.name == node.name))
        self._touch(func, node.name, first.name, *(u.name for u in users))
        self.truth["removed", operator_name(node)] += 1
        return True

    def _attribute(self, func: str, position: int) -> bool:
        node = self.funcs[func][position]
        keys = [k for k in node.primitive_attrs if k not in MEANINGLESS_ATTRS]
        if not keys or not self._plain(node):
            return False
        attrs = dict(node.primitive_attrs)
        attrs[self.random.choice(keys)] = Str("mutated")
        self.funcs[func][position] = dataclasses.replace(node, primitive_attrs=Attrs(attrs))
        self._touch(func, node.name)
        self.truth["changed", operator_name(node)] += 1
        return True

    def _swap(self, func: str, position: int) -> bool:
        node = self.funcs[func][position]
        slots = [i for i, o in enumerate(node.inputs) if isinstance(o, NodeRef)]
        if not self._plain(node) or len(slots) < 2 or node.inputs[slots[0]] == node.inputs[slots[1]]:
            return False
        inputs = list(node.inputs)
        inputs[slots[0]], inputs[slots[1]] = inputs[slots[1]], inputs[slots[0]]
        self.funcs[func][position] = dataclasses.replace(node, inputs=tuple(inputs))
        self._touch(func, node.name)
        self.truth["rewired", operator_name(node)] += 1
        return True

    def _duplicate(self, func: str, position: int) -> bool:
        """A chain of up to five nodes, each the only user of the one before, once more after itself."""
        nodes = self.funcs[func]
        chain = [nodes[position]]
        while len(chain) < 5:
            users = self._users(func, chain[-1].name)
            if len(users) != 1 or users[0] not in nodes or not self._plain(users[0]):
                break
            chain.append(users[0])
        if len(chain) < 2 or not all(self._plain(n) for n in chain) or not self._free(func, *(n.name for n in chain)):
            return False
        source = next((o for o in chain[0].inputs if isinstance(o, NodeRef)), None)
        users = self._users(func, chain[-1].name)
        if source is None or not users or any(u.callee for u in users):
            return False
        previous, copies = source, []
        last = NodeRef(chain[-1].name)
        for node in chain:
            inputs = tuple(last if o == previous else o for o in node.inputs)
            copy = dataclasses.replace(node, name=self._name(), inputs=inputs)
            copies.append(copy)
            previous, last = NodeRef(node.name), NodeRef(copy.name)
        place = max(nodes.index(n) for n in chain) + 1
        if any(
            o.name == n.name
            for n in nodes[:place]
            for o in n.inputs
            if isinstance(o, NodeRef) and o == NodeRef(chain[-1].name)
        ):
            return False
        self._replace(func, chain[-1].name, NodeRef(copies[-1].name), place)
        nodes[place:place] = copies
        self._touch(func, source.name, *(n.name for n in chain), *(n.name for n in copies))
        for node in chain:
            self.truth["added", operator_name(node)] += 1
        return True

    # ------------------------------------------------------------------ what changes nothing
    def renumber(self) -> None:
        """New numbers for nodes and FuncGraphs, new debug names."""
        shift = self.random.randrange(100, 900)
        graphs = {name: f"{i + shift}_{name}_{i * 7 + shift}" for i, name in enumerate(self.funcs)}
        self._map(lambda f, n: f"%{shift}x{n[1:]}" if n.startswith("%") else n, graphs)

    def _map(self, rename: Callable[[str, str], str], graphs: dict[str, str]) -> None:
        params = {(f, p.name) for f, shell in self.shells.items() for p in shell.parameters}

        def operand(holder: str, o: Operand) -> Operand:
            if isinstance(o, GraphRef):
                return GraphRef(graphs.get(o.name, o.name))
            if isinstance(o, NodeRef):
                owner = o.graph or holder
                kept = (owner, o.name) in params
                name = o.name if kept else rename(owner, o.name)
                return NodeRef(name, None if o.graph is None else graphs.get(o.graph, o.graph))
            return o

        funcs: dict[str, list[CNode]] = {}
        shells: dict[str, FuncGraph] = {}
        for name, nodes in self.funcs.items():
            new = graphs.get(name, name)
            funcs[new] = [
                dataclasses.replace(
                    n,
                    name=rename(name, n.name),
                    inputs=tuple(operand(name, o) for o in n.inputs),
                    callee=None if n.callee is None else operand(name, n.callee),
                    debug_name=f"CNode_{self.random.randrange(10000)}",
                )
                for n in nodes
            ]
            shell = self.shells[name]
            parent = None if shell.parent is None else graphs.get(shell.parent, shell.parent)
            shells[new] = dataclasses.replace(shell, name=new, parent=parent)
        self.funcs, self.shells = funcs, shells
        self.entry = graphs.get(self.entry, self.entry)

    def reorder(self) -> None:
        """Another order of independent nodes, and of FuncGraphs."""
        for name, nodes in self.funcs.items():
            here = {n.name for n in nodes}
            placed: set[str] = set()
            left = nodes[:-1]
            order: list[CNode] = []
            while left:
                ready = [
                    n
                    for n in left[:40]
                    if all(
                        not isinstance(o, NodeRef)
                        or o.graph not in (None, name)
                        or o.name not in here
                        or o.name in placed
                        for o in (*n.inputs, *((n.callee,) if n.callee else ()))
                    )
                ]
                chosen = self.random.choice(ready or left[:1])
                left.remove(chosen)
                order.append(chosen)
                placed.add(chosen.name)
            self.funcs[name] = [*order, *nodes[-1:]]
        names = list(self.funcs)
        self.random.shuffle(names)
        self.funcs = {name: self.funcs[name] for name in names}
        self.shells = {name: self.shells[name] for name in names}


def is_return(node: CNode) -> bool:
    return node.op == RETURN

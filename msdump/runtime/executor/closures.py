"""Which variables of other graphs a FuncGraph uses, and in what order its nodes can run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msdump.errors import ExecutionError
from msdump.graph import RETURN, CNode, FuncGraph, Graph, GraphRef, NodeRef, Operand
from msdump.runtime.executor.places import place_of

Variable = tuple[str, str]
"""(FuncGraph, name of a parameter or CNode of it)."""


def operands(node: CNode) -> Iterator[Operand]:
    """A node's callee and operands."""
    if node.callee is not None:
        yield node.callee
    yield from node.inputs


@dataclass(slots=True)
class _Use:
    """What one FuncGraph refers to outside itself."""

    variables: dict[Variable, None] = field(default_factory=dict)
    graphs: dict[str, None] = field(default_factory=dict)


class Scopes:
    """The free variables of every FuncGraph of a graph that its entry can reach."""

    def __init__(self, graph: Graph, entry: str) -> None:
        self.funcs = graph.funcs
        self._names: dict[str, set[str]] = {}
        self._uses: dict[str, _Use] = {}
        self.nodes: dict[str, list[CNode]] = {}
        waiting = [entry]
        while waiting:
            name = waiting.pop()
            if name in self._uses or name not in self.funcs:
                continue
            self._scan(self.funcs[name])
            waiting.extend(self._uses[name].graphs)
        self.free: Mapping[str, tuple[Variable, ...]] = self._solve()

    def names(self, func: str) -> set[str]:
        """Names of the parameters and CNodes of a FuncGraph."""
        if func not in self._names:
            found = self.funcs.get(func)
            own: set[str] = set()
            if found is not None:
                own.update(p.name for p in found.parameters)
                own.update(n.name for n in found.nodes)
            self._names[func] = own
        return self._names[func]

    def owner(self, ref: NodeRef, here: str) -> str:
        """The FuncGraph a reference means: the one it names, else this one, else the only one that has it."""
        if ref.graph is not None and ref.graph in self.funcs:
            return ref.graph
        if ref.name in self.names(here):
            return here
        owners = [f for f in self.funcs if ref.name in self.names(f)]
        if len(owners) == 1:
            return owners[0]
        raise ExecutionError(f"{ref.name} in @{here} is made by no node", node=ref.name)

    def _scan(self, func: FuncGraph) -> None:
        """Note what the nodes use that the output needs."""
        use = _Use()
        by_name = {node.name: node for node in func.nodes}
        last = next((n for n in reversed(func.nodes) if n.op == RETURN), None)
        if last is None:
            raise ExecutionError(f"@{func.name} has no Return: a fragment cannot be executed")
        needed: set[str] = set()
        waiting = [last]
        while waiting:
            node = waiting.pop()
            if node.name in needed:
                continue
            needed.add(node.name)
            for operand in operands(node):
                if isinstance(operand, GraphRef):
                    use.graphs[operand.name] = None
                elif isinstance(operand, NodeRef):
                    owner = self._owner_at(operand, func.name, node)
                    if owner != func.name:
                        use.variables[owner, operand.name] = None
                    elif operand.name in by_name:
                        waiting.append(by_name[operand.name])
        self._uses[func.name] = use
        self._needed_later(func, needed)

    def _owner_at(self, ref: NodeRef, here: str, node: CNode) -> str:
        try:
            return self.owner(ref, here)
        except ExecutionError as error:
            raise ExecutionError(error.what, place_of(node), node=node.name) from None

    def _needed_later(self, func: FuncGraph, needed: set[str]) -> None:
        self.nodes[func.name] = [n for n in func.nodes if n.name in needed]

    def _solve(self) -> dict[str, tuple[Variable, ...]]:
        """Free variables, those of the graphs a graph refers to included, to a fixpoint."""
        free = {name: dict(use.variables) for name, use in self._uses.items()}
        users: dict[str, list[str]] = {}
        for name, use in self._uses.items():
            for other in use.graphs:
                users.setdefault(other, []).append(name)
        waiting = list(free)
        while waiting:
            name = waiting.pop()
            for user in users.get(name, ()):
                new = [v for v in free[name] if v[0] != user and v not in free[user]]
                if new:
                    free[user].update(dict.fromkeys(new))
                    waiting.append(user)
        self._complete(free)
        return {name: tuple(found) for name, found in free.items()}

    def _complete(self, free: Mapping[str, Mapping[Variable, None]]) -> None:
        """Keep the nodes that only inner graphs use."""
        wanted: dict[str, set[str]] = {}
        for found in free.values():
            for owner, name in found:
                wanted.setdefault(owner, set()).add(name)
        for owner, names in wanted.items():
            func = self.funcs[owner]
            by_name = {node.name: node for node in func.nodes}
            kept = {n.name for n in self.nodes.get(owner, ())}
            waiting = [by_name[n] for n in names if n in by_name and n not in kept]
            if not waiting:
                continue
            while waiting:
                node = waiting.pop()
                if node.name in kept:
                    continue
                kept.add(node.name)
                waiting.extend(
                    by_name[o.name]
                    for o in operands(node)
                    if isinstance(o, NodeRef) and o.name in by_name and self.owner(o, owner) == owner
                )
            self._needed_later(func, kept)

    def order(self, func: str) -> list[CNode]:
        """The nodes a FuncGraph runs, each after what it needs; the order of the file where that does.

        ExecutionError when nodes need one another in a circle.
        """
        nodes = self.nodes[func]
        position = {node.name: i for i, node in enumerate(nodes)}
        needs: list[list[int]] = []
        in_order = True
        for i, node in enumerate(nodes):
            mine: dict[int, None] = {}
            for operand in operands(node):
                for name in self._own_names(operand, func):
                    j = position.get(name)
                    if j is not None:
                        mine[j] = None
                        in_order = in_order and j < i
            needs.append(list(mine))
        if in_order:
            return nodes
        return [nodes[i] for i in _sorted(needs, nodes)]

    def _own_names(self, operand: Operand, func: str) -> Iterator[str]:
        if isinstance(operand, NodeRef) and self.owner(operand, func) == func:
            yield operand.name
        elif isinstance(operand, GraphRef):
            for owner, name in self.free.get(operand.name, ()):
                if owner == func:
                    yield name


def _sorted(needs: list[list[int]], nodes: list[CNode]) -> list[int]:
    """Depth-first, first come first served, without recursion."""
    done: list[int] = []
    state = bytearray(len(needs))  # 0 new, 1 open, 2 done
    for start in range(len(needs)):
        stack = [(start, 0)] if not state[start] else []
        while stack:
            i, at = stack.pop()
            state[i] = 1
            for k in range(at, len(needs[i])):
                j = needs[i][k]
                if state[j] == 1:
                    raise ExecutionError(
                        f"{nodes[j].name} needs its own result", place_of(nodes[j]), node=nodes[j].name
                    )
                if state[j] == 0:
                    stack.append((i, k + 1))
                    stack.append((j, 0))
                    break
            else:
                state[i] = 2
                done.append(i)
    return done

"""Which variables of other graphs a FuncGraph uses, and in what order its nodes can run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msdump.errors import ExecutionError
from msdump.graph import RETURN, CNode, Graph, GraphRef, NodeRef, Operand
from msdump.runtime.executor.places import place_of

Variable = tuple[str, str]
"""(FuncGraph, name of a parameter or CNode of it)."""

_NUMBERED = re.compile(r"%para(\d+)_")


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
    """What the entry of a graph needs: FuncGraphs, their nodes, and their free variables.

    Attributes:
        nodes: FuncGraph → the nodes that run, in the order of the file.
        free: FuncGraph → the variables of others that it, or a graph inside it, uses.
    """

    def __init__(self, graph: Graph, entry: str) -> None:
        self.funcs = graph.funcs
        self.entry = entry
        self._names: dict[str, dict[str, CNode | None]] = {}
        self._uses: dict[str, _Use] = {}
        needed = self._reach()
        self.nodes: dict[str, list[CNode]] = {
            name: [n for n in self.funcs[name].nodes if n.name in found] for name, found in needed.items()
        }
        self.free: Mapping[str, tuple[Variable, ...]] = self._solve()

    def names(self, func: str) -> dict[str, CNode | None]:
        """Parameters (None) and CNodes of a FuncGraph by name."""
        if func not in self._names:
            found = self.funcs[func]
            own: dict[str, CNode | None] = {p.name: None for p in found.parameters}
            own.update((n.name, n) for n in found.nodes)
            self._names[func] = own
        return self._names[func]

    def variable(self, ref: NodeRef, here: str) -> Variable:
        """What a reference means: in the FuncGraph it names, else in this one, else in the only one that has it.

        ExecutionError when nothing of that name is made anywhere.
        """
        if ref.graph and ref.graph in self.funcs:
            return ref.graph, ref.name
        if ref.name in self.names(here):
            return here, ref.name
        owners = [f for f in self.funcs if ref.name in self.names(f)]
        if len(owners) == 1:
            return owners[0], ref.name
        numbered = _NUMBERED.match(ref.name)
        parameters = self.funcs[self.entry].parameters
        if numbered and int(numbered[1]) <= len(parameters):
            # Parameters are numbered through the file, those of the entry first; a parameter that
            # the compiler renamed is printed with its number and its other name.
            return self.entry, parameters[int(numbered[1]) - 1].name
        raise ExecutionError(f"{ref.name} in @{here} is made by no node", node=ref.name)

    def _reach(self) -> dict[str, set[str]]:
        """The nodes that the entry's output needs, by FuncGraph."""
        needed: dict[str, set[str]] = {}
        waiting: list[tuple[str, CNode]] = []
        self._enter(self.entry, needed, waiting)
        while waiting:
            func, node = waiting.pop()
            if node.name in needed[func]:
                continue
            needed[func].add(node.name)
            use = self._uses[func]
            for operand in operands(node):
                if isinstance(operand, GraphRef):
                    use.graphs[operand.name] = None
                    self._enter(operand.name, needed, waiting)
                elif isinstance(operand, NodeRef):
                    variable = self._variable_at(operand, func, node)
                    owner, name = variable
                    if owner != func:
                        use.variables[variable] = None
                        self._enter(owner, needed, waiting)
                    made = self.names(owner).get(name)
                    if made is not None:
                        waiting.append((owner, made))
        return needed

    def _enter(self, name: str, needed: dict[str, set[str]], waiting: list[tuple[str, CNode]]) -> None:
        func = self.funcs.get(name)
        if func is None or name in needed:
            return
        needed[name] = set()
        self._uses[name] = _Use()
        last = next((n for n in reversed(func.nodes) if n.op == RETURN and n.inputs), None)
        if last is None:
            raise ExecutionError(f"@{name} has no Return: a fragment cannot be executed")
        waiting.append((name, last))

    def _variable_at(self, ref: NodeRef, here: str, node: CNode) -> Variable:
        try:
            return self.variable(ref, here)
        except ExecutionError as error:
            raise ExecutionError(error.what, place_of(node), node=node.name) from None

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
        return {name: tuple(found) for name, found in free.items()}

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
        if isinstance(operand, NodeRef):
            owner, name = self.variable(operand, func)
            if owner == func:
                yield name
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

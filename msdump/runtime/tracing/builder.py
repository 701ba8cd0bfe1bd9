"""One FuncGraph being recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msdump.graph import (
    NULL_TYPE,
    RETURN,
    Abstract,
    CNode,
    FuncGraph,
    Location,
    MonadType,
    NodeRef,
    Operand,
    Parameter,
    ValueNode,
)
from msdump.graph.value import Monad

IO, MEMORY = "IO", "U"
MONAD_TYPES = {IO: MonadType("IOMonad"), MEMORY: MonadType("UMonad")}


def first_monad(kind: str) -> ValueNode:
    """The token a chain of side effects begins with."""
    return ValueNode(Monad(kind), MONAD_TYPES[kind])


@dataclass(slots=True, eq=False)
class FuncBuilder:
    """Collects the nodes of one FuncGraph.

    Attributes:
        parent: the builder around it, whose nodes it may use; None for the entry.
        monads: by kind, the node or parameter whose token the next side effect takes; a kind that is
            not there has its token from the builder around.
        effects: kinds of side effects that its result has to wait for.
        acts: kinds of side effects it has at all.
        loaded: by parameter's name, the Load that still holds its value.
        conditional: whether it is one branch of a condition.
        free: whether it uses nodes of a builder around it.
    """

    name: str
    parent: FuncBuilder | None = None
    namer: Callable[[], str] = lambda: ""
    location: Location | None = None
    parameters: list[Parameter] = field(default_factory=list)
    nodes: list[CNode] = field(default_factory=list)
    monads: dict[str, str] = field(default_factory=dict)
    effects: set[str] = field(default_factory=set)
    acts: set[str] = field(default_factory=set)
    loaded: dict[str, str] = field(default_factory=dict)
    conditional: bool = False
    free: bool = False

    def add_parameter(self, name: str, abstract: Abstract, has_default: bool = False) -> str:
        """A new parameter; gives the name it got, which no other in this FuncGraph has."""
        taken = {p.name for p in self.parameters}
        unique, count = name, 0
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        self.parameters.append(Parameter(unique, abstract, has_default))
        return unique

    def add(self, op: str, inputs: tuple[Operand, ...], abstract: Abstract = NULL_TYPE, **fields: Any) -> str:
        """Append a CNode under the next free name; gives that name. `fields` are CNode's others."""
        name = f"%{len(self.nodes)}"
        fields.setdefault("debug_name", self.namer())
        self.nodes.append(CNode(name, op, inputs, abstract, **fields))
        return name

    def effect(self, kind: str, token: Operand, node: str, scope: str) -> None:
        """`node`, which took `token`, acts on the world: what acts later comes after it."""
        self.monads[kind] = self.add("UpdateState", (token, NodeRef(node)), MONAD_TYPES[kind], scope=scope)
        self.effects.add(kind)
        self.acts.add(kind)
        if kind == MEMORY:
            self.loaded.clear()

    def state(self) -> Callable[[], None]:
        """Remember what is here; calling the result takes away what came after. Weights stay."""
        nodes, free = len(self.nodes), self.free
        monads, loaded = dict(self.monads), dict(self.loaded)
        effects, acts = set(self.effects), set(self.acts)

        def restore() -> None:
            del self.nodes[nodes:]
            self.free = free
            self.monads, self.loaded = dict(monads), dict(loaded)
            self.effects, self.acts = set(effects), set(acts)

        return restore

    def finish(self, output: Operand, abstract: Abstract, scope: str, locations: tuple[Location, ...]) -> FuncGraph:
        """The FuncGraph that returns `output`, after the side effects it has to wait for."""
        for kind in (MEMORY, IO):
            if kind in self.effects:
                output = NodeRef(self.add("Depend", (output, NodeRef(self.monads[kind])), abstract, scope=scope))
        self.add(RETURN, (output,), abstract, scope=scope, debug_name="", locations=locations)
        return self.unfinished()

    def unfinished(self) -> FuncGraph:
        """The FuncGraph as far as it has come."""
        parent = self.parent.name if self.free and self.parent else None
        return FuncGraph(self.name, tuple(self.parameters), tuple(self.nodes), location=self.location, parent=parent)

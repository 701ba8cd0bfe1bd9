"""One FuncGraph being recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msdump.graph import (
    NULL_TYPE,
    RETURN,
    Abstract,
    Attrs,
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
        monads: by kind, the token the next side effect takes.
        effects: kinds of side effects recorded so far.
        parent: the builder around it, whose nodes it may use; None for the entry.
        free: True when it uses nodes of a builder around it.
    """

    name: str
    parent: FuncBuilder | None = None
    location: Location | None = None
    parameters: list[Parameter] = field(default_factory=list)
    nodes: list[CNode] = field(default_factory=list)
    monads: dict[str, Operand] = field(default_factory=lambda: {k: first_monad(k) for k in (IO, MEMORY)})
    effects: set[str] = field(default_factory=set)
    loaded: dict[str, str] = field(default_factory=dict)
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
        self.nodes.append(CNode(name, op, inputs, abstract, **fields))
        return name

    def effect(self, kind: str, node: str, scope: str) -> None:
        """`node` acts on the world: what acts later comes after it."""
        inputs = (self.monads[kind], NodeRef(node))
        self.monads[kind] = NodeRef(self.add("UpdateState", inputs, MONAD_TYPES[kind], scope=scope))
        self.effects.add(kind)
        if kind == MEMORY:
            self.loaded.clear()

    def finish(self, output: Operand, abstract: Abstract, scope: str, locations: tuple[Location, ...]) -> FuncGraph:
        """The FuncGraph that returns `output`, after all its side effects."""
        for kind in (MEMORY, IO):
            if kind in self.effects:
                output = NodeRef(self.add("Depend", (output, self.monads[kind]), abstract, scope=scope))
        self.add(RETURN, (output,), abstract, scope=scope, locations=locations)
        parent = self.parent.name if self.free and self.parent else None
        return FuncGraph(self.name, tuple(self.parameters), tuple(self.nodes), Attrs(), self.location, parent)

"""FuncGraph and Graph: what every graph file is read into and every writer prints from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from msdump.graph.node import CNode, Location, Operand, Parameter
from msdump.graph.value import NO_ATTRS, Attrs

RETURN = "Return"


@dataclass(frozen=True, slots=True)
class FuncGraph:
    """One function: parameters, CNodes in the order of the file, the last of them its Return.

    Attributes:
        name: without the "@".
        parent: the FuncGraph whose variables it may use freely, or None.
        attrs: the `subgraph attr` lines.
        location: where it is defined in the user's source.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    nodes: tuple[CNode, ...] = ()
    attrs: Attrs = NO_ATTRS
    location: Location | None = None
    parent: str | None = None

    @property
    def output(self) -> Operand | None:
        """What the graph returns: the operand of its Return, None in a fragment without one."""
        for node in reversed(self.nodes):
            if node.op == RETURN and node.inputs:
                return node.inputs[0]
        return None


@dataclass(frozen=True, slots=True)
class Graph:
    """A whole graph: its FuncGraphs by name, and the one where execution enters.

    `source` is what is needed to print the file back as it was and means nothing (format,
    dialect, numbering, addresses, attribute order): structured facts that JSON carries and no
    comparison sees.
    """

    entry: str
    funcs: Mapping[str, FuncGraph]
    attrs: Attrs = NO_ATTRS
    source: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False, repr=False)

    @property
    def root(self) -> FuncGraph:
        """The entry FuncGraph. KeyError when a fragment does not hold it."""
        return self.funcs[self.entry]

    def iter_nodes(self) -> Iterator[tuple[FuncGraph, CNode]]:
        """Every CNode with its FuncGraph, in the order of the file."""
        for func in self.funcs.values():
            for node in func.nodes:
                yield func, node

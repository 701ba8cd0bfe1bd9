"""FuncGraph and Graph: what every graph file is read into and every writer prints from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter

from msdump.graph.find import find
from msdump.graph.index import GraphIndex
from msdump.graph.layout import Layout
from msdump.graph.node import RETURN as RETURN
from msdump.graph.node import CNode, GraphRef, Location, Operand, Parameter
from msdump.graph.positions import by_position
from msdump.graph.value import NO_ATTRS, Attrs, Value


@dataclass(frozen=True, slots=True)
class SymbolEngine:
    """The symbolic shapes of a FuncGraph: each rule says how one symbol comes of others."""

    name: str
    rules: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DetachedNode:
    """A node that stands in an execution order and nowhere else: nothing uses it.

    `items` are its operator and operands: the class of a constant (or ""), and its name or text.
    `graph` is the FuncGraph it belongs to, where that is another.
    """

    name: str
    items: tuple[tuple[str, str], ...]
    graph: str | None = None


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """How many nodes the compiler counted: all of them, and the CNodes among them."""

    nodes: int
    cnodes: int


@dataclass(frozen=True, slots=True)
class FuncGraph:
    """One function: parameters, CNodes in the order of the file, the last of them its Return.

    Two are equal when they mean the same: names of nodes do not count, only which node they name.

    Attributes:
        name: without the "@".
        parent: the FuncGraph whose variables it may use freely, or None.
        attrs: the `subgraph attr` lines.
        location: where it is defined in the user's source.
        flags: single marks beside the attributes (`switch_input`, `indirect`).
        side_effects: "io", "memory", "load" where the file tells; None when it does not.
        order: names of the CNodes in execution order, from an `# Order` block; None without one.
            "" stands for the next of `detached`.
        detached: nodes of the execution order that are none of `nodes`.
        symbol_engine: the rules of its symbolic shapes (2.5 and later), or None.
        comments: lines before the graph, or between its nodes, that say something else.
        constants: constants that a back-end graph (1.3) lists by themselves: the index of the node
            after them, their debug name, their value.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    nodes: tuple[CNode, ...] = ()
    attrs: Attrs = NO_ATTRS
    location: Location | None = None
    parent: str | None = None
    flags: Attrs = NO_ATTRS
    side_effects: tuple[str, ...] | None = None
    order: tuple[str, ...] | None = None
    symbol_engine: SymbolEngine | None = None
    comments: tuple[str, ...] = ()
    constants: tuple[tuple[int, str, Value], ...] = ()
    detached: tuple[DetachedNode, ...] = ()

    @property
    def output(self) -> Operand | None:
        """What the graph returns: the operand of its Return, None in a fragment without one."""
        for node in reversed(self.nodes):
            if node.op == RETURN and node.inputs:
                return node.inputs[0]
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FuncGraph) and _same({self.name: self}, {other.name: other})

    def __hash__(self) -> int:
        return hash((self.name, self.parameters, len(self.nodes)))


@dataclass(frozen=True, slots=True)
class Graph:
    """A whole graph: its FuncGraphs by name, and the one where execution enters.

    Two are equal when they mean the same: names of nodes do not count, only which node they name;
    names of parameters and FuncGraphs, which files have, do.

    `jit_config` (2.10) and `counts` (2.5 and later) are None where the file has none; `comments` are
    further lines about the graph as a whole, such as the message of a failed compilation.

    `elsewhere` names the subgraphs that are used here and stand in another file, as the reader found
    them: dumps of one stage leave them out. A use of any other subgraph that is not here is a fault.

    `source` is what is needed to print the file back as it was and means nothing (format, dialect,
    numbering, addresses): a layout, which JSON carries and no comparison sees.
    """

    entry: str
    funcs: Mapping[str, FuncGraph]
    attrs: Attrs = NO_ATTRS
    jit_config: Attrs | None = None
    counts: NodeCounts | None = None
    comments: tuple[str, ...] = ()
    source: Layout = field(default=Layout(), compare=False, repr=False)
    elsewhere: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def root(self) -> FuncGraph:
        """The entry FuncGraph. KeyError when a fragment does not hold it."""
        return self.funcs[self.entry]

    def index(self) -> GraphIndex:
        """Who makes what and who uses it: producers, users, order. Made anew at each call."""
        return GraphIndex(self)

    def find(
        self, op: str = "", name: str = "", scope: str = "", source: str = "", dtype: str = "", func: str = ""
    ) -> tuple[CNode, ...]:
        """The CNodes that are all that is asked, in the order of the file; see `msdump.graph.find`."""
        return find(self, op, name, scope, source, dtype, func)

    def iter_nodes(self) -> Iterator[tuple[FuncGraph, CNode]]:
        """Every CNode with its FuncGraph, in the order of the file."""
        for func in self.funcs.values():
            for node in func.nodes:
                yield func, node

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Graph) and _head(self) == _head(other) and _same(self.funcs, other.funcs)

    def __hash__(self) -> int:
        return hash((self.entry, frozenset(self.funcs)))


def undeclared(funcs: Mapping[str, FuncGraph]) -> frozenset[str]:
    """Names of the subgraphs that FuncGraphs use and that are none of them; for `Graph.elsewhere`."""
    used = {func.parent for func in funcs.values() if func.parent is not None}
    for func in funcs.values():
        for node in func.nodes:
            used.update(o.name for o in (node.callee, *node.inputs, *node.targets) if type(o) is GraphRef)
    return frozenset(used - funcs.keys())


_FUNC = attrgetter(*(f.name for f in fields(FuncGraph)))
_head = attrgetter(*(f.name for f in fields(Graph) if f.compare and f.name != "funcs"))


def _same(a: Mapping[str, FuncGraph], b: Mapping[str, FuncGraph]) -> bool:
    """Whether FuncGraphs are the same but for names of nodes, and for the type of a Return, which is
    the one of its operand (no text file has another place for it)."""
    if a.keys() != b.keys() or any(len(a[key].nodes) != len(b[key].nodes) for key in a):
        return False
    if all(_FUNC(a[key]) == _FUNC(b[key]) for key in a):
        return True
    a, b = by_position(a), by_position(b)
    return all(_FUNC(a[key]) == _FUNC(b[key]) for key in a)

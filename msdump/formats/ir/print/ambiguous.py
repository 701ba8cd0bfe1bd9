"""References to other FuncGraphs' nodes and parameters that a reader would take for another's.

Each is printed and looked up again among the names that the file will declare, as `elements.operand`
and, for the bare numbers of 1.0, `lower.nodes` do.
"""

from __future__ import annotations

from collections.abc import Iterator

from msdump.errors import WriteError
from msdump.formats.ir.elements.operand import Names, Operands
from msdump.formats.ir.elements.type import Types
from msdump.formats.ir.elements.value import Values
from msdump.formats.ir.print.fit import Fitted
from msdump.formats.ir.print.labels import FuncNames, Labels
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.node import CNode, GraphRef, NodeRef

_Misread = tuple[FuncGraph, CNode, NodeRef]


def refuse_ambiguous(graph: Graph, fitted: Fitted, labels: Labels) -> None:
    """WriteError when a reference to another FuncGraph would be read as one to something else."""
    for func, node, ref in misread(graph, fitted, labels):
        plain = fitted.dialect.nodes.free == "plain"
        kind = "parameter" if ref.name in labels.funcs[ref.graph or ""].numbers else "node"
        raise WriteError(
            f"{node.name} of @{func.name} uses {ref.name} of @{ref.graph}, "
            f"which .ir of {fitted.dialect.name} cannot tell from another {kind}",
            hint="another dialect can" if plain else "give the nodes debug names of their own",
        )


def misread(graph: Graph, fitted: Fitted, labels: Labels) -> Iterator[_Misread]:
    """The references to another FuncGraph that a reader would not resolve to what they name."""
    reader: _Reader | None = None
    for func in graph.funcs.values():
        for index, node in enumerate(func.nodes):
            for position, operand in enumerate((node.callee, *node.inputs)):
                if isinstance(operand, NodeRef) and operand.graph not in (None, "", func.name):
                    if operand.graph not in graph.funcs:
                        continue
                    reader = reader or _Reader(graph, fitted, labels)
                    if not reader.finds(func, index, operand, callee=not position):
                        yield func, node, operand


class _Reader:
    """Looks references up among the names that a text declares."""

    def __init__(self, graph: Graph, fitted: Fitted, labels: Labels) -> None:
        self._graph, self._labels, dialect = graph, labels, fitted.dialect
        self._plain = dialect.nodes.free == "plain"
        self._types = Types(dialect)
        self._names = names = Names()
        self._operands = Operands(dialect, Values(dialect), names)
        self._numbers: dict[str, dict[str, int]] = {}
        for func in graph.funcs.values():
            own = labels.funcs[func.name]
            names.graphs.setdefault(own.label, func.name)
            if func.parent is not None and dialect.parts.parent:
                names.parents[func.name] = func.parent
            for parameter in func.parameters:
                label = own.parameter(parameter.name)
                names.enter(func.name, own.numbers.get(parameter.name), label, parameter.name)
            self._enter(func, own)

    def _enter(self, func: FuncGraph, own: FuncNames) -> None:
        debug = self._names.debug.setdefault(func.name, {})
        numbers = self._numbers[func.name] = {}
        for index, node in enumerate(func.nodes):
            number = own.layout.numbers.get(node.name)
            if number is not None:
                numbers.setdefault(f"%{number}", index)
            if node.debug_name:
                debug.setdefault(node.debug_name, node.name)
            for operand in (node.callee, *node.inputs):
                if isinstance(operand, GraphRef):
                    self._names.users.setdefault(operand.name, {})[func.name] = None

    def finds(self, func: FuncGraph, index: int, ref: NodeRef, callee: bool) -> bool:
        """Whether the text of a reference, at the node of an index in a FuncGraph, leads to what it names."""
        names = self._labels.funcs[func.name]
        node = func.nodes[index]
        text = self._labels.reference(names, ref, callee, names.layout.borrowed.get(node.name, ""))
        if self._plain and text[0] == "%" and text[1:].isdecimal():
            return self._numbered(text, func, index, ref, callee)
        found = self._operands.reference(text, func.name, {})
        return isinstance(found, NodeRef) and (found.name, found.graph) == (ref.name, ref.graph)

    def _numbered(self, text: str, func: FuncGraph, index: int, ref: NodeRef, callee: bool) -> bool:
        """The same of 1.0's number of a node: no earlier node of the FuncGraph bears it, and of the
        FuncGraphs above that have it the nearest with its type, or the nearest, is the owner."""
        if self._numbers[func.name].get(text, index) < index:
            return False
        nearest: str | None = None
        told = not callee and self._typed(func.name, func.nodes[index])
        seen = ref.abstract or self._labels.abstract(self._labels.funcs[func.name], ref)
        for owner in self._names.above(func.name):
            at = self._numbers.get(owner, {}).get(text)
            if at is not None:
                nearest = nearest or owner
                node = self._graph.funcs[owner].nodes[at]
                same = self._typed(owner, node) and self._types.format(node.abstract) == self._types.format(seen)
                if not told or same:
                    return owner == ref.graph
        return nearest == ref.graph

    def _typed(self, func: str, node: CNode) -> bool:
        """Whether a line tells the types of a node."""
        return "T" in self._labels.funcs[func].layout.notes.get(node.name, "T")

"""What the printer calls the things of a graph: numbers of nodes and parameters, references to them.

How a node refers to a parameter or another node, by who owns that:

    release        its own graph's   parameter of another     node of another
    1.0            %para1, %para_x   %para1, %para_x          %3, its number there
    1.1 to 1.3     %para1_x          %para1_x                 $(graph:name)
    1.6 and later  %para1_x          $(@graph:para1_x)        $(@graph:name)
      borrowed     %para1_x          %para1_x                 %3

1.0 numbers the parameters of the entry graph only. Borrowed is a node of another graph that the sorted
order repeats in this one: it writes that graph's parameters as its own; so do dumps of failures. A callee is
`$(@graph:x)` without its number. A graph of another dialect whose references 1.0's way would not tell
apart (`ambiguous`) has them all as in 1.1, and `$(graph:x)` for a parameter without a number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msdump.formats.ir.print.fit import Fitted
from msdump.graph.abstract import NULL_TYPE, Abstract
from msdump.graph.graph import Graph
from msdump.graph.layout import FuncLayout
from msdump.graph.node import NodeRef

_NUMBERED = re.compile(r"%(para)?(\d{1,18})(?!\d)")


@dataclass(slots=True)
class FuncNames:
    """What is printed for the names of one FuncGraph.

    Attributes:
        key: its name in the model.
        layout: as it fits.
        numbers: parameter → printed number, None where it has none.
        debug: node → debug name.
        types: node or parameter → type.
        references: those that were printed before.
    """

    key: str
    layout: FuncLayout
    numbers: dict[str, int | None] = field(default_factory=dict)
    debug: dict[str, str] = field(default_factory=dict)
    types: dict[str, Abstract] = field(default_factory=dict)
    references: dict[NodeRef, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The printed name of the FuncGraph."""
        return self.layout.label or self.key

    def alias(self, name: str) -> str:
        """The name of a parameter as its uses are printed."""
        return self.layout.aliases.get(name) or self.parameter(name)

    def parameter(self, name: str) -> str:
        """The printed name of a parameter."""
        return self.layout.labels.get(name, name)


class Labels:
    """The printed names of a graph."""

    def __init__(self, graph: Graph, fitted: Fitted) -> None:
        self._dialect = fitted.dialect
        self._entry = graph.entry
        self._root_in_head = fitted.root_in_head
        self.funcs: dict[str, FuncNames] = {}
        for key, func in graph.funcs.items():
            layout = fitted.funcs[key]
            names = self.funcs[key] = FuncNames(key, layout)
            names.numbers = dict(zip((p.name for p in func.parameters), layout.params or (), strict=True))
            names.types = {p.name: p.abstract for p in func.parameters}
            for node in func.nodes:
                names.debug[node.name] = node.debug_name
                names.types[node.name] = node.abstract

    def graph(self, key: str) -> str:
        """The printed name of a FuncGraph."""
        names = self.funcs.get(key)
        return names.label if names is not None else key

    def reference(self, names: FuncNames, ref: NodeRef, callee: bool = False, borrowed: str = "") -> str:
        """The text that refers to a node or parameter from within a FuncGraph.

        `borrowed` is the FuncGraph whose parameters are written as if they were its own.
        """
        if callee or borrowed:
            return self._reference(names, ref, callee, borrowed)
        text = names.references.get(ref)
        if text is None:
            text = names.references[ref] = self._reference(names, ref, False, "")
        return text

    def _reference(self, names: FuncNames, ref: NodeRef, callee: bool, borrowed: str) -> str:
        free = self._dialect.nodes.free
        owner = names if ref.graph in (None, names.key) else self.funcs.get(ref.graph or "")
        if owner is None:
            return f"${self._free(ref.graph, ref.name)}" if ref.graph and free != "plain" else _undeclared(names, ref)
        own = owner is names
        number = owner.layout.numbers.get(ref.name)
        if number is not None and (own or free == "plain"):
            return f"%{number}"
        if ref.name in owner.numbers:
            if own or owner.key == borrowed:
                return self._parameter(owner, ref.name, own)
            inner = self._parameter(owner, ref.name, False)
            if free != "plain" and (callee or (free == "graph" and inner.startswith("%para_"))):
                return f"${self._free(owner.label, owner.parameter(ref.name))}"
            return f"${self._free(owner.label, inner.removeprefix('%'))}" if free == "at" else inner
        if own or free == "plain":
            return _undeclared(names, ref)
        return f"${self._free(owner.label, owner.debug.get(ref.name, ref.name))}"

    def _free(self, graph: str | None, name: str) -> str:
        return f"({'@' if self._dialect.nodes.free == 'at' else ''}{graph}:{name})"

    def _parameter(self, owner: FuncNames, name: str, own: bool) -> str:
        label = owner.alias(name) if own else owner.parameter(name)
        number = owner.numbers[name]
        root = owner.key == self._entry and self._root_in_head
        if root and self._dialect.parameters.params == "index" and number is not None:
            return f"%para{number}"
        if number is None or self._dialect.parameters.inner_params == "bare":
            return f"%para_{label}"
        return f"%para{number}_{label}"

    def abstract(self, names: FuncNames, ref: NodeRef) -> Abstract:
        """The type of what a reference names."""
        owner = names if ref.graph in (None, names.key) else self.funcs.get(ref.graph or "")
        return NULL_TYPE if owner is None else owner.types.get(ref.name, NULL_TYPE)


UNDEFINED = "%undefined_"
"""Begins the text of a reference that no node answers to, where its name would be taken for another's."""


def _undeclared(names: FuncNames, ref: NodeRef) -> str:
    """A name that nothing declares: as the file has it, and never the text of a node or parameter."""
    match = _NUMBERED.match(ref.name)
    if ref.graph == "" and not match:
        return ref.name
    if ref.graph == "" and match:
        taken = names.numbers.values() if match[1] else names.layout.numbers.values()
        if int(match[2]) not in taken:
            return ref.name
    return UNDEFINED + ref.name.lstrip("%")

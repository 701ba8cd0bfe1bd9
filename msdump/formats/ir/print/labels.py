"""What the printer calls the things of a graph: numbers of nodes and parameters, printed names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.print.facts import Counter
from msdump.graph.abstract import NULL_TYPE, Abstract
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.node import NodeRef


@dataclass(slots=True)
class FuncNames:
    """What is printed for the names of one FuncGraph.

    Attributes:
        key: its name in the model.
        index: its place in the file.
        label: its printed name.
        facts: its entry of `source["funcs"]`, or {}.
        numbers: parameter → printed number, None where it has none.
        labels: parameter → printed name, where that is another.
        nodes: node → printed number; a Return has none.
        debug: node → debug name.
        types: node or parameter → type.
        unnamed: nodes printed without debug name.
        no_call: nodes that are no call.
    """

    key: str
    index: int
    label: str
    facts: Mapping[str, Any]
    numbers: dict[str, int | None] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)
    debug: dict[str, str] = field(default_factory=dict)
    types: dict[str, Abstract] = field(default_factory=dict)
    unnamed: frozenset[str] = frozenset()
    no_call: frozenset[str] = frozenset()
    references: dict[NodeRef, str] = field(default_factory=dict)

    def renamed(self, name: str) -> str | None:
        """The parameter that had this name when the file was read, and has another now."""
        told = list(self.facts.get("parameters", ()))
        now = list(self.numbers)
        return now[told.index(name)] if name in told and len(told) == len(now) else None

    def former(self, name: str) -> str:
        """The text of a parameter that had this name when the file was read, "" when none had.

        Without a number: the number now belongs to another name, and readers go by it, so that
        the reference would be taken for one that holds.
        """
        return f"%para_{name}" if name in self.facts.get("parameters", ()) else ""

    def alias(self, name: str) -> str:
        """The name of a parameter as its uses are printed."""
        aliases = self.facts.get("aliases", {})
        return str(aliases[name]) if name in aliases else self.parameter(name)

    def parameter(self, name: str) -> str:
        """The printed name of a parameter."""
        return self.labels.get(name, name)


class Labels:
    """The printed names of a graph."""

    def __init__(self, graph: Graph, dialect: Dialect, source: Mapping[str, Any]) -> None:
        self._graph = graph
        self._dialect = dialect
        told = list(source.get("funcs", ()))
        by_name = {entry.get("name"): entry for entry in told}
        self.unprinted = {
            name for name in source.get("unprinted", ()) if name in graph.funcs and not graph.funcs[name].nodes
        }
        root = graph.funcs.get(graph.entry)
        layout = source.get("header", dialect.header)
        self.root_in_head = "{parameters}" in layout or (
            any("{entry}" in line for line in layout) and not (root and root.parameters)
        )
        counter = Counter(1)
        self._places = {key: place for place, key in enumerate(graph.funcs)}
        self.funcs: dict[str, FuncNames] = {}
        printed = [key for key in graph.funcs if key not in self.unprinted]
        if graph.entry in graph.funcs and self.root_in_head:
            self._parameters(graph.entry, by_name, told, printed, counter, source)
        for key in graph.funcs:
            if key not in self.funcs:
                self._parameters(key, by_name, told, printed, counter, source)
        for key, func in graph.funcs.items():
            self._nodes(self.funcs[key], func)

    def _parameters(
        self,
        key: str,
        by_name: dict[Any, Any],
        told: list[Any],
        printed: list[str],
        counter: Counter,
        source: Mapping[str, Any],
    ) -> None:
        func = self._graph.funcs[key]
        facts = by_name.get(key)
        if facts is None and key in printed and printed.index(key) < len(told):
            at = told[printed.index(key)]
            facts = at if at.get("name") not in self._graph.funcs else None  # it was renamed
        facts = facts or {}
        label = facts.get("label", func.name) if facts.get("name") == func.name else func.name
        names = FuncNames(
            key,
            self._places[key],
            label,
            facts,
            unnamed=frozenset(facts.get("unnamed", ())),
            no_call=frozenset(facts.get("no_call", ())),
        )
        numbers: list[int | None] = list(counter.take(len(func.parameters)))
        given = facts.get("params", source.get("loose") if key in self.unprinted else None)
        if given is not None and len(given) == len(func.parameters):
            numbers = list(given)
            counter.next = max([counter.next - len(given), *(n + 1 for n in given if n is not None)])
        names.numbers = {p.name: n for p, n in zip(func.parameters, numbers, strict=True)}
        own = {p.name for p in func.parameters}
        names.labels = {name: text for name, text in facts.get("labels", {}).items() if name in own}
        names.types = {p.name: p.abstract for p in func.parameters}
        self.funcs[key] = names

    def _nodes(self, names: FuncNames, func: FuncGraph) -> None:
        told = names.facts.get("numbers", {})
        number = self._dialect.first_node
        for node in func.nodes:
            if (node.op == RETURN and told.get(node.name) is None) or (node.name in told and told[node.name] is None):
                pass
            else:
                number = told.get(node.name, number)
                names.nodes[node.name] = number
                number += 1
            names.debug[node.name] = node.debug_name
            names.types[node.name] = node.abstract

    def graph(self, key: str) -> str:
        """The printed name of a FuncGraph."""
        names = self.funcs.get(key)
        return names.label if names is not None else key

    def reference(self, names: FuncNames, ref: NodeRef, callee: bool = False) -> str:
        """The text that refers to a node or parameter from within a FuncGraph."""
        if callee:
            return self._reference(names, ref, True)
        text = names.references.get(ref)
        if text is None:
            text = names.references[ref] = self._reference(names, ref)
        return text

    def _reference(self, names: FuncNames, ref: NodeRef, callee: bool = False) -> str:
        free = self._dialect.free
        owner = names if ref.graph in (None, names.key) else self.funcs.get(ref.graph or "")
        if owner is not None and ref.name in owner.nodes and (owner is names or free == "plain"):
            return f"%{owner.nodes[ref.name]}"
        if owner is names:
            if ref.name in names.numbers:
                return self._parameter(names, ref.name, True)
            return names.former(ref.name) or ref.name
        if owner is not None and ref.name in owner.numbers:
            inner = self._parameter(owner, ref.name)
            root = owner.key == self._graph.entry and not self._dialect.root_free
            if callee and free != "plain":
                return f"$({'@' if free == 'at' else ''}{owner.label}:{owner.parameter(ref.name)})"
            if free != "at" or root:
                return inner
            return f"$(@{owner.label}:{inner.removeprefix('%')})"
        label = owner.label if owner is not None else ref.graph
        name = owner.debug.get(ref.name, ref.name) if owner is not None else ref.name
        if free == "plain" or not label:
            return name
        return f"$({'@' if free == 'at' else ''}{label}:{name})"

    def _parameter(self, owner: FuncNames, name: str, inside: bool = False) -> str:
        label = owner.alias(name) if inside else owner.parameter(name)
        number = owner.numbers[name]
        root = owner.key == self._graph.entry and self.root_in_head
        if root and self._dialect.params == "index" and number is not None:
            return f"%para{number}"
        if number is None or self._dialect.inner_params == "bare":
            return f"%para_{label}"
        return f"%para{number}_{label}"

    def abstract(self, names: FuncNames, ref: NodeRef) -> Abstract:
        """The type of what a reference names."""
        owner = names if ref.graph in (None, names.key) else self.funcs.get(ref.graph or "")
        if owner is None:
            return NULL_TYPE
        known = owner.types.get(ref.name)
        return known if known is not None else owner.types.get(owner.renamed(ref.name) or "", NULL_TYPE)

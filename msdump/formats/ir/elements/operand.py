"""Operands as text: `%3`, `%para1_x`, `@graph`, `$(@graph:CNode_3)`, constants; and what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.value import Values
from msdump.graph.abstract import NULL_TYPE, Abstract, FuncType
from msdump.graph.node import GraphRef, NodeRef, Operand, ValueNode

_FREE = re.compile(r"\$\((@?)([^:]*):(.*)\)", re.DOTALL)
_FREE_PARAMETER = re.compile(r"para(\d{1,18})_(.*)", re.DOTALL)
_UNDECLARED = re.compile(r"%\d+$|%undefined_")
_NUMBERED = re.compile(r"%para(\d{1,18})(?:_(.*))?", re.DOTALL)


@dataclass(slots=True)
class Names:
    """The names of one file that its operands use.

    Attributes:
        graphs: printed name of a subgraph → its name in the model.
        numbered: number of a parameter → (name of its FuncGraph, its name, its name as printed), the
            first of that number.
        repeated: numbers that parameters of several FuncGraphs have, as the sorted order writes them.
        parameters: FuncGraph → number and printed name of a parameter → its name.
        bare: FuncGraph → printed name of a parameter without number → its name.
        debug: FuncGraph → debug name → the first node that bears it.
        parents: FuncGraph → the FuncGraph whose variables it may use, where the file tells it.
        users: FuncGraph → the FuncGraphs that call it or pass it on.
    """

    graphs: dict[str, str] = field(default_factory=dict)
    numbered: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    repeated: set[int] = field(default_factory=set)
    parameters: dict[str, dict[tuple[int, str], str]] = field(default_factory=dict)
    bare: dict[str, dict[str, str]] = field(default_factory=dict)
    debug: dict[str, dict[str, str]] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    users: dict[str, dict[str, None]] = field(default_factory=dict)

    def enter(self, func: str, number: int | None, label: str, name: str) -> None:
        """Enters a parameter with its number and printed name."""
        self.bare.setdefault(func, {}).setdefault(label, name)
        if number is None:
            return
        self.parameters.setdefault(func, {})[number, label] = name
        if self.numbered.setdefault(number, (func, name, label)) != (func, name, label):
            self.repeated.add(number)

    def parameter(self, graph: str, number: int, label: str) -> str | None:
        """The name of a FuncGraph's parameter with a number and printed name."""
        return self.parameters.get(graph, {}).get((number, label))

    def above(self, func: str) -> Iterator[str]:
        """The FuncGraphs that use `func`, nearest first: where its free variables may live."""
        seen = {func}
        queue = [func]
        for at in queue:
            parent = self.parents.get(at)
            for user in (*((parent,) if parent is not None else ()), *self.users.get(at, ())):
                if user not in seen:
                    seen.add(user)
                    queue.append(user)
                    yield user


class Operands:
    """Reads the operands of one file."""

    def __init__(self, dialect: Dialect, values: Values, names: Names) -> None:
        self._dialect = dialect
        self._values = values
        self._names = names
        self._constants: dict[tuple[str, int], tuple[Abstract | None, Operand]] = {}
        self.func_type = FuncType()
        self.aliases: dict[str, dict[str, str]] = {}
        """FuncGraph → parameter → another name that its uses are printed with."""

    def reference(self, text: str, func: str, numbers: dict[str, str]) -> NodeRef | GraphRef | None:
        """The node, parameter or graph that `text` names in FuncGraph `func`; None for a constant.

        `numbers` are the printed numbers ("%3") of that graph's nodes with their names.
        """
        first = text[:1]
        if first == "%":
            if text in numbers:
                return NodeRef(numbers[text])
            return self._parameter(text, func) or (NodeRef(text, "") if _UNDECLARED.match(text) else None)
        if first == "@":
            return GraphRef(self._names.graphs.get(text[1:], text[1:]))
        if first == "$" and (match := _FREE.fullmatch(text)):
            return self._free(match)
        return None

    def _parameter(self, text: str, func: str) -> NodeRef | None:
        match = _NUMBERED.fullmatch(text)
        if match:
            names, number = self._names, int(match[1])
            own = names.parameter(func, number, match[2])
            if own is not None:
                return NodeRef(own)
            for owner in names.above(func) if number in names.repeated else ():
                name = names.parameter(owner, number, match[2])
                if name is not None:
                    return NodeRef(name, owner)
            found = names.numbered.get(number)
            if found is not None and (match[2] is None or match[2] == found[2]):
                return NodeRef(found[1], None if found[0] == func else found[0])
            if found is not None and found[0] == func and match[2]:
                alias = self.aliases.setdefault(func, {}).setdefault(found[1], match[2])
                if alias == match[2]:
                    return NodeRef(found[1])
        if text.startswith("%para_"):
            name = text[6:]
            own = self._names.bare.get(func, {}).get(name)
            if own is not None:
                return NodeRef(own)
            for owner in (*self._names.above(func), *self._names.bare):
                if name in self._names.bare.get(owner, {}):
                    return NodeRef(self._names.bare[owner][name], owner)
        return NodeRef(text, "") if text.startswith("%para") else None

    def _free(self, match: re.Match[str]) -> NodeRef:
        graph = self._names.graphs.get(match[2], match[2])
        name = match[3]
        parameter = _FREE_PARAMETER.fullmatch(name)
        if parameter:
            own = self._names.parameter(graph, int(parameter[1]), parameter[2])
            if own is not None:
                return NodeRef(own, graph)
        node = self._names.debug.get(graph, {}).get(name)
        if node is not None:
            return NodeRef(node, graph)
        own = self._names.bare.get(graph, {}).get(name)
        return NodeRef(match[0], "") if own is None else NodeRef(own, graph)

    def constant(self, text: str, abstract: Abstract | None) -> Operand:
        """The constant that `text` stands for."""
        key = (text, id(abstract))
        found = self._constants.get(key)
        if found is None:
            value = self._values.parse(text, abstract)
            node = ValueNode(value, NULL_TYPE if abstract is None else abstract)
            found = self._constants[key] = (abstract, node)
        return found[1]

"""A Graph as text, in the dialect its source names, or any other.

Facts of `Graph.source` (numbers, layouts, addresses) are used where they fit the graph; without
them the text is what the dialect's release would write. Every field of the model has its place in
the text, so an edit shows where the field stands and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from msdump.formats.ir.dialects.dialect import LATEST, Dialect, dialect
from msdump.formats.ir.elements import header as header_text
from msdump.formats.ir.elements import operator as op_text
from msdump.formats.ir.elements import preamble, tail
from msdump.formats.ir.elements.attribute import AttrText, NodeAttrs
from msdump.formats.ir.elements.note import (
    HEADINGS,
    PLACES,
    Notes,
    Types2,
    format_effects,
    format_kinds,
    format_place,
    format_symbols,
)
from msdump.formats.ir.elements.parameter import Parameters, join_name
from msdump.formats.ir.elements.type import Types
from msdump.formats.ir.elements.value import Values
from msdump.formats.ir.print import facts
from msdump.formats.ir.print.labels import FuncNames, Labels
from msdump.formats.ir.print.order import ODD, OrderText, source_classes
from msdump.graph.abstract import Abstract, FuncType
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, NodeRef, Operand, ValueNode
from msdump.graph.value import Attrs, Str, Value

_NO_ADDRESS = "0x0"


_MOST = 1000
"""What a layout counts (blanks, empty lines) stays below it in any file."""


def chosen_dialect(graph: Graph, name: str = "") -> tuple[Dialect, Mapping[str, Any]]:
    """The dialect to print in and the facts that go with it.

    Facts are used only when the graph was read from an .ir file and no other dialect is asked for.
    KeyError when there is no dialect of that name.
    """
    source = graph.source
    if source.get("format") != "ir" or (name and dialect(name).name != source.get("dialect")):
        return dialect(name or LATEST), {}
    try:
        plain = dialect(str(source.get("dialect", LATEST)))
    except KeyError:  # a document of JSON may say anything
        return dialect(LATEST), {}
    values = {f.name: getattr(plain, f.name) for f in fields(Dialect)}
    for key, given in source.get("differs", {}).items():
        value = tuple(given) if isinstance(given, list) else given
        if type(value) is type(values.get(key)) and (type(value) is not int or 0 <= value < _MOST):
            values[key] = value
    return Dialect(**values), source


class Printer:
    """Prints one graph."""

    def __init__(self, graph: Graph, name: str = "") -> None:
        self._graph = graph
        self._dialect, self._source = chosen_dialect(graph, name)
        self._types = Types(self._dialect)
        self._values = Values(self._dialect)
        self._attrs = AttrText(self._dialect, self._values)
        self._notes = Notes(self._dialect, self._types)
        self._parameters = Parameters(self._dialect, self._types)
        self._labels = Labels(graph, self._dialect, self._source)
        self._order = OrderText(self._labels, self._dialect)
        self._classes = source_classes(self._source.get("classes", {}))
        self._layouts = facts.NoteLayouts(self._dialect)
        self._func_type = FuncType()
        self._attr_texts: dict[int, tuple[NodeAttrs, str]] = {}

    def lines(self) -> Iterator[str]:
        """The lines of the file, without newlines."""
        graph = self._graph
        header, end = self._ends()
        yield from header
        for key, func in graph.funcs.items():
            if key not in self._labels.unprinted:
                yield from self._func(self._labels.funcs[key], func)
        yield from end

    # The head and the end

    def _ends(self) -> tuple[list[str], list[str]]:
        graph, source = self._graph, self._source
        funcs = list(graph.funcs.values())
        layout = source.get("header", header_text.default_layout(self._dialect, facts.present(graph)))
        end = source.get("tail", tail.default_layout(funcs))
        root = graph.funcs.get(graph.entry)
        count = end.count("{comment}")
        comments = list(graph.comments)
        head_comments, end_comments = (comments[:-count], comments[-count:]) if count else (comments, [])
        several = {
            "attrs": self._pairs(graph.attrs),
            "parameters": self._root_parameters(root),
            "jit_config": self._pairs(graph.jit_config or Attrs()),
            "comment": head_comments,
        }
        if any(several[key] and f"{{{key}}}" not in layout for key in ("attrs", "parameters", "jit_config")):
            layout = header_text.default_layout(self._dialect, facts.present(graph))
        counts = graph.counts
        single = {
            "entry": self._labels.graph(graph.entry),
            "subgraphs": str(self._total("subgraphs", len(funcs))),
            "params": str(self._total("params", len(root.parameters) if root else 0)),
            "nodes": str(counts.nodes) if counts else "",
            "cnodes": str(counts.cnodes) if counts else "",
        }
        lines: list[str] = []
        for template in end:
            if template == "{engines}":
                lines.extend(tail.print_engines(funcs))
            elif template == "{comment}":
                lines.append(end_comments.pop(0))
            else:
                lines.append(template)
        return header_text.print_header(layout, single, several), lines

    def _total(self, key: str, counted: int) -> int:
        printed, then = self._source.get("totals", {}).get(key, (counted, counted))
        return int(printed) if then == counted else counted

    def _root_parameters(self, root: FuncGraph | None) -> list[str]:
        if root is None or not self._labels.root_in_head:
            return []
        names = self._labels.funcs[self._graph.entry]
        return [
            self._parameters.format(_named(p, names.parameter(p.name)), names.numbers.get(p.name), self._dialect.params)
            for p in root.parameters
        ]

    def _pairs(self, attrs: Attrs) -> list[str]:
        return [f"{key}{self._dialect.colon}{self._plain(value)}" for key, value in attrs.items()]

    def _plain(self, value: Value) -> str:
        return value.value if isinstance(value, Str) else self._values.format(value, "attr")

    # A subgraph

    def _func(self, names: FuncNames, func: FuncGraph) -> Iterator[str]:
        told = names.facts
        own = not (func.name == self._graph.entry and self._labels.root_in_head)
        between = told.get("between")
        if between is None:
            between = [(position, "v") for position, _, _ in func.constants]
        between = [(at, code) for at, code in between if at <= len(func.nodes)]
        after = told.get("after", facts.default_after(func, self._dialect))
        inside = sum(1 for _, code in between if code == "C")
        behind = after.count("C") + (func.order or ()).count(ODD)
        before = len(func.comments) - inside - behind
        comments = list(func.comments)
        layout = told.get("before")
        if layout is None:
            layout = facts.plain_preamble(func, self._dialect, own, max(before, 0))
        yield from preamble.print_preamble(layout, func, self._told(names, func), self._dialect, self._types)
        comments = comments[layout.count("C") :]
        parameters = tuple(self._head_parameter(names, p) for p in func.parameters) if own else ()
        parent = None if func.parent is None else self._labels.graph(func.parent)
        yield preamble.print_head(preamble.Head(names.label, parent, parameters), self._dialect)
        constants = list(func.constants)
        where = 0
        for index, node in enumerate(func.nodes):
            while where < len(between) and between[where][0] <= index:
                yield from self._between(between[where][1], comments, constants)
                where += 1
            yield from self._node(names, node)
        while where < len(between):
            yield from self._between(between[where][1], comments, constants)
            where += 1
        if not told.get("open"):
            yield "}"
        for code in after:
            if code == "O":
                yield from self._order.lines(names, func, self._classes, comments)
            elif code == "C":
                if comments:
                    yield comments.pop(0)
            else:
                yield ""

    def _between(self, code: str, comments: list[str], constants: list[tuple[int, str, Value]]) -> Iterator[str]:
        if code == "B":
            yield ""
        elif code == "C" and comments:
            yield comments.pop(0)
        elif code == "v" and constants:
            _, label, value = constants.pop(0)
            yield f"{' ' * self._dialect.indent}{label}({self._values.format(value)})"

    def _told(self, names: FuncNames, func: FuncGraph) -> preamble.Told:
        flags = [f"{key}: {self._plain(value)}" for key, value in func.flags.items()]
        return preamble.Told(
            flags,
            self._pairs(func.attrs),
            names.facts.get("instance", names.label),
            names.facts.get("address", _NO_ADDRESS),
            names.facts.get("engine", _NO_ADDRESS),
        )

    def _head_parameter(self, names: FuncNames, parameter: Any) -> str:
        number, label = names.numbers.get(parameter.name), names.parameter(parameter.name)
        if self._dialect.block_head:
            return self._parameters.format(_named(parameter, label), number, self._dialect.inner_params)
        return join_name(number, label, self._dialect.inner_params)

    # A node

    def _node(self, names: FuncNames, node: CNode) -> Iterator[str]:
        dialect = self._dialect
        if node.failure is not None:
            yield ""
            yield f"#------------------------> {node.failure}"
        number = names.nodes.get(node.name)
        indent = int(names.facts.get("indent", dialect.indent))
        start = " " * indent
        if number is not None:
            start += f"%{number}({node.debug_name}) = " if node.name not in names.unnamed else f"%{number} = "
        layout = names.facts.get("notes", {}).get(node.name)
        plain = self._layouts.plain(node)
        if layout is None or not facts.fits(layout, plain):
            layout = plain
        comments = list(node.comments)
        rest = comments.pop(0) if layout.startswith("R") and comments else ""
        yield f"{start}{self._call(names, node)}{self._attributes(node)}{rest}"
        under = " " * (indent + 4)
        places = node.locations
        at = 0
        for code in layout:
            if code == "T":
                yield under + self._types_line(names, node)
            elif code in PLACES:
                yield under + format_place(places[at], dialect, PLACES[code])
                at += 1
            elif code == "H" and at < len(places):
                yield under + HEADINGS.get(places[at].role, f"# {places[at].role}:")
            elif code in "Cc" and comments:
                yield (under if code == "C" else "") + comments.pop(0)
            elif code != "R":
                text = self._line(code, node)
                if text:
                    yield under + text

    def _line(self, code: str, node: CNode) -> str:
        if code == "S":
            return self._notes.closed(self._dialect.scope, node.scope)
        if code == "F":
            return self._notes.closed(self._dialect.fullname, node.fullname)
        if code == "E":
            return "# "
        if code == "X" and node.side_effects is not None:
            return format_effects(node.side_effects)
        if code == "D" and node.device is not None:
            return self._notes.format_devices(node.device)
        if code == "K" and node.object_kinds is not None:
            return format_kinds(node.object_kinds)
        if code == "Y" and node.symbols is not None:
            return format_symbols(node.symbols)
        return ""

    def _attributes(self, node: CNode) -> str:
        if not (node.instance or node.primitive_attrs or node.cnode_attrs or node.primal_attrs or node.other_attrs):
            return ""
        return self._attrs.format(
            NodeAttrs(node.instance, node.primitive_attrs, node.cnode_attrs, node.primal_attrs, node.other_attrs)
        )

    def _call(self, names: FuncNames, node: CNode) -> str:
        operands = ", ".join([self.operand(names, operand) for operand in node.inputs])
        if node.name in names.no_call:
            return node.op
        return f"{self.callee(names, node)}({operands})"

    def callee(self, names: FuncNames, node: CNode) -> str:
        """The text of what a node calls."""
        if node.op == RETURN and node.name not in names.nodes:
            return self._dialect.return_op
        if node.op == CALL and isinstance(node.callee, GraphRef):
            return f"call @{self._labels.graph(node.callee.name)}"
        if node.op in (CALL, CALL_VAR) and node.callee is not None:
            text = self.operand(names, node.callee, True)
            if node.targets and self._dialect.calls != "none":
                text += f"[{self._targets(node.targets)}]"
            return text
        return op_text.join_op(node.op, node.op_kind)

    def _targets(self, targets: tuple[Operand, ...]) -> str:
        if len(targets) == 1 and isinstance(targets[0], ValueNode):
            return self._values.format(targets[0].value)
        graphs = tuple(self._labels.graph(t.name) for t in targets if isinstance(t, GraphRef))
        return op_text.join_targets(graphs, self._dialect.calls == "at")

    def operand(self, names: FuncNames, operand: Operand, callee: bool = False) -> str:
        """The text of an operand standing in a subgraph."""
        if isinstance(operand, ValueNode):
            return self._values.format(operand.value)
        if isinstance(operand, GraphRef):
            return f"@{self._labels.graph(operand.name)}"
        return self._labels.reference(names, operand, callee)

    def _types_line(self, names: FuncNames, node: CNode) -> str:
        inputs = tuple(self._type(names, operand) for operand in node.inputs)
        output = None if node.op == RETURN and node.name not in names.nodes else node.abstract
        return self._notes.format_types(Types2(inputs, output))

    def _type(self, names: FuncNames, operand: Operand) -> Abstract:
        if isinstance(operand, ValueNode):
            return operand.abstract
        if operand.abstract is not None:
            return operand.abstract
        if isinstance(operand, NodeRef):
            return self._labels.abstract(names, operand)
        return self._func_type


def _named(parameter: Any, label: str) -> Any:
    from dataclasses import replace

    return parameter if parameter.name == label else replace(parameter, name=label)


def print_graph(graph: Graph, dialect_name: str = "") -> bytes:
    """The bytes of an .ir file. KeyError when there is no dialect of that name."""
    printer = Printer(graph, dialect_name)
    source = chosen_dialect(graph, dialect_name)[1]
    newline = str(source.get("newline", "\n"))
    text = "\n".join(printer.lines())  # tensors and strings hold newlines of their own
    if source.get("trimmed"):
        text = "\n".join(line.rstrip(" ") for line in text.split("\n"))
    return (text if newline == "\n" else text.replace("\n", newline)).encode("utf-8", "surrogateescape")

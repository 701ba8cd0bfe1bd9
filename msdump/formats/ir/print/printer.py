"""A Graph as text, in the dialect its layout names, or any other.

With a layout that fits (`fit`) the text is that of the file; without one it is what the dialect's
release would write. Every field of the model has its place in the text, so an edit shows where the
field stands and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from msdump.formats.ir.elements import header, preamble, tail
from msdump.formats.ir.elements import operator as op_text
from msdump.formats.ir.elements.attribute import AttrText, NodeAttrs
from msdump.formats.ir.elements.location import HEADINGS, PLACES, format_place
from msdump.formats.ir.elements.note import (
    Notes,
    Types2,
    format_effects,
    format_kinds,
    format_symbols,
)
from msdump.formats.ir.elements.parameter import Parameters, join_name
from msdump.formats.ir.elements.type import Types
from msdump.formats.ir.elements.value import Values
from msdump.formats.ir.print.ambiguous import misread, refuse_ambiguous
from msdump.formats.ir.print.fit import Fitted, fit
from msdump.formats.ir.print.labels import FuncNames, Labels
from msdump.formats.ir.print.order import OrderText
from msdump.formats.ir.print.plain import NoteLayouts
from msdump.graph.abstract import Abstract, FuncType
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.layout import FuncLayout
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.value import Attrs, Str, Value


class Printer:
    """Prints one graph."""

    def __init__(self, graph: Graph, fitted: Fitted) -> None:
        self._graph = graph
        self.fitted = fitted
        dialect = self._dialect = fitted.dialect
        self._types = Types(dialect)
        self._values = Values(dialect)
        self._attrs = AttrText(dialect, self._values)
        self._notes = Notes(dialect, self._types)
        self._parameters = Parameters(dialect, self._types)
        self.labels = Labels(graph, fitted)
        self._order = OrderText(self.labels, dialect)
        self._plain = NoteLayouts(dialect)
        self._func_type = FuncType()

    def lines(self) -> Iterator[str]:
        """The lines of the file, without newlines."""
        graph = self._graph
        head, end = self._ends()
        yield from head
        for key, func in graph.funcs.items():
            if key != self.fitted.layout.unprinted:
                yield from self._func(self.labels.funcs[key], func)
        yield from end

    # The head and the end

    def _ends(self) -> tuple[list[str], list[str]]:
        graph, layout = self._graph, self.fitted.layout
        end = layout.tail or ()
        count = end.count("{comment}")
        comments = list(graph.comments)
        head_comments, end_comments = (comments[:-count], comments[-count:]) if count else (comments, [])
        several = {
            "attrs": self._pairs(graph.attrs),
            "parameters": self._root_parameters(),
            "jit_config": self._pairs(graph.jit_config or Attrs()),
            "comment": head_comments,
        }
        counts = graph.counts
        single = {
            "entry": self.labels.graph(graph.entry),
            "subgraphs": str(layout.totals["subgraphs"][0]),
            "params": str(layout.totals["params"][0]),
            "nodes": str(counts.nodes) if counts else "",
            "cnodes": str(counts.cnodes) if counts else "",
        }
        lines: list[str] = []
        for template in end:
            if template == "{engines}":
                lines.extend(tail.print_engines(list(graph.funcs.values())))
            elif template == "{comment}":
                lines.append(end_comments.pop(0))
            else:
                lines.append(template)
        return header.print_header(layout.header or (), single, several), lines

    def _root_parameters(self) -> list[str]:
        root = self._graph.funcs.get(self._graph.entry)
        if root is None or not self.fitted.root_in_head:
            return []
        names = self.labels.funcs[self._graph.entry]
        return [
            self._parameters.format(
                _named(p, names.parameter(p.name)), names.numbers.get(p.name), self._dialect.parameters.params
            )
            for p in root.parameters
        ]

    def _pairs(self, attrs: Attrs) -> list[str]:
        return [f"{key}{self._dialect.parts.colon}{self._text(value)}" for key, value in attrs.items()]

    def _text(self, value: Value) -> str:
        return value.value if isinstance(value, Str) else self._values.format(value, "attr")

    # A subgraph

    def _func(self, names: FuncNames, func: FuncGraph) -> Iterator[str]:
        layout = names.layout
        own = not (func.name == self._graph.entry and self.fitted.root_in_head)
        before = layout.before or ""
        comments = list(func.comments)
        yield from preamble.print_preamble(before, func, self._told(layout, func), self._dialect, self._types)
        comments = comments[before.count("C") :]
        parameters = tuple(self._head_parameter(names, p) for p in func.parameters) if own else ()
        parent = None if func.parent is None else self.labels.graph(func.parent)
        yield preamble.print_head(preamble.Head(names.label, parent, parameters), self._dialect)
        constants = list(func.constants)
        between = layout.between or ()
        where = 0
        for index, node in enumerate(func.nodes):
            while where < len(between) and between[where][0] <= index:
                yield from self._between(between[where][1], comments, constants)
                where += 1
            yield from self._node(names, node)
        for _, code in between[where:]:
            yield from self._between(code, comments, constants)
        if not layout.open:
            yield "}"
        for code in layout.after or "":
            if code == "O":
                yield from self._order.lines(names, func, self.fitted.layout.classes, comments)
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
            yield f"{' ' * self._dialect.nodes.indent}{label}({self._values.format(value)})"

    def _told(self, layout: FuncLayout, func: FuncGraph) -> preamble.Told:
        flags = [f"{key}: {self._text(value)}" for key, value in func.flags.items()]
        return preamble.Told(flags, self._pairs(func.attrs), layout.instance or "", layout.address, layout.engine)

    def _head_parameter(self, names: FuncNames, parameter: Parameter) -> str:
        number, label = names.numbers.get(parameter.name), names.parameter(parameter.name)
        if self._dialect.parts.block_head:
            return self._parameters.format(_named(parameter, label), number, self._dialect.parameters.inner_params)
        return join_name(number, label, self._dialect.parameters.inner_params)

    # A node

    def _node(self, names: FuncNames, node: CNode) -> Iterator[str]:
        dialect = self._dialect
        if node.failure is not None:
            yield ""
            yield f"#------------------------> {node.failure}"
        told = names.layout
        number = told.numbers[node.name]
        indent = told.indent or 0
        start = " " * indent
        if number is not None:
            start += f"%{number}({node.debug_name}) = " if node.name not in told.unnamed else f"%{number} = "
        layout = told.notes.get(node.name)
        if layout is None:
            layout = self._plain.plain(node)
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
            return self._notes.closed(self._dialect.notes.scope, node.scope)
        if code == "F":
            return self._notes.closed(self._dialect.notes.fullname, node.fullname)
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
        if node.name in names.layout.no_call:
            return node.op
        borrowed = names.layout.borrowed.get(node.name, "")
        operands = ", ".join([self.operand(names, operand, borrowed=borrowed) for operand in node.inputs])
        return f"{self.callee(names, node)}({operands})"

    def callee(self, names: FuncNames, node: CNode) -> str:
        """The text of what a node calls."""
        if node.op == RETURN and names.layout.numbers[node.name] is None:
            return self._dialect.nodes.return_op
        if node.op == CALL and isinstance(node.callee, GraphRef):
            return f"call @{self.labels.graph(node.callee.name)}"
        if node.op in (CALL, CALL_VAR) and node.callee is not None:
            text = self.operand(names, node.callee, True, names.layout.borrowed.get(node.name, ""))
            if node.targets and self._dialect.nodes.calls != "none":
                text += f"[{self._targets(node.targets)}]"
            return text
        return op_text.join_op(node.op, node.op_kind)

    def _targets(self, targets: tuple[Operand, ...]) -> str:
        if len(targets) == 1 and isinstance(targets[0], ValueNode):
            return self._values.format(targets[0].value)
        graphs = tuple(self.labels.graph(t.name) for t in targets if isinstance(t, GraphRef))
        return op_text.join_targets(graphs, self._dialect.nodes.calls == "at")

    def operand(self, names: FuncNames, operand: Operand, callee: bool = False, borrowed: str = "") -> str:
        """The text of an operand standing in a subgraph."""
        if isinstance(operand, ValueNode):
            return self._values.format(operand.value)
        if isinstance(operand, GraphRef):
            return f"@{self.labels.graph(operand.name)}"
        return self.labels.reference(names, operand, callee, borrowed)

    def _types_line(self, names: FuncNames, node: CNode) -> str:
        inputs = tuple(self._type(names, operand) for operand in node.inputs)
        output = None if node.op == RETURN and names.layout.numbers[node.name] is None else node.abstract
        return self._notes.format_types(Types2(inputs, output))

    def _type(self, names: FuncNames, operand: Operand) -> Abstract:
        if isinstance(operand, ValueNode):
            return operand.abstract
        if operand.abstract is not None:
            return operand.abstract
        if isinstance(operand, NodeRef):
            return self.labels.abstract(names, operand)
        return self._func_type


def _named(parameter: Parameter, label: str) -> Parameter:
    return parameter if parameter.name == label else replace(parameter, name=label)


def print_graph(graph: Graph, dialect_name: str = "", strict: bool = False) -> bytes:
    """The bytes of an .ir file.

    KeyError when there is no dialect of that name; WriteError when it is strict and a reference would
    be read as one to another node.
    """
    printer = Printer(graph, fit(graph, dialect_name))
    own = printer.fitted.layout.funcs
    if printer.fitted.dialect.nodes.free == "plain" and not own and any(misread(graph, printer.fitted, printer.labels)):
        printer = Printer(graph, fit(graph, dialect_name, "graph"))  # as 1.1 does, which says whose a node is
    if strict:
        refuse_ambiguous(graph, printer.fitted, printer.labels)
    text = "\n".join(printer.lines())  # tensors and strings hold newlines of their own
    layout = printer.fitted.layout
    if layout.trimmed:
        text = "\n".join(line.rstrip(" ") for line in text.split("\n"))
    newline = "\r\n" if layout.newline == "\r\n" else "\n"
    return (text if newline == "\n" else text.replace("\n", newline)).encode("utf-8", "surrogateescape")

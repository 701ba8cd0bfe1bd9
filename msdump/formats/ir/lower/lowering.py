"""From a Document to a Graph: names resolved, types given to what they belong to, the layout kept apart."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType

from msdump.formats.ir.elements.call import is_odd
from msdump.formats.ir.elements.header import Header, read_header
from msdump.formats.ir.elements.parameter import split_name
from msdump.formats.ir.elements.preamble import Head, print_head, read_head, read_preamble
from msdump.formats.ir.elements.tail import Tail, read_tail
from msdump.formats.ir.lower.layout import file_layout
from msdump.formats.ir.lower.names import Unique
from msdump.formats.ir.lower.nodes import NodeReader
from msdump.formats.ir.lower.order import match_order, order_lines, packed
from msdump.formats.ir.lower.raw import RawFunc, Readers
from msdump.formats.ir.print.fit import fit
from msdump.formats.ir.print.labels import Labels
from msdump.formats.ir.print.order import OrderText
from msdump.formats.ir.syntax.body import indent_of, read_body
from msdump.formats.ir.syntax.document import Block, Document
from msdump.formats.ir.syntax.remarks import remarks
from msdump.graph.abstract import NULL_TYPE
from msdump.graph.graph import FuncGraph, Graph, SymbolEngine, undeclared
from msdump.graph.layout import IrLayout
from msdump.graph.node import Parameter
from msdump.graph.value import NO_ATTRS, Attrs, Str

_USED = re.compile(r"@([^\s(),:@\[\]{}]+)")


class Lowering:
    """Everything known while one file is read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.readers = Readers(document)
        self.dialect, self.names = self.readers.dialect, self.readers.names
        self.funcs: list[RawFunc] = []
        self.tail = Tail()
        self.loose: list[tuple[int | None, str, Parameter]] = []
        """Parameters of an entry graph that stands in another file: number, printed name."""
        self.taken = Unique()

    def graph(self) -> Graph:
        """The graph of the document."""
        document = self.document
        header = read_header(document.lines[: document.head], self.dialect.parts.colon, self.readers.parameters.parse)
        self.tail = read_tail(document.lines[document.tail :])
        self._unread(document.tail, len(document.lines), self.tail.unread)
        for block in document.blocks:
            self._open(block)
        failed = any(node.failure is not None for func in self.funcs for node in func.body.nodes)
        first = next((at for at, line in enumerate(header.layout) if line not in ("", "{comment}")), 0)
        message = header.layout[:first].count("{comment}") if failed else 0
        self._unread(0, document.head, header.unread[message:])
        entry = self.names.graphs.get(header.entry, header.entry) if header.entry is not None else self._entry()
        root = self._root(header, entry)
        self._declare(root, header, entry)
        reader = NodeReader(self.readers)
        if root is None:
            reader.declare(entry, [parameter for _, _, parameter in self.loose])
        for func in self.funcs:
            reader.read(func)
        for func in self.funcs:
            reader.build(func)
        for func in self.funcs:
            reader.type_parameters(func)
            block = func.block
            lines = document.lines[block.close + 1 : block.end]
            func.order = order_lines(lines, self.dialect.parts.order)
            func.behind = "".join("C" if line else "B" for line in lines)
            if func.order is None:
                self._unread(block.close + 1, block.end, [at for at, line in enumerate(lines) if line])
        return self._finish(header, entry, root)

    def _open(self, block: Block) -> None:
        lines = self.document.lines
        text = "\n".join(lines[block.head : block.body])
        head = read_head(text)
        if head is None:
            self.document.note("the head of this subgraph cannot be read", block.head, warn=True)
            head = Head(lines[block.head].removeprefix("subgraph @").split("(")[0], None, ())
        elif "\n" in text and print_head(head, self.dialect) != text:
            self.document.note("the head of this subgraph is spelled in another way", block.head)
        name = self.taken.take(head.name, len(self.funcs))
        self.names.graphs.setdefault(head.name, name)
        if head.parent is not None:
            self.names.parents[name] = self.names.graphs.get(head.parent, head.parent)
        preamble = read_preamble(lines[block.start : block.head], self.dialect, self.readers.types)
        self._unread(block.start, block.head, preamble.unread)
        indent = indent_of(lines, block.body, block.close, self.dialect.nodes.indent)
        body = read_body(lines, block.body, block.close, indent)
        for at in body.unread:
            self.document.unread(at)
        self.funcs.append(RawFunc(name, block, head, preamble, body, indent))

    def _unread(self, first: int, end: int, offsets: list[int]) -> None:
        """Notes the lines of [first, end) that tell nothing known, but for those about a failure."""
        if offsets:
            known = remarks(self.document.lines[first:end])
            for at in offsets:
                if at not in known:
                    self.document.unread(first + at)

    def _entry(self) -> str:
        """The graph that no other uses, where no head names one: the first such, or the first."""
        used: set[str] = set()
        for func in self.funcs:
            for node in func.body.nodes:
                used.update(_USED.findall(node.text))
        free = [func.name for func in self.funcs if func.head.name not in used]
        return (free or [func.name for func in self.funcs] or [""])[0]

    def _root(self, header: Header, entry: str) -> RawFunc | None:
        """The entry graph, whose parameters stand in the file's head."""
        named = [func for func in self.funcs if func.name == entry]
        return named[0] if named and (header.entry is not None or header.parameters) else None

    def _declare(self, root: RawFunc | None, header: Header, entry: str) -> None:
        """Gives every FuncGraph its parameters and enters them in the table of names."""
        owner = root.name if root else entry
        if root is not None or header.parameters:
            self._header_parameters(root, header, owner)
        for func in self.funcs:
            given = Unique()
            for position, parameter in enumerate(func.parameters):
                given.take(parameter.name, position)
            types = func.preamble.parameters
            texts = func.head.parameters
            for position, text in enumerate(texts):
                line = self.readers.parameters.parse(text) if self.dialect.parts.block_head else None
                told = (line.number, line.parameter.name) if line else split_name(text)
                number, label = told if told is not None else (None, text.removeprefix("%"))
                name = given.take(label, position)
                abstract = types[position] if types and len(types) == len(texts) else NULL_TYPE
                parameter = replace(line.parameter, name=name) if line else Parameter(name, abstract)
                self._enter(func, parameter, number, label)
        numbered = self.names.numbered.items()
        self.readers.calls.odd_names = {str(number): name for number, (_, _, name) in numbered if is_odd(name)}

    def _header_parameters(self, root: RawFunc | None, header: Header, owner: str) -> None:
        given = Unique()
        for position, line in enumerate(header.parameters):
            label = line.parameter.name
            name = given.take(label, position)
            parameter = replace(line.parameter, name=name)
            if root is not None:
                self._enter(root, parameter, line.number, label)
            else:
                self.names.enter(owner, line.number, label, parameter.name)
                self.loose.append((line.number, label, parameter))

    def _enter(self, func: RawFunc, parameter: Parameter, number: int | None, label: str) -> None:
        func.parameters.append(parameter)
        func.numbers.append(number)
        func.labels.append(label)
        self.names.enter(func.name, number, label, parameter.name)

    def _finish(self, header: Header, entry: str, root: RawFunc | None) -> Graph:
        funcs: dict[str, FuncGraph] = {}
        loose = self.loose
        if root is None and loose:
            funcs[entry] = FuncGraph(entry, tuple(parameter for _, _, parameter in loose))
        for func in self.funcs:
            funcs[func.name] = self._func(func)
        graph = Graph(
            entry,
            MappingProxyType(funcs),
            _strings(header.attrs),
            _strings(header.jit_config) if header.jit_config is not None else None,
            header.counts,
            (*header.comments, *self.tail.comments),
            elsewhere=undeclared(funcs),
        )
        layout = file_layout(self.readers, graph, header, self.tail, self.funcs, root, [n for n, _, _ in self.loose])
        if any(func.order is not None for func in self.funcs):
            return self._order(replace(graph, source=layout), layout)
        return replace(graph, source=layout)

    def _behind(self, func: RawFunc) -> list[str]:
        """Lines after a subgraph's brace that are no execution order."""
        lines = self.document.lines[func.block.close + 1 : func.block.end]
        return [line for line in lines if line] if func.order is None else []

    def _order(self, graph: Graph, layout: IrLayout) -> Graph:
        """The graph with its execution orders, found by the nodes that their lines tell."""
        labels = Labels(graph, fit(graph))
        made = OrderText(labels, self.dialect)
        classes: dict[tuple[str, str], str] = {}
        funcs = dict(graph.funcs)
        told_of = {told.name: told for told in layout.funcs}
        for raw in self.funcs:
            if raw.order is None:
                continue
            func = funcs[raw.name]
            found = match_order(raw.order.entries, labels.funcs[raw.name], func, made, classes)
            nodes = tuple(
                replace(n, debug_name=found.returns[n.name]) if n.name in found.returns else n for n in func.nodes
            )
            funcs[raw.name] = replace(
                func,
                order=tuple(found.names),
                detached=tuple(found.detached),
                nodes=nodes,
                comments=(*func.comments, *found.odd),
            )
            for entry in found.odd:
                at = self.document.lines.index(entry.partition("\n")[0], raw.block.close)
                self.document.unread(at)
            plain = found.numbers == list(range(1, len(found.numbers) + 1))
            told_of[raw.name] = replace(
                told_of[raw.name],
                order_numbers=None if plain else tuple(found.numbers),
                order_items=found.items,
            )
        layout = replace(layout, classes=packed(classes), funcs=tuple(told_of[told.name] for told in layout.funcs))
        return replace(graph, funcs=MappingProxyType(funcs), source=layout)

    def _func(self, func: RawFunc) -> FuncGraph:
        preamble = func.preamble
        engine = (
            SymbolEngine(preamble.engine[0], self.tail.rules.get(preamble.engine[0], ())) if preamble.engine else None
        )
        comments = (*preamble.comments, *func.body.comments, *self._behind(func))
        parent = func.head.parent
        return FuncGraph(
            func.name,
            tuple(func.parameters),
            tuple(func.nodes),
            _strings(preamble.attrs),
            preamble.location,
            None if parent is None else self.names.graphs.get(parent, parent),
            _strings(preamble.flags),
            preamble.side_effects,
            () if func.order else None,
            engine,
            comments,
            tuple((position, label, self.readers.values.parse(text)) for position, label, text in func.body.values),
        )


def _strings(pairs: list[tuple[str, str]]) -> Attrs:
    return Attrs({key: Str(value) for key, value in pairs}) if pairs else NO_ATTRS


def lower(document: Document) -> Graph:
    """The graph of a document; what is odd is added to the document's notes."""
    return Lowering(document).graph()

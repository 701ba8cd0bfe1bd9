"""`Graph.source` of an .ir file: in what the file differs from what the printer does by itself.

Facts are small and structured: numbers, letters of layouts, addresses. A fact that does not fit a
graph any more (its node is gone, its text would say something else) is not used.

Keys of `source`: "format" ("ir"), "dialect" (name), "differs" (fields of the dialect with other
values), "header" (layout), "tail" (layout), "totals" (printed counts, where they are not those of
the graph), "newline", "trimmed" (no line ends with a
blank), "classes" (C++ classes of constants in execution orders), "funcs" (one dict
for each FuncGraph: "name" and "parameters" as they were read, and what differs: "label", "address",
"instance", "engine", "before", "after", "between", "notes", "numbers", "params", "labels",
"aliases", "unnamed", "no_call", "indent", "open", "order_numbers", "order_operators").
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msdump.formats.ir.dialects.dialect import Dialect, differences
from msdump.formats.ir.elements import header as header_text
from msdump.formats.ir.elements import preamble as preamble_text
from msdump.formats.ir.elements import tail as tail_text
from msdump.formats.ir.elements.header import Header
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.node import CNode, Location

if TYPE_CHECKING:
    from msdump.formats.ir.lower.lowering import Lowering, RawFunc


def present(graph: Graph) -> dict[str, bool]:
    """Of which things a file's head can tell there are some."""
    root = graph.funcs.get(graph.entry)
    return {
        "attrs": bool(graph.attrs),
        "parameters": bool(root and root.parameters),
        "counts": graph.counts is not None,
        "jit_config": graph.jit_config is not None,
    }


def file_facts(lowering: Lowering, graph: Graph, header: Header, root: RawFunc | None) -> dict[str, Any]:
    """The facts of a file that has been read."""
    dialect = lowering.dialect
    source: dict[str, Any] = {"format": "ir", "dialect": dialect.name}
    if differs := differences(dialect):
        source["differs"] = {k: list(v) if isinstance(v, tuple) else v for k, v in differs.items()}
    if header.layout != header_text.default_layout(dialect, present(graph)):
        source["header"] = list(header.layout)
    if lowering.tail.layout != tail_text.default_layout(list(graph.funcs.values())):
        source["tail"] = list(lowering.tail.layout)
    totals = _totals(graph, header)
    if totals:
        source["totals"] = totals
    trimmed = header.trimmed or lowering.notes.trimmed or any(func.preamble.trimmed for func in lowering.funcs)
    if trimmed and not any(line.endswith(" ") for line in lowering.document.lines):
        source["trimmed"] = True
    if lowering.document.newline != "\n":
        source["newline"] = lowering.document.newline
    if root is None and graph.entry in graph.funcs and graph.entry not in {f.name for f in lowering.funcs}:
        source["unprinted"] = [graph.entry]
        source["loose"] = [number for number, _, _ in lowering.loose]
    counter = Counter(1 + (len(root.numbers) if root and header.parameters else 0))
    aliases = lowering.operands.aliases
    notes = NoteLayouts(dialect)
    in_head = root is not None and bool(header.parameters or not root.parameters)
    source["funcs"] = [
        func_facts(func, graph.funcs[func.name], dialect, func is root and in_head, counter, notes)
        for func in lowering.funcs
    ]
    for told in source["funcs"]:
        if told["name"] in aliases:
            told["aliases"] = aliases[told["name"]]
    return source


class Counter:
    """The number the next parameter gets by itself: parameters are counted through the file."""

    def __init__(self, first: int) -> None:
        self.next = first

    def take(self, count: int) -> list[int]:
        """The next `count` numbers."""
        numbers = list(range(self.next, self.next + count))
        self.next += count
        return numbers


def _totals(graph: Graph, header: Header) -> dict[str, list[int]]:
    """Printed counts that are not the graph's: [printed, counted]."""
    root = graph.funcs.get(graph.entry)
    counted = {"params": len(root.parameters) if root else 0, "subgraphs": len(graph.funcs)}
    printed = {"params": header.params, "subgraphs": header.subgraphs}
    return {k: [p, counted[k]] for k, p in printed.items() if p is not None and p != counted[k]}


def func_facts(
    raw: RawFunc, func: FuncGraph, dialect: Dialect, root: bool, counter: Counter, notes: NoteLayouts
) -> dict[str, Any]:
    """The facts of one subgraph."""
    found: dict[str, Any] = {"name": func.name}
    if raw.indent != dialect.indent:
        found["indent"] = raw.indent
    if raw.head.name != func.name:
        found["label"] = raw.head.name
    layout = raw.preamble.layout
    if layout != plain_preamble(func, dialect, not root, len(raw.preamble.comments)):
        found["before"] = layout
    instance, engine = raw.preamble.instance, raw.preamble.engine
    if instance:
        found["address"] = instance[1]
        if instance[0] != raw.head.name:
            found["instance"] = instance[0]
    if engine:
        found["engine"] = engine[1]
    numbers = [1 + i for i in range(len(raw.numbers))] if root else counter.take(len(raw.numbers))
    if list(raw.numbers) != numbers and dialect.inner_params != "bare":
        found["params"] = list(raw.numbers)
        counter.next = max([counter.next, *(n + 1 for n in raw.numbers if n is not None)]) if not root else counter.next
    if func.parameters:
        found["parameters"] = [parameter.name for parameter in func.parameters]
    labels = {p.name: label for p, label in zip(func.parameters, raw.labels, strict=True) if p.name != label}
    if labels:
        found["labels"] = labels
    _body_facts(raw, func, dialect, found, notes)
    return found


def plain_preamble(func: FuncGraph, dialect: Dialect, own: bool, comments: int) -> str:
    """The layout of what stands before a subgraph with so many comments there."""
    return preamble_text.default_layout(replace(func, comments=func.comments[:comments]), dialect, own)


def _body_facts(raw: RawFunc, func: FuncGraph, dialect: Dialect, found: dict[str, Any], notes: NoteLayouts) -> None:
    number = dialect.first_node
    plain = notes.plain
    numbers: dict[str, int | None] = {}
    layouts: dict[str, str] = {}
    unnamed: list[str] = []
    no_call: list[str] = []
    for node, parts in zip(func.nodes, raw.parts, strict=True):
        expected = None if node.op == RETURN else number
        actual = None if parts.number is None else int(parts.number)
        if actual != expected:
            numbers[node.name] = actual
        if node.op != RETURN:
            number = (actual if actual is not None else number) + 1
        if not parts.named and node.op != RETURN:
            unnamed.append(node.name)
        if parts.no_call:
            no_call.append(node.name)
        if parts.layout != plain(node):
            layouts[node.name] = parts.layout
    if numbers:
        found["numbers"] = numbers
    if layouts:
        found["notes"] = layouts
    if unnamed:
        found["unnamed"] = unnamed
    if no_call:
        found["no_call"] = no_call
    if any(code != "v" for _, code in raw.body.between):
        found["between"] = [[at, code] for at, code in raw.body.between]
    after = raw.order.layout if raw.order else raw.behind
    if after != default_after(func, dialect):
        found["after"] = after
    if raw.block.end == raw.block.close:
        found["open"] = True


def default_after(func: FuncGraph, dialect: Dialect) -> str:
    """The layout of what follows a subgraph: O the execution order, B an empty line."""
    return ("O" if func.order is not None else "") + "B" * dialect.gap


class NoteLayouts:
    """The layouts of the lines under nodes (letters as in `note_text`), as the printer would have them."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._places: dict[int, tuple[tuple[Location, ...], str]] = {}

    def plain(self, node: CNode) -> str:
        """The layout of one node."""
        dialect = self._dialect
        layout = "T"
        if node.device is not None:
            layout += "D"
        if node.object_kinds is not None:
            layout += "K"
        if node.symbols is not None:
            layout += "Y"
        if node.fullname and dialect.fullname:
            layout += "F"
        elif dialect.scope:
            layout += "S"
        locations = node.locations
        if locations:
            found = self._places.get(id(locations))
            if found is None:
                found = self._places[id(locations)] = (locations, self._located(locations))
            layout += found[1]
        elif dialect.empty_place:
            layout += "E"
        if node.side_effects is not None:
            layout += "X"
        return layout + "C" * len(node.comments) if node.comments else layout

    def _located(self, locations: tuple[Location, ...]) -> str:
        layout = ""
        role, group = "", 0
        dashes = self._dialect.candidate_dashes
        for place in locations:
            new = place.role != role or place.group != group
            if place.role and (place.role != role or (new and not dashes)):
                layout += "H"
            layout += ("M" if new else "N") if place.role and dashes and place.group else "L"
            role, group = place.role, place.group
        return layout


def fits(layout: str, plain: str) -> bool:
    """Whether a layout that was read still has a place for each line of a node, and no more."""
    optional = "TSFEH"
    same = {"M": "L", "N": "L", "R": "C", "c": "C"}
    return sorted(same.get(c, c) for c in layout if c not in optional) == sorted(
        same.get(c, c) for c in plain if c not in optional
    )

"""What the layout of a file means for a graph that may have been changed since: decided here alone.

A fact of the layout holds where it still says what the graph says. Where it does not (its node is
gone, its number belongs to another, a line that the graph needs has no place in it) the text is what
the dialect has by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from msdump.formats.ir.dialects.dialect import Dialect, differing
from msdump.formats.ir.dialects.releases import LATEST, dialect
from msdump.formats.ir.elements import header, tail
from msdump.formats.ir.print.plain import Counter, NoteLayouts, default_after, fits, plain_preamble, present
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.layout import FuncLayout, IrLayout

ODD = "?"
"""Stands in an execution order for a line that cannot be read."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A layout that fits its graph, with nothing left open.

    Attributes:
        dialect: to print in.
        layout: of the file as a whole; `header`, `tail` and `totals` are as they will be printed.
        funcs: FuncGraph → its layout; labels, numbers and kinds of lines are told in full.
        root_in_head: the entry graph's parameters stand in the file's head.
    """

    dialect: Dialect
    layout: IrLayout
    funcs: Mapping[str, FuncLayout]
    root_in_head: bool


def chosen(graph: Graph, name: str = "") -> tuple[Dialect, IrLayout]:
    """The dialect to print in and the layout that goes with it.

    A layout is used only when the graph was read from an .ir file and no other dialect is asked for.
    KeyError when there is no dialect of that name.
    """
    source = graph.source
    if source.format != "ir" or (name and dialect(name).name != source.dialect):
        return dialect(name or LATEST), IrLayout()
    layout = source if isinstance(source, IrLayout) else IrLayout(dialect=source.dialect)
    try:
        plain = dialect(layout.dialect or LATEST)
    except KeyError:  # a layout that came as JSON may name any
        return dialect(name or LATEST), IrLayout()
    return differing(plain, layout.differs), layout


def fit(graph: Graph, name: str = "", free: str = "") -> Fitted:
    """The layout to print a graph with, in a dialect or its own. KeyError when there is no such dialect.

    `free` is how a free variable is written, where that is not the dialect's way.
    """
    spoken, layout = chosen(graph, name)
    if free:
        spoken = differing(spoken, {"free": free})
    root = graph.funcs.get(graph.entry)
    unprinted = layout.unprinted
    if unprinted is not None and (unprinted not in graph.funcs or graph.funcs[unprinted].nodes):
        unprinted = None
    head = _header(graph, spoken, layout)
    root_in_head = "{parameters}" in head or (
        any("{entry}" in line for line in head) and not (root and root.parameters)
    )
    known = _known(graph, layout, unprinted)
    counter = Counter(1)
    first = [graph.entry] if root_in_head and root is not None else []
    notes = NoteLayouts(spoken)
    funcs = {
        key: _func(graph.funcs[key], known.get(key), spoken, counter, notes, key in first)
        for key in (*first, *(key for key in graph.funcs if key not in first))
    }
    layout = replace(
        layout,
        header=head,
        tail=_tail(graph, layout),
        totals=_totals(graph, layout),
        unprinted=unprinted,
    )
    return Fitted(spoken, layout, funcs, root_in_head)


def _header(graph: Graph, spoken: Dialect, layout: IrLayout) -> tuple[str, ...]:
    there = present(graph)
    if layout.header is None or any(
        there[key] and f"{{{key}}}" not in layout.header for key in ("attrs", "jit_config")
    ):
        return tuple(header.default_layout(spoken, there))
    return layout.header


def _tail(graph: Graph, layout: IrLayout) -> tuple[str, ...]:
    funcs = list(graph.funcs.values())
    engines = any(func.symbol_engine is not None for func in funcs)
    if layout.tail is None or layout.tail.count("{comment}") > len(graph.comments):
        return tuple(tail.default_layout(funcs))
    return layout.tail if engines == ("{engines}" in layout.tail) else tuple(tail.default_layout(funcs))


def _totals(graph: Graph, layout: IrLayout) -> dict[str, tuple[int, int]]:
    """What is printed and what there is, of subgraphs and of parameters."""
    root = graph.funcs.get(graph.entry)
    there = {"subgraphs": len(graph.funcs), "params": len(root.parameters) if root else 0}
    told = layout.totals
    return {key: told[key] if key in told and told[key][1] == count else (count, count) for key, count in there.items()}


def _known(graph: Graph, layout: IrLayout, unprinted: str | None) -> dict[str, FuncLayout]:
    """The layout of each FuncGraph: by its name, or, where it was renamed, by its place in the file."""
    by_name = {told.name: told for told in layout.funcs}
    printed = [key for key in graph.funcs if key != unprinted]
    found = {key: by_name[key] for key in printed if key in by_name}
    for key, told in zip(printed, layout.funcs, strict=False):
        if key not in found and told.name not in graph.funcs:
            found[key] = replace(told, label=None, instance=None)
    if unprinted is not None:
        found[unprinted] = FuncLayout(unprinted, params=layout.loose)
    return found


def _func(
    func: FuncGraph, told: FuncLayout | None, spoken: Dialect, counter: Counter, notes: NoteLayouts, in_head: bool
) -> FuncLayout:
    """The layout of one FuncGraph."""
    if told is None:
        told = FuncLayout(func.name)
    own = {parameter.name for parameter in func.parameters}
    nodes = {node.name: node for node in func.nodes}
    label = told.label or func.name
    between, after, comments = _lines(func, told, spoken)
    order = func.order or ()
    numbers = told.order_numbers
    return FuncLayout(
        func.name,
        label,
        told.instance or label,
        told.address,
        told.engine,
        _before(func, told, spoken, comments, in_head),
        between,
        after,
        {name: text for name, text in told.notes.items() if name in nodes and fits(text, notes.plain(nodes[name]))},
        _numbers(func, told.numbers, spoken),
        _params(func, told, counter),
        {name: text for name, text in told.labels.items() if name in own},
        {name: text for name, text in told.aliases.items() if name in own},
        tuple(name for name in told.unnamed if name in nodes and not nodes[name].debug_name),
        tuple(name for name in told.no_call if name in nodes and not nodes[name].inputs),
        {name: graph for name, graph in told.borrowed.items() if name in nodes},
        spoken.nodes.indent if told.indent is None else told.indent,
        told.open,
        numbers if numbers is not None and len(numbers) == len(order) else tuple(range(1, len(order) + 1)),
        {name: item for name, item in told.order_items.items() if name in nodes},
    )


def _lines(func: FuncGraph, told: FuncLayout, spoken: Dialect) -> tuple[tuple[tuple[int, str], ...], str, int]:
    """The lines between and after the nodes, and how many comments are left for before them."""
    between = told.between
    if between is None or sum(code == "v" for _, code in between) != len(func.constants):
        between = tuple((position, "v") for position, _, _ in func.constants)
    between = tuple((at, code) for at, code in between if at <= len(func.nodes))
    after = told.after
    if after is None or ("O" in after) != (func.order is not None):
        after = default_after(func, spoken)
    left = len(func.comments) - sum(code == "C" for _, code in between)
    left -= after.count("C") + (func.order or ()).count(ODD)
    return between, after, max(left, 0)


def _before(func: FuncGraph, told: FuncLayout, spoken: Dialect, comments: int, in_head: bool) -> str:
    before = told.before
    needed = {
        "f": func.flags,
        "a": func.attrs,
        "Y": func.symbol_engine,
        "X": func.side_effects is not None,
        "L": func.location,
    }
    if before is not None and before.count("C") == comments and all(c in before for c, is_ in needed.items() if is_):
        return before
    return plain_preamble(func, spoken, not in_head, comments)


def _numbers(func: FuncGraph, told: Mapping[str, int | None], spoken: Dialect) -> dict[str, int | None]:
    """The printed number of each node; those of the file only where no two nodes get one number."""
    found: dict[str, int | None] = {}
    number = spoken.nodes.first_node
    for node in func.nodes:
        given = told.get(node.name, None if node.op == RETURN else number)
        found[node.name] = given
        if given is not None:
            number = given + 1
    if told:
        numbers = [number for number in found.values() if number is not None]
        if len(set(numbers)) < len(numbers):
            return _numbers(func, {}, spoken)
    return found


def _params(func: FuncGraph, told: FuncLayout, counter: Counter) -> tuple[int | None, ...]:
    numbers: tuple[int | None, ...] = tuple(counter.take(len(func.parameters)))
    if told.params is None or len(told.params) != len(numbers):
        return numbers
    counter.next = max([counter.next - len(numbers), *(n + 1 for n in told.params if n is not None)])
    return told.params

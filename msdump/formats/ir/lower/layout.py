"""In what a file differs from what the printer does by itself: its IrLayout."""

from __future__ import annotations

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.dialects.releases import differences
from msdump.formats.ir.elements import header as header_text
from msdump.formats.ir.elements import tail as tail_text
from msdump.formats.ir.elements.header import Header
from msdump.formats.ir.elements.tail import Tail
from msdump.formats.ir.lower.raw import RawFunc, Readers
from msdump.formats.ir.print.plain import Counter, NoteLayouts, default_after, plain_preamble, present
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.layout import FuncLayout, IrLayout


def file_layout(
    readers: Readers,
    graph: Graph,
    header: Header,
    tail: Tail,
    funcs: list[RawFunc],
    root: RawFunc | None,
    loose: list[int | None],
) -> IrLayout:
    """The layout of a file that was read; `root` is its entry graph, `loose` the numbers of parameters
    of one that stands in another file."""
    dialect, document = readers.dialect, readers.document
    trimmed = header.trimmed or readers.notes.trimmed or any(func.preamble.trimmed for func in funcs)
    elsewhere = root is None and graph.entry in graph.funcs and graph.entry not in {func.name for func in funcs}
    counter = Counter(1 + (len(root.numbers) if root and header.parameters else 0))
    notes = NoteLayouts(dialect)
    in_head = root is not None and bool(header.parameters or not root.parameters)
    plain_header = header_text.default_layout(dialect, present(graph))
    plain_tail = tail_text.default_layout(list(graph.funcs.values()))
    return IrLayout(
        "ir",
        dialect.name,
        differences(dialect),
        tuple(header.layout) if header.layout != plain_header else None,
        tuple(tail.layout) if tail.layout != plain_tail else None,
        _totals(graph, header),
        document.newline,
        trimmed and not any(line.endswith(" ") for line in document.lines),
        unprinted=graph.entry if elsewhere else None,
        loose=tuple(loose) if elsewhere else (),
        funcs=tuple(
            _func(raw, graph.funcs[raw.name], readers, raw is root and in_head, counter, notes) for raw in funcs
        ),
    )


def _totals(graph: Graph, header: Header) -> dict[str, tuple[int, int]]:
    """Printed counts that are not the graph's: (printed, counted)."""
    root = graph.funcs.get(graph.entry)
    counted = {"params": len(root.parameters) if root else 0, "subgraphs": len(graph.funcs)}
    printed = {"params": header.params, "subgraphs": header.subgraphs}
    return {k: (p, counted[k]) for k, p in printed.items() if p is not None and p != counted[k]}


def _func(
    raw: RawFunc, func: FuncGraph, readers: Readers, root: bool, counter: Counter, notes: NoteLayouts
) -> FuncLayout:
    """The layout of one subgraph."""
    dialect = readers.dialect
    before, after = raw.preamble.layout, raw.order.layout if raw.order else raw.behind
    instance, engine = raw.preamble.instance, raw.preamble.engine
    numbers, unnamed, notes_of = _nodes(raw, func, dialect, notes)
    return FuncLayout(
        func.name,
        raw.head.name if raw.head.name != func.name else None,
        instance[0] if instance and instance[0] != raw.head.name else None,
        instance[1] if instance else "0x0",
        engine[1] if engine else "0x0",
        before if before != plain_preamble(func, dialect, not root, len(raw.preamble.comments)) else None,
        tuple(raw.body.between) if any(code != "v" for _, code in raw.body.between) else None,
        after if after != default_after(func, dialect) else None,
        notes_of,
        numbers,
        _params(raw, dialect, root, counter),
        {p.name: label for p, label in zip(func.parameters, raw.labels, strict=True) if p.name != label},
        readers.operands.aliases.get(func.name, {}),
        tuple(unnamed),
        tuple(node.name for node, parts in zip(func.nodes, raw.parts, strict=True) if parts.no_call),
        raw.borrowed,
        raw.indent if raw.indent != dialect.nodes.indent else None,
        raw.block.end == raw.block.close,
    )


def _params(raw: RawFunc, dialect: Dialect, root: bool, counter: Counter) -> tuple[int | None, ...] | None:
    """The numbers of the parameters, where these are not counted on."""
    numbers = [1 + i for i in range(len(raw.numbers))] if root else counter.take(len(raw.numbers))
    if list(raw.numbers) == numbers or dialect.parameters.inner_params == "bare":
        return None
    if not root:
        counter.next = max([counter.next, *(n + 1 for n in raw.numbers if n is not None)])
    return tuple(raw.numbers)


def _nodes(
    raw: RawFunc, func: FuncGraph, dialect: Dialect, notes: NoteLayouts
) -> tuple[dict[str, int | None], list[str], dict[str, str]]:
    """Of the nodes: printed numbers, those without debug name, the lines under each."""
    number = dialect.nodes.first_node
    numbers: dict[str, int | None] = {}
    unnamed: list[str] = []
    layouts: dict[str, str] = {}
    for node, parts in zip(func.nodes, raw.parts, strict=True):
        expected = None if node.op == RETURN else number
        actual = None if parts.number is None else int(parts.number)
        if actual != expected:
            numbers[node.name] = actual
        if node.op != RETURN:
            number = (actual if actual is not None else number) + 1
        if not parts.named and node.op != RETURN:
            unnamed.append(node.name)
        if parts.layout != notes.plain(node):
            layouts[node.name] = parts.layout
    return numbers, unnamed, layouts

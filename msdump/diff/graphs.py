"""`diff_graphs`: what changed between two graphs, by matching their nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from msdump.collector import collector_paused
from msdump.diff.causes import find_causes
from msdump.diff.compare import Comparison, Draft, vertex_text
from msdump.diff.edits import Change, GraphDiff, Pair
from msdump.diff.flat import NODE, Flat, flatten
from msdump.diff.grouped import find_groups
from msdump.diff.labels import Ignore, Interner
from msdump.diff.match import Matching
from msdump.diff.refine import refine
from msdump.diff.replaced import pair_replaced
from msdump.graph.find import own_line
from msdump.graph.graph import Graph
from msdump.graph.names import file_label, in_scope, scope_label
from msdump.graph.node import CNode, Parameter, ValueNode
from msdump.graph.text import operand_text, type_text


def diff_graphs(
    a: Graph,
    b: Graph,
    ignore: Iterable[str] | Ignore = (),
    scope: str = "",
    pins: Mapping[str, str] | None = None,
) -> GraphDiff:
    """What changed from graph `a` to graph `b`.

    Nodes are matched by what they compute and where they stand, not by their names or lines: a
    graph that is renumbered, renamed or reordered is the same.

    Args:
        a: the first graph.
        b: the second one, of any format and release.
        ignore: what to leave out: "types", "attrs", "attr:KEY", "constants", "scope", "names".
        scope: report only changes under this scope prefix.
        pins: nodes that are the same by decree: a name in `a` → one in `b` ("%3", "@graph:%3", a
            debug name or a full name).
    """
    what = ignore if isinstance(ignore, Ignore) else Ignore.parse(ignore)
    what = _across_formats(a, b, what)
    with collector_paused():
        matching = match_graphs(a, b, what, pins)
        drafts = Comparison(matching, what).run()
        causes = find_causes(matching, drafts)
        changes = [_change(matching, d, c) for d, c in zip(drafts, causes, strict=True)]
        for group in find_groups(matching, drafts):
            changes[group.one] = replace(changes[group.one], several=group.several)
            for n in group.several:
                changes[n] = replace(changes[n], part_of=group.one)
    sizes = (_count(matching.a), _count(matching.b))
    matched = sum(1 for v, k in enumerate(matching.a.kind) if k == NODE and matching.partner[v] >= 0)
    result = GraphDiff(tuple(changes), sizes, matched, matching)
    return select_changes(result, scope=scope) if scope else result


_NAMES_OF_SLOTS = frozenset({"input_names", "output_names"})


def _across_formats(a: Graph, b: Graph, ignore: Ignore) -> Ignore:
    """What two formats, or two releases, spell or leave out each in its own way is left out too."""
    if (a.source.format, a.source.dialect) == (b.source.format, b.source.dialect):
        return ignore
    return replace(ignore, keys=ignore.keys | _NAMES_OF_SLOTS, unknown_types=True)


def match_graphs(a: Graph, b: Graph, ignore: Ignore, pins: Mapping[str, str] | None = None) -> Matching:
    """Partners of the nodes of two graphs."""
    interner = Interner(ignore)
    matching = Matching(flatten(a, interner), flatten(b, interner), interner, pins)
    for _ in range(3):
        if not refine(matching):
            break
        matching.spread()
    pair_replaced(matching)
    return matching


def select_changes(diff: GraphDiff, scope: str = "", only: Iterable[str] = ()) -> GraphDiff:
    """The changes under a scope, or of some kinds ("added", …, "types", "attrs", an attribute)."""
    wanted = tuple(only)
    kept = [
        n
        for n, change in enumerate(diff.changes)
        if in_scope(change.scope, scope) and (not wanted or any(_is(change, word) for word in wanted))
    ]
    place = {old: new for new, old in enumerate(kept)}
    changes = []
    for n in kept:
        change = diff.changes[n]
        changes.append(
            replace(
                change,
                cause=None if change.cause is None else place.get(change.cause),
                several=tuple(place[m] for m in change.several if m in place),
                part_of=None if change.part_of is None else place.get(change.part_of),
            )
        )
    return GraphDiff(tuple(changes), diff.nodes, diff.matched, diff.matching)


def _is(change: Change, word: str) -> bool:
    if word == "types":
        return "type" in change.what
    if word == "attrs":
        return change.kind == "changed" and any(key not in ("type", "op") for key in change.what)
    if word.startswith("attr:"):
        return word[5:] in change.what
    if word.startswith("op:"):
        return change.op == word[3:]
    return change.kind == word


def _count(flat: Flat) -> int:
    return sum(1 for kind in flat.kind if kind == NODE)


def _change(matching: Matching, draft: Draft, cause: int | None) -> Change:
    a, b = matching.a, matching.b
    flat, vertex = (b, draft.y) if draft.y >= 0 else (a, draft.x)
    item = flat.item[vertex]
    name: Pair = (_name(a, draft.x), _name(b, draft.y))
    graph: Pair = (_graph(a, draft.x), _graph(b, draft.y))
    why = matching.why[draft.x] if draft.x >= 0 and draft.y >= 0 else ""
    if isinstance(item, Parameter):
        return Change(
            draft.kind,
            "Parameter",
            name,
            graph,
            what=draft.what,
            cause=cause,
            signature=type_text(item.abstract),
            why=why,
        )
    assert isinstance(item, CNode)
    where = own_line(item)
    return Change(
        draft.kind,
        flat.names[vertex],
        name,
        graph,
        scope_label(item.scope or item.fullname),
        f"{file_label(where.file)}:{where.line}" if where is not None else "",
        where.code.strip() if where is not None else "",
        draft.what,
        cause,
        signature(flat, vertex),
        tuple(dict.fromkeys(vertex_text(flat, user) for user, _ in flat.users[vertex][:4])),
        why,
    )


def _name(flat: Flat, vertex: int) -> str | None:
    if vertex < 0:
        return None
    item = flat.item[vertex]
    return item.name or flat.names[vertex]


def _graph(flat: Flat, vertex: int) -> str | None:
    return None if vertex < 0 else flat.item[flat.func[vertex]].name


def signature(flat: Flat, vertex: int) -> str:
    """A node as a call: `(Tensor[Float32] (2, 3), 0.5) → Tensor[Float32] (2, 3)`."""
    node = flat.item[vertex]
    assert isinstance(node, CNode)
    parts = []
    shift = flat.callee[vertex]
    for position, operand in enumerate(node.inputs[:8]):
        code = flat.operands[vertex][position + shift]
        if isinstance(operand, ValueNode) or code < 0:
            parts.append(operand_text(operand))
            continue
        item = flat.item[code]
        kind = type_text(item.abstract) if isinstance(item, (CNode, Parameter)) else "Func"
        name = item.name if isinstance(item, Parameter) else flat.names[code]
        parts.append(f"{name}: {kind}" if kind else name)
    if len(node.inputs) > 8:
        parts.append("…")
    out = type_text(node.abstract)
    return f"({', '.join(parts)})" + (f" → {out}" if out else "")

"""A graph diff as one self-contained page: each change with its surroundings drawn on both sides."""

from __future__ import annotations

from dataclasses import dataclass

from msdump.diff.edits import Change, GraphDiff
from msdump.diff.flat import FUNC, Flat
from msdump.diff.match import Matching
from msdump.graph.names import graph_label, scope_label
from msdump.graph.node import CNode, Parameter
from msdump.graph.text import type_text
from msdump.render.graph_diff import Entry, entries, verdict
from msdump.render.report_page import more, page
from msdump.render.report_page import text as _text

DRAWN = 200
"""How many changes are drawn; the rest is listed."""
_BESIDE = 4
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 190, 44, 16, 34


def diff_html(diff: GraphDiff, a: str, b: str) -> str:
    """The page. `a` and `b` name the two files."""
    said = verdict(diff)
    return page(said, [f"<h1>{_text(said)}</h1>", *diff_parts(diff, a, b)])


def diff_parts(diff: GraphDiff, a: str, b: str, most: int | None = None, drawn: int = DRAWN) -> list[str]:
    """What a page says below the verdict: at most `most` changes, the first `drawn` of them drawn."""
    parts = [
        f'<p class="sides"><code>{_text(a)}</code> ({diff.nodes[0]} nodes) against <code>{_text(b)}</code> '
        f"({diff.nodes[1]} nodes); {diff.matched} matched.</p>",
    ]
    found = entries(diff)
    for number, entry in enumerate(found if most is None else found[:most]):
        parts.append(_entry(diff, entry, number < drawn))
    if most is not None:
        parts.append(more(len(found) - most))
    moved = [change for change in diff.changes if change.kind == "moved"]
    if moved:
        parts.append(f"<details><summary>{len(moved)} renamed or moved, computing the same</summary><table>")
        parts += [_moved_row(change) for change in moved[:2000]]
        parts.append("</table></details>")
    return parts


def _entry(diff: GraphDiff, entry: Entry, drawn: bool) -> str:
    change = entry.changes[0]
    times = f" ×{len(entry.changes)}" if len(entry.changes) > 1 else ""
    op = change.what.get("op")
    name = f"{_text(op[0])} → {_text(op[1])}" if op else _text(change.op)
    parts = [f'<section class="{change.kind}"><h2>{change.kind} {name}{times}</h2>']
    where = list(dict.fromkeys(c.scope or str(c.name[1] or c.name[0]) for c in entry.changes))
    parts.append(f'<div class="mono">{_text(", ".join(where[:12]))}{" …" if len(where) > 12 else ""}</div>')
    if change.source:
        parts.append(f"<div><code>{_text(change.source)}</code> <code>{_text(change.code)}</code></div>")
    rows = [(key, pair) for key, pair in change.what.items() if key != "op"]
    if rows:
        cells = "".join(
            f"<tr><th>{_text(key)}</th><td><del>{_side(old)}</del></td><td><ins>{_side(new)}</ins></td></tr>"
            for key, (old, new) in rows
        )
        parts.append(f'<table class="mono">{cells}</table>')
    elif change.signature:
        parts.append(f'<div class="mono">{_text(change.signature)}</div>')
    if drawn and diff.matching is not None:
        parts.append(_pictures(diff.matching, change))
    if entry.follow:
        parts.append(f"<details><summary>{len(entry.follow)} changes follow</summary><table>")
        parts += [_follow_row(follow) for follow in entry.follow[:500]]
        parts.append("</table></details>")
    parts.append("</section>")
    return "\n".join(parts)


def _side(text: str | None) -> str:
    return _text(text) if text is not None else "—"


def _follow_row(change: Change) -> str:
    what = "; ".join(f"{key}: {old or '—'} → {new or '—'}" for key, (old, new) in change.what.items())
    where = _text(change.scope or change.name[1] or change.name[0])
    cells = f'<td class="mono">{where}</td><td class="mono">{_text(what)}</td>'
    return f"<tr><td>{change.kind}</td><td>{_text(change.op)}</td>{cells}</tr>"


def _moved_row(change: Change) -> str:
    what = "; ".join(f"{key}: {old} → {new}" for key, (old, new) in change.what.items())
    return f'<tr><td>{_text(change.op)}</td><td class="mono">{_text(what)}</td></tr>'


# ---------------------------------------------------------------- drawing
def _pictures(matching: Matching, change: Change) -> str:
    x, y = _find(matching.a, change, 0), _find(matching.b, change, 1)
    left = _around(matching.a, x) if x >= 0 else _opposite(matching.b, y, matching.back, matching.a)
    right = _around(matching.b, y) if y >= 0 else _opposite(matching.a, x, matching.partner, matching.b)
    one = _drawing(matching.a, left, {x: change.kind}, "before")
    two = _drawing(matching.b, right, {y: change.kind}, "after")
    return f'<div class="pair">{one}{two}</div>'


def _find(flat: Flat, change: Change, side: int) -> int:
    name, graph = change.name[side], change.graph[side]
    if name is None:
        return -1
    for func, _ in flat.params.items():
        if flat.item[func].name != graph:
            continue
        vertex = func + 1
        while vertex < len(flat) and flat.kind[vertex] != FUNC:
            if name in (flat.item[vertex].name, flat.names[vertex]):
                return vertex
            vertex += 1
    return -1


def _around(flat: Flat, vertex: int) -> list[int]:
    below = [code for code in flat.operands[vertex][: _BESIDE + 1] if code >= 0]
    above = [user for user, _ in flat.users[vertex][:_BESIDE]]
    return list(dict.fromkeys([*below, vertex, *above]))


def _opposite(flat: Flat, vertex: int, partner: list[int], other: Flat) -> list[int]:
    """The same place on the other side of a node that is not there: partners of what is around it."""
    if vertex < 0:
        return []
    found: list[int] = []
    layers = [[c for c in flat.operands[vertex] if c >= 0], [u for u, _ in flat.users[vertex]]]
    for step, layer in enumerate(layers):
        for _ in range(4):
            found += [partner[v] for v in layer if partner[v] >= 0][:_BESIDE]
            rest = [v for v in layer if partner[v] < 0]
            if step == 0:
                layer = [c for v in rest for c in flat.operands[v] if c >= 0][:_BESIDE]
            else:
                layer = [u for v in rest for u, _ in flat.users[v]][:_BESIDE]
    return list(dict.fromkeys(v for v in found if other.kind[v] != FUNC))


@dataclass(frozen=True, slots=True)
class _Box:
    x: int
    y: int


def _drawing(flat: Flat, vertices: list[int], marks: dict[int, str], title: str) -> str:
    if not vertices:
        return f"<figure><figcaption>{title}: nothing there</figcaption></figure>"
    inside = set(vertices)
    level: dict[int, int] = {}
    for vertex in sorted(vertices, key=lambda v: flat.rank[v]):
        deep = [level[c] for c in flat.operands[vertex] if c in level]
        level[vertex] = max(deep) + 1 if deep else 0
    rows: dict[int, list[int]] = {}
    for vertex in vertices:
        rows.setdefault(level[vertex], []).append(vertex)
    widest = max(len(row) for row in rows.values())
    width = widest * (_WIDTH + _GAP_X) - _GAP_X + 4
    boxes: dict[int, _Box] = {}
    for depth, number in enumerate(sorted(rows)):
        row = rows[number]
        start = (width - (len(row) * (_WIDTH + _GAP_X) - _GAP_X)) // 2
        for place, vertex in enumerate(row):
            boxes[vertex] = _Box(start + place * (_WIDTH + _GAP_X), 2 + depth * (_HEIGHT + _GAP_Y))
    height = len(rows) * (_HEIGHT + _GAP_Y) - _GAP_Y + 4
    shapes = [_edge(boxes[c], boxes[v]) for v in vertices for c in dict.fromkeys(flat.operands[v]) if c in inside]
    shapes += [_node(flat, v, boxes[v], marks.get(v, "")) for v in vertices]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    svg = f'<svg role="img" aria-label="{title}" {size}>{"".join(shapes)}</svg>'
    return f"<figure><figcaption>{title}</figcaption>{svg}</figure>"


def _edge(source: _Box, target: _Box) -> str:
    x1, y1 = source.x + _WIDTH // 2, source.y + _HEIGHT
    x2, y2 = target.x + _WIDTH // 2, target.y
    middle = (y1 + y2) // 2
    return f'<path d="M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}"/>'


def _node(flat: Flat, vertex: int, box: _Box, mark: str) -> str:
    first, second = _labels(flat, vertex)
    kind = f' class="{mark}"' if mark else ""
    return (
        f'<g{kind}><rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<text x="{box.x + 8}" y="{box.y + 18}">{_text(first)}</text>'
        f'<text class="small" x="{box.x + 8}" y="{box.y + 34}">{_text(second)}</text></g>'
    )


def _labels(flat: Flat, vertex: int) -> tuple[str, str]:
    item = flat.item[vertex]
    if isinstance(item, CNode):
        where = scope_label(item.scope).rsplit("/", 1)[-1]
        name = flat.names[vertex] + (f"  {where}" if where and where != "Default" else "")
        return _cut(name, 24), _cut(type_text(item.abstract), 29)
    if isinstance(item, Parameter):
        return _cut(item.name, 24), _cut(type_text(item.abstract), 29)
    return _cut("@" + graph_label(item.name), 24), "subgraph"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"

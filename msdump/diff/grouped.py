"""One node that became several, or several that became one: split and fused operators.

The node and the piece of several stand in the same place: what feeds the piece from outside is what
feeds the node, and what uses the piece is what uses the node. Each stays a change of its own, added
or removed; the group says that they belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msdump.diff.compare import Draft
from msdump.diff.flat import FUNC, NODE, Flat
from msdump.diff.labels import GLUE, operator_key
from msdump.diff.match import Matching

Place = tuple[frozenset[int], frozenset[int]]
"""What feeds and what uses a piece, as vertices of the second graph."""


@dataclass(frozen=True, slots=True)
class Group:
    """Changes that are one edit, by index: the single node's, and those of the several."""

    one: int
    several: tuple[int, ...]


def find_groups(matching: Matching, drafts: Sequence[Draft]) -> list[Group]:
    """Split and fused operators among the changes, in the order of the changes; linear in the graphs."""
    a, b = matching.a, matching.b
    at = {(0, d.x): n for n, d in enumerate(drafts) if d.x >= 0 and d.kind != "moved"}
    at.update({(1, d.y): n for n, d in enumerate(drafts) if d.y >= 0 and d.kind != "moved"})
    seen_in_b = list(matching.partner)
    for x, y in enumerate(seen_in_b):
        if y >= 0 and a.kind[x] == NODE and a.op[x] != b.op[y]:
            seen_in_b[x] = -1  # became another operator: new here, as an unmatched one
    here = list(range(len(b)))
    kept = {y for y in seen_in_b if y >= 0}
    new = (
        {x for x, y in enumerate(seen_in_b) if y < 0 and _stands(a, x)},
        {y for y in here if y not in kept and _stands(b, y)},
    )
    sides = ((a, seen_in_b), (b, here))
    groups: list[Group] = []
    for one, many in ((0, 1), (1, 0)):
        singles: dict[Place, list[int]] = {}
        for v in new[one]:
            place = _place(*sides[one], {v}, new[one])
            if place is not None:
                singles.setdefault(place, []).append(v)
        for piece in _pieces(sides[many][0], new[many]):
            place = _place(*sides[many], piece, new[many])
            found = singles.get(place, []) if place is not None else []
            if len(piece) < 2 or len(found) != 1 or (one, found[0]) not in at:
                continue
            several = sorted({at[many, v] for v in piece if (many, v) in at} - {at[one, found[0]]})
            if several:
                groups.append(Group(at[one, found[0]], tuple(several)))
    return sorted(groups, key=lambda group: group.one)


def _stands(flat: Flat, vertex: int) -> bool:
    return flat.kind[vertex] == NODE and operator_key(flat.names[vertex]) not in GLUE


def _place(flat: Flat, seen: list[int], piece: set[int], new: set[int]) -> Place | None:
    """What is around a piece, in the second graph's vertices; None when that is new as well."""
    fed: set[int] = set()
    used: set[int] = set()
    for vertex in piece:
        fed.update(v for v in flat.operands[vertex] if v >= 0 and v not in piece and flat.kind[v] != FUNC)
        used.update(user for user, _ in flat.users[vertex] if user not in piece)
    if not used or (fed | used) & new:
        return None
    around = (frozenset(seen[v] for v in fed), frozenset(seen[v] for v in used))
    return None if -1 in around[0] | around[1] else around


def _pieces(flat: Flat, new: set[int]) -> Iterator[set[int]]:
    """The new nodes in connected pieces, in the order of the graph."""
    rest = set(new)
    for start in flat.order:
        if start not in rest:
            continue
        rest.discard(start)
        piece, waiting = {start}, [start]
        while waiting:
            vertex = waiting.pop()
            beside = [v for v in flat.operands[vertex] if v in rest]
            beside += [user for user, _ in flat.users[vertex] if user in rest]
            rest.difference_update(beside)
            piece.update(beside)
            waiting.extend(beside)
        yield piece

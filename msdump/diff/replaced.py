"""Operators that became another: an unmatched node of each side in the same place."""

from __future__ import annotations

from msdump.diff.flat import NODE
from msdump.diff.labels import GLUE, operator_key
from msdump.diff.match import Matching
from msdump.diff.places import NEAR


def pair_replaced(matching: Matching) -> None:
    """Pair unmatched operators of different names that have the same operands and the same users."""
    a, b = matching.a, matching.b
    offers: list[tuple[int, int, int, int]] = []
    for x in a.order:
        if matching.partner[x] >= 0 or a.kind[x] != NODE or operator_key(a.names[x]) in GLUE:
            continue
        for y in matching.nearby(x):
            if b.kind[y] != NODE or operator_key(b.names[y]) in GLUE or a.op[x] == b.op[y]:
                continue
            score = _support(matching, x, y)
            if score:
                offers.append((-score, a.rank[x], b.rank[y], x))
    offers.sort()
    for _, _, rank, x in offers:
        matching.pair(x, b.order[rank], "in the same place")


def _support(matching: Matching, x: int, y: int) -> int:
    """How alike the places are; 0 when they are not the same place."""
    a, b, partner = matching.a, matching.b, matching.partner
    fed = sum(
        1
        for p, q in zip(a.operands[x][:NEAR], b.operands[y][:NEAR], strict=False)
        if (p < 0 and p == q) or (p >= 0 and partner[p] == q)
    )
    feeds = 0
    for user, position in a.users[x][:NEAR]:
        other = partner[user]
        if other >= 0:
            row = b.operands[other]
            feeds += position < len(row) and row[position] == y
    vertices = any(p >= 0 for p in a.operands[x]) or any(q >= 0 for q in b.operands[y])
    if not feeds or (vertices and not fed):
        return 0
    return 2 * fed + 2 * feeds + (len(a.operands[x]) == len(b.operands[y]))

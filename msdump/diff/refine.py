"""Partners that would fit better: two pairs crossed over, or a matched vertex that belongs to another.

The matching takes the best supported pair first and never looks back. Among twins that can go wrong;
here each wrong-looking edge is asked whether another partner agrees with more of the neighbours.
Every step makes the whole agree more, so it ends.
"""

from __future__ import annotations

from msdump.diff.flat import NODE, PARAM
from msdump.diff.match import Matching
from msdump.diff.places import NEAR


def refine(matching: Matching) -> bool:
    """Better partners where there are any; True when something was changed."""
    changed = _cross(matching)
    return _steal(matching) or changed


def agreement(matching: Matching, x: int, y: int) -> int:
    """How much of what surrounds x has its partner around y."""
    a, b, partner = matching.a, matching.b, matching.partner
    score = 2 * (a.label[x] == b.label[y]) + (a.type[x] == b.type[y])
    if a.scope[x] >= 0 and a.scope[x] == b.scope[y]:
        score += 2
    if matching.fed_by[0][x] >= 0 and matching.fed_by[0][x] == matching.fed_by[1][y]:
        score += 2
    score += partner[a.func[x]] == b.func[y]
    theirs = b.operands[y]
    for position, code in enumerate(a.operands[x][:NEAR]):
        if position < len(theirs):
            other = theirs[position]
            if code >= 0 and partner[code] >= 0 and partner[code] == other:
                score += 3 if len(a.users[code]) <= NEAR else 1
            elif code < 0 and code == other:
                score += 1
    for user, position in a.users[x][:NEAR]:
        other = partner[user]
        if other >= 0:
            row = b.operands[other]
            if position < len(row) and row[position] == y:
                score += 3
    return score


def _cross(matching: Matching) -> bool:
    """Swap the partners of two vertices where the edges say so."""
    a, b, partner, back = matching.a, matching.b, matching.partner, matching.back
    changed = False
    for x in a.order:
        y = partner[x]
        if y < 0:
            continue
        for p, q in zip(a.operands[x], b.operands[y], strict=False):
            if p < 0 or q < 0 or partner[p] == q or partner[p] < 0 or back[q] < 0:
                continue
            if a.kind[p] == PARAM or not matching.alike(p, q) or matching.pinned(p) or matching.pinned(back[q]):
                continue
            p2, q2 = back[q], partner[p]
            before = agreement(matching, p, q2) + agreement(matching, p2, q)
            matching.unpair(p)
            matching.unpair(p2)
            matching.pair(p, q, "fits better")
            matching.pair(p2, q2, "fits better")
            if agreement(matching, p, q) + agreement(matching, p2, q2) <= before:
                matching.unpair(p)
                matching.unpair(p2)
                matching.pair(p, q2, matching.why[p] or "next to matched nodes")
                matching.pair(p2, q, matching.why[p2] or "next to matched nodes")
            else:
                changed = True
    return changed


def _steal(matching: Matching) -> bool:
    """Give an unmatched vertex the partner of one that fits it less; the loser looks on."""
    a, b, partner, back = matching.a, matching.b, matching.partner, matching.back
    waiting = [x for x in reversed(a.order) if partner[x] < 0 and a.kind[x] == NODE]
    left = 8 * len(waiting) + 8
    changed = False
    while waiting and left:
        left -= 1
        x = waiting.pop()
        if partner[x] >= 0:
            continue
        best, gain = -1, 0
        for y in _places(matching, x):
            if b.kind[y] != NODE or not matching.alike(x, y):
                continue
            owner = back[y]
            if owner < 0:
                continue
            if matching.pinned(owner):
                continue
            more = agreement(matching, x, y) - agreement(matching, owner, y)
            if more > gain:
                best, gain = y, more
        if best >= 0:
            loser = back[best]
            matching.unpair(loser)
            matching.pair(x, best, "fits better")
            waiting.append(loser)
            changed = True
    return _steal_back(matching) or changed


def _steal_back(matching: Matching) -> bool:
    """The same from the second graph's side."""
    a, b, partner, back = matching.a, matching.b, matching.partner, matching.back
    waiting = [y for y in reversed(b.order) if back[y] < 0 and b.kind[y] == NODE]
    left = 8 * len(waiting) + 8
    changed = False
    while waiting and left:
        left -= 1
        y = waiting.pop()
        if back[y] >= 0:
            continue
        best, gain = -1, 0
        near = [u for c in b.operands[y][:NEAR] if c >= 0 and back[c] >= 0 for u, _ in a.users[back[c]][:NEAR]]
        near += [c for u, _ in b.users[y][:NEAR] if back[u] >= 0 for c in a.operands[back[u]][:NEAR] if c >= 0]
        for x in dict.fromkeys(near):
            if a.kind[x] != NODE or not matching.alike(x, y) or partner[x] < 0 or matching.pinned(x):
                continue
            more = agreement(matching, x, y) - agreement(matching, x, partner[x])
            if more > gain:
                best, gain = x, more
        if best >= 0:
            loser = partner[best]
            matching.unpair(best)
            matching.pair(best, y, "fits better")
            waiting.append(loser)
            changed = True
    return changed


def _places(matching: Matching, x: int) -> list[int]:
    """Vertices of the second graph next to the partners of x's neighbours."""
    a, b, partner = matching.a, matching.b, matching.partner
    found = [u for c in a.operands[x][:NEAR] if c >= 0 and partner[c] >= 0 for u, _ in b.users[partner[c]][:NEAR]]
    found += [c for u, _ in a.users[x][:NEAR] if partner[u] >= 0 for c in b.operands[partner[u]][:NEAR] if c >= 0]
    return list(dict.fromkeys(found))

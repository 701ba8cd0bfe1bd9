"""Aligning two sequences of keys: which element of one side stands for which of the other."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence

Pair = tuple[int | None, int | None]
"""Positions on side a and b; None on the side that lacks it."""

FARTHEST = 1000
"""Differences after which a shortest edit script is no longer looked for (its cost is their square)."""
LOOKS = 1_000_000
"""How often contents are looked at to place gaps among repeated keys, over a whole alignment."""


def align(a: Sequence[Hashable], b: Sequence[Hashable], alike: Callable[[int, int], bool] | None = None) -> list[Pair]:
    """Pairs of positions with equal keys and positions without partner, in the order of both sides.

    A shortest edit script (E. Myers, 1986). Where equal keys repeat, a gap can stand in several
    places; `alike(i, j)` says whether what stands behind equal keys is the same, and the gap goes to
    where most of it is. Beyond FARTHEST differences keys are paired by their n-th occurrence instead,
    so the cost stays in proportion to the input.
    """
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    middle_a, middle_b = a[start : len(a) - end], b[start : len(b) - end]
    middle = _shortest(middle_a, middle_b)
    if middle is None:
        middle, alike = _by_occurrence(middle_a, middle_b), None
    pairs: list[Pair] = [(i, i) for i in range(start)]
    pairs += [(None if i is None else i + start, None if j is None else j + start) for i, j in middle]
    pairs += [(len(a) - end + k, len(b) - end + k) for k in range(end)]
    return pairs if alike is None else _slide(pairs, a, b, alike)


def _shortest(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Pair] | None:
    """A shortest edit script, or None beyond FARTHEST differences."""
    n, m = len(a), len(b)
    if not n or not m:
        return [*((i, None) for i in range(n)), *((None, j) for j in range(m))]
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for d in range(min(n + m, FARTHEST) + 1):
        trail.append({})
        for k in range(-d, d + 1, 2):
            down = k == -d or (k != d and reach.get(k - 1, -1) < reach.get(k + 1, -1))
            x = reach[k + 1] if down else reach[k - 1] + 1
            y = x - k
            while x < n and y < m and a[x] == b[y]:
                x, y = x + 1, y + 1
            reach[k] = x
            trail[-1][k] = x
            if x >= n and y >= m:
                return _walk_back(trail, n, m)
    return None


def _walk_back(trail: list[dict[int, int]], n: int, m: int) -> list[Pair]:
    pairs: list[Pair] = []
    x, y = n, m
    for d in range(len(trail) - 1, 0, -1):
        before, k = trail[d - 1], x - y
        down = k == -d or (k != d and before.get(k - 1, -1) < before.get(k + 1, -1))
        from_k = k + 1 if down else k - 1
        px = before[from_k]
        py = px - from_k
        sx, sy = (px, py + 1) if down else (px + 1, py)
        while x > sx and y > sy:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        pairs.append((None, py) if down else (px, None))
        x, y = px, py
    while x > 0 and y > 0:
        x, y = x - 1, y - 1
        pairs.append((x, y))
    pairs.reverse()
    return pairs


def _by_occurrence(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Pair]:
    """The n-th occurrence of a key on one side with the n-th on the other."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for j, key in enumerate(b):
        waiting[key].append(j)
    pairs: list[Pair] = [(i, waiting[key].popleft() if waiting[key] else None) for i, key in enumerate(a)]
    pairs += [(None, j) for j in sorted(j for rest in waiting.values() for j in rest)]
    return pairs


def _slide(
    pairs: list[Pair], a: Sequence[Hashable], b: Sequence[Hashable], alike: Callable[[int, int], bool]
) -> list[Pair]:
    """Each gap moved up to where most of what is paired is alike (the lowest such place)."""
    at, budget = 0, LOOKS
    while at < len(pairs):
        side = 0 if pairs[at][1] is None else 1 if pairs[at][0] is None else -1
        if side < 0:
            at += 1
            continue
        stop = at
        while stop < len(pairs) and pairs[stop][1 - side] is None:
            stop += 1
        budget -= _slide_one(pairs, at, stop, side, (a, b)[side], alike, budget)
        at = stop
    return pairs


def _slide_one(
    pairs: list[Pair],
    start: int,
    stop: int,
    side: int,
    keys: Sequence[Hashable],
    alike: Callable[[int, int], bool],
    budget: int,
) -> int:
    """Move the gap pairs[start:stop], elements of `side` alone, up while the keys allow it.

    Moved up by one, the gap begins with the element above it, and its last element takes that one's
    partner. Returns how often it asked `alike`.
    """
    length = stop - start
    gain = best = best_up = looks = 0
    for up in range(1, start + 1):
        mine, other = pairs[start - up][side], pairs[start - up][1 - side]
        if mine is None or other is None or keys[mine] != keys[mine + length] or looks >= budget:
            break
        now, then = ((i, other) if side == 0 else (other, i) for i in (mine, mine + length))
        gain += alike(*then) - alike(*now)
        looks += 2
        if gain > best:
            best, best_up = gain, up
    if best_up:
        top = start - best_up
        first = pairs[top][side]
        assert first is not None
        partners = [None] * length + [pairs[i][1 - side] for i in range(top, start)]
        moved = [(first + i, partner) for i, partner in enumerate(partners)]
        pairs[top:stop] = moved if side == 0 else [(partner, i) for i, partner in moved]
    return looks

"""Aligning two sequences of keys: which element of one side stands for which of the other."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence

Pair = tuple[int | None, int | None]
"""Positions on side a and b; None on the side that lacks it."""

FARTHEST = 1000
"""Differences after which a shortest edit script is no longer looked for (its cost is their square)."""
LOOKS = 1_000_000
"""How often contents are looked at to place gaps among repeated keys, over a whole alignment."""


def align(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    alike: Callable[[int, int], bool] | None = None,
    opens: Callable[[Hashable], bool] = lambda _key: False,
) -> list[Pair]:
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
    return pairs if alike is None else _slide(pairs, a, b, alike, opens)


def align_by_contents(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    contents: tuple[Callable[[int], Hashable], Callable[[int], Hashable]],
    alike: Callable[[int, int], bool],
    opens: Callable[[Hashable], bool] = lambda _key: False,
) -> list[Pair]:
    """As `align`, and where keys leave a choice, elements of equal key and contents stay together.

    Without gaps there is no choice, and `contents` (of a position on a, on b) is not asked. With
    gaps, contents that occur once on each side are anchors, as in a patience diff; they count when
    they cost no pair of equal keys.
    """
    plain = align(a, b, alike, opens)
    missing = sum(None in pair for pair in plain)
    if missing == 0 or missing == len(plain):
        return plain
    anchors = _anchors(a, b, contents)
    anchored: list[Pair] = []
    last_a = last_b = 0
    for i, j in [*anchors, (len(a), len(b))]:
        inner = _inner(a[last_a:i], b[last_b:j], last_a, last_b, alike, opens)
        anchored += inner
        if i < len(a):
            anchored.append((i, j))
        last_a, last_b = i + 1, j + 1
    return anchored if sum(None in pair for pair in anchored) <= missing else plain


def _inner(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    at_a: int,
    at_b: int,
    alike: Callable[[int, int], bool],
    opens: Callable[[Hashable], bool],
) -> list[Pair]:
    """The alignment of two stretches that begin at these positions, in positions of the whole."""
    pairs = align(a, b, lambda i, j: alike(i + at_a, j + at_b), opens)
    return [(None if i is None else i + at_a, None if j is None else j + at_b) for i, j in pairs]


def _anchors(
    a: Sequence[Hashable], b: Sequence[Hashable], contents: tuple[Callable[[int], Hashable], Callable[[int], Hashable]]
) -> list[tuple[int, int]]:
    """Positions of what occurs once on each side: the longest run of them that is in order on both."""
    single_a, single_b = (_single(keys, content) for keys, content in zip((a, b), contents, strict=True))
    both = sorted((i, single_b[what]) for what, i in single_a.items() if what in single_b)
    ends: list[int] = []  # of the best run of each length: the position on b it ends at
    best: list[int] = []  # and which pair that is
    before: list[int] = []
    for number, (_, j) in enumerate(both):
        length = bisect_left(ends, j)
        before.append(best[length - 1] if length else -1)
        if length == len(ends):
            ends.append(j)
            best.append(number)
        else:
            ends[length], best[length] = j, number
    run: list[tuple[int, int]] = []
    at = best[-1] if best else -1
    while at >= 0:
        run.append(both[at])
        at = before[at]
    return run[::-1]


def _single(keys: Sequence[Hashable], content: Callable[[int], Hashable]) -> dict[Hashable, int]:
    found: dict[Hashable, int] = {}
    for at, key in enumerate(keys):
        what = (key, content(at))
        found[what] = -1 if what in found else at
    return {what: at for what, at in found.items() if at >= 0}


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
    pairs: list[Pair],
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    alike: Callable[[int, int], bool],
    opens: Callable[[Hashable], bool],
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
        budget -= _slide_one(pairs, at, stop, side, (a, b)[side], alike, opens, budget)
        at = stop
    return pairs


def _slide_one(
    pairs: list[Pair],
    start: int,
    stop: int,
    side: int,
    keys: Sequence[Hashable],
    alike: Callable[[int, int], bool],
    opens: Callable[[Hashable], bool],
    budget: int,
) -> int:
    """Move the gap pairs[start:stop], elements of `side` alone, up while the keys allow it.

    Moved up by one, the gap begins with the element above it, and its last element takes that one's
    partner. Returns how often it asked `alike`.
    """
    length = stop - start
    gain = best_up = looks = 0
    top_of_gap = pairs[start][side]
    assert top_of_gap is not None
    best = (0, opens(keys[top_of_gap]))
    for up in range(1, start + 1):
        mine, other = pairs[start - up][side], pairs[start - up][1 - side]
        if mine is None or other is None or keys[mine] != keys[mine + length] or looks >= budget:
            break
        now, then = ((i, other) if side == 0 else (other, i) for i in (mine, mine + length))
        gain += alike(*then) - alike(*now)
        looks += 2
        if (gain, opens(keys[mine])) > best:
            best, best_up = (gain, opens(keys[mine])), up
    if best_up:
        top = start - best_up
        first = pairs[top][side]
        assert first is not None
        partners = [None] * length + [pairs[i][1 - side] for i in range(top, start)]
        moved = [(first + i, partner) for i, partner in enumerate(partners)]
        pairs[top:stop] = moved if side == 0 else [(partner, i) for i, partner in moved]
    return looks

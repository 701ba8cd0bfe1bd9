"""Which vertex of one graph is which of the other.

First what is certain: what lies below or above two vertices is the same and occurs once. Then from
every matched pair to its neighbours, the best supported pair first; then through glue, for
subgraphs that were inlined or split; then across what was inserted or removed; last in order. Each
step looks at a bounded number of neighbours, so the whole is near linear in the size of the graphs,
also for ten thousand identical nodes.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial

from msdump.diff.classes import Through, above, below, heights, leaves
from msdump.diff.flat import FUNC, NODE, PARAM, Flat
from msdump.diff.labels import Interner
from msdump.diff.places import NEAR, frontier, in_turn, named, param, param_label, reach, weights

WORTH = 5
"""The support below which two vertices are not taken for the same."""


class Matching:
    """Partners of the vertices of two graphs.

    Attributes:
        partner: for each vertex of `a` its vertex in `b`, or -1; `back` the other way round.
        why: in a few words what matched each vertex of `a` ("" when unmatched).
    """

    def __init__(self, a: Flat, b: Flat, interner: Interner, pins: Mapping[str, str] | None = None) -> None:
        self.a, self.b, self.interner = a, b, interner
        self.partner = [-1] * len(a)
        self.back = [-1] * len(b)
        self.why = [""] * len(a)
        self.through: tuple[Through, Through] | None = None
        self._through_asked = False
        self._new: deque[int] = deque()
        self._heap: list[tuple[int, int, int, int]] = []
        self._tried: set[tuple[int, int]] = set()
        self._between: dict[tuple[int, int], int] = {}
        self._weight: tuple[bytearray, bytearray] = (bytearray(), bytearray())
        self._pin(pins or {})
        if a.entry >= 0 and b.entry >= 0:
            self.pair(a.entry, b.entry, "entry")
            self._entry_parameters()
        self._run()

    # ---------------------------------------------------------------- the plan
    def _run(self) -> None:
        a, b, interner = self.a, self.b, self.interner
        typed = [[interner.of((x, t)) for x, t in zip(f.label, f.type, strict=True)] for f in (a, b)]
        self.exact = (below(a, typed[0], interner), below(b, typed[1], interner))
        self.same_below, self.same_shape, self.same_above = self.exact, self.exact, self.exact
        if a.entry >= 0 and b.entry >= 0:
            self._cone(a.entry, b.entry, self.exact, "all the same")
        self._roots()
        self._loose_ends()
        if -1 not in self.partner and -1 not in self.back:
            return
        self.same_below = (below(a, a.label, interner), below(b, b.label, interner))
        self.same_above = (above(a, a.label, interner), above(b, b.label, interner))
        self.fed_by = self._leaves()
        ops = [[x if k == PARAM else o for x, o, k in zip(f.label, f.op, f.kind, strict=True)] for f in (a, b)]
        self.same_shape = (below(a, ops[0], interner), below(b, ops[1], interner))
        size = (heights(a), heights(b))
        both = (self._join(self.exact, self.same_above), self._join(self.same_below, self.same_above))
        self._unique(both[0][0], both[0][1], self.exact, "the same below and above")
        self._unique(both[1][0], both[1][1], self.same_below, "the same below and above but for types")
        for classes, why in ((self.exact, "the same below"), (self.same_below, "the same below but for types")):
            one, two = ([c if n >= 4 else -1 for c, n in zip(classes[i], size[i], strict=True)] for i in (0, 1))
            self._unique(one, two, classes, why)
        self._unique(self.same_above[0], self.same_above[1], None, "the same above", least=3)
        self._spread("next to matched nodes")
        self.through = (Through(a), Through(b))
        seen = (self.through[0].classes(a.label, interner), self.through[1].classes(b.label, interner))
        operators = tuple(
            [c if f.kind[v] == NODE and t.source[v] == v else -1 for v, c in enumerate(cs)]
            for cs, f, t in zip(seen, (a, b), self.through, strict=True)
        )
        self._unique(operators[0], operators[1], None, "computed from the same, subgraphs looked through", homely=True)
        self._spread("next to matched nodes, subgraphs looked through")
        self._unique(self._scoped(0), self._scoped(1), None, "the same operator and scope")
        self._spread("next to matched nodes")
        self._bridge("around what was added or removed")
        for classes, why in (
            (both[0], "in order, among the same"),
            (both[1], "in order, among the same but for types"),
        ):
            self._in_order(classes, why)
        self._spread("next to matched nodes")
        self._bridge("around what was added or removed")
        self._loose_ends()

    def _roots(self) -> None:
        """What nothing uses (unreachable subgraphs, dead nodes), with its like in turn."""
        a, b = self.a, self.b
        in_turn(
            [x for x in reversed(a.order) if self.partner[x] < 0 and not a.users[x] and a.kind[x] != PARAM],
            [y for y in reversed(b.order) if self.back[y] < 0 and not b.users[y] and b.kind[y] != PARAM],
            lambda x: (self.exact[0][x], a.scope[x]),
            lambda y: (self.exact[1][y], b.scope[y]),
            lambda x, y: self._cone(x, y, self.exact, "all the same"),
        )

    def _leaves(self) -> tuple[list[int], list[int]]:
        pairs = [(x, self.partner[x]) for x in self.a.params.get(self.a.entry, ()) if self.partner[x] >= 0]
        one, two = ({x: n for n, (x, _) in enumerate(pairs)}, {y: n for n, (_, y) in enumerate(pairs)})
        return leaves(self.a, one, self.interner), leaves(self.b, two, self.interner)

    def _join(self, x: tuple[list[int], list[int]], y: tuple[list[int], list[int]]) -> tuple[list[int], list[int]]:
        of = self.interner.of
        one, two = ([of((p, q)) for p, q in zip(x[i], y[i], strict=True)] for i in (0, 1))
        return one, two

    def _scoped(self, side: int) -> list[int]:
        """Classes by operator and scope, and by the subgraph it stands in where that is matched."""
        flat = (self.a, self.b)[side]
        return [s if flat.kind[v] == NODE else -1 for v, s in enumerate(flat.scope)]

    # ---------------------------------------------------------------- certain
    def pair(self, x: int, y: int, why: str) -> bool:
        """Make x and y partners (of subgraphs their parameters too); False when one has a partner."""
        if self.partner[x] >= 0 or self.back[y] >= 0:
            return False
        self.partner[x], self.back[y], self.why[x] = y, x, why
        self._new.append(x)
        if self.a.kind[x] == FUNC and x != self.a.entry:
            self._parameters(self.a.params[x], self.b.params[y], why)
        return True

    def unpair(self, x: int) -> None:
        """Take a pair apart."""
        self.back[self.partner[x]] = -1
        self.partner[x] = -1

    def pinned(self, x: int) -> bool:
        """Whether the user, or the entry, decided on x's partner."""
        return self.why[x] in ("pinned", "entry")

    def spread(self) -> None:
        """From what is matched now to what is not, next to it and across gaps."""
        self._tried.clear()
        self._spread("next to matched nodes")
        self._bridge("around what was added or removed")
        self._loose_ends()

    def _pin(self, pins: Mapping[str, str]) -> None:
        if not pins:
            return
        for left, right in pins.items():
            x, y = named(self.a, left), named(self.b, right)
            if x >= 0 and y >= 0 and self.a.kind[x] == self.b.kind[y]:
                self.pair(x, y, "pinned")

    def _entry_parameters(self) -> None:
        a, b = self.a, self.b
        ours, theirs = a.params[a.entry], b.params[b.entry]
        self._weight = (weights(a), weights(b))
        by_name = {param(b, v).name: v for v in theirs if self._weight[1][v]}
        for x in ours:
            y = by_name.get(param(a, x).name, -1)
            if self._weight[0][x] and y >= 0:
                self.pair(x, y, "the same parameter name")
        self._parameters(
            [x for x in ours if not self._weight[0][x] and self.partner[x] < 0],
            [y for y in theirs if not self._weight[1][y] and self.back[y] < 0],
            "parameters in order",
        )
        of = self.interner.of
        for number, x in enumerate(ours):
            y = self.partner[x]
            if y >= 0:
                a.label[x] = b.label[y] = of(("entry parameter", number))
            else:
                a.label[x] = of(("parameter", self._weight[0][x]))
        for y in theirs:
            if self.back[y] < 0:
                b.label[y] = of(("parameter", self._weight[1][y]))

    def _parameters(self, ours: list[int], theirs: list[int], why: str) -> None:
        """Parameters by position; when one side has more, by name first, then by type in order."""
        a, b = self.a, self.b
        if len(ours) != len(theirs):
            keys: tuple[Callable[[Flat, int], object], ...] = (
                lambda flat, v: param(flat, v).name,
                param_label,
                lambda flat, v: flat.type[v],
            )
            for key in keys:
                left = [x for x in ours if self.partner[x] < 0]
                right = [y for y in theirs if self.back[y] < 0]
                in_turn(left, right, partial(key, a), partial(key, b), lambda x, y: self.pair(x, y, why))
            return
        for x, y in zip(ours, theirs, strict=True):
            self.pair(x, y, why)

    def _unique(
        self,
        ours: list[int],
        theirs: list[int],
        cone: tuple[list[int], list[int]] | None,
        why: str,
        least: int = 0,
        homely: bool = False,
    ) -> None:
        """Pair the unmatched vertices whose class occurs once on each side, and what lies below.

        `homely`: not across two subgraphs that each have another partner.
        """
        a, b = self.a, self.b
        first: dict[int, int] = {}
        for x in a.order:
            c = ours[x]
            if c >= 0 and self.partner[x] < 0:
                first[c] = -1 if c in first else x
        second: dict[int, int] = {}
        for y in b.order:
            c = theirs[y]
            if c >= 0 and self.back[y] < 0:
                second[c] = -1 if c in second else y
        for c, x in first.items():
            y = second.get(c, -1)
            if x < 0 or y < 0 or self.partner[x] >= 0 or self.back[y] >= 0 or not self.alike(x, y):
                continue
            if a.kind[x] == PARAM and (a.func[x] != a.entry or not a.users[x]):
                continue
            home, other = self.partner[a.func[x]], b.func[y]
            if homely and home >= 0 and home != other and self.back[other] >= 0:
                continue
            if least and reach(a, x, least) < least:
                continue
            if cone is not None and cone[0][x] == cone[1][y]:
                self._cone(x, y, cone, why)
            else:
                self.pair(x, y, why)

    def _cone(self, x: int, y: int, classes: tuple[list[int], list[int]], why: str) -> bool:
        """Pair two vertices with the same below, and everything below them; False if they differ."""
        ours, theirs = classes
        if ours[x] != theirs[y]:
            return False
        a, b = self.a, self.b
        stack = [(x, y)]
        while stack:
            x, y = stack.pop()
            if not self.pair(x, y, why) and self.partner[x] != y:
                continue
            for p, q in zip(a.operands[x], b.operands[y], strict=False):
                if p >= 0 and q >= 0 and self.partner[p] < 0 and self.back[q] < 0 and ours[p] == theirs[q]:
                    stack.append((p, q))
        return True

    def alike(self, x: int, y: int) -> bool:
        """Whether both are of one kind and operator."""
        return self.a.kind[x] == self.b.kind[y] and self.a.op[x] == self.b.op[y]

    # ---------------------------------------------------------------- supported
    def _score(self, x: int, y: int) -> int:
        """How much speaks for x and y being the same; needs WORTH."""
        a, b, partner, back = self.a, self.b, self.partner, self.back
        score = self._between.get((x, y), 0)
        if self.exact[0][x] == self.exact[1][y]:
            score += 5
        elif self.same_below[0][x] == self.same_below[1][y]:
            score += 4
        elif self.same_shape[0][x] == self.same_shape[1][y]:
            score += 3
        if self.same_above[0][x] == self.same_above[1][y]:
            score += 4
        if a.label[x] == b.label[y]:
            score += 2
        if self.fed_by[0][x] >= 0 and self.fed_by[0][x] == self.fed_by[1][y]:
            score += 3
        if a.scope[x] >= 0 and a.scope[x] == b.scope[y]:
            score += 3
        agree = clash = 0
        for p, q in zip(a.operands[x][:NEAR], b.operands[y][:NEAR], strict=False):
            if p >= 0 and partner[p] >= 0:
                if partner[p] == q or partner[p] in b.operands[y]:
                    # What everybody uses (a learning rate, a token) tells little.
                    agree += 4 if len(a.users[p]) <= NEAR else 1
                elif q < 0 or back[q] >= 0:
                    clash += 1
        score += min(agree, 8) - min(2 * clash, 6)
        agree = 0
        for user, position in a.users[x][:NEAR]:
            other = partner[user]
            if other >= 0:
                row = b.operands[other]
                if (position < len(row) and row[position] == y) or y in row[:NEAR]:
                    agree += 1
        score += min(4 * agree, 8)
        if a.kind[x] == NODE:
            home = partner[a.func[x]]
            if home >= 0:
                score += 1 if home == b.func[y] else -1
        return score

    def _offer(self, x: int, y: int) -> None:
        if self.partner[x] >= 0 or self.back[y] >= 0 or not self.alike(x, y) or (x, y) in self._tried:
            return
        if self.a.kind[x] == PARAM and not (
            self.a.func[x] == self.a.entry
            and self.b.func[y] == self.b.entry
            and self._weight[0][x] == self._weight[1][y]
        ):
            return
        self._tried.add((x, y))
        heapq.heappush(self._heap, (-self._score(x, y), self.a.rank[x], x, y))

    def _settle(self, why: str) -> None:
        """Accept offers, the best first; what is accepted makes new offers."""
        while True:
            while self._new:
                self._around(self._new.popleft())
            if not self._heap:
                return
            old, rank, x, y = heapq.heappop(self._heap)
            if self.partner[x] >= 0 or self.back[y] >= 0:
                continue
            now = self._score(x, y)
            if now < -old:
                heapq.heappush(self._heap, (-now, rank, x, y))
            elif now >= WORTH:
                self.pair(x, y, why)
            else:
                self._tried.discard((x, y))  # more may speak for it later

    def _spread(self, why: str) -> None:
        """From matched pairs with unmatched neighbours to those neighbours."""
        a, b, partner, back = self.a, self.b, self.partner, self.back
        if self.through is not None and not self._through_asked:
            self._through_asked = True
            self._new = deque(x for x in a.order if partner[x] >= 0)
        else:
            edge: set[int] = set()
            for x in a.order:
                if partner[x] < 0:
                    edge.update(c for c in a.operands[x] if c >= 0 and partner[c] >= 0)
                    edge.update(u for u, _ in a.users[x] if partner[u] >= 0)
            for y in b.order:
                if back[y] < 0:
                    edge.update(back[c] for c in b.operands[y] if c >= 0 and back[c] >= 0)
                    edge.update(back[u] for u, _ in b.users[y] if back[u] >= 0)
            self._new = deque(sorted(edge, key=a.rank.__getitem__))
        self._settle(why)

    def _around(self, x: int) -> None:
        """Offer the neighbours of a matched pair to each other."""
        a, b = self.a, self.b
        y = self.partner[x]
        self._offer_rows(a.operands[x], b.operands[y])
        self._offer_rows([u for u, _ in a.users[x]], [u for u, _ in b.users[y]])
        if self.through is not None:
            ours, theirs = self.through
            self._offer_rows(ours.edges[x], theirs.edges[y])

    def _offer_rows(self, ours: list[int], theirs: list[int]) -> None:
        partner, back = self.partner, self.back
        left = [p for p in ours if p >= 0 and partner[p] < 0]
        right = [q for q in theirs if q >= 0 and back[q] < 0]
        if not left or not right:
            return
        if len(left) * len(right) <= NEAR:
            for p in left:
                for q in right:
                    self._offer(p, q)
            return
        # Many of them: those alike in the most first, each with its like in turn.
        keys: list[Callable[[int], Callable[[int], object]]] = [
            lambda side: lambda v: (self.exact[side][v], self.same_above[side][v]),
            lambda side: lambda v: (self.same_below[side][v], (self.a, self.b)[side].scope[v]),
            lambda side: lambda v: (self.same_above[side][v], (self.a, self.b)[side].label[v]),
            lambda side: lambda v: ((self.a, self.b)[side].label[v], (self.a, self.b)[side].scope[v]),
            lambda side: lambda v: (self.a, self.b)[side].op[v],
        ]
        used: set[int] = set()

        def take(p: int, q: int) -> bool:
            self._offer(p, q)
            used.add(p)
            used.add(~q)
            return True

        for key in keys:
            in_turn([p for p in left if p not in used], [q for q in right if ~q not in used], key(0), key(1), take)

    # ---------------------------------------------------------------- across gaps
    def _bridge(self, why: str) -> None:
        """Offer each unmatched vertex those that lie where its matched surroundings lie."""
        for x in self.a.order:
            if self.partner[x] < 0 and self.a.kind[x] != PARAM:
                for y, sides in self.nearby(x).items():
                    self._between[x, y] = 1 + sides
                    self._offer(x, y)
        self._settle(why)

    def nearby(self, x: int) -> dict[int, int]:
        """Unmatched vertices that lie where x's matched surroundings lie: what feeds it, and what it
        feeds, across at most three unmatched ones; each with on how many of the two sides (1 or 2)."""
        a, b = self.a, self.b
        found: dict[int, int] = {}
        directions: tuple[tuple[list[int], Callable[[int], list[int]]], ...] = (
            (frontier(x, lambda v: a.operands[v], self.partner), lambda v: [u for u, _ in b.users[v][:NEAR]]),
            (frontier(x, lambda v: [u for u, _ in a.users[v][:NEAR]], self.partner), lambda v: b.operands[v]),
        )
        for edge, step in directions:
            here: set[int] = set()
            for start in edge:
                layer = [self.partner[start]]
                for _ in range(3):
                    layer = [q for v in layer for q in step(v) if q >= 0 and self.back[q] < 0][:NEAR]
                    here.update(layer)
            for q in sorted(here):
                found[q] = found.get(q, 0) + 1
        return found

    def _in_order(self, classes: tuple[list[int], list[int]], why: str) -> None:
        ours, theirs = classes
        in_turn(
            [x for x in self.a.order if self.partner[x] < 0 and self.a.kind[x] != PARAM],
            [y for y in self.b.order if self.back[y] < 0 and self.b.kind[y] != PARAM],
            lambda x: ours[x],
            lambda y: theirs[y],
            lambda x, y: self.alike(x, y) and self.pair(x, y, why),
        )

    def _loose_ends(self) -> None:
        """Entry parameters that nothing uses, in order; subgraphs whose Returns are matched."""
        a, b = self.a, self.b
        for x in a.params:
            if self.partner[x] < 0 and a.operands[x]:
                y = self.partner[a.operands[x][0]]
                if y >= 0 and self.back[b.func[y]] < 0:
                    self.pair(x, b.func[y], "their Returns are matched")
        for x, y in [(x, self.partner[x]) for x in a.params if self.partner[x] >= 0]:
            left = [p for p in a.params[x] if self.partner[p] < 0 and (x != a.entry or not a.users[p])]
            right = [q for q in b.params[y] if self.back[q] < 0 and (x != a.entry or not b.users[q])]
            in_turn(
                left, right, lambda p: a.type[p], lambda q: b.type[q], lambda p, q: self.pair(p, q, "unused, in order")
            )

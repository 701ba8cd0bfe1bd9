"""Which changes follow from which: types from shapes, gradients from the forward net, glue from all."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from msdump.diff.compare import Draft
from msdump.diff.flat import FUNC, PARAM, Flat
from msdump.diff.labels import GLUE, operator_key
from msdump.diff.match import Matching
from msdump.graph.node import CNode
from msdump.graph.text import value_text

Vertex = tuple[int, int]
"""(side, vertex): a vertex of the first (0) or second (1) graph; a matched pair is its vertex in the
second."""

OPERATOR, GRADIENT, PARAMETER, CONTROL, TYPES = range(5)
"""Ranks of changes: one of a lower rank may be the cause of one of a higher rank."""

SUMS = frozenset({"addn", "zeroslike", "accumulatenv2"})
"""Operators that gradients are summed with: there is one more or less as a value is used once more or
less, whatever uses it."""


def find_causes(matching: Matching, drafts: list[Draft]) -> list[int | None]:
    """For each draft the index of the one it follows from, or None."""
    return _Causes(matching, drafts).run()


class _Causes:
    def __init__(self, matching: Matching, drafts: list[Draft]) -> None:
        self.matching = matching
        self.sides = (matching.a, matching.b)
        self.drafts = drafts
        self.at: dict[Vertex, int] = {}
        for number, draft in enumerate(drafts):
            if draft.kind != "moved":
                self.at[self._vertex(draft)] = number
        self.backward = (_backward(matching.a), _backward(matching.b))
        self.rank = [self._rank(draft) for draft in drafts]
        self.cause: list[int | None] = [None] * len(drafts)

    def run(self) -> list[int | None]:
        numbers = [n for n, d in enumerate(self.drafts) if d.kind != "moved"]
        operators = [n for n in numbers if self.rank[n] == OPERATOR]
        gradients = [n for n in numbers if self.rank[n] == GRADIENT]
        self._explained(operators)
        self._backward_follows(operators, gradients)
        roots = operators + gradients
        control = [n for n in numbers if self.rank[n] == CONTROL]
        self._same_constant(roots, control)
        reached = self._reach(roots, self._passes_control) if control else {}
        for n in control:
            if self.cause[n] is None:
                found = reached.get(self._vertex(self.drafts[n]))
                if found is not None and found != n:
                    self.cause[n] = found
        self._group([n for n in control if self.cause[n] is None])
        roots += [n for n in control if self.cause[n] is None]
        self._types([n for n in numbers if self.rank[n] in (TYPES, PARAMETER)], roots)
        return self.cause

    # ---------------------------------------------------------------- ranks
    def _vertex(self, draft: Draft) -> Vertex:
        return (1, draft.y) if draft.y >= 0 else (0, draft.x)

    def _rank(self, draft: Draft) -> int:
        side, v = self._vertex(draft)
        flat = self.sides[side]
        if flat.kind[v] == PARAM:
            return PARAMETER
        if draft.types_only:
            return TYPES
        if operator_key(flat.names[v]) in GLUE:
            return CONTROL
        return GRADIENT if self.backward[side][v] else OPERATOR

    # ---------------------------------------------------------------- operators
    def _explained(self, numbers: list[int]) -> None:
        """Operators rewired by what was put or taken away before them follow from that."""
        for n in numbers:
            draft = self.drafts[n]
            if draft.kind != "rewired" or not draft.follows:
                continue
            for vertex in draft.follows:
                found = self.at.get(vertex)
                if found is not None and self.rank[found] <= self.rank[n]:
                    self.cause[n] = found
                    break

    def _backward_follows(self, operators: list[int], gradients: list[int]) -> None:
        """Changes of the gradient and the optimizer follow from those of the forward net."""
        roots = [n for n in operators if self.cause[n] is None]
        if not roots or not gradients:
            self._explained(gradients)
            return
        told = any(_forward_operator(flat, v) for flat in self.sides for v in range(len(flat)))
        near = self._reach(roots, lambda side, v: True)
        close = self._reach(roots, lambda side, v: (side, v) in self.at)
        touched = [self._touched(self.drafts[m]) for m in roots]
        for n in gradients:
            draft = self.drafts[n]
            forward = self._forward_operators(draft)
            signs = _signs(draft, gradient=True)
            fits = [m for m in roots if signs & _signs(self.drafts[m]) and forward & self._operators(m)]
            here = self._vertex(draft)
            if told and (draft.kind == "rewired" or here not in close):
                mine = self._touched(draft)
                fits = [m for m, theirs in zip(roots, touched, strict=True) if m in fits and mine & theirs]
            if fits:
                self.cause[n] = near[here] if near.get(here) in fits else fits[0]
            elif here in close and (not told or self._operators(n) & SUMS):
                self.cause[n] = close[here]
            elif self._operators(n) & SUMS and here in near and self._whole(draft):
                self.cause[n] = near[here]
        self._explained([n for n in gradients if self.cause[n] is None])
        self._downstream([n for n in gradients if self.cause[n] is None])

    def _downstream(self, gradients: list[int]) -> None:
        """A node that came or went follows when what feeds it did (the optimizer's step of a new
        weight, the sum over one more gradient)."""
        side_of = {"added": 1, "removed": 0}
        for n in sorted(gradients, key=lambda n: self._place(self.drafts[n])):
            draft = self.drafts[n]
            if draft.kind not in side_of:
                continue
            side = side_of[draft.kind]
            layer = self.sides[side].operands[self._vertex(draft)[1]]
            for _ in range(4):
                deeper: list[int] = []
                for code in layer[:32]:
                    found = self.at.get((side, code)) if code >= 0 else None
                    if found is None or self.drafts[found].kind != draft.kind:
                        continue
                    if self.rank[found] == CONTROL:
                        deeper.extend(self.sides[side].operands[code])
                    elif self.rank[found] == GRADIENT and self.cause[found] is not None:
                        self.cause[n] = found
                layer = deeper

    def _whole(self, draft: Draft) -> bool:
        """Whether the tuple that a sum adds up came or went with it."""
        side, v = self._vertex(draft)
        return draft.kind in ("added", "removed") and any((side, c) in self.at for c in self.sides[side].operands[v])

    def _place(self, draft: Draft) -> int:
        side, v = self._vertex(draft)
        return self.sides[side].rank[v]

    def _operators(self, n: int) -> set[str]:
        draft = self.drafts[n]
        ends = ((self.sides[0], draft.x), (self.sides[1], draft.y))
        return {flat.names[v].lower() for flat, v in ends if v >= 0}

    def _forward_operators(self, draft: Draft) -> set[str]:
        """The operators whose gradient a node, and for a rewired one what feeds it, is part of."""
        found: set[str] = set()
        for flat, v in ((self.sides[0], draft.x), (self.sides[1], draft.y)):
            if v >= 0:
                found.add(_forward_operator(flat, v))
                if flat.names[v].lower().endswith("grad"):
                    found.add(flat.names[v][:-4].lower())
                if draft.kind == "rewired":
                    found.update(_forward_operator(flat, c) for c in flat.operands[v][:8] if c >= 0)
        return found - {""}

    def _touched(self, draft: Draft) -> set[Vertex]:
        """A node and what it and its operands use, as vertices of the two graphs laid over each other."""
        found: set[Vertex] = set()
        for side, v in ((0, draft.x), (1, draft.y)):
            if v < 0:
                continue
            flat = self.sides[side]
            near = [v, *(c for c in flat.operands[v][:8] if c >= 0)]
            near += [c for w in near[1:] for c in flat.operands[w][:8] if c >= 0]
            for w in near:
                if flat.names[w] in ("UpdateState", "Load", "Parameter"):
                    continue
                partner = self.matching.partner[w] if side == 0 else -1
                found.add((1, partner) if partner >= 0 else (side, w))
        return found

    # ---------------------------------------------------------------- glue
    def _same_constant(self, roots: list[int], control: list[int]) -> None:
        """A constant handed through calls changes with the operator that takes it at last."""
        by_pair: dict[object, int] = {}
        for n in roots:
            for key, pair in self.drafts[n].what.items():
                if key != "op":
                    by_pair.setdefault(pair, n)
        for n in control:
            for pair in self.drafts[n].what.values():
                if pair in by_pair:
                    self.cause[n] = by_pair[pair]

    def _group(self, control: list[int]) -> None:
        """Glue that changed by itself: one root for each connected piece of it."""
        for n in control:
            if self.cause[n] is not None:
                continue
            draft = self.drafts[n]
            for vertex in draft.follows:
                found = self.at.get(vertex)
                if found is not None and found != n and self.cause[found] is None and draft.kind == "rewired":
                    self.cause[n] = found
                    break

    def _passes_control(self, side: int, v: int) -> bool:
        """Whether glue changes may be traced through a vertex: it changed itself, or is a call."""
        flat = self.sides[side]
        return (
            (side, v) in self.at
            or flat.kind[v] in (FUNC, PARAM)
            or flat.names[v] in ("call", "call_var", "Return", "Switch", "switch", "Partial")
        )

    # ---------------------------------------------------------------- types
    def _types(self, numbers: list[int], roots: list[int]) -> None:
        """A type follows from that of an operand, else from the nearest root, else from an input."""
        if not numbers:
            return
        rank = self.matching.b.rank
        numbers.sort(key=lambda n: rank[self.drafts[n].y])
        b = self.matching.b
        near = self._reach(roots, lambda side, v: True)
        lone: list[int] = []
        for n in numbers:
            found = near.get(self._vertex(self.drafts[n]))
            if self.rank[n] == TYPES:
                for code in b.operands[self.drafts[n].y]:
                    above = self.at.get((1, code)) if code >= 0 else None
                    if above is not None and (self.cause[above] is not None or self.rank[above] < TYPES):
                        if self.rank[above] == PARAMETER and found is not None and self.cause[above] is None:
                            continue
                        found = self.cause[above] if self.cause[above] is not None else above
                        break
            if found is not None and found != n:
                self.cause[n] = found
            else:
                lone.append(n)
        first = [n for n in lone if self.rank[n] == PARAMETER] or lone[:1]
        near = self._reach(first, lambda side, v: True)
        for n in lone:
            found = near.get(self._vertex(self.drafts[n]))
            if found is not None and found != n and n not in first:
                self.cause[n] = found

    # ---------------------------------------------------------------- reach
    def _reach(self, roots: Iterable[int], passes: object) -> dict[Vertex, int]:
        """For each vertex the nearest of `roots` in the two graphs laid over each other."""
        assert callable(passes)
        found: dict[Vertex, int] = {}
        queue: deque[Vertex] = deque()
        for n in roots:
            vertex = self._vertex(self.drafts[n])
            if vertex not in found:
                found[vertex] = n
                queue.append(vertex)
        while queue:
            here = queue.popleft()
            n = found[here]
            for vertex in self._next(here):
                if vertex not in found:
                    found[vertex] = n
                    if passes(*vertex):
                        queue.append(vertex)
        return found

    def _next(self, vertex: Vertex) -> Iterable[Vertex]:
        side, v = vertex
        partner, back = self.matching.partner, self.matching.back
        if side == 1:
            yield from ((1, u) for u, _ in self.matching.b.users[v])
            yield from ((1, c) for c in self.matching.b.operands[v] if c >= 0)
            v = back[v]
        if v >= 0:
            a = self.matching.a
            for other in [u for u, _ in a.users[v]] + [c for c in a.operands[v] if c >= 0]:
                yield (1, partner[other]) if partner[other] >= 0 else (0, other)


def _signs(draft: Draft, gradient: bool = False) -> set[object]:
    """What a forward change and its gradient have in common."""
    if draft.kind in ("added", "removed") or "op" in draft.what:
        return {"structure"}
    if draft.kind == "rewired":
        return {"structure", "wires"} if gradient else {"wires"}
    return {pair for key, pair in draft.what.items() if key != "type"}


def _forward_operator(flat: Flat, vertex: int) -> str:
    node = flat.item[vertex]
    if isinstance(node, CNode):
        value = node.primal_attrs.get("forward_node_name") or node.cnode_attrs.get("forward_node_name")
        if value is not None:
            return value_text(value).strip('"').rsplit("_", 1)[0].lower()
    return ""


def _backward(flat: Flat) -> bytearray:
    """Which nodes belong to the gradient, or are computed from what does (the optimizer).

    Told by scope ("Gradients/…") or by the forward node they name; where a file has neither (1.1),
    by the library file their code stands in. That alone is not enough elsewhere: a forward node
    that the gradient computes once more is merged with it and keeps the gradient's line.
    """
    nodes = [(v, item) for v in flat.order if isinstance(item := flat.item[v], CNode)]
    marks = bytearray(len(flat))
    for v, node in nodes:
        marks[v] = node.scope.startswith("Gradients") or any(key.startswith("forward_") for key in node.primal_attrs)
    if 1 not in marks:
        for v, node in nodes:
            marks[v] = any("/_grad" in place.file for place in node.locations[:1])
    for v, _ in nodes:
        if not marks[v] and flat.names[v] not in ("UpdateState", "Load", "Return", "call", "call_var"):
            marks[v] = any(c >= 0 and marks[c] for c in flat.operands[v])
    return marks

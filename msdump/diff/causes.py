"""Which changes follow from which: types from shapes, gradients from the forward net, glue from all."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from msdump.diff.compare import Draft
from msdump.diff.flat import FUNC, NODE, PARAM, Flat
from msdump.diff.labels import GLUE, operator_key
from msdump.diff.match import Matching
from msdump.graph.node import CNode
from msdump.graph.value import Opaque, Str

Vertex = tuple[int, int]
"""(side, vertex): a vertex of the first (0) or second (1) graph; a matched pair is its vertex in the
second."""

OPERATOR, GRADIENT, PARAMETER, CONTROL, TYPES = range(5)
"""Ranks of changes: one of a lower rank may be the cause of one of a higher rank."""


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
        reached = self._reach(roots, self._passes_control)
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
        if not roots:
            self._explained(gradients)
            return
        near = self._reach(roots, lambda side, v: True)
        close = self._reach(roots, lambda side, v: (side, v) in self.at)
        alike: dict[object, list[int]] = {}
        for n in roots:
            for sign in _signs(self.drafts[n]):
                alike.setdefault(sign, []).append(n)
        for n in gradients:
            here = self._vertex(self.drafts[n])
            forward = self._forward_operators(self.drafts[n])
            fits = [m for sign in _signs(self.drafts[n]) for m in alike.get(sign, ())]
            if forward:
                named = {m for m in roots if forward & self._operators(m)}
                fits = [m for m in fits if m in named] or sorted(named)
            if here in close:
                self.cause[n] = close[here]
            elif fits:
                self.cause[n] = near[here] if near.get(here) in fits else fits[0]
        self._explained([n for n in gradients if self.cause[n] is None])

    def _operators(self, n: int) -> set[str]:
        draft = self.drafts[n]
        ends = ((self.sides[0], draft.x), (self.sides[1], draft.y))
        return {flat.names[v] for flat, v in ends if v >= 0}

    def _forward_operators(self, draft: Draft) -> set[str]:
        """The operators whose gradient a node and what feeds it are part of, where the file tells."""
        found: set[str] = set()
        for flat, v in ((self.sides[0], draft.x), (self.sides[1], draft.y)):
            if v >= 0:
                for near in (v, *(c for c in flat.operands[v][:8] if c >= 0)):
                    found.add(_forward_operator(flat, near))
        return found - {""}

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


def _signs(draft: Draft) -> list[object]:
    """What a forward change and its gradient have in common, the most telling first."""
    if draft.kind in ("added", "removed") or "op" in draft.what:
        return ["operators", "wires"]
    if draft.kind == "rewired":
        return ["wires", "operators"]
    items = [(key, pair) for key, pair in draft.what.items() if key != "type"]
    return [*items, *(pair for _, pair in items)]


def _forward_operator(flat: Flat, vertex: int) -> str:
    node = flat.item[vertex]
    if isinstance(node, CNode):
        value = node.primal_attrs.get("forward_node_name") or node.cnode_attrs.get("forward_node_name")
        if isinstance(value, (Str, Opaque)):
            return (value.value if isinstance(value, Str) else value.text).strip('"').rsplit("_", 1)[0]
    return ""


def _backward(flat: Flat) -> bytearray:
    """Which nodes belong to the gradient, or are computed from what does (the optimizer)."""
    marks = bytearray(len(flat))
    for v in flat.order:
        if flat.kind[v] != NODE:
            continue
        node = flat.item[v]
        assert isinstance(node, CNode)
        if (
            node.scope.startswith("Gradients")
            or node.fullname.startswith("Gradients/")
            or any(key.startswith("forward_") for key in node.primal_attrs)
            or any(place.role == "forward" for place in node.locations)
        ):
            marks[v] = 1
        elif flat.names[v] not in ("UpdateState", "Load", "Return", "call", "call_var"):
            marks[v] = any(c >= 0 and marks[c] for c in flat.operands[v])
    return marks

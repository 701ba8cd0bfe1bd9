"""Fingerprints: vertices of both graphs in classes of equal surroundings.

A class is a small integer; two vertices have the same one when all that lies below them (what they
are computed from), or above them (what is computed from them), is the same. Each kind of
fingerprint is one pass over the vertices, with a dictionary of tuples shared by both graphs.
"""

from __future__ import annotations

from collections.abc import Hashable

from msdump.diff.flat import FUNC, NODE, PARAM, Flat, postorder
from msdump.diff.labels import Interner
from msdump.graph.node import CALL, CALL_VAR, CNode, ValueNode
from msdump.graph.value import Monad, Scalar


def below(flat: Flat, labels: list[int], interner: Interner) -> list[int]:
    """The class of each vertex by its label and, recursively, its operands."""
    return _below(flat.order, flat.operands, labels, interner)


def _below(order: list[int], edges: list[list[int]], labels: list[int], interner: Interner) -> list[int]:
    classes = [-1] * len(labels)
    of = interner.of
    for vertex in order:
        key: list[Hashable] = [labels[vertex]]
        for code in edges[vertex]:
            if code < 0:
                key.append(code)
            else:
                found = classes[code]
                key.append(found if found >= 0 else ("cycle", labels[code]))
        classes[vertex] = of(tuple(key))
    return classes


def above(flat: Flat, labels: list[int], interner: Interner) -> list[int]:
    """The class of each vertex by its label and, recursively, its users and the slots they use it in."""
    classes = [-1] * len(flat)
    of = interner.of
    users, callee = flat.users, flat.callee
    for vertex in reversed(flat.order):
        seen: list[tuple[int, int]] = []
        for user, position in users[vertex]:
            found = classes[user]
            seen.append((found if found >= 0 else -2 - labels[user], position - callee[user]))
        if len(seen) > 1:
            seen.sort()
        classes[vertex] = of(("above", labels[vertex], *seen))
    return classes


def heights(flat: Flat, cap: int = 64) -> list[int]:
    """How many vertices lie below each one, itself counted, at most `cap`."""
    sizes = [0] * len(flat)
    for vertex in flat.order:
        size = 1
        for code in flat.operands[vertex]:
            if code >= 0:
                size += sizes[code]
                if size >= cap:
                    size = cap
                    break
        sizes[vertex] = size
    return sizes


def leaves(flat: Flat, marks: dict[int, int], interner: Interner, cap: int = 8) -> list[int]:
    """The class of each vertex by the weights it is computed from; -1 for none, or more than `cap`.

    `marks` are the weights that both graphs have, each with its number. Edits between a weight and
    an operator do not change which weights the operator sees.
    """
    nothing: frozenset[int] = frozenset()
    seen: list[frozenset[int] | None] = [nothing] * len(flat)
    classes = [-1] * len(flat)
    for vertex in flat.order:
        found: frozenset[int] | None = frozenset((marks[vertex],)) if vertex in marks else nothing
        for code in flat.operands[vertex]:
            if code >= 0 and found is not None:
                more = seen[code]
                if more is None:
                    found = None
                elif more:
                    found = found | more if found else more
                    if len(found) > cap:
                        found = None
        seen[vertex] = found
        if found:
            classes[vertex] = interner.of(("leaves", found))
    return classes


class Through:
    """A graph seen through its glue: which operator's output an operand really is.

    A parameter of a subgraph with one call is the call's argument; a call is what its subgraph
    returns; Depend and Load are their first operand; an element taken from a tuple that is made in
    the graph is that element. So an operator has the same operands whether or not its subgraph has
    been inlined.
    """

    __slots__ = ("edges", "flat", "source")

    def __init__(self, flat: Flat) -> None:
        self.flat = flat
        self.source: list[int] = [-1] * len(flat)
        self._resolve()
        source = self.source
        self.edges: list[list[int]] = []
        for vertex, row in enumerate(flat.operands):
            if source[vertex] != vertex:
                self.edges.append([source[vertex]])
            else:
                self.edges.append([source[c] if c >= 0 else c for c in row])

    def _resolve(self) -> None:
        source = self.source
        for start in range(len(source)):
            path: list[int] = []
            vertex = start
            while source[vertex] < 0:
                path.append(vertex)
                source[vertex] = vertex  # a chain that bites its own tail ends here
                step = self._step(vertex)
                if step < 0:
                    break
                vertex = step
            end = source[vertex]
            for passed in path:
                source[passed] = end

    def _step(self, vertex: int) -> int:
        """What `vertex` only passes on, or -1."""
        flat = self.flat
        row = flat.operands[vertex]
        if flat.kind[vertex] == PARAM:
            return self._argument(vertex)
        if flat.kind[vertex] == FUNC:
            return -1
        name = flat.names[vertex]
        if name in (CALL, CALL_VAR) and flat.callee[vertex]:
            target = self._called(row[0])
            if target >= 0 and flat.operands[target]:
                returned = flat.operands[flat.operands[target][0]]
                return returned[0] if returned and returned[0] >= 0 else -1
            return -1
        if name in ("Depend", "depend", "Load", "load") and row:
            return row[0] if row[0] >= 0 else -1
        if name in ("TupleGetItem", "tuple_getitem") and len(row) == 2 and row[0] >= 0:
            made = row[0]
            slot = self._constant(vertex, 1)
            if flat.names[made] in ("MakeTuple", "make_tuple") and isinstance(slot, Scalar):
                row = flat.operands[made]
                position = int(slot.value)
                if 0 <= position < len(row):
                    return row[position] if row[position] >= 0 else -1
        return -1

    def _called(self, callee: int) -> int:
        """The subgraph that is called, when it is called here and nowhere else; -1."""
        flat = self.flat
        if callee < 0:
            return -1
        if flat.kind[callee] == NODE and flat.names[callee] in ("Switch", "switch"):
            row = flat.operands[callee]
            condition = self._constant(callee, 0)
            if len(row) == 3 and isinstance(condition, Scalar):
                callee = row[1] if condition.value else row[2]
        if callee >= 0 and flat.kind[callee] == FUNC and len(flat.users[callee]) == 1:
            return callee
        return -1

    def _argument(self, vertex: int) -> int:
        flat = self.flat
        func = flat.func[vertex]
        if func == flat.entry or len(flat.users[func]) != 1:
            return -1
        call, position = flat.users[func][0]
        if position == 0 and flat.callee[call]:
            slot = vertex - func
            row = flat.operands[call]
            return row[slot] if slot < len(row) and row[slot] >= 0 else -1
        if flat.names[call] in ("Switch", "switch") and len(flat.users[call]) == 1 and self._called(call) == func:
            caller, at = flat.users[call][0]
            slot = vertex - func
            row = flat.operands[caller]
            if at == 0 and flat.callee[caller] and slot < len(row) and row[slot] >= 0:
                return row[slot]
        return -1

    def _constant(self, vertex: int, slot: int) -> object:
        node = self.flat.item[vertex]
        assert isinstance(node, CNode)
        operand = node.inputs[slot] if slot < len(node.inputs) else None
        return operand.value if isinstance(operand, ValueNode) else None

    def classes(self, labels: list[int], interner: Interner) -> list[int]:
        """The class of each vertex by its label and what it is computed from, glue looked through.

        Tokens that order side effects are left out: inlining and the auto-monad stages move them.
        """
        flat = self.flat
        edges: list[list[int]] = []
        for vertex, row in enumerate(self.edges):
            if flat.kind[vertex] != NODE or self.source[vertex] != vertex:
                edges.append(row)
                continue
            node = flat.item[vertex]
            assert isinstance(node, CNode)
            shift = flat.callee[vertex]
            kept: list[int] = []
            for position, code in enumerate(row):
                if code >= 0:
                    if flat.names[code] == "UpdateState":
                        continue
                elif position >= shift:
                    operand = node.inputs[position - shift]
                    if isinstance(operand, ValueNode) and isinstance(operand.value, Monad):
                        continue
                kept.append(code)
            edges.append(kept)
        found = _below(postorder(len(flat), edges, flat.entry), edges, labels, interner)
        return [found[self.source[v]] for v in range(len(flat))]

"""Small questions asked of one side of a comparison while its vertices are matched."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from msdump.diff.flat import Flat
from msdump.graph.abstract import RefType
from msdump.graph.graph import FuncGraph
from msdump.graph.names import debug_label
from msdump.graph.node import CNode, Parameter

NEAR = 12
"""How many neighbours of one vertex are compared with each other pair by pair."""


def in_turn(
    ours: list[int],
    theirs: list[int],
    ours_key: Callable[[int], object],
    theirs_key: Callable[[int], object],
    take: Callable[[int, int], object],
) -> None:
    """Take each of ours with the next of theirs that has the same key."""
    waiting: dict[object, deque[int]] = {}
    for y in theirs:
        waiting.setdefault(theirs_key(y), deque()).append(y)
    for x in ours:
        queue = waiting.get(ours_key(x))
        if queue:
            take(x, queue.popleft())


def frontier(x: int, step: Callable[[int], list[int]], partner: list[int]) -> list[int]:
    """The nearest matched vertices from x in one direction, across at most three unmatched ones."""
    found: dict[int, None] = {}
    layer = [x]
    for _ in range(4):
        reached = [v for w in layer for v in step(w)[:NEAR] if v >= 0]
        for v in reached:
            if partner[v] >= 0:
                found[v] = None
        layer = [v for v in reached if partner[v] < 0][:NEAR]
    return list(found)[:NEAR]


def reach(flat: Flat, x: int, enough: int) -> int:
    """How many vertices lie above x in a line, counted up to `enough`."""
    count = 0
    while count < enough and flat.users[x]:
        x = flat.users[x][0][0]
        count += 1
    return count


def param(flat: Flat, vertex: int) -> Parameter:
    """The Parameter at a vertex."""
    item = flat.item[vertex]
    assert isinstance(item, Parameter)
    return item


def param_label(flat: Flat, vertex: int) -> str:
    """A parameter's name without the compiler's numbers."""
    return debug_label(param(flat, vertex).name)


def weights(flat: Flat) -> bytearray:
    """Which parameters of the entry are weights, known by name; the others are inputs, by place."""
    marks = bytearray(len(flat))
    for v in flat.params.get(flat.entry, ()):
        parameter = param(flat, v)
        marks[v] = parameter.has_default or isinstance(parameter.abstract, RefType) or "." in parameter.name
    return marks


def named(flat: Flat, name: str) -> int:
    """A vertex by "%3", "@graph:%3", a debug name or full name; the first in order, or -1."""
    graph, colon, rest = name.partition(":") if name.startswith("@") else ("", "", name)
    wanted = rest if colon or not graph else graph
    for v in flat.order:
        item = flat.item[v]
        home = flat.item[flat.func[v]]
        if colon and isinstance(home, FuncGraph) and home.name != graph[1:]:
            continue
        if isinstance(item, CNode) and wanted in (item.name, item.debug_name, item.fullname):
            return v
        if isinstance(item, Parameter) and wanted == item.name:
            return v
        if isinstance(item, FuncGraph) and wanted in (item.name, "@" + item.name):
            return v
    return -1

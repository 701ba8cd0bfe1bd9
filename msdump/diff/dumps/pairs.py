"""Which tensor of A meets which of B.

Partners have one operator, launch, io, slot, iteration and rank. Timestamps, tasks and streams are
ignored, and so are graph ids unless both sides have the same ones. What is left after that is tried
by full scoped name, and by operator name alone, so that releases that spell types or scopes otherwise
meet as well; names that `--map` translates go first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from msdump.diff.dumps.launches import Launched, graphs_of, in_order
from msdump.diff.dumps.renames import Renames
from msdump.records import DumpRecord, mangle

Key: TypeAlias = "tuple[object, ...]"


@dataclass(frozen=True, slots=True)
class Pair:
    """A tensor of A and its partner in B."""

    a: Launched
    b: Launched


@dataclass(frozen=True, slots=True)
class Pairing:
    """Pairs in A's execution order, and what is left on each side, in its own."""

    pairs: list[Pair]
    only_a: list[Launched]
    only_b: list[Launched]


def pair(
    a: Iterable[DumpRecord],
    b: Iterable[DumpRecord],
    renames: Renames | None = None,
    *,
    by_rank: bool = True,
    by_iteration: bool = True,
) -> Pairing:
    """Pair the tensors of two dumps.

    Args:
        a: records of the first dump.
        b: records of the second.
        renames: how operators of A are called in B.
        by_rank: False when a directory of one rank was chosen on either side, so that its number says
            nothing about the partner.
        by_iteration: the same for iterations.
    """
    left, right = in_order(a), in_order(b)
    same_graphs = _graph_names(left, right)

    def where(r: DumpRecord) -> Key:
        return (r.rank if by_rank else None, r.iteration if by_iteration else None)

    def place(x: Launched, graph: str) -> Key:
        r = x.record
        return (*where(r), graph, r.io, r.slot, x.occurrence)

    def graph_b(x: Launched) -> str:
        return same_graphs.get((x.record.rank, x.record.graph), x.record.graph)

    matched: dict[int, int] = {}
    state = _State(left, right, matched)
    if renames is not None:
        state.rename(renames, where)
    state.match(
        lambda x: (*place(x, x.record.graph), x.record.op_type, x.record.op_name),
        lambda x: (*place(x, graph_b(x)), x.record.op_type, x.record.op_name),
    )
    # Without the graph launches are counted over all graphs, so they are counted anew.
    rules: tuple[Callable[[DumpRecord], Key | None], ...] = (
        lambda r: (r.op_type, r.op_name),
        lambda r: (r.scope_name,) if r.scope_name else None,
        lambda r: (r.op_name,) if r.op_name else None,
    )
    for rule in rules:
        state.match_counted(rule, where)
    pairs = [Pair(x, right[matched[i]]) for i, x in enumerate(left) if i in matched]
    taken = set(matched.values())
    return Pairing(
        pairs,
        [x for i, x in enumerate(left) if i not in matched],
        [y for j, y in enumerate(right) if j not in taken],
    )


def pair_files(a: Iterable[DumpRecord], b: Iterable[DumpRecord]) -> Pairing:
    """Pair the tensors of two files by input or output and slot: who names two files means them,
    whatever they are called."""
    left, right = in_order(a), in_order(b)
    there = {(y.record.io, y.record.slot): y for y in right}
    pairs = [Pair(x, y) for x in left if (y := there.pop((x.record.io, x.record.slot), None)) is not None]
    met = {id(side) for p in pairs for side in (p.a, p.b)}
    return Pairing(pairs, [x for x in left if id(x) not in met], [y for y in right if id(y) not in met])


def _graph_names(left: list[Launched], right: list[Launched]) -> dict[tuple[int, str], str]:
    """Graph ids of B in A's terms: as they are where one side has no other ids than the other,
    by their order where there are as many."""
    ours, theirs = graphs_of(left), graphs_of(right)
    found: dict[tuple[int, str], str] = {}
    for rank, there in theirs.items():
        here = ours.get(rank, [])
        if set(here) <= set(there) or set(there) <= set(here) or len(here) != len(there):
            continue
        found |= {(rank, graph): twin for graph, twin in zip(there, here, strict=True)}
    return found


class _State:
    """What is matched so far: `matched` holds the place in `right` of the partner of one in `left`."""

    def __init__(self, left: list[Launched], right: list[Launched], matched: dict[int, int]) -> None:
        self.left = left
        self.right = right
        self.matched = matched
        self.taken: set[int] = set()

    def _join(self, i: int, j: int) -> None:
        self.matched[i] = j
        self.taken.add(j)

    def _free(self) -> tuple[list[int], list[int]]:
        return (
            [i for i in range(len(self.left)) if i not in self.matched],
            [j for j in range(len(self.right)) if j not in self.taken],
        )

    def match(self, key_a: Callable[[Launched], Key], key_b: Callable[[Launched], Key]) -> None:
        ours, theirs = self._free()
        places = {key_b(self.right[j]): j for j in reversed(theirs)}
        for i in ours:
            j = places.pop(key_a(self.left[i]), None)
            if j is not None:
                self._join(i, j)

    def match_counted(self, rule: Callable[[DumpRecord], Key | None], where: Callable[[DumpRecord], Key]) -> None:
        """Match what is free by a key, the n-th with the n-th."""

        def groups(items: list[Launched], free: list[int]) -> dict[Key, list[int]]:
            found: dict[Key, list[int]] = {}
            for i in free:
                record = items[i].record
                key = rule(record)
                if key is not None:
                    found.setdefault((*where(record), record.io, record.slot, *key), []).append(i)
            return found

        ours, theirs = self._free()
        if not ours or not theirs:
            return
        there = groups(self.right, theirs)
        for key, mine in groups(self.left, ours).items():
            for i, j in zip(mine, there.get(key, ()), strict=False):
                self._join(i, j)

    def rename(self, renames: Renames, where: Callable[[DumpRecord], Key]) -> None:
        names: dict[Key, list[int]] = {}
        for j, y in enumerate(self.right):
            r = y.record
            for name in dict.fromkeys((mangle(r.scope_name), mangle(r.operator), mangle(r.op_name))):
                if name:
                    names.setdefault((*where(r), r.io, r.slot, name), []).append(j)
        for i, x in enumerate(self.left):
            r = x.record
            for name, io, slot in renames.of(r.op_type, r.op_name, r.scope_name, r.io, r.slot):
                key = (*where(r), io or r.io, r.slot if slot is None else slot, mangle(name))
                free = [j for j in names.get(key, ()) if j not in self.taken]
                if free:
                    self._join(i, free[0])
                    break

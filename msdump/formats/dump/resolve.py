"""Which scoped operator a name in a dump's file names stands for.

File names have lost the difference between `/`, `.`, `\\`, space and `_`, releases before 2.1 leave
the scope out, and the number behind `-op` is counted anew: the same run may have `Cast-op0` in file
names and `Cast-op4` in its execution order. So operators of one kind are resolved together.

Since 2.1 file names count the operators of a kind in the order in which the graph file beside the dump
lists them. So it is in dumps of 2.7 and 2.10 on CPU: every one of some 300 dumped inputs is then what the
operator that makes it was dumped to give.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msdump.records import mangle, op_number, without_number


@dataclass(frozen=True, slots=True)
class Resolved:
    """`full_name` and its `position` in execution order; "" and -1 unless there is one candidate."""

    full_name: str = ""
    position: int = -1
    candidates: tuple[str, ...] = ()


UNRESOLVED = Resolved()


def resolve_names(
    ordered: Sequence[str], seen: Mapping[str, int], in_graph: Callable[[], Sequence[str]] = tuple
) -> dict[str, Resolved]:
    """Full names for the operators of one graph.

    Args:
        ordered: full names in execution order.
        seen: operator names as files have them → microseconds when each first ran.
        in_graph: gives full names as the graph lists them, where there is one; asked when it is needed.

    Operators alike but for their number are taken together. Their numbers are believed when all are
    known and the times they ran at follow the execution order too (in releases before 2.1, whose
    numbers are unique in a program, the numbers alone); else the order of the graph is, when it has the
    same operators; else the execution order, when both their numbers and their times follow it. What
    is left is ambiguous: since 2.1 numbers in file names may be other ones than in the execution order,
    and independent operators may run in any order.
    """
    order = _Order(ordered)
    alike: dict[str, list[str]] = {}
    for op_name in sorted(seen, key=lambda n: (seen[n], n)):
        alike.setdefault(without_number(op_name), []).append(op_name)
    listed = functools.cache(lambda: _by_stem(in_graph()))
    found: dict[str, Resolved] = {}
    for stem, names in alike.items():
        times = [seen[name] for name in names]
        found |= order.resolve(stem, names, len(set(times)) == len(times), listed)
    return found


class _Order:
    """Full names in execution order, found by what they are called but for their number."""

    def __init__(self, ordered: Sequence[str]) -> None:
        self._ordered = ordered
        self._whole: dict[str, list[int]] = {}
        self._last: dict[str, list[int]] = {}
        for position, name in enumerate(ordered):
            self._whole.setdefault(without_number(mangle(name)), []).append(position)
            self._last.setdefault(without_number(mangle(name.rpartition("/")[2])), []).append(position)

    def resolve(
        self, stem: str, names: Sequence[str], timed: bool, listed: Callable[[], Mapping[str, list[str]]]
    ) -> dict[str, Resolved]:
        """Full names of operators that are alike but for their number, in the order in which they ran where they
        are `timed`; `listed` gives what the graph lists, by the same stem."""
        scoped = stem in self._whole
        places = self._whole.get(stem) or self._last.get(stem, [])
        spelled: dict[str, list[int]] = {}
        for place in places:
            full = self._ordered[place]
            spelled.setdefault(mangle(full if scoped else full.rpartition("/")[2]), []).append(place)
        by_number = sorted(names, key=op_number)
        if all(name in spelled for name in names):
            first = [spelled[name][0] for name in names]
            if not scoped or not timed or first == sorted(first):
                return {name: self._one(spelled[name]) for name in names}
        full_names = {self._ordered[place] for place in places}
        twins = listed().get(stem, []) if scoped and len(names) > 1 else []
        if twins and len(twins) == len(names) and set(twins) == full_names:
            at = {self._ordered[place]: place for place in reversed(places)}
            return {name: Resolved(full, at[full], (full,)) for name, full in zip(by_number, twins, strict=True)}
        if len(names) == len(places) == len(full_names) and (not timed or by_number == names):
            return {name: self._one([place]) for name, place in zip(by_number, places, strict=True)}
        return {name: self._one(places) for name in names}

    def _one(self, places: Sequence[int]) -> Resolved:
        names = tuple(dict.fromkeys(self._ordered[p] for p in places))
        if len(names) == 1:
            return Resolved(names[0], places[0], names)
        return Resolved(candidates=names)


def _by_stem(names: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found.setdefault(without_number(mangle(name)), []).append(name)
    return found

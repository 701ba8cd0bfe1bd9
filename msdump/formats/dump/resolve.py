"""Which scoped operator a name in a dump's file names stands for.

File names have lost the difference between `/`, `.`, `\\`, space and `_`, releases before 2.1 leave
the scope out, and the number behind `-op` is counted anew: the same run may have `Cast-op0` in file
names and `Cast-op4` in its execution order. So operators of one kind are resolved together.

Since 2.1 file names count the operators of a kind in the order in which the graph file beside the dump
lists them. So it is in dumps of 2.7 and 2.10 on CPU: every one of some 300 dumped inputs is then what the
operator that makes it was dumped to give.
"""

from __future__ import annotations

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
    whole: dict[str, list[int]] = {}
    last: dict[str, list[int]] = {}
    for position, name in enumerate(ordered):
        whole.setdefault(without_number(mangle(name)), []).append(position)
        last.setdefault(without_number(mangle(name.rpartition("/")[2])), []).append(position)
    alike: dict[str, list[str]] = {}
    for op_name in sorted(seen, key=lambda n: (seen[n], n)):
        alike.setdefault(without_number(op_name), []).append(op_name)
    found: dict[str, Resolved] = {}
    listed: dict[str, list[str]] | None = None
    for stem, names in alike.items():
        scoped = stem in whole
        places = whole.get(stem) or last.get(stem, [])
        spelled: dict[str, list[int]] = {}
        for place in places:
            full = ordered[place]
            spelled.setdefault(mangle(full if scoped else full.rpartition("/")[2]), []).append(place)
        times = [seen[name] for name in names]
        timed = len(set(times)) == len(times)
        known = all(name in spelled for name in names)
        by_number = sorted(names, key=op_number)
        if known and (
            not scoped or not timed or [spelled[n][0] for n in names] == sorted(spelled[n][0] for n in names)
        ):
            for name in names:
                found[name] = _one(ordered, spelled[name])
            continue
        if scoped and len(names) > 1:
            if listed is None:
                listed = _by_stem(in_graph())
            twins = listed.get(stem, [])
            if len(twins) == len(names) and set(twins) == {ordered[p] for p in places}:
                for name, full in zip(by_number, twins, strict=True):
                    found[name] = Resolved(full, next(p for p in places if ordered[p] == full), (full,))
                continue
        if len(names) == len(places) == len({ordered[p] for p in places}) and (not timed or by_number == names):
            for name, place in zip(by_number, places, strict=True):
                found[name] = Resolved(ordered[place], place, (ordered[place],))
        else:
            for name in names:
                found[name] = _one(ordered, places)
    return found


def _by_stem(names: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found.setdefault(without_number(mangle(name)), []).append(name)
    return found


def _one(ordered: Sequence[str], places: Sequence[int]) -> Resolved:
    names = tuple(dict.fromkeys(ordered[p] for p in places))
    if len(names) == 1:
        return Resolved(names[0], places[0], names)
    return Resolved(candidates=names)

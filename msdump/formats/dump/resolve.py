"""Which scoped operator a name in a dump's file names stands for.

File names have lost the difference between `/`, `.`, `\\`, space and `_`, releases before 2.1 leave
the scope out, and the number behind `-op` is counted anew: the same run may have `Cast-op0` in file
names and `Cast-op4` in its execution order. So operators of one kind are resolved together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msdump.formats.dump.names import mangle

_NUMBER = re.compile(r"-op\d+$")


@dataclass(frozen=True, slots=True)
class Resolved:
    """`full_name` and its `position` in execution order; "" and -1 unless there is one candidate."""

    full_name: str = ""
    position: int = -1
    candidates: tuple[str, ...] = ()


UNRESOLVED = Resolved()


def _stem(name: str) -> str:
    return _NUMBER.sub("", name)


def resolve_names(ordered: Sequence[str], seen: Mapping[str, int]) -> dict[str, Resolved]:
    """Full names for the operators of one graph.

    Args:
        ordered: full names in execution order.
        seen: operator names as files have them → microseconds when each first ran.

    Operators alike but for their number are taken by their numbers when all of those are known, by
    their order when there are as many on both sides, and are ambiguous otherwise.
    """
    whole: dict[str, list[int]] = {}
    last: dict[str, list[int]] = {}
    for position, name in enumerate(ordered):
        whole.setdefault(_stem(mangle(name)), []).append(position)
        last.setdefault(_stem(mangle(name.rpartition("/")[2])), []).append(position)
    alike: dict[str, list[str]] = {}
    for op_name in sorted(seen, key=lambda n: (seen[n], n)):
        alike.setdefault(_stem(op_name), []).append(op_name)
    found: dict[str, Resolved] = {}
    for stem, names in alike.items():
        scoped = stem in whole
        places = whole.get(stem) or last.get(stem, [])
        spelled: dict[str, list[int]] = {}
        for place in places:
            full = ordered[place]
            spelled.setdefault(mangle(full if scoped else full.rpartition("/")[2]), []).append(place)
        if all(name in spelled for name in names):
            for name in names:
                found[name] = _one(ordered, spelled[name])
        elif len(names) == len(places) == len({ordered[p] for p in places}):
            for name, place in zip(names, places, strict=True):
                found[name] = Resolved(ordered[place], place, (ordered[place],))
        else:
            for name in names:
                found[name] = _one(ordered, places)
    return found


def _one(ordered: Sequence[str], places: Sequence[int]) -> Resolved:
    names = tuple(dict.fromkeys(ordered[p] for p in places))
    if len(names) == 1:
        return Resolved(names[0], places[0], names)
    return Resolved(candidates=names)

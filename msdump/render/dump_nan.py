"""NaN and infinities of a dump, as text and JSON: where they come from, and of which tensors it cannot be told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msdump.diff.dumps.nan import OddLaunch, OddSearch, OddValues, Untold
from msdump.diff.dumps.result import Spot
from msdump.render.dump_text import flat, place_text, record_json, title

_SHOWN = 5

SpotOf = Callable[[OddLaunch], "Spot | None"]


def nan_lines(
    found: OddSearch, spot: SpotOf, what: str, everything: bool, paint: Callable[[str], str]
) -> Iterator[str]:
    """The answer, then the launches; `what` is looked for, "NaN" or "NaN or inf"."""
    launches, origin = found.launches, found.origin
    if not launches:
        yield _none(what, found)
    if origin is not None:
        yield from _lines(paint(f"first {what}"), origin, spot(origin))
    if launches and launches[0] is not origin:
        head = "before that, it came in with" if origin is not None else f"{what} came in with the inputs of"
        yield from _lines(head, launches[0], spot(launches[0]))
    more = [launch for launch in launches[1:] if launch is not origin]
    if more and not everything:
        yield from ("", f"{len(more):,} more with some (--all tells where it came from):")
        for launch in more[:_SHOWN]:
            yield f"    {title(launch.record)}   {values_text(launch)}"
    if everything:
        yield from ("", f"{len(launches):,} launches of operators have some:")
        for launch in launches:
            yield from _lines("  " + ("made by" if launch.origin else "passed on by"), launch, spot(launch))
    if launches and found.untold:
        yield untold_text(found)


def untold_text(found: OddSearch) -> str:
    """Of which tensors it cannot be told, and why; "" when it can of all."""
    if not found.untold:
        return ""
    reasons = dict.fromkeys(x.why for x in found.untold)
    named = [tensor_text(x) for x in found.untold]
    left = len(named) - _SHOWN
    names = ", ".join(named[:_SHOWN]) + (f" and {left:,} more" if left > 0 else "")
    return f"cannot tell of {len(named):,} of {_count(found.total)}: {names} ({'; '.join(reasons)})"


def tensor_text(untold: Untold) -> str:
    """A tensor of which it cannot be told."""
    return f"{title(untold.record)} {untold.record.io} {untold.record.slot}"


def values_text(launch: OddLaunch) -> str:
    """What the tensors of a launch have, in a line."""
    return "; ".join(odd_text(odd) for odd in (*launch.inputs, *launch.outputs))


def odd_text(odd: OddValues) -> str:
    """What NaN and infinities one tensor has, and how that is known."""
    if odd.nan is not None and odd.inf is not None:
        what = f"{odd.nan:,} NaN, {odd.inf:,} inf"
    else:
        what = f"{odd.kind}, as its statistics tell: {', '.join(odd.told_by)}"
    at = f", the first at {list(odd.index)}" if odd.index is not None else ""
    return f"{odd.io} {odd.slot}: {what}{at}"


def nan_json(found: OddSearch, spot: SpotOf, everything: bool) -> dict[str, Any]:
    """The same as a document; the launches but for the first with `everything`."""
    shown = found.launches if everything else found.launches[:1]
    return {
        "schema": "msdump.dump-nan/1",
        "found": bool(found.launches),
        "first": None if found.origin is None else _entry(found.origin, spot(found.origin)),
        "launches": [_entry(x, spot(x)) for x in shown],
        "untold": [{**record_json(x.record), "why": x.why} for x in found.untold],
    }


def _count(number: int) -> str:
    return f"{number:,} tensor{'s' * (number != 1)}"


def _none(what: str, found: OddSearch) -> str:
    if found.looked == found.total:
        return f"no {what} in {_count(found.total)}"
    if not found.looked:
        return f"cannot tell of any of {_count(found.total)}"
    return f"no {what} in {found.looked:,} of {_count(found.total)}; cannot tell of the others"


def _entry(launch: OddLaunch, spot: Spot | None) -> dict[str, Any]:
    names = record_json(launch.record)
    kept = {k: names[k] for k in ("op", "op_type", "op_name", "scope", "iteration", "rank", "graph")}
    first = (launch.outputs or launch.inputs)[0]
    return {
        **kept,
        "scope": kept["scope"] or (spot.full_name if spot else None),
        "source": spot.source or None if spot else None,
        "code": spot.code or None if spot else None,
        "occurrence": launch.occurrence,
        "io": first.io,
        "slot": first.slot,
        "origin": launch.origin,
        "inputs_dumped": launch.inputs_known,
        "values": [_values(v) for v in (*launch.inputs, *launch.outputs)],
    }


def _values(odd: OddValues) -> dict[str, Any]:
    return {
        "io": odd.io,
        "slot": odd.slot,
        "kind": odd.kind,
        "nan": odd.nan,
        "inf": odd.inf,
        "told_by": list(odd.told_by),
        "index": None if odd.index is None else list(odd.index),
        "path": odd.path,
    }


def _lines(head: str, launch: OddLaunch, spot: Spot | None) -> Iterator[str]:
    record = launch.record
    yield "   ".join([head, title(record), *(flat(x) for x in ((spot.source, spot.code) if spot else ()) if x)])
    for odd in (*launch.inputs, *launch.outputs):
        yield f"    {odd_text(odd)}"
    said = [place_text(record)]
    if launch.occurrence:
        said.append(f"launch {launch.occurrence + 1} of the operator")
    if launch.origin:
        known = launch.inputs_known
        said.append("its inputs have none" if known else "its inputs were not dumped, or could not be read")
    yield "    " + ", ".join(said)

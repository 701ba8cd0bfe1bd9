"""`msdump dump nan DIR`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from msdump.cli.dump.opening import ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option, styled

if TYPE_CHECKING:
    from msdump.diff.dumps.nan import OddLaunch, OddValues
    from msdump.diff.dumps.places import Spot


@click.command()
@click.argument("path")
@selection_options
@graph_option
@click.option("--no-inf", is_flag=True, help="Look for NaN alone: infinities may be meant, as in masks.")
@click.option("--all", "everything", is_flag=True, help="Every operator with some, not the first alone.")
@json_option
@color_option
def command(
    path: str, graph: str | None, no_inf: bool, everything: bool, as_json: bool, color: bool, **selection: Any
) -> int:
    """The first operator, in execution order, whose output has NaN or inf while its inputs have none.

    Exit status 1 when there is NaN or inf at all, 0 when there is none.
    """
    from msdump.diff.dumps.nan import iter_odd
    from msdump.dumps.opening import places_beside, places_in
    from msdump.errors import MsdumpError, ReadError

    dump = open_dump(path, selection, graph)
    problems: list[MsdumpError] = []
    found: list[OddLaunch] = []
    origin: OddLaunch | None = None
    records = list(dump)
    require_tensors(dump, len(records))
    for launch in iter_odd(records, infinities=not no_inf, on_problem=problems.append):
        found.append(launch)
        if launch.origin and origin is None:
            origin = launch
            if not everything:
                break
    dump.problems += [p for p in problems if isinstance(p, ReadError)]
    told = [x.record for x in (found if everything else [*found[:1], *([origin] if origin else [])])]
    places = places_in(graph) if graph is not None else places_beside(dump, told)

    def spot(launch: OddLaunch) -> Spot | None:
        if places is None:
            return None
        return places.spot(launch.record.scope_name, launch.record.op_name, launch.record.graph)

    if as_json:
        document = {
            "schema": "msdump.dump-nan/1",
            "found": bool(found),
            "first": None if origin is None else _entry(origin, spot(origin)),
            "launches": [_entry(x, spot(x)) for x in (found if everything else found[:1])],
            **troubles(dump),
        }
        emit_json(document)
    else:
        what = "NaN" if no_inf else "NaN or inf"
        if not found:
            emit_lines([f"no {what} in {len(records) - len(problems):,} tensors"])
        if origin is not None:
            emit_lines(_lines(styled(f"first {what}", color, fg="red", bold=True), origin, spot(origin)))
        if found and found[0] is not origin:
            head = "before that, it came in with" if origin is not None else f"{what} came in with the inputs of"
            emit_lines(_lines(head, found[0], spot(found[0])))
        if everything:
            emit_lines(["", f"{len(found):,} launches of operators have some:"])
            for launch in found:
                emit_lines(_lines("  " + ("made by" if launch.origin else "passed on by"), launch, spot(launch)))
    return ended(dump, 1 if found else 0)


def _entry(launch: OddLaunch, spot: Spot | None) -> dict[str, Any]:
    from msdump.render.dump_text import record_json

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
        "nan": odd.nan,
        "inf": odd.inf,
        "index": None if odd.index is None else list(odd.index),
        "path": odd.path,
    }


def _lines(head: str, launch: OddLaunch, spot: Spot | None) -> list[str]:
    from msdump.render.dump_text import flat, place_text, title

    record = launch.record
    parts = [head, title(record)]
    if spot is not None:
        parts += [flat(text) for text in (spot.source, spot.code) if text]
    lines = ["   ".join(parts)]
    for odd in (*launch.inputs, *launch.outputs):
        at = f", the first at {list(odd.index)}" if odd.index is not None else ""
        lines.append(f"    {odd.io} {odd.slot}: {odd.nan:,} NaN, {odd.inf:,} inf{at}")
    known = "its inputs have none" if launch.inputs_known else "its inputs were not dumped, or could not be read"
    said = [place_text(record)]
    if launch.occurrence:
        said.append(f"launch {launch.occurrence + 1} of the operator")
    if launch.origin:
        said.append(known)
    return [*lines, "    " + ", ".join(said)]

"""`msdump dump nan DIR`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from msdump.cli.complaints import report_error
from msdump.cli.dump.opening import ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option, styled

if TYPE_CHECKING:
    from msdump.diff.dumps.nan import OddLaunch, OddValues, Untold
    from msdump.diff.dumps.result import Spot


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

    Exit status 1 when there is NaN or inf at all, 0 when there is none in any tensor, 2 when there is none in
    those of which it can be told, and statistics alone were saved of others, or something could not be read.
    """
    from msdump.diff.dumps.nan import iter_odd
    from msdump.dumps.opening import places_beside, places_in
    from msdump.errors import MsdumpError, ReadError

    dump = open_dump(path, selection, graph)
    problems: list[MsdumpError] = []
    untold: list[Untold] = []
    found: list[OddLaunch] = []
    origin: OddLaunch | None = None
    records = list(dump)
    require_tensors(dump, len(records))
    # Looking through statistics costs nothing; tensors are read up to the first operator that made some.
    whole = everything or all(r.tensor is None for r in records)
    for launch in iter_odd(records, infinities=not no_inf, on_problem=problems.append, on_untold=untold.append):
        found.append(launch)
        if launch.origin and origin is None:
            origin = launch
            if not whole:
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
            "untold": [_untold_entry(x) for x in untold],
            **troubles(dump),
        }
        emit_json(document)
    else:
        what = "NaN" if no_inf else "NaN or inf"
        if not found:
            emit_lines([_none(what, len(records) - len(problems) - len(untold), len(records))])
        if origin is not None:
            emit_lines(_lines(styled(f"first {what}", color, fg="red", bold=True), origin, spot(origin)))
        if found and found[0] is not origin:
            head = "before that, it came in with" if origin is not None else f"{what} came in with the inputs of"
            emit_lines(_lines(head, found[0], spot(found[0])))
        more = [launch for launch in found[1:] if launch is not origin]
        if more and not everything:
            emit_lines(["", f"{len(more):,} more with some (--all tells where it came from):"])
            emit_lines(line for launch in more[:_SHOWN] for line in _brief(launch))
        if everything:
            emit_lines(["", f"{len(found):,} launches of operators have some:"])
            for launch in found:
                emit_lines(_lines("  " + ("made by" if launch.origin else "passed on by"), launch, spot(launch)))
        if found and untold:
            emit_lines([f"cannot tell of {len(untold):,} of {len(records):,} tensors: {_names(untold)}"])
    status = ended(dump, 1 if found else 0)
    if untold and not found:
        what = f"{path}: cannot tell of {len(untold):,} of {_count(len(records))}: {_names(untold)}"
        report_error(MsdumpError(what, hint="a NaN Count or L2Norm Value of them would tell, and so do the tensors"))
        return 2
    return status


_SHOWN = 5


def _count(number: int) -> str:
    return f"{number:,} tensor{'s' * (number != 1)}"


def _none(what: str, looked: int, total: int) -> str:
    if looked == total:
        return f"no {what} in {_count(total)}"
    if not looked:
        return f"cannot tell of any of {_count(total)}"
    return f"no {what} in {looked:,} of {_count(total)}; cannot tell of the others"


def _names(untold: list[Untold]) -> str:
    """The tensors that nothing can be told of, with the reasons."""
    from msdump.render.dump_text import title

    reasons = dict.fromkeys(x.why for x in untold)
    named = [f"{title(x.record)} {x.record.io} {x.record.slot}" for x in untold]
    left = len(named) - _SHOWN
    return ", ".join(named[:_SHOWN]) + (f" and {left:,} more" if left > 0 else "") + f" ({'; '.join(reasons)})"


def _brief(launch: OddLaunch) -> list[str]:
    from msdump.render.dump_text import odd_text, title

    return [f"    {title(launch.record)}   {odd_text(odd)}" for odd in (*launch.inputs, *launch.outputs)]


def _untold_entry(untold: Untold) -> dict[str, Any]:
    from msdump.render.dump_text import record_json

    return {**record_json(untold.record), "why": untold.why}


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
        "kind": odd.kind,
        "nan": odd.nan,
        "inf": odd.inf,
        "told_by": list(odd.told_by),
        "index": None if odd.index is None else list(odd.index),
        "path": odd.path,
    }


def _lines(head: str, launch: OddLaunch, spot: Spot | None) -> list[str]:
    from msdump.render.dump_text import flat, odd_text, place_text, title

    record = launch.record
    parts = [head, title(record)]
    if spot is not None:
        parts += [flat(text) for text in (spot.source, spot.code) if text]
    lines = ["   ".join(parts)]
    lines += [f"    {odd_text(odd)}" for odd in (*launch.inputs, *launch.outputs)]
    known = "its inputs have none" if launch.inputs_known else "its inputs were not dumped, or could not be read"
    said = [place_text(record)]
    if launch.occurrence:
        said.append(f"launch {launch.occurrence + 1} of the operator")
    if launch.origin:
        said.append(known)
    return [*lines, "    " + ", ".join(said)]

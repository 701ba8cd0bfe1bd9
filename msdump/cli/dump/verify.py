"""`msdump dump verify DIR --graph FILE`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from msdump.cli.dump.opening import ended, open_dump, troubles
from msdump.cli.dump.options import selection_options
from msdump.cli.numbers import ATOL, RTOL
from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option, styled
from msdump.dumps.verifying import verify_dump
from msdump.json_values import number
from msdump.render.dump_text import flat, record_json, title
from msdump.render.table import number_text, value_text

if TYPE_CHECKING:
    from msdump.diff.dumps.recompute import Verified


@click.command()
@click.argument("path")
@click.option("--graph", metavar="FILE", help="The graph of the run; without it those beside the dump are taken.")
@selection_options
@click.option("--rtol", type=RTOL, help="Relative tolerance; default: what the type's precision allows.")
@click.option("--atol", type=ATOL, help="Absolute tolerance; default: rtol times the root mean square.")
@click.option("--all", "everything", is_flag=True, help="List operators that are right, too.")
@json_option
@color_option
def command(
    path: str,
    graph: str | None,
    rtol: float | None,
    atol: float | None,
    everything: bool,
    as_json: bool,
    color: bool,
    **selection: Any,
) -> int:
    """Compute each dumped operator again, in float64, from its dumped inputs: which kernel is wrong.

    Operators that cannot be computed are listed as unchecked, and are no pass. Exit status 0: every one
    that was checked is right; 1: some are wrong; 2: none could be checked.
    """
    dump = open_dump(path, selection, graph)
    found = list(verify_dump(path, graph, rtol=rtol, atol=atol, dump=dump))
    counts = {state: sum(v.state == state for v in found) for state in ("right", "wrong", "unchecked")}
    if as_json:
        document = {"schema": "msdump.dump-verify/1", "same": bool(counts["right"]) and not counts["wrong"], **counts}
        emit_json({**document, "operators": [_entry(v) for v in found], **troubles(dump)})
    else:
        for v in found:
            if v.state == "wrong":
                emit_lines(_wrong(v, color))
        total = counts["right"] + counts["wrong"]
        emit_lines([f"{total:,} launches checked: {counts['right']:,} right, {counts['wrong']:,} wrong"])
        emit_lines(_unchecked([v for v in found if v.state == "unchecked"]))
        if everything:
            emit_lines(f"right   {_title(v)}" for v in found if v.state == "right")
    if not counts["right"] + counts["wrong"] and not dump.problems:
        from msdump.errors import MsdumpError

        raise MsdumpError(f"{path}: no operator of it could be checked", hint="the graph must be that of this run")
    return ended(dump, 1 if counts["wrong"] else 0)


def _title(v: Verified) -> str:
    parts = [title(v.record)]
    if v.occurrence:
        parts.append(f"launch {v.occurrence + 1}")
    if v.spot is not None:
        parts += [flat(text) for text in (v.spot.source, v.spot.code) if text]
    return "   ".join(parts)


def _wrong(v: Verified, color: bool) -> list[str]:
    lines = [styled("wrong", color, fg="red", bold=True) + "   " + _title(v)]
    for slot, diff in (v.outputs or {}).items():
        if diff.same:
            continue
        if diff.shapes_differ:
            lines.append(f"  output {slot}: shape {diff.shape[0]} was dumped, {diff.shape[1]} computed")
            continue
        values = diff.worst_values
        at = f", worst at {list(diff.worst)}" if diff.worst is not None else ""
        both = f" ({value_text(values[0], 6)} dumped, {value_text(values[1], 6)} computed)" if values else ""
        distance = f"max |a−b| {number_text(diff.max_abs)}, " if diff.max_abs is not None else ""
        lines.append(f"  output {slot}: {distance}{diff.mismatched:,} of {diff.count:,} out of tolerance{at}{both}")
    return lines


def _unchecked(found: list[Verified]) -> list[str]:
    if not found:
        return []
    reasons: dict[str, list[str]] = {}
    for v in found:
        reasons.setdefault(v.why, []).append(v.record.scope_name or v.record.op_name)
    lines = [f"{len(found):,} unchecked:"]
    for why, names in reasons.items():
        counted = [f"{flat(n)} ×{k}" if k > 1 else flat(n) for n, k in Counter(names).items()]
        shown = ", ".join(counted[:3]) + (f" and {len(counted) - 3} more" if len(counted) > 3 else "")
        lines.append(f"  {flat(why)}: {shown}")
    return lines


def _entry(v: Verified) -> dict[str, Any]:
    names = record_json(v.record)
    kept = {k: names[k] for k in ("op", "op_type", "op_name", "scope", "iteration", "rank", "graph")}
    return {
        **kept,
        "source": v.spot.source or None if v.spot else None,
        "occurrence": v.occurrence,
        "state": v.state,
        "why": v.why or None,
        "outputs": [
            {
                "slot": slot,
                "same": d.same,
                "shape": [list(s or ()) for s in d.shape],
                "mismatched": d.mismatched,
                "max_abs": number(d.max_abs),
                "max_rel": number(d.max_rel),
                "worst": None if d.worst is None else list(d.worst),
            }
            for slot, d in (v.outputs or {}).items()
        ],
    }

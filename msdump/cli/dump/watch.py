"""`msdump dump watch DIR`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from msdump.cli.dump.opening import ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.numbers import Number
from msdump.cli.terminal import emit_json, emit_lines, json_option
from msdump.diff.dumps.watch import parse_condition, watch
from msdump.errors import MsdumpError, ReadError
from msdump.render.dump_text import flat, place_text, record_json, title

if TYPE_CHECKING:
    from msdump.diff.dumps.watch import Hit
    from msdump.records import DumpRecord


@click.command()
@click.argument("path")
@selection_options
@graph_option
@click.option("-c", "--condition", "conditions", multiple=True, metavar="NAME[:PARAMETER=VALUE,...]", help="See below.")
@click.option("--all-zero", is_flag=True, help="Every value is zero.")
@click.option("--unchanged", is_flag=True, help="The same values as in the iteration before.")
@click.option("--too-large", type=Number(), metavar="X", help="The mean of |value| is above X.")
@click.option("--too-small", type=Number(), metavar="X", help="The mean of |value| is below X.")
@click.option("--range", "span", type=(Number(), Number()), metavar="LOW HIGH", help="Some value lies outside.")
@click.option("--ratio-above", type=Number(), metavar="X", help="mean|change| / mean|value before| is above X.")
@click.option("--ratio-below", type=Number(), metavar="X", help="The same, below X.")
@json_option
def command(
    path: str,
    graph: str | None,
    conditions: tuple[str, ...],
    all_zero: bool,
    unchanged: bool,
    too_large: float | None,
    too_small: float | None,
    span: tuple[float, float] | None,
    ratio_above: float | None,
    ratio_below: float | None,
    as_json: bool,
    **selection: Any,
) -> int:
    """Tensors for which a condition holds; 1 when there are some, 2 when there are none among those that
    could be looked at, and others could not.

    Conditions are those of MindInsight's debugger: nan, tensor_overflow, tensor_all_zero,
    tensor_too_large, tensor_too_small (abs_mean_gt, max_gt, min_gt, mean_gt; _lt), tensor_range
    (range_start_inclusive, range_end_inclusive, range_percentage_in_range_lt or _gt, max_min_lt or
    _gt), weight_not_changed (rtol, atol), weight_change_too_large (abs_mean_update_ratio_gt, epsilon),
    weight_change_too_small (abs_mean_update_ratio_lt, epsilon).
    """
    asked = {
        "tensor_all_zero": all_zero or None,
        "tensor_not_changed": unchanged or None,
        "tensor_too_large:abs_mean_gt={}": too_large,
        "tensor_too_small:abs_mean_lt={}": too_small,
        "tensor_change_too_large:abs_mean_update_ratio_gt={}": ratio_above,
        "tensor_change_too_small:abs_mean_update_ratio_lt={}": ratio_below,
    }
    written = [*conditions, *(text.format(value) for text, value in asked.items() if value is not None)]
    if span is not None:
        written.append(f"tensor_range:range_start_inclusive={span[0]},range_end_inclusive={span[1]}")
    if not written:
        raise click.UsageError("no condition is given; --all-zero is one, --help lists them")
    watched = [parse_condition(text) for text in written]
    dump = open_dump(path, selection, graph)
    everything = list(dump)
    require_tensors(dump, len(everything))
    records = [r for r in everything if r.tensor is not None and not r.tensor.opaque]
    problems: list[MsdumpError] = []
    single: list[DumpRecord] = []
    hits: list[Hit] = []
    for hit in watch(records, watched, problems.append, single.append):
        hits.append(hit)
        r = hit.record
        if not as_json:
            emit_lines([f"{hit.condition}   {title(r)}   {r.io} {r.slot}   {place_text(r)}   {flat(hit.why)}"])
    dump.problems += [p for p in problems if isinstance(p, ReadError)]
    left = len(everything) - len(records) + len(single)
    looked = len(everything) - left
    if as_json:
        shown = [
            {**record_json(hit.record), "occurrence": hit.occurrence, "condition": hit.condition, "why": hit.why}
            for hit in hits
        ]
        emit_json({"schema": "msdump.dump-watch/1", "hits": shown, "not_looked_at": left, **troubles(dump)})
    elif looked and not hits:
        emit_lines(["no condition holds" + (f" in {looked:,} of {len(everything):,} tensors" if left else "")])
    why = "statistics alone were saved of them" if left > len(single) else "they were dumped in one iteration"
    untold = f"{left:,} of {len(everything):,} tensors were not looked at: {why}" if left else ""
    return ended(dump, 1 if hits else 0, untold)

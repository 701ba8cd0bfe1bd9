"""`msdump dump watch DIR`."""

from __future__ import annotations

from typing import Any

import click

from msdump.cli.complaints import report_error
from msdump.cli.dump.opening import ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.numbers import Number
from msdump.cli.terminal import emit_json, emit_lines, json_option


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
    from msdump.diff.dumps.watch import parse_condition, watch
    from msdump.errors import MsdumpError, ReadError
    from msdump.render.dump_text import flat, place_text, record_json, title

    written = list(conditions)
    written += ["tensor_all_zero"] if all_zero else []
    written += ["tensor_not_changed"] if unchanged else []
    for value, text in (
        (too_large, "tensor_too_large:abs_mean_gt={}"),
        (too_small, "tensor_too_small:abs_mean_lt={}"),
        (ratio_above, "tensor_change_too_large:abs_mean_update_ratio_gt={}"),
        (ratio_below, "tensor_change_too_small:abs_mean_update_ratio_lt={}"),
    ):
        if value is not None:
            written.append(text.format(value))
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
    hits: list[dict[str, Any]] = []
    count = 0
    for hit in watch(records, watched, problems.append):
        count += 1
        if as_json:
            hits.append(
                {**record_json(hit.record), "occurrence": hit.occurrence, "condition": hit.condition, "why": hit.why}
            )
        else:
            r = hit.record
            emit_lines([f"{hit.condition}   {title(r)}   {r.io} {r.slot}   {place_text(r)}   {flat(hit.why)}"])
    dump.problems += [p for p in problems if isinstance(p, ReadError)]
    left = len(everything) - len(records)
    if as_json:
        emit_json({"schema": "msdump.dump-watch/1", "hits": hits, "not_looked_at": left, **troubles(dump)})
    elif records and not count:
        emit_lines(["no condition holds" + (f" in {len(records):,} of {len(everything):,} tensors" if left else "")])
    status = ended(dump, 1 if count else 0)
    if left and not count:
        what = f"{left:,} of {len(everything):,} tensors were not looked at: statistics alone were saved of them"
        report_error(MsdumpError(f"{path}: {what}"))
        return 2
    return status

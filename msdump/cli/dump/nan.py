"""`msdump dump nan DIR`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from msdump.cli.dump.opening import ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option, styled
from msdump.diff.dumps.nan import search
from msdump.dumps.opening import operators_beside, operators_in
from msdump.errors import ReadError
from msdump.render.dump_nan import nan_json, nan_lines, untold_text

if TYPE_CHECKING:
    from msdump.diff.dumps.nan import OddLaunch
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
    dump = open_dump(path, selection, graph)
    records = list(dump)
    require_tensors(dump, len(records))
    found = search(records, infinities=not no_inf, whole=everything)
    dump.problems += [p for p in found.problems if isinstance(p, ReadError)]
    origin = found.origin
    shown = found.launches if everything else (*found.launches[:1], *([origin] if origin else ()))
    operators = operators_in(graph) if graph is not None else operators_beside(dump, [x.record for x in shown])

    def spot(launch: OddLaunch) -> Spot | None:
        if operators is None:
            return None
        return operators.spot(launch.record.scope_name, launch.record.op_name, launch.record.graph)

    if as_json:
        emit_json({**nan_json(found, spot, everything), **troubles(dump)})
    else:
        what = "NaN" if no_inf else "NaN or inf"
        emit_lines(nan_lines(found, spot, what, everything, lambda text: styled(text, color, fg="red", bold=True)))
    hint = "a NaN Count or L2Norm Value of them would tell, and so do the tensors"
    return ended(dump, 1 if found.launches else 0, untold_text(found), hint)

"""`msdump graph explain FILE`."""

from __future__ import annotations

import click

from msdump.cli.graph.reading import painter, report_notes
from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option
from msdump.explanation import explain_path
from msdump.pipes import shown
from msdump.render.graph_explain import explanation_json, explanation_lines


@click.command()
@click.argument("file")
@click.option("--error", metavar="LOG", help="The error's text, where FILE does not hold it (1.x, 2.0).")
@click.option("--source", metavar="DIR", help="The folder of your source files, to look up what functions take.")
@click.option("-v", "--verbose", is_flag=True, help="Lines inside libraries and the whole message too.")
@json_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    error: str | None,
    source: str | None,
    verbose: bool,
    as_json: bool,
    color: bool,
) -> None:
    """A failed compilation in plain words: the node at fault, its operands, the user's own lines.

    FILE is analyze_fail.ir (2.x) or analyze_fail.dat (1.x), a folder that holds one, or the text of the error:
    a log, or what a terminal showed (`-` for standard input). An analyze_fail file that the text names is
    explained with it, where it is there or beside the log.
    """
    account = explain_path(file, error, source)
    if as_json:
        emit_json(explanation_json(account.explanation, account.missing), indent=1)
    else:
        emit_lines(explanation_lines(account.explanation, painter(color), verbose, account.missing))
    damaged = [report_notes(shown(reading.path), reading.notes, reading.error) for reading in account.readings]
    ctx.exit(2 if any(damaged) else 0)

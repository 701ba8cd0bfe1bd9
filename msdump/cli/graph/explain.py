"""`msdump graph explain FILE`."""

from __future__ import annotations

import os

import click

from msdump.cli.graph.reading import painter, read_one
from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option


@click.command()
@click.argument("file")
@click.option("--error", "log", metavar="LOG", help="The error message, where the file does not hold it (1.x, 2.0).")
@click.option("-v", "--verbose", is_flag=True, help="Lines inside libraries and the whole message too.")
@json_option
@color_option
@click.pass_context
def command(ctx: click.Context, file: str, log: str | None, verbose: bool, as_json: bool, color: bool) -> None:
    """A failed compilation in plain words: the node at fault, its operands, the user's own lines.

    FILE is analyze_fail.ir (2.x) or analyze_fail.dat (1.x), or a folder that holds one.
    """
    from msdump.graph.explain import explain
    from msdump.render.graph_explain import explanation_json, explanation_lines

    one = read_one(_find(file))
    text = ""
    if log is not None:
        with open(log, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    found = explain(one.graph, text)
    if as_json:
        emit_json(explanation_json(found), indent=1)
    else:
        emit_lines(explanation_lines(found, painter(color), verbose))
    one.report()
    ctx.exit(2 if one.failed else 0)


def _find(path: str) -> str:
    """The file itself, or the newest analyze_fail in a folder and the folders below it."""
    from msdump.pipes import is_special

    if not os.path.isdir(path):
        return path
    found = [
        os.path.join(here, name)
        for here, _, names in os.walk(path)
        for name in names
        if name.startswith("analyze_fail") and name.endswith((".ir", ".dat"))
        if not is_special(os.path.join(here, name))
    ]
    return max(sorted(found), key=os.path.getmtime) if found else path

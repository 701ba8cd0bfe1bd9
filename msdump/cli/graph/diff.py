"""`msdump graph diff A B`."""

from __future__ import annotations

import click

from msdump.cli.graph.reading import painter, read_one
from msdump.cli.terminal import color_option, emit_lines, json_option
from msdump.diff.graphs import diff_graphs, select_changes
from msdump.diff.labels import Ignore
from msdump.json_text import json_text


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "html", "md"]), default="text", help="How to say it."
)
@json_option
@click.option("-o", "--output", help="Write there instead; the format follows the suffix (.html, .json, .md, .txt).")
@click.option("--force", is_flag=True, help="Write over an existing file.")
@click.option("--stat", is_flag=True, help="Only counts, by scope.")
@click.option(
    "--ignore",
    multiple=True,
    metavar="WHAT",
    help="Leave out: types, attrs, attr:KEY, constants, scope, names. May be given more than once.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="WHAT",
    help="Report only: added, removed, changed, rewired, moved, types, attrs, attr:KEY, op:NAME.",
)
@click.option("--scope", default="", metavar="PREFIX", help="Report only changes under this scope.")
@click.option("--map", "pins", multiple=True, metavar="A=B", help="Node A of the first graph is node B of the second.")
@click.option("-v", "--verbose", is_flag=True, help="Everything, unfolded, and why two nodes were matched.")
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    a: str,
    b: str,
    form: str,
    as_json: bool,
    output: str | None,
    force: bool,
    stat: bool,
    ignore: tuple[str, ...],
    only: tuple[str, ...],
    scope: str,
    pins: tuple[str, ...],
    verbose: bool,
    color: bool,
) -> None:
    """What changed from graph A to graph B: nodes, not lines.

    Nodes are matched by what they compute; a graph that is renumbered, renamed or reordered is the
    same. Exit status 0: the same computation; 1: not the same; 2: trouble.
    """
    try:
        what = Ignore.parse(word for words in ignore for word in words.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{error} cannot be ignored", param_hint="--ignore") from None
    pairs: dict[str, str] = {}
    for pin in pins:
        left, equals, right = pin.partition("=")
        if not equals:
            raise click.BadParameter(f"{pin!r} is not A=B", param_hint="--map")
        pairs[left] = right
    one, two = read_one(a), read_one(b)
    result = diff_graphs(one.graph, two.graph, ignore=what, pins=pairs)
    if scope or only:
        result = select_changes(result, scope, [word for words in only for word in words.split(",")])
    if output is not None and form == "text" and not as_json:
        form = {".html": "html", ".htm": "html", ".json": "json", ".md": "md"}.get(output[output.rfind(".") :], "text")
    form = "json" if as_json else form
    if form == "json":
        document = result.to_json()
        document["a"], document["b"] = a, b
        text = json_text(document, 1) + "\n"
    elif form == "md":
        from msdump.render.graph_diff import diff_markdown

        text = diff_markdown(result)
    elif form == "html":
        from msdump.render.graph_diff_html import diff_html

        text = diff_html(result, a, b)
    else:
        from msdump.render.graph_diff import diff_lines, stat_lines

        paint = painter(color and output is None)
        lines = stat_lines(result) if stat else diff_lines(result, paint, verbose)
        text = "\n".join(lines) + "\n"
    if output is None:
        emit_lines([text.removesuffix("\n")])
    else:
        from msdump.cli.graph.reading import write_text

        write_text(output, text, force)
    one.report()
    two.report()
    ctx.exit(2 if one.failed or two.failed else 0 if result.same else 1)


__all__ = ["command"]

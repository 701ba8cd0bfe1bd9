"""`msdump graph canon FILE`."""

from __future__ import annotations

import sys

import click

from msdump.cli.graph.reading import read_one, write_text
from msdump.graph.canon import canon, canon_hash
from msdump.render.escape import escape_control


@click.command()
@click.argument("file")
@click.option("-o", "--output", help="Write there instead of to the screen.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
@click.option("--locations", is_flag=True, help="With source lines; they move with every edit above them.")
@click.option("--hash", "as_hash", is_flag=True, help="Only a hash: equal for graphs whose text is equal.")
@click.pass_context
def command(ctx: click.Context, file: str, output: str | None, force: bool, locations: bool, as_hash: bool) -> None:
    """The graph as stable text: no addresses, numbers, ids, generated names or machine paths.

    Two runs of one script give the same text, so plain diff and git can compare it.
    """
    one = read_one(file)
    text = canon_hash(one.graph) + "\n" if as_hash else canon(one.graph, locations=locations)
    if output is not None:
        write_text(output, text, force)
    else:
        sys.stdout.write(escape_control(text))
    one.report()
    ctx.exit(2 if one.failed else 0)

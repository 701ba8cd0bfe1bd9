"""`msdump diff`: same or different, whatever the two are."""

from __future__ import annotations

import click

from msdump.cli.dispatch import DIFF, command_for, first_path, kind_of, run, split_paths
from msdump.errors import MsdumpError


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="A B [OPTIONS]")
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> int:
    """Say whether A and B are the same, and where they differ: exit status 0 same, 1 different.

    Both are of one kind; a graph may be in two formats. Options are those of `msdump print diff`,
    `graph diff` or `dump diff`.
    """
    first = first_path(arguments)
    if first is None:
        raise click.UsageError("two paths are needed")
    kind = kind_of(first)
    target = command_for(DIFF, kind, "comparing")
    paths, options = split_paths(target, arguments)
    if len(paths) != 2:
        raise click.UsageError(f"two paths are needed, {len(paths)} given")
    kinds = [kind_of(path) for path in paths]
    if kinds[0] != kinds[1] and DIFF.get(kinds[0]) != DIFF.get(kinds[1]):
        raise MsdumpError(f"{paths[0]} holds a {kinds[0]}, {paths[1]} a {kinds[1]}: nothing to compare")
    return run(target, "diff", [*options, "--", *paths], ctx.parent)

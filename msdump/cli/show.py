"""`msdump show`: what is in files and folders, whatever they are."""

from __future__ import annotations

import sys

import click

from msdump.cli.dispatch import SHOW, command_for, first_path, kind_of, run, split_paths
from msdump.errors import MsdumpError


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="PATH… [OPTIONS]")
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> int:
    """Show what is in PATH, whatever it is: print records, a graph's summary, a dump's listing.

    Options are those of the command for what PATH holds: `msdump print show`, `graph show` or
    `dump ls`; `msdump print show --help` and so on list them.
    """
    first = first_path(arguments)
    if first is None:
        raise click.UsageError("no PATH given")
    status = 0
    try:
        target = command_for(SHOW, kind_of(first), "showing")
        paths, options = split_paths(target, arguments)
    except (MsdumpError, OSError) as error:
        # Others may be readable; what the options mean is then theirs to say.
        paths = [word for word in arguments if not word.startswith("-") or word == "-"]
        options = [word for word in arguments if word.startswith("-") and word != "-"]
        if len(paths) < 2:
            raise
        del error
    for path in paths:
        try:
            target = command_for(SHOW, kind_of(path), "showing")
            if len(paths) > 1 and not _as_data(options):
                _headline(path, first=path == paths[0])
            words = [*options, "--", path] if path.startswith("-") and path != "-" else [*options, path]
            status = max(status, run(target, f"show {path}", words, ctx.parent))
        except (MsdumpError, OSError) as error:
            if len(paths) == 1:
                raise
            _report(error)
            status = 2
    return status


def _as_data(options: list[str]) -> bool:
    """Whether the output is for a program, in which headlines have no place."""
    return "--json" in options or any("json" in word or "csv" in word for word in options)


def _headline(path: str, first: bool) -> None:
    from msdump.render.table import one_line

    sys.stdout.write(("" if first else "\n") + f"==> {one_line(path, 500)} <==\n")


def _report(error: MsdumpError | OSError) -> None:
    from msdump.cli.app import report_error, report_os_error

    sys.stdout.flush()
    if isinstance(error, MsdumpError):
        report_error(error)
    elif isinstance(error, BrokenPipeError):
        raise error
    else:
        report_os_error(error)

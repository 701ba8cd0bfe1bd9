"""`msdump show`: what is in files and folders, whatever they are."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from itertools import pairwise
from typing import Any, TextIO, cast

import click

from msdump.cli.complaints import report_error, report_os_error
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
        # Others may be readable; until then options are those of print logs, which have the most.
        paths, options = split_paths(command_for(SHOW, "print", "showing"), arguments)
        if len(paths) < 2:
            raise
        del error
    if len(paths) > 1 and _as_json(options):
        return _show_as_one(paths, options, ctx)
    for path in paths:
        try:
            target = command_for(SHOW, kind_of(path), "showing")
            if len(paths) > 1 and not _as_data(options):
                _headline(path, first=path == paths[0])
            status = max(status, _show(target, path, options, ctx))
        except (MsdumpError, OSError) as error:
            if len(paths) == 1:
                raise
            _report(error)
            status = 2
    return status


def _show(target: click.Command, path: str, options: list[str], ctx: click.Context) -> int:
    words = [*options, "--", path] if path.startswith("-") and path != "-" else [*options, path]
    return run(target, f"show {path}", words, ctx.parent)


def _as_json(options: list[str]) -> bool:
    return "--json" in options or "--format=json" in options or ("--format", "json") in pairwise(options)


class _Documents:
    """Standard output while documents are written into a list: a comma goes before each but the first."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._separator = "\n"
        self._begun = False

    def next(self) -> None:
        """What is written from now on is another document."""
        if self._begun:
            self._separator, self._begun = ",\n", False

    def write(self, text: str) -> int:
        if text and not self._begun:
            self._stream.write(self._separator)
            self._begun = True
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _show_as_one(paths: list[str], options: list[str], ctx: click.Context) -> int:
    """One JSON document with that of each path, and what cannot be read among its problems."""
    from msdump.json_text import json_text

    stream, status = sys.stdout, 0
    problems: list[dict[str, str]] = []
    stream.write('{"schema": "msdump.show/1", "documents": [')
    documents = _Documents(stream)
    with redirect_stdout(cast("TextIO", documents)):
        for path in paths:
            documents.next()
            try:
                target = command_for(SHOW, kind_of(path), "showing")
                status = max(status, _show(target, path, options, ctx))
            except BrokenPipeError:
                raise
            except (MsdumpError, OSError) as error:
                what = error.what if isinstance(error, MsdumpError) else error.strerror or str(error)
                problems.append({"file": path, "what": what})
                _report(error)
                status = 2
    stream.write(f'\n], "problems": {json_text(problems)}}}\n')
    return status


def _as_data(options: list[str]) -> bool:
    """Whether the output is for a program, in which headlines have no place."""
    return "--json" in options or any("json" in word or "csv" in word for word in options)


def _headline(path: str, first: bool) -> None:
    from msdump.render.table import one_line

    sys.stdout.write(("" if first else "\n") + f"==> {one_line(path, 500)} <==\n")


def _report(error: MsdumpError | OSError) -> None:

    sys.stdout.flush()
    if isinstance(error, MsdumpError):
        report_error(error)
    elif isinstance(error, BrokenPipeError):
        raise error
    else:
        report_os_error(error)

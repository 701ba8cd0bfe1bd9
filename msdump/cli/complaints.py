"""Errors on stderr, as every command prints them."""

from __future__ import annotations

import click

from msdump.errors import MsdumpError
from msdump.pipes import shown
from msdump.render.escape import escape_control
from msdump.source import TextPlace


def report_error(error: MsdumpError) -> None:
    """The error's one line on stderr, then the line of text with its caret and what can be done."""
    place = error.where
    if place is None:
        lines = [f"msdump: {error.what}"]
    else:
        at = f" ({place.short()})" if place.short() else ""
        lines = [f"msdump: {place.file}: {error.what}{at}"]
        if isinstance(place, TextPlace) and place.text:
            lines += place.caret().split("\n")
    if error.hint:
        lines.append(error.hint)
    click.echo(shown("\n".join(escape_control(line) for line in lines)), err=True)


def report_os_error(error: OSError) -> None:
    """The one line on stderr for a file that is not there or cannot be opened."""
    name = "" if error.filename is None else f"{error.filename}: "
    click.echo(escape_control(f"msdump: {name}{error.strerror or error}"), err=True)

"""`msdump print`: its commands, each in a file of its own."""

from __future__ import annotations

import click

from msdump.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "show": ("msdump.cli.print.show", "The records, as MindSpore shows them or as data."),
    "diff": ("msdump.cli.print.diff", "Two logs: the first divergence, then a table of all."),
    "recover": ("msdump.cli.print.recover", "Every whole record of a damaged file, and what was lost."),
    "from-log": ("msdump.cli.print.from_log", "What Print wrote on a screen, back into records."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Print logs (print.pb)."""

"""`msdump graph`: its commands, each in a file of its own."""

from __future__ import annotations

import click

from msdump.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("msdump.cli.graph.run", "Execute a graph on numpy."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Graphs (.ir, .dat, .dot, ms_output_*.pb, .mindir)."""

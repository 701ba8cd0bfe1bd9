"""`msdump print`: its commands, each in a file of its own."""

from __future__ import annotations

import click

from msdump.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Print logs (print.pb)."""

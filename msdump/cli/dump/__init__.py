"""`msdump dump`: its commands, each in a file of its own."""

from __future__ import annotations

import click

from msdump.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "diff": ("msdump.cli.dump.diff", "Tensor by tensor: where two dumps part."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Tensor dumps (.npy, .bin, statistic.csv)."""

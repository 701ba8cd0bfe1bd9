"""`msdump dump`: its commands, each in a file of its own."""

from __future__ import annotations

import click

from msdump.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "ls": ("msdump.cli.dump.ls", "What a dump holds, by rank, graph and iteration."),
    "show": ("msdump.cli.dump.show", "One tensor: values, slices, a histogram."),
    "stats": ("msdump.cli.dump.stats", "Statistics recomputed, or checked against statistic.csv."),
    "nan": ("msdump.cli.dump.nan", "The first operator that made a NaN or inf."),
    "watch": ("msdump.cli.dump.watch", "Tensors for which a condition holds."),
    "check": ("msdump.cli.dump.check", "Truncated, missing, duplicate, unreadable files; disk use."),
    "verify": ("msdump.cli.dump.verify", "Each dumped operator computed again from its inputs."),
    "diff": ("msdump.cli.dump.diff", "Tensor by tensor: where two dumps part."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Tensor dumps (.npy, .bin, statistic.csv)."""

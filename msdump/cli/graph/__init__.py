"""`msdump graph`: its commands, each in a file of its own."""

from __future__ import annotations

import click

from msdump.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "show": ("msdump.cli.graph.show", "What is in a graph; its nodes by operator, name, scope, source, dtype."),
    "diff": ("msdump.cli.graph.diff", "What changed between two graphs: nodes, not lines."),
    "passes": ("msdump.cli.graph.passes", "The compile stages in a folder, and what each one changed."),
    "explain": ("msdump.cli.graph.explain", "A failed compilation in plain words."),
    "canon": ("msdump.cli.graph.canon", "A graph as stable text, for plain diff and git."),
    "check": ("msdump.cli.graph.check", "FileCheck-like expectations on a graph."),
    "extract": ("msdump.cli.graph.extract", "The part around an operator as a graph of its own, or reduced."),
    "run": ("msdump.cli.graph.run", "Execute a graph on numpy."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Graphs (.ir, .dat, .dot, ms_output_*.pb, .mindir)."""

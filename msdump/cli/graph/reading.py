"""What the graph commands share at their doors: one graph read, colours, an output file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click

from msdump.cli.complaints import report_error
from msdump.errors import MsdumpError, ReadError, UnknownFormatError
from msdump.formats.atomic import write_file
from msdump.formats.graph_json import to_data
from msdump.graph import Graph
from msdump.io import inspect
from msdump.json_text import json_text
from msdump.source import WHOLE, BytePlace, Note


@dataclass(frozen=True, slots=True)
class OneGraph:
    """A graph as far as it could be read.

    Attributes:
        graph: what was read.
        path: the file, as the user named it.
        notes: odd things in the file.
        error: what ended the reading early, or None.
    """

    graph: Graph
    path: str
    notes: tuple[Note, ...] = ()
    error: MsdumpError | None = None

    @property
    def unread(self) -> tuple[Note, ...]:
        """What of the file is not understood."""
        return tuple(note for note in self.notes if note.level == "warning")

    @property
    def failed(self) -> bool:
        """Whether the file is damaged, or holds something that is not understood."""
        return self.error is not None or bool(self.unread)

    def report(self) -> None:
        """What was undone of a pasted text and what is wrong with it, on stderr, after what could be read was shown."""
        report_notes(self.path, self.notes, self.error)


def report_notes(path: str, notes: Sequence[Note], error: MsdumpError | None) -> bool:
    """The notes on a file that a user must see, and what ended its reading, on stderr; whether it is damaged."""
    sys.stdout.flush()
    undone = [note.what for note in notes if note.level == "undone"]
    if undone:
        click.echo(f"msdump: {path}: {'; '.join(undone)}", err=True)
    unread = [note for note in notes if note.level == "warning"]
    for note in unread[:_SHOWN]:
        report_error(ReadError(note.what, note.where or BytePlace(path, WHOLE)))
    if len(unread) > _SHOWN:
        click.echo(f"and {len(unread) - _SHOWN} more; `msdump graph show --check` lists all", err=True)
    if error is not None:
        report_error(error)
    return bool(unread) or error is not None


_SHOWN = 3
"""How many things that are not understood are told after the output of a command."""


def read_one(path: str) -> OneGraph:
    """The graph in a file, with what is odd about it; MsdumpError when there is none at all."""
    if os.path.isdir(path):
        raise UnknownFormatError(
            "is a directory, not a graph", BytePlace(path, WHOLE), "`msdump graph passes DIR` reads all"
        )
    reading = inspect(path)
    if not isinstance(reading.content, Graph):
        if reading.error is not None:
            raise reading.error
        raise UnknownFormatError(f"holds no graph but {reading.format or 'something else'}", BytePlace(path, 0))
    return OneGraph(reading.content, path, tuple(reading.notes), reading.error)


_COLORS = {"added": "green", "removed": "red", "changed": "yellow", "rewired": "cyan", "moved": "blue"}


def painter(color: bool) -> Callable[[str, str], str]:
    """Colours by role, when colour is wanted."""

    def paint(text: str, role: str) -> str:
        if not color:
            return text
        if role == "head":
            return click.style(text, bold=True)
        if role == "dim":
            return click.style(text, dim=True)
        return click.style(text, fg=_COLORS[role]) if role in _COLORS else text

    return paint


def write_text(path: str, text: str, force: bool) -> None:
    """A text file that appears whole; an existing one is an error unless `force`."""
    write_file(path, text.encode("utf-8", "surrogateescape"), force=force)


def graph_document(graph: Graph) -> str:
    """The graph as its JSON document (`msdump.graph/1`), from which it can be made again."""
    return json_text(to_data(graph))

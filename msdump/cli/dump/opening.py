"""How commands open a dump, and how they end when something in it could not be read."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from msdump.cli.complaints import report_error
from msdump.diff.dumps.launches import in_order
from msdump.dumps.opening import NothingDumped, read_dump
from msdump.errors import MsdumpError, ReadError
from msdump.formats.dump import storage
from msdump.pipes import shown
from msdump.render.escape import escape_control
from msdump.source import WHOLE, BytePlace

if TYPE_CHECKING:
    from msdump.diff.dumps.launches import Launched
    from msdump.formats.dump.reading import Dump
    from msdump.records import DumpRecord

_SORTED_UP_TO = 100_000


def open_dump(path: str, selection: dict[str, Any], graph: str | None = None) -> Dump:
    """The dump at a path (`-`: standard input); a path that is not there ends the command."""
    dump = read_dump(path, graph=graph, **selection)
    if not storage.exists(dump.root):
        raise ReadError("there is no such file or directory", BytePlace(path, WHOLE))
    return dump


def require_tensors(dump: Dump, count: int) -> None:
    """End the command when the dump, or what was chosen of it, holds no tensor at all: nothing that is
    said of none is an answer."""
    if not count and not dump.problems:
        raise NothingDumped(dump)


def blocks_in_order(records: Iterable[DumpRecord]) -> Iterator[list[Launched]]:
    """Records in execution order, all at once where they are few enough to be held."""
    rest = iter(records)
    while block := list(itertools.islice(rest, _SORTED_UP_TO)):
        yield in_order(block)


def troubles(dump: Dump) -> dict[str, Any]:
    """What every JSON document about a dump ends with: what could not be read, and what is odd."""
    problems = dict.fromkeys(shown(problem.line) for problem in dump.problems)
    return {"problems": [{"what": line} for line in problems], "notes": [shown(str(note)) for note in dump.notes]}


def ended(dump: Dump, status: int, untold: str = "", hint: str = "", notes: int = 5) -> int:
    """Tell on standard error what could not be read; 2 when there is such a thing, else `status`.

    `untold` says what could not be looked at, or "": nothing found is then no answer, and the status 2 too.
    """
    for note in dump.notes[:notes]:
        click.echo(f"note: {shown(escape_control(str(note)))}", err=True)
    if len(dump.notes) > notes:
        click.echo(f"note: and {len(dump.notes) - notes} more", err=True)
    for problem in {problem.line: problem for problem in dump.problems}.values():
        report_error(problem)
    if untold and not status:
        report_error(MsdumpError(untold, BytePlace(dump.root, WHOLE), hint))
    return 2 if dump.problems or (untold and not status) else status

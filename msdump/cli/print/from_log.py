"""`msdump print from-log`: what Print wrote on a screen, in a training log, back into records."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Literal

import click

from msdump.cli.terminal import emit_json, emit_lines, json_option
from msdump.conversion import target_format
from msdump.formats.print_screen.reader import read_print_log
from msdump.formats.print_screen.training import read_training
from msdump.formats.print_streams import problem_json
from msdump.pipes import local
from msdump.records import BadValue, PrintRecord
from msdump.render.table import one_line, table
from msdump.source import Note

SCHEMA = "msdump.print-from-log/1"
STATS_SCHEMA = "msdump.training-log/1"
_MOST_NOTES = 10
_FIRST = ("epoch", "step", "loss")


@click.command()
@click.argument("path", metavar="LOG")
@click.option(
    "-o", "--output", "out", default="", metavar="OUT.pb", help="The file to write; its suffix says the format."
)
@click.option("--to", default="", metavar="FORMAT", help="The format to write, whatever the suffix.")
@click.option("--force", is_flag=True, help="Replace OUT when it is there.")
@click.option(
    "--strings",
    type=click.Choice(["labels", "all", "none"]),
    default="labels",
    show_default=True,
    help="Lines to keep beside tensors: the one right before each, all that no logger wrote, none.",
)
@click.option("--encoding", default="", metavar="NAME", help="What LOG is in; by itself UTF-8, UTF-16 or GBK.")
@click.option("--stats", is_flag=True, help="The numbers of training in LOG (epoch, step, loss, times) as a table.")
@click.option("-v", "--verbose", is_flag=True, help="List what looks like Print's and is in no record, and every note.")
@json_option
def command(
    path: str,
    out: str,
    to: str,
    force: bool,
    strings: Literal["labels", "all", "none"],
    encoding: str,
    stats: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Find what MindSpore's Print wrote on the screen in LOG, and write it to OUT as records.

    LOG may have other lines between; `-` is standard input. The screen shows large tensors in part
    and floats with few digits: what is not there cannot come back, and is said.
    """
    if not (out or stats):
        raise click.UsageError("Missing option '-o' / '--output', or '--stats'.")
    if stats:
        _table(local(path), encoding, as_json)
        if not out:
            return 0
    _records(path, out, to, force, strings, encoding, verbose, as_json and not stats)
    return 0


def _records(
    path: str,
    out: str,
    to: str,
    force: bool,
    strings: Literal["labels", "all", "none"],
    encoding: str,
    verbose: bool,
    as_json: bool,
) -> None:
    target = target_format(out, "print", to)
    notes: list[Note] = []
    count = bad = left = 0

    def on_left(note: Note) -> None:
        nonlocal left
        left += 1
        if verbose:
            click.echo(f"msdump: {one_line(str(note), 500)}", err=True)

    def counted(records: Iterator[PrintRecord]) -> Iterator[PrintRecord]:
        nonlocal count, bad
        for record in records:
            count += 1
            bad += sum(isinstance(value, BadValue) for value in record.values)
            yield record

    found = read_print_log(local(path), strings=strings, encoding=encoding, notes=notes, on_left=on_left)
    first = next(found)  # a log without any is an error
    assert target.write is not None
    target.write(counted(itertools.chain([first], found)), out, force=force)
    if as_json:
        problems = [problem_json(note) for note in notes]
        document = {
            "schema": SCHEMA, "file": path, "output": out, "records": count, "bad": bad, "left_out": left,
            "problems": problems,
        }  # fmt: skip
        emit_json(document)
        return
    partly = f", {bad:,} of them only in part (shown as {target.name} holds bad values)" if bad else ""
    emit_lines([f"{count:,} record{'s' * (count != 1)} written to {one_line(out, 500)}{partly}"])
    sys.stdout.flush()
    shown = notes if verbose else notes[:_MOST_NOTES]
    for note in shown:
        click.echo(f"msdump: {one_line(str(note), 500)}", err=True)
    if len(notes) > len(shown):
        click.echo(f"msdump: and {len(notes) - len(shown):,} more notes (-v and --json have all)", err=True)
    if left and not verbose:
        pieces = f"{left:,} piece{'s' * (left != 1)} of text that may be Print's"
        click.echo(f"msdump: {pieces} {'are' if left != 1 else 'is'} in no record (-v lists them)", err=True)


def _table(path: str, encoding: str, as_json: bool) -> None:
    rows = read_training(path, encoding)
    if as_json:
        emit_json({"schema": STATS_SCHEMA, "file": path, "rows": rows})
        return
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [*(name for name in _FIRST if name in names), *(name for name in names if name not in _FIRST)]
    emit_lines(table(columns, [[f"{row[name]:g}" if name in row else "" for name in columns] for row in rows]))

"""`msdump print from-log`: what Print wrote on a screen, in a training log, back into records."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Literal

import click

from msdump.cli.terminal import emit_json, emit_lines, json_option
from msdump.errors import MsdumpError
from msdump.records import BadValue, PrintRecord
from msdump.source import Note

SCHEMA = "msdump.print-from-log/1"
_MOST_NOTES = 10


@click.command()
@click.argument("path", metavar="LOG")
@click.option(
    "-o", "--output", "out", required=True, metavar="OUT.pb", help="The file to write; its suffix says the format."
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
@json_option
def command(path: str, out: str, to: str, force: bool, strings: Literal["labels", "all", "none"], as_json: bool) -> int:
    """Find what MindSpore's Print wrote on the screen in LOG, and write it to OUT as records.

    LOG may have other lines between; `-` is standard input. The screen shows large tensors in part
    and floats with few digits: what is not there cannot come back, and is said.
    """
    from msdump.conversion import target_format
    from msdump.formats.print_log import read_print_log
    from msdump.pipes import local

    target = target_format(out, "print", to)
    notes: list[Note] = []
    count = bad = 0

    def counted(records: Iterator[PrintRecord]) -> Iterator[PrintRecord]:
        nonlocal count, bad
        for record in records:
            count += 1
            bad += sum(isinstance(value, BadValue) for value in record.values)
            yield record

    found = read_print_log(local(path), strings=strings, notes=notes)
    first = next(found, None)
    if first is None:
        raise MsdumpError(f"{path}: nothing that Print wrote is in it", hint="nothing was written")
    assert target.write is not None
    target.write(counted(itertools.chain([first], found)), out, force=force)
    if as_json:
        from msdump.formats.print_streams import problem_json

        problems = [problem_json(note) for note in notes]
        document = {"schema": SCHEMA, "file": path, "output": out, "records": count, "bad": bad, "problems": problems}
        emit_json(document)
        return 0
    from msdump.render.table import one_line

    partly = f", {bad:,} of them only in part (shown as {target.name} holds bad values)" if bad else ""
    emit_lines([f"{count:,} record{'s' * (count != 1)} written to {one_line(out, 500)}{partly}"])
    sys.stdout.flush()
    for note in notes[:_MOST_NOTES]:
        click.echo(f"msdump: {one_line(str(note), 500)}", err=True)
    if len(notes) > _MOST_NOTES:
        click.echo(f"msdump: and {len(notes) - _MOST_NOTES:,} more notes (--json has all)", err=True)
    return 0

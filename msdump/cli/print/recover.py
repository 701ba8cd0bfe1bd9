"""`msdump print recover`: every whole record of a damaged print.pb into a new one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from msdump.cli.terminal import Bar, emit_json, emit_lines, json_option
from msdump.conversion import target_format
from msdump.formats.print_pb.recover import Lost
from msdump.io import iter_recovered
from msdump.pipes import local
from msdump.records import PrintRecord
from msdump.render.table import one_line

SCHEMA = "msdump.print-recover/1"


@click.command()
@click.argument("path", metavar="FILE")
@click.option(
    "-o", "--output", "out", required=True, metavar="OUT", help="The file to write; its suffix says the format."
)
@click.option("--to", default="", metavar="FORMAT", help="The format to write, whatever the suffix.")
@click.option("--force", is_flag=True, help="Replace OUT when it is there.")
@json_option
def command(path: str, out: str, to: str, force: bool, as_json: bool) -> int:
    """Write every whole record of a damaged print.pb to OUT, and say what was lost."""
    lost: list[Lost] = []
    count = 0
    target = target_format(out, "print", to)
    name = local(path)
    size = os.path.getsize(name)

    def whole() -> Iterator[PrintRecord]:
        nonlocal count
        with Bar("recovering", size) as bar:
            for found in iter_recovered(name):
                bar.at(found.offset)
                if isinstance(found, Lost):
                    lost.append(found)
                    continue
                count += 1
                yield found

    assert target.write is not None
    target.write(whole(), out, force=force)
    nbytes = sum(gap.nbytes for gap in lost)
    if as_json:
        gaps = [{"offset": gap.offset, "nbytes": gap.nbytes, "what": gap.what} for gap in lost]
        document = {"schema": SCHEMA, "file": path, "output": out, "records": count, "lost_bytes": nbytes, "lost": gaps}
        emit_json(document)
        return 0
    lines = [f"{count:,} record{'s' * (count != 1)} written to {one_line(out, 500)}"]
    lines += [f"lost: {gap.nbytes:,} bytes from byte {gap.offset}: {one_line(gap.what, 200)}" for gap in lost]
    if not lost:
        lines.append("nothing was lost")
    emit_lines(lines)
    return 0

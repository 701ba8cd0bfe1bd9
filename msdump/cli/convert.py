"""`msdump convert`: any readable file to any format that holds the same kind of thing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from msdump.capability import CAPABILITIES
from msdump.cli.terminal import emit_json, emit_lines, json_option, watched
from msdump.conversion import conversions, convert, held, kinds
from msdump.errors import LossError
from msdump.formats import all_formats
from msdump.render.table import table

if TYPE_CHECKING:
    from msdump.records import PrintRecord


@click.command()
@click.argument("path", metavar="IN", required=False)
@click.option("-o", "--output", "out", metavar="OUT", help="The file or folder/ to write; its suffix says the format.")
@click.option("--to", default="", metavar="FORMAT", help="The format to write, whatever the suffix.")
@click.option("--force", is_flag=True, help="Replace OUT when it is there.")
@click.option("--lossy", is_flag=True, help="Leave out what the format cannot carry.")
@click.option("--dialect", metavar="VERSION", help="Of .ir: write as this release of MindSpore does.")
@click.option("--list", "listing", is_flag=True, help="Print the table of conversions.")
@json_option
def command(
    path: str | None,
    out: str | None,
    to: str,
    force: bool,
    lossy: bool,
    dialect: str | None,
    listing: bool,
    as_json: bool,
) -> int:
    """Convert IN to OUT. The format of IN is told by its content, that of OUT by its suffix."""
    if listing:
        _list(as_json)
        return 0
    if path is None or out is None:
        raise click.UsageError("IN and -o OUT are needed (or --list)")
    if out == "-":
        if not to:
            raise click.UsageError("-o - needs --to FORMAT")
        out, force = "/dev/stdout", True
    options = {"dialect": dialect} if dialect else {}
    try:
        convert(path, out, to=to, force=force, lossy=lossy, watch=_watch(path), **options)
    except LossError as error:
        error.hint = error.hint or "--lossy leaves it out: " + "; ".join(error.lost)
        raise
    return 0


def _watch(path: str) -> Callable[[Iterator[PrintRecord]], Iterator[PrintRecord]]:
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    return lambda records: watched(records, "converting", size, lambda record: record.offset)


def _list(as_json: bool) -> None:
    pairs = conversions()
    if as_json:
        rows = [{"kind": p.kind, "from": p.source, "to": p.target, "extra": p.extra or None} for p in pairs]
        capabilities = {name: sorted(names) for name, names in held().items()}
        emit_json({"schema": "msdump.conversions/1", "conversions": rows, "capabilities": capabilities}, indent=1)
        return
    for kind, (sources, targets) in kinds(pairs).items():
        formats = [f for f in all_formats() if f.kind == kind]
        emit_lines([f"{kind}: any of {', '.join(sources)}", f"{' ' * len(kind)}  to {', '.join(targets)}", ""])
        lines = [
            [
                f.name,
                " ".join("folder/" if s == "/" else s for s in f.suffixes),
                ("read " if f.read else "") + ("write" if f.write else ""),
                f.summary + (f" (extra: msdump[{f.extra}])" if f.extra else ""),
            ]
            for f in formats
        ]
        emit_lines(["  " + line for line in table(("format", "suffix", "can", "what"), lines, widest=200)])
        emit_lines([""])
    columns = held()
    marks = [
        ["x" if name in names else "-" for names in columns.values()] + [phrase]
        for name, phrase in CAPABILITIES.items()
        if not all(name in names for names in columns.values())
    ]
    emit_lines(["graph: what each format, and each dialect of .ir, can hold beside structure", ""])
    emit_lines(["  " + line for line in table((*columns, "what"), marks, widest=200)])

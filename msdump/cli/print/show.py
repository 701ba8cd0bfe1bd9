"""`msdump print show`: the records of a print log, as MindSpore shows them or as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import click

from msdump.cli.print.selection import Selection, Source, parse_grep, parse_index, print_format
from msdump.cli.terminal import color_option, emit, emit_lines, json_option, styled, watched
from msdump.formats.print_text import iter_text
from msdump.records import PrintRecord

COUNT = click.IntRange(min=0)


@click.command()
@click.argument("path", metavar="FILE")
@click.option("--head", type=COUNT, metavar="N", help="Only the first N records.")
@click.option("--tail", type=COUNT, metavar="N", help="Only the last N records.")
@click.option("--index", callback=parse_index, metavar="I:J", help="Records I up to, not including, J (as in Python).")
@click.option(
    "--grep",
    callback=parse_grep,
    metavar="REGEX",
    help="Records with a string that matches, tensors with such a label.",
)
@click.option(
    "--label", metavar="TEXT", help="Only what was printed under this string (a colon at its end may be left out)."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl", "csv"]),
    help="text (MindSpore's own), json, jsonl or csv.",
)
@json_option
@click.option(
    "--summarize", type=COUNT, metavar="N", help="Show tensors of more than N elements in short, others whole."
)
@click.option("--precision", type=click.IntRange(0, 20), metavar="P", help="Digits after the point, in the text form.")
@click.option("--stats", is_flag=True, help="A table by label: count, dtype, shape, min, max, mean, std, NaN, inf.")
@click.option("--follow", is_flag=True, help="Go on as the file is written, as tail -f does.")
@color_option
def command(
    path: str,
    head: int | None,
    tail: int | None,
    index: slice | None,
    grep: re.Pattern[str] | None,
    label: str | None,
    form: str | None,
    as_json: bool,
    summarize: int | None,
    precision: int | None,
    stats: bool,
    follow: bool,
    color: bool,
) -> int:
    """Show the records of a print log."""
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} exclude one another")
    form = "json" if as_json else form or "text"
    selection = Selection(index, head, tail, grep, label)
    source = Source(path, print_format(path))
    if follow:
        if stats or form == "json" or index is not None or not source.binary or path == "-":
            raise click.UsageError("--follow takes a print.pb and gives text, jsonl or csv; no --stats, no --index")
        emit(_pieces(_followed(path, selection), form, summarize, precision, source), flush=True)
        return 0
    records = source.records(selection)
    if stats:
        _show_stats(watched(records, "reading", _size(path), lambda r: r.offset), form, path, color)
    else:
        emit(_pieces(records, form, summarize, precision, source))
    if form == "json" and not stats:
        _raise_ending(source)
    source.check()
    return 0


def _pieces(
    records: Iterable[PrintRecord], form: str, summarize: int | None, precision: int | None, source: Source
) -> Iterator[str]:
    if form == "text":
        return iter_text(records, summarize, precision)
    from msdump.formats.print_streams import iter_csv, iter_json, iter_jsonl

    if form == "json":
        return iter_json(source.until_error(records), lambda: source.notes, summarize, file=source.path)
    if form == "jsonl":
        return iter_jsonl(records, summarize)
    return iter_csv(records)


def _raise_ending(source: Source) -> None:
    """The error that ended the records: the JSON document was closed first, with the error among its problems."""
    if source.error is not None:
        raise source.error


def _followed(path: str, selection: Selection) -> Iterator[PrintRecord]:
    from msdump.io import follow_print, open_print

    start = first = 0
    if selection.tail is not None:
        log = open_print(path)
        first = max(0, len(log) - selection.tail)
        start = log[first].offset if first < len(log) else _end(path)
    numbered = (replace(record, index=record.index + first) for record in follow_print(path, start=start))
    return replace(selection, tail=None).of(numbered)


def _end(path: str) -> int:
    import os

    return os.path.getsize(path)


def _size(path: str) -> int:
    import os

    return os.path.getsize(path) if path != "-" and os.path.isfile(path) else 0


def _show_stats(records: Iterable[PrintRecord], form: str, path: str, color: bool) -> None:
    from msdump.render.print_stats import LabelStats, collect, stats_csv, stats_json, stats_table

    found: dict[str, LabelStats] = {}
    try:
        collect(records, found)
    finally:
        # What could be read is shown before the error that ended it.
        if form in ("json", "jsonl"):
            emit([stats_json(found, path)])
        elif form == "csv":
            emit([stats_csv(found)])
        else:
            header, *rows = stats_table(found)
            emit_lines([styled(header, color, bold=True), *rows])

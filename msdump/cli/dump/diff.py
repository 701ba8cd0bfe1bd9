"""`msdump dump diff A B`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from msdump.cli.dump.options import Size, graph_option, selection_options
from msdump.cli.numbers import ATOL, RTOL
from msdump.cli.terminal import Bar, color_option, emit_json, emit_lines, json_option, styled
from msdump.dumps.comparing import diff_dumps
from msdump.formats.atomic import write_file
from msdump.json_text import json_text
from msdump.render import dump_report
from msdump.render.dump_diff import SORTS, table_lines, unpaired_lines, verdict_lines
from msdump.render.dump_json import to_json
from msdump.render.dump_report import SUFFIXES
from msdump.render.escape import escape_control


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--rtol", type=RTOL, default=0.0, help="Relative tolerance.")
@click.option("--atol", type=ATOL, default=0.0, help="Absolute tolerance.")
@click.option("--equal-nan", is_flag=True, help="NaN equals NaN.")
@click.option("--strict-dtype", is_flag=True, help="Another dtype is a difference, even with equal values.")
@click.option("--map", "renames", metavar="FILE|RULE", help="Names of A in B: a YAML file, or s/PATTERN/REPLACEMENT/.")
@graph_option
@selection_options
@click.option("--top", type=click.IntRange(min=0), default=20, show_default=True, help="Rows of the table.")
@click.option(
    "--sort",
    type=click.Choice(["order", "max_abs", "max_rel", "mean_abs", "rel_l2", "cosine", "ulp", "share", "mismatched"]),
    default="order",
    show_default=True,
    help="What the table is sorted by, worst first.",
)
@click.option("--all", "everything", is_flag=True, help="The table shows tensors that agree, too, and all rows.")
@json_option
@click.option("-o", "--output", metavar="FILE", help="Write there: .csv, .parquet, .xlsx, .html or .json.")
@click.option(
    "--to", type=click.Choice(["csv", "parquet", "xlsx", "html", "json"]), help="The format, whatever the suffix."
)
@click.option("--force", is_flag=True, help="Write over an existing file.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="How many work side by side; default: one a processor.")
@click.option("--memory", type=Size(), default="1G", show_default=True, help="Hold no more than about this.")
@click.option("--workers", type=click.IntRange(min=1), help="So many Dask processes on this machine.")
@click.option("--scheduler", metavar="HOST:PORT", help="A Dask scheduler whose workers do the work.")
@click.option("--resume", is_flag=True, help="Go on where a killed run of the same comparison was.")
@click.option("--journal", metavar="FILE", help="Where the progress is kept for --resume.")
@color_option
def command(
    a: str,
    b: str,
    top: int,
    sort: str,
    everything: bool,
    as_json: bool,
    output: str | None,
    to: str | None,
    force: bool,
    color: bool,
    **options: Any,
) -> int:
    """Where dumps A and B part: tensor by tensor, in execution order.

    Two numbers are equal when |a-b| <= atol + rtol*|b|; without these options they must be exactly
    equal. Exit status 0: all tensors have a partner that agrees; 1: some differ or have none; 2: nothing
    to compare, or something could not be read.
    """
    form = _form(output, to)
    if to not in (None, "json") and output is None:
        raise click.UsageError(f"--to {to} needs a file to write: -o FILE")
    with Bar("comparing", 1.0) as bar:
        diff = diff_dumps(a, b, **options, on_progress=lambda done, total: bar.at(done / max(1, total)))
    names = _names(a, b)
    if output is not None:
        _write(diff, names, output, form, force)
    if as_json or (to == "json" and output is None):
        from msdump.render.dump_json import to_json

        emit_json({**to_json(diff), "a": a, "b": b})
    else:
        _print(diff, names, top, sort, everything, color)
    for problem in diff.problems:
        click.echo(f"msdump: {escape_control(problem)}", err=True)
    return 2 if diff.problems else 0 if diff.same else 1


def _names(a: str, b: str) -> tuple[str, str]:
    """What the sides are called: the last part of each path, where that is a name and tells them apart."""
    left, right = (path.rstrip("/").rpartition("/")[2] for path in (a, b))
    named = left != right and all(part.strip(".") and not part.isdigit() for part in (left, right))
    return (left, right) if named else (a, b)


def _form(output: str | None, to: str | None) -> str:
    if to is not None or output is None:
        return to or "json"
    suffix = os.path.splitext(output)[1].lower()
    if suffix not in SUFFIXES:
        raise click.BadParameter(f"{output}: no format has this suffix; --to names one", param_hint="--output")
    return SUFFIXES[suffix]


def _write(diff: Any, names: tuple[str, str], output: str, form: str, force: bool) -> None:
    ways: dict[str, Callable[[], bytes]] = {
        "csv": lambda: dump_report.csv_bytes(diff),
        "parquet": lambda: dump_report.parquet_bytes(diff),
        "xlsx": lambda: dump_report.xlsx_bytes(diff),
        "html": lambda: dump_report.html_page(diff, names).encode(),
        "json": lambda: json_text(to_json(diff)).encode(),
    }
    content = ways[form]()
    write_file(output, content, force=force)


def _print(diff: Any, names: tuple[str, str], top: int, sort: str, everything: bool, color: bool) -> None:
    def paint(text: str, role: str) -> str:
        return styled(text, color, fg={"differs": "red", "agrees": "green"}.get(role), bold=role == "differs")

    emit_lines(verdict_lines(diff, names, paint))
    shown = list(diff.tensors if everything else diff.different)
    if sort != "order":
        shown.sort(key=SORTS[sort])
    left = 0 if everything else max(0, len(shown) - top)
    shown = shown[: len(shown) - left]
    if shown:
        emit_lines(["", *table_lines(shown, diff)])
        if left:
            emit_lines([f"… and {left:,} more that differ (--top N, --all)"])
    if diff.only_a or diff.only_b:
        emit_lines(["", *unpaired_lines(diff, names, len(diff.only_a) + len(diff.only_b) if everything else top)])
    for note in diff.notes[: None if everything else 5]:
        click.echo(f"note: {escape_control(note)}", err=True)

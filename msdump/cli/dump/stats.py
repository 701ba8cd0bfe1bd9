"""`msdump dump stats DIR`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from msdump.cli.dump.opening import ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.numbers import ATOL, RTOL
from msdump.cli.terminal import emit_json, emit_lines, json_option
from msdump.diff.dumps.launches import in_order
from msdump.diff.dumps.tensor_statistics import BESIDE, check_statistics, tensor_statistics
from msdump.diff.tensor.metrics import comparable
from msdump.errors import ReadError
from msdump.formats.dump.statistic import StatisticRow, format_statistic
from msdump.render.dump_text import STATISTICS, record_json, shape_text, statistics_cells, statistics_json, title
from msdump.render.table import table

if TYPE_CHECKING:
    from msdump.records import DumpRecord


@click.command()
@click.argument("path")
@selection_options
@graph_option
@click.option("--check", "checking", is_flag=True, help="Compare the data with statistic.csv; 1 when they differ.")
@click.option("--saved", is_flag=True, help="What statistic.csv says, without reading the data.")
@click.option("--rtol", type=RTOL, default=1e-4, show_default=True, help="With --check, of values.")
@click.option("--atol", type=ATOL, default=1e-6, show_default=True, help="With --check, of values.")
@click.option("--csv", "as_csv", is_flag=True, help="As the text of a statistic.csv.")
@json_option
def command(
    path: str,
    graph: str | None,
    checking: bool,
    saved: bool,
    rtol: float,
    atol: float,
    as_csv: bool,
    as_json: bool,
    **selection: Any,
) -> int:
    """Statistics of each tensor, recomputed from its data; where there is none, the saved ones.

    --check holds saved statistics against the data: values within the tolerance, counts exactly.
    """
    dump = open_dump(path, selection, graph)
    rows: list[tuple[DumpRecord, dict[str, Any], list[str]]] = []
    checked = unsaved = 0
    for launched in in_order(dump):
        record = launched.record
        kept = record.statistics
        wrong: list[str] = []
        try:
            if record.tensor is None or (saved and kept is not None):
                values = dict(kept or {})
            elif saved:
                continue
            else:
                values = tensor_statistics(record.tensor, md5=as_csv or (kept is not None and "md5" in kept))
                values |= {"dtype": record.tensor.dtype.name, "shape": record.tensor.shape}
                if kept is None or not set(kept) & set(values) - set(BESIDE):
                    unsaved += 1
                else:
                    wrong = check_statistics(kept, values, rtol, atol) if checking else []
                    if checking and not comparable(kept.get("shape"), record.tensor.shape):
                        wrong.append("shape")
                    checked += 1
        except ReadError as error:
            dump.problems.append(error)
            continue
        rows.append((record, values, wrong))
    require_tensors(dump, len(rows))
    failing = [row for row in rows if row[2]]
    if as_json:
        emit_json({**_document(rows, checking, checked), **troubles(dump)})
    elif as_csv:
        click.echo(_csv(rows), nl=False)
    elif checking:
        _tell_check(failing, checked, unsaved, sum(r.tensor is None for r, _, _ in rows))
    else:
        emit_lines(_table(rows))
    if checking and not checked and not dump.problems:
        from msdump.errors import MsdumpError

        raise MsdumpError(f"{path}: no tensor has both data and statistics, so there is nothing to check")
    return ended(dump, 1 if failing else 0)


def _document(rows: list[tuple[DumpRecord, dict[str, Any], list[str]]], checking: bool, checked: int) -> dict[str, Any]:
    tensors = []
    for record, values, wrong in rows:
        found = {**record_json(record), "statistics": statistics_json(values)}
        if checking:
            found["saved"] = None if record.statistics is None else statistics_json(record.statistics)
            found["wrong"] = wrong
        tensors.append(found)
    document: dict[str, Any] = {"schema": "msdump.dump-stats/1"}
    if checking:
        document |= {"checked": checked, "same": not any(wrong for _, _, wrong in rows)}
    return {**document, "tensors": tensors}


def _csv(rows: list[tuple[DumpRecord, dict[str, Any], list[str]]]) -> str:
    return format_statistic(
        [
            StatisticRow(
                r.op_type,
                r.op_name,
                r.io,
                r.slot,
                r.task,
                r.stream,
                r.timestamp,
                int(values.get("size") or (r.tensor.nbytes if r.tensor is not None else 0)),
                str(values.get("dtype", "")).lower(),
                tuple(values.get("shape") or ()),
                values,
            )
            for r, values, _ in rows
        ]
    )


def _table(rows: list[tuple[DumpRecord, dict[str, Any], list[str]]]) -> list[str]:
    head = ["operator", "", "dtype", "shape", *(name for _, name in STATISTICS)]
    cells = []
    for record, values, _ in rows:
        name = title(record)
        cells.append(
            [
                name if len(name) < 50 else "…" + name[-48:],
                f"{record.io} {record.slot}",
                str(values.get("dtype", "")),
                shape_text(values.get("shape")),
                *statistics_cells(values),
            ]
        )
    return table(head, cells, right=range(4, len(head)))


def _tell_check(
    failing: list[tuple[DumpRecord, dict[str, Any], list[str]]], checked: int, unsaved: int, undumped: int
) -> None:
    said = f"{checked:,} tensors checked against their statistics: {checked - len(failing):,} agree"
    for count, what in ((unsaved, "without statistics"), (undumped, "without data")):
        said += f"; {count:,} {what}" if count else ""
    emit_lines([said])
    for record, values, wrong in failing:
        saved = record.statistics or {}
        told = ", ".join(f"{key} saved {saved.get(key)}, is {values.get(key)}" for key in wrong)
        emit_lines([f"≠ {title(record)}   {record.io} {record.slot}   {told}"])

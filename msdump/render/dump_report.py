"""A dump diff as files: CSV, Parquet, an Excel workbook, one HTML page."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from msdump.diff.dumps.result import DumpDiff
from msdump.errors import WriteError
from msdump.render.dump_diff import how, inputs_text, places, summary
from msdump.render.dump_json import COLUMNS, flat_rows
from msdump.render.dump_text import shape_text
from msdump.render.escape import escape_control
from msdump.render.report_page import Markup, answer, page, table, text

SUFFIXES = {".csv": "csv", ".parquet": "parquet", ".xlsx": "xlsx", ".html": "html", ".htm": "html", ".json": "json"}


def csv_bytes(diff: DumpDiff) -> bytes:
    """A row a tensor, with a header; text in UTF-8."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat_rows(diff))
    return out.getvalue().encode("utf-8", "surrogateescape")


def parquet_bytes(diff: DumpDiff) -> bytes:
    """The same as a Parquet table (`msdump[parquet]`)."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise WriteError(
            "Parquet needs pyarrow, which is not installed", hint="pip install 'msdump[parquet]'"
        ) from None
    rows = flat_rows(diff)
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({c: _column(c, [r[c] for r in rows]) for c in COLUMNS}), out)
    return out.getvalue()


_INTEGERS = frozenset(
    {"slot", "iteration", "rank", "occurrence", "count", "mismatched", "nan_a", "nan_b", "inf_a", "inf_b"}
)
_FLOATS = frozenset({"share", "max_abs", "mean_abs", "max_rel", "cosine", "rel_l2", "max_ulp"})


def _column(name: str, values: list[Any]) -> Any:
    # Types are given, so that a table of no rows, or of Nones, has the same ones.
    import pyarrow

    if name == "same":
        return pyarrow.array(values, pyarrow.bool_())
    if name in _INTEGERS:
        return pyarrow.array(values, pyarrow.int64())
    if name in _FLOATS:
        return pyarrow.array(values, pyarrow.float64())
    return pyarrow.array([None if v is None else _text(str(v)) for v in values], pyarrow.string())


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")


def xlsx_bytes(diff: DumpDiff) -> bytes:
    """The same as an Excel workbook (`msdump[xlsx]`)."""
    try:
        import openpyxl
    except ImportError:
        raise WriteError("xlsx needs openpyxl, which is not installed", hint="pip install 'msdump[xlsx]'") from None
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("tensors")
    sheet.append(list(COLUMNS))
    for row in flat_rows(diff):
        sheet.append([_cell(row[c]) for c in COLUMNS])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, str):
        text = escape_control(_text(value)).replace("\n", "\\n")
        # A spreadsheet would take a text that begins so for a formula.
        return "'" + text if text[:1] in "=+-@" else text
    return value


def html_page(diff: DumpDiff, names: tuple[str, str]) -> str:
    """One page that needs nothing else; everything that comes from a file is escaped."""
    title = f"{names[0]} against {names[1]}"
    return page(title, [f"<h1>{text(title)}</h1>", *html_parts(diff, names)])


def html_parts(diff: DumpDiff, names: tuple[str, str], most: int | None = None) -> list[str]:
    """What a page says about two dumps: the first divergence, then all tensors, those that differ first."""
    parts = [answer(summary(diff, names), diff.same)]
    first = diff.first
    if first is not None:
        t, which, spot = first.tensor, first.tensor.which, first.tensor.spot
        where = f"<code>{text(t.scope or which.op_name)}</code> <code>{text(spot.source)}</code>"
        state = inputs_text(first) + "; "
        parts += [
            f'<section class="removed"><b>first divergence</b> {text(which.op_type)} {text(which.io)} {which.slot} of '
            f"{where} <code>{text(spot.code)}</code>",
            f"<br>{text(state + how(t))}</section>",
        ]
    parts += [answer(problem, False) for problem in diff.problems]
    place = places(diff)
    heads = ("", "operator", "", "dtype", "shape", "max |a−b|", "max rel", "cosine", "how", "source")
    rows = [
        (
            Markup('<span class="good">=</span>' if t.same else '<span class="bad">≠</span>'),
            t.scope or t.which.op,
            place(t).replace(" ", "\u00a0"),
            t.diff.dtype[0] if t.diff.dtype[0] == t.diff.dtype[1] else "/".join(t.diff.dtype),
            shape_text(t.diff.shape[0]).replace(" ", "\u00a0"),
            *(_number(v) for v in (t.diff.max_abs, t.diff.max_rel, t.diff.cosine)),
            how(t),
            t.spot.source,
        )
        for t in sorted(diff.tensors, key=lambda t: t.same)
    ]
    parts.append(table(heads, rows, (5, 6, 7), most))
    for found, name in ((diff.only_a, names[0]), (diff.only_b, names[1])):
        if found:
            listed = [(u.scope or u.which.op, place(u)) for u in found]
            parts += [f"<h3>only in {text(name)}</h3>", table(("operator", ""), listed, most=most)]
    return parts


def _number(value: float | int | None) -> str:
    return "" if value is None else f"{value:.6g}"

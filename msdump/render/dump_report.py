"""A dump diff as files: CSV, Parquet, an Excel workbook, one HTML page."""

from __future__ import annotations

import csv
import html
import io
import math
from typing import Any

from msdump.diff.dumps.result import DumpDiff
from msdump.errors import WriteError
from msdump.render.dump_diff import COLUMNS, flat_rows, how, shape_text, summary
from msdump.render.escape import escape_control

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


_STYLE = """
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #8884; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
tr.differs td:first-child { color: #c0392b; font-weight: 600; }
code { font-family: ui-monospace, monospace; }
.first { border-left: .3rem solid #c0392b; padding: .5rem 1rem; background: #c0392b14; }
"""


def html_page(diff: DumpDiff, names: tuple[str, str]) -> str:
    """One page that needs nothing else; everything that comes from a file is escaped."""
    e = _escape
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>",
        e(f"{names[0]} against {names[1]}"),
        f"</title><style>{_STYLE}</style><body><h1>",
        e(f"{names[0]} against {names[1]}"),
        "</h1>",
    ]
    first = diff.first
    if first is not None:
        t = first.tensor
        state = {"agree": "its inputs agree", "differ": "its inputs already differ"}.get(first.inputs, "")
        parts.append(
            f"<p class=first><b>first divergence</b> {e(t.op_type)} <code>{e(t.scope or t.op_name)}</code> "
            f"{t.io} {t.slot} <code>{e(t.source)}</code> <code>{e(t.code)}</code><br>{e(state)} {e(how(t))}</p>"
        )
    parts.append(f"<p>{e(summary(diff, names))}</p>")
    parts += [f"<p class=problem>{e(problem)}</p>" for problem in diff.problems]
    heads = ("", "operator", "", "dtype", "shape", "max |a−b|", "max rel", "cosine", "how", "source")
    parts.append("<table><thead><tr>" + "".join(f"<th>{e(h)}" for h in heads) + "<tbody>")
    for t in sorted(diff.tensors, key=lambda t: t.same):
        numbers = "".join(f"<td class=n>{e(_number(v))}" for v in (t.max_abs, t.max_rel, t.cosine))
        dtype = t.dtype[0] if t.dtype[0] == t.dtype[1] else "/".join(t.dtype)
        parts.append(
            f"<tr class={'agrees' if t.same else 'differs'}><td>{'=' if t.same else '≠'}"
            f"<td><code>{e(t.scope or t.op)}</code><td>{t.io} {t.slot}<td>{e(dtype)}"
            f"<td>{e(shape_text(t.shape[0]))}{numbers}<td>{e(how(t))}<td><code>{e(t.source)}</code>"
        )
    parts.append("</table>")
    for found, name in ((diff.only_a, names[0]), (diff.only_b, names[1])):
        if found:
            parts.append(f"<h2>only in {e(name)}</h2><ul>")
            parts += [f"<li><code>{e(u.scope or u.op)}</code> {u.io} {u.slot}" for u in found]
            parts.append("</ul>")
    return "".join(parts) + "</body></html>\n"


def _escape(text: str) -> str:
    return html.escape(escape_control(_text(text)))


def _number(value: float | int | None) -> str:
    return "" if value is None else f"{value:.6g}"

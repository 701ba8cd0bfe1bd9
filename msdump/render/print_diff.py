"""How two print logs compare, for a person and for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from msdump.diff.records import RecordsDiff, Spot, ValueDiff
from msdump.json_values import value_json
from msdump.records import BadValue, PrintValue
from msdump.render.metrics_json import metrics_json
from msdump.render.table import number_text, one_line, table

SCHEMA = "msdump.print-diff/1"
_COLUMNS = ("a", "b", "label", "what", "shape", "out of tolerance", "max |a-b|", "max rel", "cosine", "ULP", "worst at")
_RIGHT = (5, 6, 7, 8, 9)


def diff_json(result: RecordsDiff, a: str, b: str) -> Iterator[str]:
    """The JSON document in pieces."""
    tolerance = result.tolerance
    first = result.first
    head = {
        "schema": SCHEMA,
        "a": a,
        "b": b,
        "same": result.same,
        "compared": result.compared,
        "different": result.different,
        "only_a": result.only_a,
        "only_b": result.only_b,
        "dtypes": result.dtypes,
        "tolerance": {"rtol": tolerance.rtol, "atol": tolerance.atol, "equal_nan": tolerance.equal_nan},
        "align": result.alignment,
        "first": None if first is None else difference_json(first),
    }
    yield json.dumps(head, ensure_ascii=True)[:-1] + ', "differences": ['
    separator = "\n "
    for difference in result.differences:
        yield separator + json.dumps(difference_json(difference), ensure_ascii=True)
        separator = ",\n "
    yield "\n]}\n" if result.differences else "]}\n"


def difference_json(difference: ValueDiff) -> dict[str, Any]:
    """One difference: where, what, and the metrics or the values."""
    made: dict[str, Any] = {
        "index": difference.index,
        "label": difference.label,
        "kind": difference.kind,
        "what": difference.what,
        "a": _spot(difference.a),
        "b": _spot(difference.b),
    }
    if difference.tensor is not None:
        made |= metrics_json(difference.tensor)
    if difference.values is not None:
        made["values"] = [None if value is None else value_json(value) for value in difference.values]
    return made


def _spot(spot: Spot | None) -> dict[str, int] | None:
    return None if spot is None else {"index": spot[0], "value": spot[1]}


def headline(result: RecordsDiff) -> str:
    """The answer in a line."""
    if result.same:
        compared = f"{result.compared:,} value{'s' * (result.compared != 1)} compared"
        return f"the same: {compared}" + _dtypes(result)
    parts = (
        [f"{result.different:,} of {result.compared:,} values differ"]
        if result.compared
        else ["no value has a partner"]
    )
    parts += [f"{count:,} only in {side}" for side, count in (("a", result.only_a), ("b", result.only_b)) if count]
    return ", ".join(parts) + _dtypes(result)


def _dtypes(result: RecordsDiff) -> str:
    return f" ({result.dtypes:,} of other types, compared by value)" if result.dtypes else ""


def diff_lines(result: RecordsDiff) -> Iterator[tuple[str, str]]:
    """The report's lines, each with what it is: "same", "different", "first", "header", "row"."""
    yield ("same" if result.same else "different"), headline(result)
    first = result.first
    if first is None:
        return
    yield "row", ""
    yield "first", f"first divergence   record {first.index}   {one_line(first.label.strip()) or '(no label)'}"
    for line in _detail(first):
        yield "row", "  " + line
    yield "row", ""
    header, *rows = table(_COLUMNS, (_cells(d) for d in result.differences), right=_RIGHT)
    yield "header", header
    for row in rows:
        yield "row", row


def _detail(difference: ValueDiff) -> Iterator[str]:
    metrics = difference.tensor
    if metrics is None:
        yield difference.what
        for side, value in zip("ab", difference.values or (), strict=False):
            if value is not None:
                yield f"{side}: {_shown(value)}"
        return
    shapes = [f"[{', '.join(map(str, shape or ()))}]" for shape in metrics.shape]
    if metrics.shapes_differ:
        yield f"shapes differ: a {metrics.dtype[0]} {shapes[0]}, b {metrics.dtype[1]} {shapes[1]}"
        return
    yield (
        f"{metrics.mismatched:,} of {metrics.count:,} out of tolerance"
        f", max |a-b| {number_text(metrics.max_abs)}, mean {number_text(metrics.mean_abs)}"
        f", max rel {number_text(metrics.max_rel)}, cosine {number_text(metrics.cosine)}"
        f", rel L2 {number_text(metrics.rel_l2)}"
        + (f", {metrics.max_ulp:,} ULP" if metrics.max_ulp is not None else "")
    )
    if metrics.worst is not None and metrics.worst_values is not None:
        a, b = (number_text(_python(v)) for v in metrics.worst_values)
        yield f"worst at [{', '.join(map(str, metrics.worst))}]: a {a}, b {b}"
    if any(metrics.nan) or any(metrics.inf):
        yield f"NaN: a {metrics.nan[0]:,}, b {metrics.nan[1]:,}; infinite: a {metrics.inf[0]:,}, b {metrics.inf[1]:,}"


def _python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) and not isinstance(value.item(), bytes) else value


def _shown(value: PrintValue) -> str:
    if isinstance(value, str):
        return one_line(repr(value), 200)
    if isinstance(value, BadValue):
        return one_line(f"bad value: {value.what}", 200)
    return f"{value.dtype.name} [{', '.join(map(str, value.shape))}]" + (f" {value}" if value.ndim == 0 else "")


def _cells(difference: ValueDiff) -> list[str]:
    spots = [_place(difference.a), _place(difference.b)]
    metrics = difference.tensor
    label = difference.label.strip()
    if metrics is None:
        values = [v for v in difference.values or () if v is not None]
        shape = "×".join(map(str, values[0].shape)) if values and not isinstance(values[0], str | BadValue) else ""
        return [*spots, label, difference.what, shape, *[""] * 6]
    shapes = [f"[{', '.join(map(str, shape or ()))}]" for shape in metrics.shape]
    shape = shapes[0] if shapes[0] == shapes[1] else " → ".join(shapes)
    if metrics.shapes_differ:
        return [*spots, label, difference.what, shape, *[""] * 6]
    worst = "" if metrics.worst is None else f"[{', '.join(map(str, metrics.worst))}]"
    return [
        *spots,
        label,
        difference.what,
        shape,
        f"{metrics.mismatched:,}/{metrics.count:,}",
        number_text(metrics.max_abs),
        number_text(metrics.max_rel),
        number_text(metrics.cosine),
        number_text(metrics.max_ulp),
        worst,
    ]


def _place(spot: Spot | None) -> str:
    if spot is None:
        return "-"
    return str(spot[0]) if spot[1] == 0 else f"{spot[0]}.{spot[1]}"

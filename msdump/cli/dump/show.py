"""`msdump dump show PATH [SLICE]`."""

from __future__ import annotations

import re
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from msdump.cli.dump.opening import blocks_in_order, ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.terminal import emit_json, emit_lines, json_option
from msdump.errors import ReadError
from msdump.json_values import data, number
from msdump.pipes import shown
from msdump.render.dump_text import flat, place_text, record_json, shape_text, statistics_json, title
from msdump.render.table import number_text
from msdump.source import WHOLE, BytePlace

if TYPE_CHECKING:
    from msdump.records import DumpRecord


class Slice(click.ParamType[tuple[Any, ...]]):
    """Indices and ranges, as Python writes them: `[0,:,3]`, `[-1]`, `[::2, 0:4]`, `[..., 0]`."""

    name = "slice"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        inner = str(value).strip().removeprefix("[").removesuffix("]")
        found: list[Any] = []
        for piece in (p.strip() for p in inner.split(",")):
            if piece == "...":
                found.append(Ellipsis)
            elif re.fullmatch(r"-?[0-9]{1,18}", piece):
                found.append(int(piece))
            elif match := re.fullmatch(r"(-?[0-9]{1,18})?:(-?[0-9]{1,18})?(?::(-?[0-9]{1,18})?)?", piece):
                start, stop, step = (int(g) if g else None for g in match.groups())
                if step == 0:
                    self.fail(f"{value!r}: a step of 0", param, ctx)
                found.append(slice(start, stop, step))
            elif piece:
                self.fail(f"{value!r} is no slice; '[0,:,3]' is", param, ctx)
        return tuple(found)


@click.command()
@click.argument("path")
@click.argument("where", type=Slice(), required=False, metavar="[SLICE]")
@click.option("--slice", "other", type=Slice(), help="The same, as an option: '[0,:,3]'.")
@selection_options
@graph_option
@click.option("--io", type=click.Choice(["input", "output"]), help="Only inputs, or outputs.")
@click.option("--slot", type=click.IntRange(min=0), help="Only this input or output.")
@click.option("--precision", type=click.IntRange(0, 17), default=6, show_default=True, help="Digits of a number.")
@click.option("--summarize", type=int, default=1000, show_default=True, help="Print all of up to so many; -1: all.")
@click.option("--histogram", type=click.IntRange(1, 1000), metavar="BINS", help="How values are spread.")
@json_option
def command(
    path: str,
    where: tuple[Any, ...] | None,
    other: tuple[Any, ...] | None,
    graph: str | None,
    io: str | None,
    slot: int | None,
    precision: int,
    summarize: int,
    histogram: int | None,
    as_json: bool,
    **selection: Any,
) -> int:
    """One tensor, or those of PATH that are chosen: values, a slice of them, a histogram."""
    dump = open_dump(path, selection, graph)
    at = where if where is not None else other
    documents: list[dict[str, Any]] = []
    count = 0
    for launched in chain.from_iterable(blocks_in_order(dump)):
        record = launched.record
        if (io is not None and record.io != io) or (slot is not None and record.slot != slot):
            continue
        count += 1
        try:
            if as_json:
                documents.append(_document(record, at, histogram))
            else:
                emit_lines(_lines(record, at, precision, summarize, histogram))
        except ReadError as error:
            dump.problems.append(error)
    for file, units in dump.overflows():
        count += 1
        if as_json:
            documents.append({"path": file.path, "overflow": units})
        else:
            emit_lines(_overflow_lines(file.path, units))
    require_tensors(dump, count)
    if as_json:
        emit_json({"schema": "msdump.dump-tensors/1", "tensors": documents, **troubles(dump)})
    return ended(dump, 0)


def _sliced(record: DumpRecord, at: tuple[Any, ...] | None) -> Any:
    assert record.tensor is not None
    array = record.tensor.numpy()
    if at is None:
        return array
    try:
        return array[at]
    except IndexError as error:
        what = f"the slice does not fit shape {record.tensor.shape}: {error}"
        raise ReadError(what, BytePlace(record.path, WHOLE)) from None


def _document(record: DumpRecord, at: tuple[Any, ...] | None, bins: int | None) -> dict[str, Any]:
    found = record_json(record)
    if record.tensor is not None:
        import numpy as np

        array = np.asarray(_sliced(record, at))
        found |= {"dtype": record.tensor.dtype.name, "shape": list(record.tensor.shape)}
        found |= {"slice_shape": list(array.shape), "data": data(array)}
        if bins is not None:
            from msdump.diff.dumps.tensor_statistics import histogram

            counted = histogram(record.tensor, bins)
            found["histogram"] = {"edges": [number(e) for e in counted.edges], "counts": list(counted.counts)}
    if record.statistics is not None:
        found["statistics"] = statistics_json(record.statistics)
    return found


def _lines(
    record: DumpRecord, at: tuple[Any, ...] | None, precision: int, summarize: int, bins: int | None
) -> list[str]:
    head = f"{title(record)}   {record.io} {record.slot}   {place_text(record)}"
    if record.tensor is None:
        values = record.statistics or {}
        said = ", ".join(f"{key} {_statistic(v)}" for key, v in values.items() if key != "shape")
        return [head, f"  statistics only: shape {shape_text(values.get('shape'))}, {flat(said)}"]
    array = np.asarray(_sliced(record, at))
    tensor = record.tensor
    form = f", {flat(record.format)}" if record.format not in ("", "DefaultFormat") else ""
    lines = [head, f"  {tensor.dtype.name} {shape_text(tensor.shape)}{form}   {flat(shown(record.path))}"]
    values_shown = array if array.dtype.kind in "biufc" else array.astype(np.float32)
    threshold = sys.maxsize if summarize < 0 else summarize
    with np.printoptions(precision=precision, threshold=threshold, linewidth=110, suppress=False):
        lines += str(values_shown).split("\n")
    if bins is not None:
        lines += _histogram_lines(record, bins)
    return lines


def _statistic(value: Any) -> str:
    """A saved statistic: `null` for no finite value, and NaN for NaN."""
    return "null" if value is None else "NaN" if value != value else str(value)


def _histogram_lines(record: DumpRecord, bins: int) -> list[str]:
    from msdump.diff.dumps.tensor_statistics import histogram

    assert record.tensor is not None
    counted = histogram(record.tensor, bins)
    most = max(counted.counts, default=0)
    lines = []
    for low, high, count in zip(counted.edges, counted.edges[1:], counted.counts, strict=False):
        bar = "█" * (count * 40 // most if most else 0)
        lines.append(f"{number_text(low):>13} … {number_text(high):<13} {count:>12,}  {bar}".rstrip())
    odd = (("NaN", counted.nan), ("-inf", counted.negative_inf), ("+inf", counted.positive_inf))
    return lines + [f"{name:>31} {count:>12,}" for name, count in odd if count]


def _overflow_lines(path: str, units: dict[str, dict[str, Any]]) -> list[str]:
    lines = [f"overflow   {flat(path)}"]
    for unit, told in units.items():
        lines.append(f"  {flat(unit)}: " + ", ".join(f"{flat(str(k))} {flat(str(v))}" for k, v in told.items()))
    return lines

"""Print records as a Parquet table, a row a value (needs the extra `parquet`).

Columns: record, value (positions, from 0), label, kind ("string", "tensor", "bad"), text (of a
string), dtype, shape, scalar (of a tensor with one real element, as float64), bytes (a tensor's
elements, little-endian, or a bad value's bytes), what and part (of a bad value), and the columns of the
metadata where the file has it: call, time_ns, rank, step, file, line.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from msdump.dtype import by_name, name_of
from msdump.errors import DecodeError, WriteError
from msdump.formats.atomic import new_file
from msdump.formats.format import Format
from msdump.records import BadValue, PrintMeta, PrintRecord, PrintValue
from msdump.source import BytePlace

_BATCH = 10_000
_BATCH_BYTES = 64 << 20
_META = ("call", "time_ns", "rank", "step", "file", "line")


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise WriteError("Parquet needs pyarrow", hint="pip install 'msdump[parquet]'") from error
    return pyarrow


def _schema(pa: Any) -> Any:
    columns = [
        ("record", pa.int64()), ("value", pa.int32()), ("label", pa.string()), ("kind", pa.string()),
        ("text", pa.string()), ("dtype", pa.string()), ("shape", pa.list_(pa.int64())),
        ("scalar", pa.float64()), ("bytes", pa.large_binary()), ("what", pa.string()), ("part", pa.string()),
        ("call", pa.int64()), ("time_ns", pa.int64()), ("rank", pa.int64()), ("step", pa.int64()),
        ("file", pa.string()), ("line", pa.int64()),
    ]  # fmt: skip
    return pa.schema(columns, metadata={"schema": "msdump.print-table/1"})


def _rows(records: Iterable[PrintRecord]) -> Iterator[dict[str, Any]]:
    label = ""
    for record in records:
        meta = {name: getattr(record.meta, name) for name in _META} if record.meta else {}
        if record.meta is not None:
            label = ""
        for slot, value in enumerate(record.values):
            row: dict[str, Any] = {"record": record.index, "value": slot, **meta}
            if isinstance(value, str):
                label = value
                row |= {"kind": "string", "text": value}
            elif isinstance(value, BadValue):
                row |= {"kind": "bad", "dtype": value.dtype, "shape": list(value.shape)}
                row |= {"bytes": value.raw, "what": value.what, "part": value.part}
            else:
                array = np.asarray(value)
                if array.dtype.isbuiltin != 2:
                    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
                row |= {"kind": "tensor", "dtype": name_of(array.dtype), "shape": list(array.shape)}
                row |= {"bytes": array.tobytes()}
                if array.size == 1 and array.dtype.kind != "c":
                    row["scalar"] = float(array.reshape(-1)[0])
            yield row | {"label": label}


def write(
    records: Iterable[PrintRecord], path: str | os.PathLike[str], *, force: bool = False, lossy: bool = False
) -> None:
    """Write the table, in groups of rows that fit in memory.

    Raises:
        WriteError: pyarrow is not installed.
    """
    pa = _pyarrow()
    schema = _schema(pa)
    with new_file(path, force=force) as stream, pa.parquet.ParquetWriter(stream, schema) as writer:
        for batch in _batches(_rows(records)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    weight = 0
    for row in rows:
        batch.append(row)
        weight += len(row.get("bytes") or b"")
        if len(batch) >= _BATCH or weight >= _BATCH_BYTES:
            yield batch
            batch, weight = [], 0
    yield batch


def read(path: str | os.PathLike[str]) -> Iterator[PrintRecord]:
    """The records of a table that `write` made.

    Raises:
        DecodeError: it is none.
        WriteError: pyarrow is not installed.
    """
    pa = _pyarrow()
    where = BytePlace(os.fspath(path), 0)
    try:
        file = pa.parquet.ParquetFile(path)
        rows = (row for batch in file.iter_batches(1000) for row in batch.to_pylist())
        for index, (_, group) in enumerate(itertools.groupby(rows, key=lambda row: row["record"])):
            held = list(group)
            first = held[0]
            meta = PrintMeta(**{name: first[name] for name in _META}) if first["call"] is not None else None
            yield PrintRecord(index, tuple(_value(row) for row in held), 0, meta)
    except (KeyError, ValueError, TypeError, AttributeError, OSError, pa.ArrowException) as error:
        raise DecodeError(f"is no table of print records: {error}", where) from None


def _value(row: dict[str, Any]) -> PrintValue:
    if row["kind"] == "string":
        return str(row["text"])
    shape = tuple(row["shape"])
    if row["kind"] == "bad":
        return BadValue(row["bytes"], row["dtype"], shape, row["what"], row.get("part") or "content")
    known = by_name(row["dtype"])
    if known is None:
        raise ValueError(f"unknown dtype {row['dtype']!r}")
    little = known.np if known.ml else known.np.newbyteorder("<")
    array = np.frombuffer(row["bytes"], little).astype(known.np, copy=False).reshape(shape)
    value: PrintValue = array if array.ndim else array[()]
    return value


FORMATS = (
    Format(
        "parquet", "print", "print log as a Parquet table, a row a value", read, write,
        frozenset({"calls", "values", "meta"}), extra="parquet",
    ),
)  # fmt: skip

"""Print records as text that can be written and read one after another: text, JSON, JSON lines, CSV.

Schemas: docs/json.md. The text form is what MindSpore 2.x writes on the screen for the same values
(msdump.ms_text); it cannot be read back here, `print from-log` reads it out of a log.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from msdump.errors import LossError, ParseError
from msdump.formats.atomic import new_file
from msdump.formats.format import Format
from msdump.json_text import json_text, parse_json
from msdump.json_values import data, record_from_json, record_json, value_json
from msdump.ms_text import value_text
from msdump.records import BadValue, PrintRecord, PrintValue
from msdump.source import BytePlace, Note, TextPlace

Records: TypeAlias = "Iterable[PrintRecord]"
SCHEMA = "msdump.print/1"
CSV_COLUMNS = ("record", "value", "label", "kind", "dtype", "shape", "data")


# --- out ----------------------------------------------------------------------------------------


def iter_text(records: Records, summarize: int | None = None, precision: int | None = None) -> Iterator[str]:
    """The text of each record: its values as MindSpore shows them, each on lines of its own.

    Args:
        records: the records.
        summarize: show tensors of more elements than this in short, others whole; None leaves it to
            MindSpore's rule.
        precision: digits after the point; None leaves it to MindSpore's rule.
    """
    for record in records:
        yield "".join([value_line(value, summarize, precision) for value in record.values])


def value_line(value: PrintValue, summarize: int | None = None, precision: int | None = None) -> str:
    """One value's text and its newline."""
    if isinstance(value, BadValue):
        shape = ", ".join(map(str, value.shape))
        return f"BadValue(shape=[{shape}], dtype={value.dtype}, bytes={len(value.raw)}: {value.what})\n"
    if isinstance(value, str) or (summarize is None and precision is None):
        return value_text(value) + "\n"
    array = np.asarray(value)
    if array.dtype.kind == "V":
        array = array.astype(np.int64 if "int" in array.dtype.name else np.float32)
    shown = np.array2string(
        array,
        threshold=sys.maxsize if summarize is None else summarize,
        precision=precision,
        separator=", ",
        max_line_width=120,
        floatmode="maxprec" if precision is None else "fixed",
    )
    name = value_json_type(np.asarray(value))
    shape = ", ".join(map(str, array.shape))
    gap = "\n" if array.ndim > 1 else " "
    return f"Tensor(shape=[{shape}], dtype={name}, value={gap}{shown})\n"


def value_json_type(array: np.ndarray[Any, Any]) -> str:
    """MindSpore's name of an array's type."""
    from msdump.json_values import dtype_name

    return dtype_name(array.dtype)


def iter_json(
    records: Records,
    problems: Callable[[], Iterable[Note]] = tuple,
    summarize: int | None = None,
    **extra: Any,
) -> Iterator[str]:
    """The JSON document in pieces, records as they come; `problems` is asked when they have ended."""
    yield json_text({"schema": SCHEMA, **extra})[:-1] + ', "records": ['
    separator = "\n "
    for record in records:
        yield separator + json_text(_summarized(record, summarize))
        separator = ",\n "
    notes = [problem_json(note) for note in problems()]
    yield f'\n], "problems": {json_text(notes)}}}\n'


def problem_json(note: Note) -> dict[str, Any]:
    """One thing that is wrong with a file: {"offset" or "line", "what"}."""
    where: dict[str, Any] = {}
    if isinstance(note.where, BytePlace):
        where = {"offset": note.where.offset}
    elif isinstance(note.where, TextPlace):
        where = {"line": note.where.line}
    return {**where, "what": note.what, "level": note.level}


def iter_jsonl(records: Records, summarize: int | None = None) -> Iterator[str]:
    """One record a line, each as in the document's "records"."""
    for record in records:
        yield json_text(_summarized(record, summarize)) + "\n"


def _summarized(record: PrintRecord, summarize: int | None) -> dict[str, Any]:
    """The record's JSON; with a limit, the "data" of larger tensors gives way to a "summary"."""
    if summarize is None or all(not hasattr(v, "dtype") or _size(v) <= summarize for v in record.values):
        return record_json(record)
    small = PrintRecord(record.index, tuple(_head(v, summarize) for v in record.values), record.offset, record.meta)
    made = record_json(small)
    for value, entry in zip(record.values, made["values"], strict=True):
        if _size(value) > summarize and isinstance(value, np.ndarray):
            finite = value if value.dtype.kind != "V" else value.astype(np.float32)
            edges = {} if value.dtype.kind == "c" else {"min": data(finite.min()), "max": data(finite.max())}
            entry |= {"shape": list(value.shape), "data": None, "summary": {"count": value.size, **edges}}
    return made


def _size(value: PrintValue) -> int:
    return int(value.size) if isinstance(value, np.ndarray) else 1


def _head(value: PrintValue, limit: int) -> PrintValue:
    return value.reshape(-1)[:0] if isinstance(value, np.ndarray) and value.size > limit else value


def iter_csv(records: Records) -> Iterator[str]:
    """A table, a row a value: a number as itself, an array as JSON, a bad value as base64."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    label = ""
    for record in records:
        if record.meta is not None:
            label = ""
        for slot, value in enumerate(record.values):
            if isinstance(value, str):
                label = value
            entry = value_json(value)
            content = entry.get("value", entry.get("raw", entry.get("data")))
            if entry["kind"] == "tensor" and not isinstance(content, str):
                content = json.dumps(content)
            shape = "x".join(map(str, entry.get("shape", ())))
            writer.writerow((record.index, slot, label, entry["kind"], entry.get("dtype", ""), shape, content))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _write(pieces: Iterator[str], path: str | os.PathLike[str], force: bool) -> None:
    with new_file(path, force=force) as stream:
        for piece in pieces:
            stream.write(piece.encode("utf-8", "backslashreplace"))


def write_json(records: Records, path: str | os.PathLike[str], *, force: bool = False, lossy: bool = False) -> None:
    """Write the JSON document."""
    _write(iter_json(records), path, force)


def write_jsonl(records: Records, path: str | os.PathLike[str], *, force: bool = False, lossy: bool = False) -> None:
    """Write one record a line."""
    _write(iter_jsonl(records), path, force)


def write_csv(records: Records, path: str | os.PathLike[str], *, force: bool = False, lossy: bool = False) -> None:
    """Write the table."""
    _write(iter_csv(records), path, force)


def write_text(records: Records, path: str | os.PathLike[str], *, force: bool = False, lossy: bool = False) -> None:
    """Write what the screen would show.

    Raises:
        LossError: a value would be shown in short or with fewer digits than it has, and not `lossy`.
    """
    if not lossy:
        raise LossError(
            f"{os.fspath(path)}: text shows large tensors in short and drops digits",
            ("elements of large tensors", "digits"),
            hint="--lossy (lossy=True) writes it all the same",
        )
    _write(iter_text(records), path, force)


# --- in -----------------------------------------------------------------------------------------


def read_json(path: str | os.PathLike[str]) -> Iterator[PrintRecord]:
    """The records of a JSON document.

    Raises:
        ParseError: it is no JSON, or not of the schema.
    """
    name = os.fspath(path)
    with open(path, "rb") as stream:
        text = stream.read()
    document = parse_json(text, name)
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise ParseError(f"the schema is {schema!r}, not {SCHEMA!r}", TextPlace(name, 1))
    records = document.get("records")
    if not isinstance(records, list):
        raise ParseError('there is no list "records"', TextPlace(name, 1))
    for index, content in enumerate(records):
        try:
            yield record_from_json(content, index)
        except ValueError as error:
            raise ParseError(f"record {index}: {error}", TextPlace(name, 1)) from None


def read_jsonl(path: str | os.PathLike[str]) -> Iterator[PrintRecord]:
    """The records of a file with one a line; empty lines are passed over.

    Raises:
        ParseError: a line is no record; every record before it was given.
    """
    name, index = os.fspath(path), 0
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.isspace():
                continue
            content = parse_json(line, name, number)
            try:
                record = record_from_json(content, index)
            except ValueError as error:
                raise ParseError(str(error), TextPlace(name, number)) from None
            yield record
            index += 1


def sniff_json(head: bytes, name: str) -> int:
    """100 for the schema's name near the start."""
    return 100 if head.lstrip()[:1] == b"{" and b'"msdump.print/1"' in head[:400] else 0


def sniff_jsonl(head: bytes, name: str) -> int:
    """90 for a first line that is a record."""
    line = head.lstrip().split(b"\n", 1)[0]
    return 90 if line.startswith(b'{"index"') and b'"values"' in line[:2000] else 0


_CARRIES = frozenset({"calls", "values", "meta"})
FORMATS = (
    Format("json", "print", (".json",), "print log as one JSON document", sniff_json, read_json, write_json, _CARRIES),
    Format(
        "jsonl", "print", (".jsonl",), "print log, a JSON record a line", sniff_jsonl, read_jsonl, write_jsonl, _CARRIES
    ),
    Format(
        "csv", "print", (".csv",), "print log as a table, a row a value", write=write_csv, carries=frozenset({"values"})
    ),
    Format("text", "print", (".txt", ".log"), "print log as MindSpore shows it on the screen", write=write_text),
)

"""Print records as text that can be written and read one after another: JSON, JSON lines, CSV (docs/json.md)."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from msdump.errors import ParseError
from msdump.formats.atomic import new_file
from msdump.formats.format import Format
from msdump.json_text import json_text, parse_json
from msdump.json_values import data, record_from_json, record_json, value_json
from msdump.records import PrintRecord, PrintValue
from msdump.source import BytePlace, Note, TextPlace

Records: TypeAlias = "Iterable[PrintRecord]"
SCHEMA = "msdump.print/1"
CSV_COLUMNS = ("record", "value", "label", "kind", "dtype", "shape", "data")


# --- out ----------------------------------------------------------------------------------------


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


_HELD = frozenset({"calls", "values", "meta"})
FORMATS = (
    Format("json", "print", "print log as one JSON document", read_json, write_json, _HELD),
    Format("jsonl", "print", "print log, a JSON record a line", read_jsonl, write_jsonl, _HELD),
    Format("csv", "print", "print log as a table, a row a value", write=write_csv, capabilities=frozenset({"values"})),
)

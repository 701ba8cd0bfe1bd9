"""`msdump dump ls DIR`."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from msdump.cli.dump.opening import blocks_in_order, ended, open_dump, require_tensors, troubles
from msdump.cli.dump.options import graph_option, selection_options
from msdump.cli.terminal import emit_json, emit_json_text, emit_lines, json_option
from msdump.errors import ReadError
from msdump.formats.dump import storage
from msdump.formats.dump.reading import table_of
from msdump.json_text import json_text
from msdump.render.dump_text import bytes_text, flat, place_text, record_json, shape_text, statistics_json, title

if TYPE_CHECKING:
    from msdump.formats.dump.reading import Dump
    from msdump.records import DumpRecord


@click.command()
@click.argument("path")
@selection_options
@graph_option
@click.option("-l", "--long", "details", is_flag=True, help="Each tensor with dtype and shape (opens every file).")
@click.option("--format", "form", type=click.Choice(["text", "json", "jsonl"]), default="text", help="How to say it.")
@json_option
def command(path: str, graph: str | None, details: bool, form: str, as_json: bool, **selection: Any) -> int:
    """What a dump holds: by rank, graph and iteration; with -l each tensor.

    Files are listed, not opened, and a directory of a million files needs no more memory than one of
    ten.
    """
    dump = open_dump(path, selection, graph)
    if as_json or form in ("json", "jsonl") or details or _is_file(path):
        records = iter(dump)
        first = list(itertools.islice(records, 1))
        require_tensors(dump, len(first) + any(True for _ in (() if first else dump.overflows())))
        records = itertools.chain(first, records)
        if form == "jsonl" and not as_json:
            for record in records:
                emit_json(_entry(dump, record, details))
        elif as_json or form == "json":
            _write_json(dump, records, path, details)
        else:
            emit_lines(itertools.chain.from_iterable(_tables(dump, records)))
    else:
        emit_lines(_overview(dump))
    return ended(dump, 0)


def _is_file(path: str) -> bool:
    return not storage.is_dir(path)


def _write_json(dump: Dump, records: Iterable[DumpRecord], path: str, details: bool) -> None:
    # A document of a million tensors is written as it comes.
    head = {"schema": "msdump.dump-list/1", "path": path, "metadata": dump.metadata()}
    emit_json_text(json_text(head)[:-1] + ', "tensors": [')
    for number, record in enumerate(records):
        emit_json_text((", " if number else "") + json_text(_entry(dump, record, details)))
    emit_json_text("], " + json_text(troubles(dump))[1:] + "\n")


def _entry(dump: Dump, record: DumpRecord, details: bool) -> dict[str, Any]:
    found = record_json(record)
    if details and record.tensor is not None and (known := _opened(dump, record)) is not None:
        found["dtype"], found["shape"] = known[0], list(known[1])
    if record.statistics is not None:
        found["statistics"] = statistics_json(record.statistics)
    return found


def _opened(dump: Dump, record: DumpRecord) -> tuple[str, tuple[int, ...]] | None:
    """Dtype and shape, from the file; None when it cannot be read, which is noted."""
    assert record.tensor is not None
    try:
        return record.tensor.dtype.name, record.tensor.shape
    except ReadError as error:
        dump.problems.append(error)
        return None


def _tables(dump: Dump, records: Iterable[DumpRecord]) -> Iterator[list[str]]:
    """Tables of tensors, sorted where they are few enough to be held."""
    for block in blocks_in_order(records):
        for place, group in itertools.groupby(block, key=lambda x: _place(x.record)):
            yield [place]
            yield _table(dump, [x.record for x in group])


def _place(record: DumpRecord) -> str:
    return place_text(record)


def _table(dump: Dump, records: Iterable[DumpRecord]) -> list[str]:
    from msdump.render.table import table

    rows = []
    for r in records:
        dtype, shape = "?", None
        if r.tensor is not None:
            known = _opened(dump, r)
            dtype, shape = known if known is not None else ("unreadable", None)
        elif r.statistics is not None:
            dtype, shape = f"{r.statistics.get('dtype', '?')} (statistics)", r.statistics.get("shape")
        name = title(r)
        rows.append([name if len(name) < 60 else "…" + name[-58:], f"{r.io} {r.slot}", dtype, shape_text(shape)])
    return ["  " + line for line in table(["operator", "", "dtype", "shape"], rows)]


@dataclass(slots=True)
class _Group:
    """What one rank, net, graph and iteration has."""

    files: int = 0
    size: int = 0
    rows: int = 0
    operators: set[str] = field(default_factory=set)


def _overview(dump: Dump) -> Iterator[str]:
    from msdump.render.table import table

    groups: dict[tuple[int, str, int, str, bool], _Group] = {}
    beside: Counter[str] = Counter()
    for file in dump.files():
        if file.role not in ("tensor", "statistic"):
            beside[file.role] += 1
            continue
        p = file.place
        group = groups.setdefault((p.rank, p.net, p.iteration, p.graph.rjust(12), p.constants), _Group())
        if file.name is not None:
            group.files += 1
            group.size += file.size()
            group.operators.add(file.name.op_name)
        else:
            operators = _operators_of(dump, file.path)
            group.rows += len(operators)
            group.operators.update(operators)
    config = dump.metadata().get("config")
    if isinstance(config, dict) and config:
        yield flat(", ".join(f"{key} {value}" for key, value in config.items()))
    # Rows of statistic.csv have a column where there are some.
    rows = any(group.rows for group in groups.values())
    cells = [
        [
            str(rank),
            flat(net),
            flat(graph.strip()),
            "constants" if constants else (str(iteration) if iteration >= 0 else "-"),
            f"{len(group.operators):,}",
            f"{group.files:,}",
            bytes_text(group.size),
            *([f"{group.rows:,}"] if rows else []),
        ]
        for (rank, net, iteration, graph, constants), group in sorted(groups.items(), key=lambda item: item[0])
    ]
    require_tensors(dump, len(cells) + beside["overflow"])
    if cells:
        head = ["rank", "net", "graph", "iteration", "operators", "files", "size", *(["statistics"] if rows else [])]
        yield from table(head, cells, right=(0, 2, 3, 4, 5, 6, 7))
    else:
        yield "no dumped tensors"
    if beside["overflow"]:
        yield f"also: {beside['overflow']:,} overflow"


def _operators_of(dump: Dump, path: str) -> list[str]:
    """The operator of each row of a statistic.csv."""
    try:
        table = table_of(path)
        dump.problems += table.problems
        return [row.op_name for row in table.rows]
    except ReadError as error:
        dump.problems.append(error)
        return []

"""A dump as a whole: its records, streamed, with the names and statistics that belong to them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from msdump.dtype import by_name
from msdump.errors import DecodeError, ReadError
from msdump.formats.dump import storage
from msdump.formats.dump.bin import read_bin
from msdump.formats.dump.file_names import DumpName, parse_name
from msdump.formats.dump.layout import EVERYTHING, DumpFile, Selection, walk
from msdump.formats.dump.npy import NpyTensor
from msdump.formats.dump.overflow import read_overflow
from msdump.formats.dump.payload import PayloadTensor
from msdump.formats.dump.resolve import UNRESOLVED, Resolved, resolve_names
from msdump.formats.dump.sidecars import ExecutionOrder, read_execution_order, read_metadata
from msdump.formats.dump.statistic import NAME as STATISTIC
from msdump.formats.dump.statistic import StatisticRow, StatisticTable, read_statistic
from msdump.formats.packed import packed_bytes
from msdump.records import DumpRecord
from msdump.source import WHOLE, BytePlace, Note
from msdump.tensor import TensorData

NamesInGraph: TypeAlias = "Callable[[str, str], Sequence[str]]"


def _no_names(_directory: str, _graph: str) -> Sequence[str]:
    return ()


class Dump:
    """A dump directory (or one file of it): iterate for its DumpRecords.

    Iterating reads names alone for .npy files and the headers of .bin files; values are read when a
    record's tensor is asked for them. It may be iterated again.

    Args:
        root: a path or a URL.
        selection: which records are wanted.
        names_in_graph: (directory of the rank, graph id) → full names of the graph's operators as it
            lists them, or none; for names that the execution order alone does not resolve.

    Attributes:
        root, selection: as given.
        notes: odd things seen so far.
        problems: what could not be read so far, one ReadError each; everything else was given.
    """

    def __init__(
        self,
        root: str,
        selection: Selection = EVERYTHING,
        names_in_graph: NamesInGraph = _no_names,
    ) -> None:
        self.root = root
        self.selection = selection
        self.names_in_graph = names_in_graph
        self.notes: list[Note] = []
        self.problems: list[ReadError] = []
        self._orders: dict[str, ExecutionOrder] = {}
        self._chosen: dict[str, bool] = {}
        self._known: tuple[str, dict[str, Resolved]] = ("", {})

    def files(self) -> Iterator[DumpFile]:
        """Every wanted file, not opened, in the order of the file system."""
        return walk(self.root, self.selection, self.problems.append)

    def __iter__(self) -> Iterator[DumpRecord]:
        self.notes.clear()
        self.problems.clear()
        statistics: _Statistics | None = None
        directory: str | None = None  # a file that is named without one stands in ""
        for file in self.files():
            here = storage.parent(file.path)
            if here != directory:
                if statistics is not None:
                    yield from self._rest(statistics)
                directory, statistics = here, self._statistics_of(here, file)
            if file.role == "tensor" and file.name is not None:
                for record in self._records(file, file.name):
                    yield self._named(record, statistics)
        if statistics is not None:
            yield from self._rest(statistics)

    def overflows(self) -> Iterator[tuple[DumpFile, dict[str, dict[str, Any]]]]:
        """Overflow reports, each with its file."""
        for file in self.files():
            if file.role == "overflow":
                try:
                    yield file, read_overflow(file.path)
                except ReadError as error:
                    self.problems.append(error)

    def order_of(self, file_path: str, rank_dir: int) -> ExecutionOrder:
        """The execution order beside the files of a rank; empty when there is none."""
        directory = self.rank_directory(file_path, rank_dir)
        found = self._orders.get(directory)
        if found is None:
            place = storage.join(directory, "execution_order")
            try:
                found = read_execution_order(place) if storage.is_dir(place) else ExecutionOrder()
            except ReadError as error:
                self.problems.append(error)
                found = ExecutionOrder()
            self.notes += found.notes
            self._orders[directory] = found
        return found

    def rank_directory(self, file_path: str, rank_dir: int) -> str:
        """The directory of the rank a file belongs to; the root where the layout has none."""
        if not rank_dir:
            return self.root
        return storage.ancestor(file_path, rank_dir)

    def metadata(self) -> dict[str, Any]:
        """What .dump_metadata says of the first rank found: "config", "data_dump", … by file."""
        for file in self.files():
            place = storage.join(self.rank_directory(file.path, file.place.rank_dir), ".dump_metadata")
            if storage.is_dir(place):
                found, notes = read_metadata(place)
                self.notes += notes
                return found
            return {}
        return {}

    def chosen_operators(self, file_path: str, rank_dir: int) -> bool:
        """Whether the dump's configuration chose some operators of the rank, so that others are absent."""
        place = storage.join(self.rank_directory(file_path, rank_dir), ".dump_metadata")
        if place not in self._chosen:
            settings = read_metadata(place)[0].get("data_dump") if storage.is_dir(place) else None
            common = settings.get("common_dump_settings") if isinstance(settings, dict) else None
            common = common if isinstance(common, dict) else {}
            self._chosen[place] = bool(common.get("dump_mode") or common.get("kernels") or common.get("op_debug_mode"))
        return self._chosen[place]

    def _note(self, note: Note) -> None:
        if note not in self.notes:
            self.notes.append(note)

    # -- one file ---------------------------------------------------------------------------------

    def _records(self, file: DumpFile, name: DumpName) -> list[DumpRecord]:
        try:
            if name.kind == "async":
                return self._asynchronous(file, name)
            return [self._record(file, name, name.io, name.slot, self._tensor(file, name), name.format)]
        except ReadError as error:
            self.problems.append(error)
        return []

    def _tensor(self, file: DumpFile, name: DumpName) -> TensorData:
        if name.kind == "npy":
            return NpyTensor(file.path, name.dtype, on_note=self._note)
        size = file.size()
        known = dtype = by_name(name.dtype)
        if dtype is None:
            if name.dtype:
                self.notes.append(Note(f"dtype {name.dtype} is unknown; bytes are given", BytePlace(file.path, 0)))
            dtype = by_name("UInt8")
            assert dtype is not None
        if name.shape is not None and packed_bytes(math.prod(name.shape), dtype) > size:
            raise DecodeError(
                f"shape {name.shape} of {dtype.name} needs more than {size} bytes", BytePlace(file.path, size)
            )
        return PayloadTensor(file.path, 0, size, dtype, name.shape, name.format, unknown=known is None)

    def _asynchronous(self, file: DumpFile, name: DumpName) -> list[DumpRecord]:
        content = read_bin(file.path)
        self.notes += content.notes
        if content.problem is not None:
            self.problems.append(content.problem)
        return [self._record(file, name, s.io, s.slot, s.tensor, s.format) for s in content.slots]

    def _record(
        self, file: DumpFile, name: DumpName, io: str, slot: int, tensor: TensorData, layout: str
    ) -> DumpRecord:
        place = file.place
        resolved = self._resolved(name.op_name, file)
        return DumpRecord(
            name.op_type,
            name.op_name,
            io,
            slot,
            place.iteration,
            place.rank,
            place.graph,
            place.net,
            name.serial if name.op_type == "TensorDump" else name.task,
            name.stream,
            name.timestamp,
            layout,
            tensor,
            None,
            file.path,
            name.full_name or resolved.full_name,
            resolved.position,
        )

    # -- names ------------------------------------------------------------------------------------

    def _resolved(self, op_name: str, file: DumpFile) -> Resolved:
        directory = storage.parent(file.path)
        if self._known[0] != directory:
            self._known = (directory, self._resolve(directory, file))
        return self._known[1].get(op_name, UNRESOLVED)

    def _resolve(self, directory: str, file: DumpFile) -> dict[str, Resolved]:
        """What the operators of one directory are called: all of them together, since releases
        number operators in file names and in the execution order each in its own way."""
        graph = file.place.graph
        rank = self.rank_directory(file.path, file.place.rank_dir)

        @functools.cache
        def in_graph() -> Sequence[str]:
            return self.names_in_graph(rank, graph)

        ordered = self.order_of(file.path, file.place.rank_dir).names(graph) or in_graph()
        if not ordered:
            return {}
        seen: dict[str, int] = {}
        for other in walk(directory) if storage.is_dir(self.root) else (file,):
            if storage.parent(other.path) != directory:
                break  # a directory's own files come before those below it
            if other.name is not None:
                first = seen.get(other.name.op_name)
                if first is None or other.name.timestamp < first:
                    seen[other.name.op_name] = other.name.timestamp
            elif other.role == "statistic":
                for row in self._rows_of(other):
                    seen[row.op_name] = min(row.timestamp, seen.get(row.op_name, row.timestamp))
        found = resolve_names(ordered, seen, in_graph)
        for op_name, resolved in found.items():
            if len(resolved.candidates) > 1:
                shown = ", ".join(resolved.candidates[:4]) + (" …" if len(resolved.candidates) > 4 else "")
                self.notes.append(
                    Note(f"{op_name} is ambiguous: it may be {shown}", BytePlace(directory, WHOLE), "warning")
                )
        return found

    def _rows_of(self, file: DumpFile) -> list[StatisticRow]:
        try:
            return table_of(file.path).rows
        except ReadError:
            return []

    # -- statistics -------------------------------------------------------------------------------

    def _statistics_of(self, directory: str, file: DumpFile) -> _Statistics | None:
        # One look at the directory finds it, whether or not the file itself has come by yet.
        path = file.path if file.role == "statistic" else storage.join(directory, STATISTIC)
        if file.role != "statistic" and not (storage.is_dir(self.root) and storage.exists(path)):
            return None
        try:
            table = table_of(path)
        except ReadError as error:
            self.problems.append(error)
            return None
        self.problems += table.problems
        return _Statistics(file, path, RowsByTensor(table.rows))

    def _named(self, record: DumpRecord, statistics: _Statistics | None) -> DumpRecord:
        r = record
        row = None if statistics is None else statistics.rows.of(r.op_type, r.op_name, r.io, r.slot, r.timestamp)
        return record if row is None else replace(record, statistics=_saved(row))

    def _rest(self, statistics: _Statistics) -> Iterator[DumpRecord]:
        place = statistics.file.place
        for row in statistics.rows.unused():
            resolved = self._resolved(row.op_name, statistics.file)
            if not self.selection.takes(STATISTIC, row.op_type, row.op_name, resolved.full_name):
                continue
            yield DumpRecord(
                row.op_type,
                row.op_name,
                row.io,
                row.slot,
                place.iteration,
                place.rank,
                place.graph,
                place.net,
                row.task,
                row.stream,
                row.timestamp,
                "",
                None,
                _saved(row),
                statistics.path,
                resolved.full_name,
                resolved.position,
            )


def table_of(path: str) -> StatisticTable:
    """The rows of a statistic.csv; of one that is about a single operator, called as the file is."""
    name = parse_name(storage.parts(path)[-1].removesuffix(".csv"))
    return read_statistic(path) if name is None else read_statistic(path, op_type=name.op_type, op_name=name.op_name)


class RowsByTensor:
    """Rows of statistics, found by the tensor they are about; `unused` are those that nobody asked for."""

    def __init__(self, rows: Iterable[StatisticRow]) -> None:
        self._rows: dict[tuple[str, str, str, int], list[StatisticRow]] = {}
        for row in rows:
            self._rows.setdefault((row.op_type, row.op_name, row.io, row.slot), []).append(row)
        self._used: set[int] = set()

    def of(self, op_type: str, op_name: str, io: str, slot: int, timestamp: int) -> StatisticRow | None:
        """The row of a tensor."""
        rows = self._rows.get((op_type, op_name, io, slot), [])
        # Data and statistics of one tensor may carry stamps of their own moments.
        found = next((r for r in rows if r.timestamp == timestamp), rows[0] if len(rows) == 1 else None)
        if found is not None:
            self._used.add(id(found))
        return found

    def unused(self) -> Iterator[StatisticRow]:
        """Rows of which there is no tensor."""
        for rows in self._rows.values():
            yield from (row for row in rows if id(row) not in self._used)


def _saved(row: StatisticRow) -> dict[str, Any]:
    return {**row.values, "dtype": row.dtype, "shape": row.shape, "size": row.size}


@dataclass(frozen=True, slots=True)
class _Statistics:
    """The statistic.csv of a directory: the file by which it was found, its path, its rows."""

    file: DumpFile
    path: str
    rows: RowsByTensor

"""Whether the files of a dump are whole, and all there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from msdump.dtype import by_name
from msdump.errors import ReadError, TruncatedError
from msdump.formats.dump import storage
from msdump.formats.dump.bin import read_bin
from msdump.formats.dump.file_names import DumpName
from msdump.formats.dump.layout import DumpFile
from msdump.formats.dump.npy import Header, NpyTensor, mislabelled
from msdump.formats.dump.overflow import read_overflow
from msdump.formats.dump.reading import Dump, RowsByTensor, table_of
from msdump.formats.dump.resolve import resolve_names
from msdump.formats.dump.statistic import NAME as STATISTIC
from msdump.formats.packed import capacity, packed_bytes
from msdump.source import BytePlace

FindingKind = Literal["truncated", "unreadable", "missing", "duplicate", "mismatch", "trailing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: "truncated", "unreadable", "missing", "duplicate" or "mismatch" (a file's name
    or statistics say another type or shape than its header); "trailing" bytes behind the data are odd but
    harmless. `path` is the file, or the directory something is missing in."""

    kind: FindingKind
    path: str
    what: str

    @property
    def harmless(self) -> bool:
        """Whether all data could be read all the same."""
        return self.kind == "trailing"


@dataclass(slots=True)
class DiskUse:
    """Files and bytes, in all and by rank, graph and iteration, and by operator type; `dumped` are the
    files that hold tensors, statistics or overflow reports, `unknown` those that nothing is known of, so that
    they are not looked at."""

    files: int = 0
    dumped: int = 0
    bytes: int = 0
    unknown: int = 0
    places: Counter[tuple[int, str, int]] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)

    def add(self, file: DumpFile, size: int) -> None:
        """Count one file."""
        self.files += 1
        self.dumped += file.role in ("tensor", "statistic", "overflow")
        self.unknown += file.role == "other"
        self.bytes += size
        place = file.place
        self.places[place.rank, place.graph, place.iteration] += size
        if file.name is not None:
            self.operators[file.name.op_type] += size


def check(dump: Dump, use: DiskUse | None = None) -> Iterator[Finding]:
    """Look at every file of a dump: headers are read, values are not.

    Told are files that end early, cannot be read, or stand there twice, or whose name or statistics say what
    their header does not; operators of the execution order that have no file in a directory where others of
    their graph have; inputs and outputs that an operator has in another iteration or rank, and iterations that
    another rank has.
    """
    use = use if use is not None else DiskUse()
    expected = _Expected(dump)
    directory, files = "", list[DumpFile]()
    headers: list[tuple[DumpName, Header, str]] = []
    for file in dump.files():
        here = storage.parent(file.path)
        if here != directory:
            yield from _directory(dump, directory, files)
            yield from _against_statistics(dump, directory, headers)
            directory, files, headers = here, [], []
        try:
            size = file.size()
            use.add(file, size)
            yield from _file(file, size, headers)
        except TruncatedError as error:
            yield Finding("truncated", file.path, _said(error))
        except ReadError as error:
            yield Finding("unreadable", file.path, _said(error))
        if file.role == "tensor":
            files.append(file)
            expected.add(here, file)
    yield from _directory(dump, directory, files)
    yield from _against_statistics(dump, directory, headers)
    for problem in dump.problems:  # directories, and what stands beside the tensors
        yield Finding("unreadable", "" if problem.where is None else problem.where.file, _said(problem))
    dump.problems.clear()
    if not (dump.selection.ops or dump.selection.include or dump.selection.exclude):
        yield from expected.missing()


def _said(error: ReadError) -> str:
    at = "" if error.where is None else error.where.short()
    return f"{error.what} ({at})" if at else error.what


def _file(file: DumpFile, size: int, headers: list[tuple[DumpName, Header, str]]) -> Iterator[Finding]:
    name = file.name
    if file.role == "statistic":
        table = table_of(file.path)
        for problem in table.problems:
            yield Finding("unreadable", file.path, _said(problem))
        if not table.rows and not table.problems:
            yield Finding("missing", file.path, "it has a header and no row")
    elif file.role == "overflow":
        read_overflow(file.path)
    elif name is None:
        return
    elif name.kind == "npy":
        header = NpyTensor(file.path, name.dtype).header()
        headers.append((name, header, file.path))
        if said := mislabelled(name.dtype, header.dtype):
            yield Finding("mismatch", file.path, said)
        end = header.start + header.nbytes
        if size < end:
            raise TruncatedError(
                f"{header.nbytes} bytes of data are announced, {max(0, size - header.start)} are there",
                BytePlace(file.path, size),
            )
        if size > end:
            yield Finding("trailing", file.path, f"{size - end} bytes behind the data")
    elif name.kind == "async":
        content = read_bin(file.path)
        if content.problem is not None:
            raise content.problem
        for slot in content.slots:
            slot.tensor.check()
    else:
        yield from _bare(file, name, size)


def _bare(file: DumpFile, name: DumpName, size: int) -> Iterator[Finding]:
    """Bytes without a header, which the name must explain."""
    dtype = by_name(name.dtype)
    if dtype is None:
        told = f"type {name.dtype!r} is unknown" if name.dtype else "its name tells no type"
        yield Finding("unreadable", file.path, f"{told}: {size} bytes of nobody knows what")
        return
    count = capacity(size, dtype) if name.shape is None else math.prod(name.shape)
    needed = packed_bytes(count, dtype)
    if needed > size:
        raise TruncatedError(
            f"shape {name.shape} of {dtype.name} needs {needed} bytes, {size} are there", BytePlace(file.path, size)
        )
    if needed < size:
        yield Finding("trailing", file.path, f"{size - needed} bytes behind the data")


def _against_statistics(dump: Dump, directory: str, headers: list[tuple[DumpName, Header, str]]) -> Iterator[Finding]:
    """Tensors whose type or shape is another one in the statistic.csv beside them."""
    path = storage.join(directory, STATISTIC)
    if not headers or not storage.is_dir(dump.root) or not storage.exists(path):
        return
    try:
        rows = RowsByTensor(table_of(path).rows)
    except ReadError:
        return  # told where the file itself is looked at
    for name, header, at in headers:
        row = rows.of(name.op_type, name.op_name, name.io, name.slot, name.timestamp)
        known = by_name(row.dtype) if row is not None else None
        if known is not None and known.name != header.dtype.name:
            yield Finding("mismatch", at, f"statistic.csv says {known.name}, its header {header.dtype.name}")
        shape = row.shape if row is not None else None
        if shape is not None and shape != header.shape and {shape, header.shape} != {(), (1,)}:
            yield Finding("mismatch", at, f"statistic.csv says shape {shape}, its header {header.shape}")


def _directory(dump: Dump, directory: str, files: list[DumpFile]) -> Iterator[Finding]:
    """What is there twice, and what is missing, among the files of one directory."""
    if not files:
        return
    seen: dict[tuple[object, ...], str] = {}
    for file in files:
        name = file.name
        assert name is not None
        if not name.timestamp:
            continue
        key = (name.op_type, name.op_name, name.io, name.slot, name.task, name.stream, name.timestamp, name.serial)
        if key in seen:
            other = storage.parts(seen[key])[-1]
            yield Finding("duplicate", file.path, f"the same tensor of the same launch as {other}")
        seen.setdefault(key, file.path)
    if dump.selection.ops or dump.selection.include or dump.selection.exclude:
        return
    place = files[0].place
    if place.constants or not place.rank_dir:
        return
    order = dump.order_of(files[0].path, place.rank_dir)
    ordered = order.graphs.get(place.graph, [])
    if not ordered or dump.chosen_operators(files[0].path, place.rank_dir):
        return
    stamps: dict[str, int] = {}
    for file in files:
        assert file.name is not None
        if file.name.op_type != "Parameter":
            stamps[file.name.op_name] = min(file.name.timestamp, stamps.get(file.name.op_name, file.name.timestamp))
    if not stamps:
        return
    found = resolve_names(ordered, stamps)
    there = {candidate for resolved in found.values() for candidate in resolved.candidates}
    for full in dict.fromkeys(ordered):
        if full not in there:
            yield Finding("missing", directory, f"{full} runs in graph {place.graph}, and has no file")


class _Expected:
    """What one iteration or rank has leads one to expect of the others."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump
        self._slots: dict[tuple[str, str, str, str], set[tuple[str, int]]] = {}
        self._there: dict[str, dict[tuple[str, str, str, str], set[tuple[str, int]]]] = {}
        self._iterations: dict[int, set[int]] = {}
        self._ranks: dict[int, str] = {}

    def add(self, directory: str, file: DumpFile) -> None:
        """Take note of a file."""
        name, place = file.name, file.place
        assert name is not None
        if place.iteration >= 0 and not place.constants:
            self._iterations.setdefault(place.rank, set()).add(place.iteration)
            if place.rank not in self._ranks:
                self._ranks[place.rank] = self._dump.rank_directory(file.path, place.rank_dir)
        if name.io and name.op_type and name.op_type != "TensorDump":
            operator = (place.net, place.graph, name.op_type, name.op_name)
            slot = (name.io, name.slot)
            self._slots.setdefault(operator, set()).add(slot)
            self._there.setdefault(directory, {}).setdefault(operator, set()).add(slot)

    def missing(self) -> Iterator[Finding]:
        """What is not there."""
        for directory, operators in self._there.items():
            for operator, there in operators.items():
                for io, slot in sorted(self._slots[operator] - there):
                    what = f"{operator[2]}.{operator[3]} has no {io} {slot}, which it has elsewhere"
                    yield Finding("missing", directory, what)
        union = set[int]().union(*self._iterations.values())
        for rank, iterations in sorted(self._iterations.items()):
            for iteration in sorted(union - iterations):
                others = ", ".join(str(r) for r, has in sorted(self._iterations.items()) if iteration in has)
                what = f"rank {rank} has no iteration {iteration}, which rank {others} has"
                yield Finding("missing", self._ranks[rank], what)

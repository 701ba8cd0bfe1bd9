"""Where in a run a dump file belongs, told by the directories it stands in.

Layouts (formats/tensor-dump in docs/)::

    {path}/rank_{r}/{net}/{graph}/{iteration}/…          CPU, GPU, Ascend below O2
    {path}/rank_{r}/{net}/{graph}/constants/…
    {path}/{step}/{time}/{device}/{model_name}/{model_id}/{iteration}/…      Ascend O2
    {path}/rank_{r}/{time}/step_{s}/…                                        msprobe

A directory inside such a tree may be given as well: what stands above it still tells rank, graph and
iteration. Directory names may hold anything, dots included; only whole names are matched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from msdump.errors import ReadError
from msdump.formats.dump import storage
from msdump.formats.dump.bin import looks_like_bin
from msdump.formats.dump.file_names import DumpName, parse_name
from msdump.formats.dump.npy import MAGIC
from msdump.formats.dump.sidecars import MAPPING, mapped_name, read_mapping
from msdump.formats.dump.statistic import NAME as STATISTIC
from msdump.formats.dump.statistic import looks_like_statistic
from msdump.records import mangle
from msdump.source import WHOLE, BytePlace

_RANK = re.compile(r"(?:rank|device)_?([0-9]{1,9})")
_STEP = re.compile(r"step_?([0-9]{1,18})")
_TIME = re.compile(r"\d{14}")
_HEAD = 4096
_INTEGER = re.compile(r"[0-9]{1,18}")
_SKIPPED = frozenset({"graphs", "execution_order", ".dump_metadata", "debug_files"})
"""Directories beside the tensors, read for themselves."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a run: `iteration` is -1 and `graph`, `net` are "" where the directories do not tell.

    `rank_dir` is how many parts of the path lead to the rank's directory (0: none).
    `own_rank`, `own_iteration`: told by a directory below the one that was given, so that two dumps
    are paired by it; above it, whoever gave the directory chose it.
    """

    rank: int = 0
    net: str = ""
    graph: str = ""
    iteration: int = -1
    constants: bool = False
    rank_dir: int = 0
    own_rank: bool = False
    own_iteration: bool = False


def place_of(parts: tuple[str, ...], given: int) -> Place:
    """The place of files in a directory: its path's parts, of which the first `given` lead to the
    directory that was given."""
    place = Place()
    start = 0
    for i in range(len(parts) - 1, -1, -1):
        if found := _RANK.fullmatch(parts[i]):
            place = replace(place, rank=int(found[1]), rank_dir=i + 1, own_rank=i >= given)
            start = i + 1
            break
    tail = parts[start:]
    times = [i for i, part in enumerate(tail) if _TIME.fullmatch(part)]
    for at in times:
        # {step}/{time}/{device}/{model_name}/{model_id}/{iteration}
        if at >= 1 and len(tail) >= at + 5 and all(_INTEGER.fullmatch(tail[at + k]) for k in (-1, 1, 3, 4)):
            return _ascend(place, tail, at, start, given)
    steps = [(i, m) for i, part in enumerate(tail) if (m := _STEP.fullmatch(part))]
    if steps:
        index, match = steps[-1]
        rest = tail[index + 1 :]
        return replace(place, iteration=int(match[1]), own_iteration=start + index >= given, net="/".join(rest[:1]))
    if tail and tail[-1] == "constants" and len(tail) >= 2:
        return replace(place, graph=tail[-2], net=tail[-3] if len(tail) > 2 else "", constants=True)
    if len(tail) >= 2 and _INTEGER.fullmatch(tail[-1]) and _INTEGER.fullmatch(tail[-2]):
        last = start + len(tail) - 1
        return replace(
            place,
            graph=tail[-2],
            net=tail[-3] if len(tail) > 2 else "",
            iteration=int(tail[-1]),
            own_iteration=last >= given,
        )
    return place


def _ascend(place: Place, tail: tuple[str, ...], at: int, start: int, given: int) -> Place:
    step, inner = int(tail[at - 1]), int(tail[at + 4])
    # The step counts the program's steps, the innermost directory those inside one launch of the
    # graph: without data sinking only the step moves, with it only the other.
    index = at - 1 if step else at + 4
    if not place.rank_dir:
        place = replace(place, rank=int(tail[at + 1]), own_rank=start + at + 1 >= given)
    return replace(
        place,
        net=tail[at + 2],
        graph=tail[at + 3],
        iteration=step or inner,
        own_iteration=start + index >= given,
    )


Role = Literal["tensor", "statistic", "mapping", "overflow", "attributes", "other"]


@dataclass(frozen=True, slots=True)
class DumpFile:
    """One file of a dump directory, not opened: `name` is None unless `role` is tensor or overflow."""

    path: str
    place: Place
    role: Role
    name: DumpName | None = None
    known_size: int = -1

    def size(self) -> int:
        """Bytes of the file."""
        return self.known_size if self.known_size >= 0 else storage.size(self.path)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files of a dump are wanted; empty: all.

    Attributes:
        include, exclude: patterns (`*`, `?`, `[…]`) of file names, or of "op_type.op_name".
        iterations, ranks: numbers, or None for all. Constants belong to no iteration.
        ops: patterns of operators: type, name as in the file, or full name with scope.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    iterations: frozenset[int] | None = None
    ranks: frozenset[int] | None = None
    ops: tuple[str, ...] = ()

    def takes_place(self, place: Place) -> bool:
        """Whether files of a directory can be wanted."""
        if self.ranks is not None and place.rank not in self.ranks:
            return False
        return self.iterations is None or place.iteration in self.iterations

    def takes(self, file_name: str, op_type: str, op_name: str, full_name: str = "") -> bool:
        """Whether one tensor is wanted, by its names."""
        both = f"{op_type}.{op_name}"
        if self.include and not any(_matches(p, file_name, both) for p in self.include):
            return False
        if any(_matches(p, file_name, both) for p in self.exclude):
            return False
        if not self.ops:
            return True
        return any(_matches(p, op_type, op_name, both, full_name) or fnmatchcase(op_name, mangle(p)) for p in self.ops)


def _matches(pattern: str, *names: str) -> bool:
    return any(name and fnmatchcase(name, pattern) for name in names)


EVERYTHING = Selection()


def _natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """Sorts "10" behind "9"."""
    pieces = (p for p in re.split(r"(\d+)", text) if p)
    return tuple((0, int(p)) if p.isdecimal() and p.isascii() else (1, p) for p in pieces)


def walk(
    root: str, selection: Selection = EVERYTHING, on_problem: Callable[[ReadError], None] | None = None
) -> Iterator[DumpFile]:
    """Every file of a dump, as the directories give them; nothing is opened but mapping.csv.

    Files of one directory come in the order of the file system, directories in natural order, and
    no more is held than the names of directories still to be visited.

    `on_problem` is told of directories below the root that cannot be listed, and what is readable is
    given all the same.

    Raises:
        ReadError: the root cannot be read, or a directory below it when nobody is told.
    """
    given = len(storage.parts(root))
    if not storage.is_dir(root):
        yield _alone(root, given)
        return
    waiting = [root]
    seen: set[tuple[int, int]] = set()
    while waiting:
        directory = waiting.pop()
        if _visited(directory, seen):
            continue
        below: list[str] = []
        place = place_of(storage.parts(directory), given)
        try:
            yield from _listed(directory, place, selection, below, on_problem)
        except ReadError as error:
            if directory == root or on_problem is None:
                raise
            on_problem(error)
        waiting += sorted(below, key=_natural, reverse=True)


def _alone(path: str, given: int) -> DumpFile:
    """A file that was given by itself."""
    if not storage.exists(path):
        raise ReadError("there is no such file or directory", BytePlace(path, WHOLE))
    parts = storage.parts(path)
    file = _file(
        storage.Entry(parts[-1], path, False),
        place_of(parts[:-1], given),
        _mapping_in(storage.ancestor(path, len(parts) - 1), None),
    )
    return _told_by_content(file, parts[-1]) if file.role == "other" else file


def _listed(
    directory: str,
    place: Place,
    selection: Selection,
    below: list[str],
    on_problem: Callable[[ReadError], None] | None,
) -> Iterator[DumpFile]:
    """The wanted files of one directory; the directories in it are added to `below`."""
    wanted = selection.takes_place(place)
    mapping = _mapping_in(directory, on_problem) if wanted else {}
    for entry in storage.scan(directory):
        if entry.is_dir:
            if entry.name not in _SKIPPED:
                below.append(entry.path)
        elif wanted:
            file = _file(entry, place, mapping)
            name = file.name
            if name is not None and not selection.takes(entry.name, name.op_type, name.op_name, name.full_name):
                continue
            if not entry.special:
                yield file
            elif name is not None and on_problem is not None:
                on_problem(ReadError("is not a regular file", BytePlace(entry.path, WHOLE)))


def _mapping_in(directory: str, on_problem: Callable[[ReadError], None] | None) -> dict[str, str]:
    """mapping.csv of a directory; where it cannot be read long names stay numbers, and are told by their content."""
    path = storage.join(directory, MAPPING)
    try:
        return read_mapping(path) if storage.exists(path) else {}
    except ReadError as error:
        if on_problem is None:
            raise
        on_problem(error)
        return {}


def _told_by_content(file: DumpFile, called: str) -> DumpFile:
    """A file that was named by whoever gave it, not by MindSpore: standard input, a copy."""
    head = storage.read_head(file.path, _HEAD)
    if head.startswith(MAGIC):
        return replace(file, role="tensor", name=DumpName("npy", "", called, "output", 0))
    if looks_like_statistic(head.decode("utf-8", "replace")):
        return replace(file, role="statistic")
    if looks_like_bin(head, storage.size(file.path)):
        return replace(file, role="tensor", name=DumpName("async", "", called))
    return file


def _visited(directory: str, seen: set[tuple[int, int]]) -> bool:
    # A link back up would never end.
    if storage.is_url(directory):
        return False
    import os

    try:
        info = os.stat(directory)
    except OSError:
        return False
    key = (info.st_dev, info.st_ino)
    if key in seen:
        return True
    seen.add(key)
    return False


def _file(entry: storage.Entry, place: Place, mapping: dict[str, str]) -> DumpFile:
    if entry.name == STATISTIC:
        return DumpFile(entry.path, place, "statistic", known_size=entry.known_size)
    if entry.name == MAPPING:
        return DumpFile(entry.path, place, "mapping", known_size=entry.known_size)
    name = parse_name(mapped_name(entry.name, mapping) if mapping else entry.name)
    if name is not None:
        role: Role = "overflow" if name.kind == "overflow" else "tensor"
        return DumpFile(entry.path, place, role, name, entry.known_size)
    role = "attributes" if entry.name.endswith(".json") and entry.name.count(".") >= 2 else "other"
    return DumpFile(entry.path, place, role, None, entry.known_size)

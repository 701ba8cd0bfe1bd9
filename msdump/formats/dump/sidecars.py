"""The small files beside the tensors: names that were too long, execution order, metadata."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass, field
from typing import Any

from msdump.errors import ReadError
from msdump.formats.dump import storage
from msdump.json_text import parse_json
from msdump.numerals import integer
from msdump.source import Note, TextPlace

MAPPING = "mapping.csv"
_LONGEST_NAME = 255
"""Bytes of a file's name, on the file systems there are."""
_ORDER = re.compile(r"ms_execution_order_graph_(\d+)\.csv")
_GLOBAL_ORDER = re.compile(r"ms_global_execution_order_graph_(\d+)\.csv")
_HEADER = "NodeExecutionOrder-FullNameWithScope"


def read_mapping(path: str) -> dict[str, str]:
    """mapping.csv: number that serves as a file's name → the name that was too long for one.

    Rows that are no pair are left out; a header row has no digits in its first cell.

    Raises:
        ReadError: the file cannot be read.
    """
    found: dict[str, str] = {}
    for line in storage.read_text(path).replace("\0", "\ufffd").split("\n"):
        try:
            cells = next(csv.reader([line.rstrip("\r")]), [])
        except csv.Error:
            continue  # a cell of more than 128 KiB is no name
        if len(cells) >= 2 and cells[0].strip().partition(".")[0].isdigit():
            # A long name may hold commas of its own when it was not quoted.
            found[cells[0].strip()] = ",".join(cells[1:]).strip()
    return found


class ShortNames:
    """Names for new files: those of over 255 bytes become numbers, which mapping.csv tells."""

    def __init__(self) -> None:
        self._count = 0

    def of(self, folder: str | os.PathLike[str], name: str) -> str:
        """The name that a file gets in a folder that is there.

        Raises:
            OSError: mapping.csv cannot be written.
        """
        if len(os.fsencode(name)) <= _LONGEST_NAME:
            return name
        # The suffix tells what the file is, wherever its row of the mapping is lost.
        suffix = ".npy" if name.endswith(".npy") else ""
        while os.path.exists(os.path.join(folder, short := f"{self._count}{suffix}")):
            self._count += 1
        with open(os.path.join(folder, MAPPING), "a", encoding="utf-8", errors="surrogateescape", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow([short, name])
        return short


def mapped_name(name: str, mapping: dict[str, str]) -> str:
    """The name a file would have had: looked up with its suffix and without."""
    if name in mapping:
        return mapping[name]
    stem, dot, suffix = name.rpartition(".")
    if dot and stem in mapping:
        long = mapping[stem]
        return long if long.endswith(f".{suffix}") else f"{long}.{suffix}"
    return name


@dataclass(slots=True)
class ExecutionOrder:
    """Full names of a rank's operators by graph, each graph's in the order they run.

    `iterations` are those in which a graph ran, as the global order files list them.
    """

    graphs: dict[str, list[str]] = field(default_factory=dict)
    iterations: dict[str, list[int]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def names(self, graph: str) -> list[str]:
        """Full names of a graph's operators in order; of all graphs when it has no list of its own."""
        if graph in self.graphs:
            return self.graphs[graph]
        return [name for names in self.graphs.values() for name in names]


def read_execution_order(directory: str) -> ExecutionOrder:
    """All execution order files of an execution_order directory."""
    order = ExecutionOrder()
    for entry in sorted(storage.scan(directory), key=lambda e: (len(e.name), e.name)):
        if found := _ORDER.fullmatch(entry.name):
            lines = storage.read_text(entry.path).splitlines()
            if lines and lines[0].strip() == _HEADER:
                lines = lines[1:]
            elif lines:
                where = TextPlace(entry.path, 1, 1, lines[0][:200])
                order.notes.append(Note(f"the first line is not {_HEADER}; it is taken for a name", where))
            order.graphs[found[1]] = [line.strip() for line in lines if line.strip()]
        elif found := _GLOBAL_ORDER.fullmatch(entry.name):
            words = storage.read_text(entry.path).split()
            order.iterations[found[1]] = [n for n in map(integer, words) if n is not None and n >= 0]
    return order


def read_metadata(directory: str) -> tuple[dict[str, Any], list[Note]]:
    """The JSON files of a .dump_metadata directory by name without suffix, and those unreadable."""
    found: dict[str, Any] = {}
    notes: list[Note] = []
    for entry in storage.scan(directory):
        if not entry.name.endswith(".json"):
            continue
        try:
            found[entry.name[:-5]] = parse_json(storage.read_text(entry.path), entry.path)
        except ReadError as error:
            notes.append(Note(error.what, error.where, "warning"))
    return found, notes

"""Where what the runtime makes goes: the protocol of a print file, and who provides it.

The runtime writes no format itself. The front door `msdump.context` names a function that opens a
print file; the context calls it when `print_file_path` is set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from msdump.graph import Graph
    from msdump.runtime.dump_settings import DumpSettings

    PrintItem: TypeAlias = "str | np.ndarray[Any, Any] | np.generic | bool | int | float"


class PrintSink(Protocol):
    """A file that calls of Print are written to, reserved when it was made."""

    @property
    def path(self) -> str:
        """Absolute path of the file; after a fork, of the file this process has or will have."""

    def write(self, values: Sequence[PrintItem], *, step: int | None = None, file: str = "", line: int = 0) -> None:
        """Write one call: strings, tensors and numbers of up to 64 bits, the place in the user's source beside them."""

    def close(self) -> None:
        """Write what is pending and end the file; an empty file that was only reserved is removed."""

    def is_empty(self) -> bool:
        """True when nothing has been written."""


PrintSinkFactory: TypeAlias = Callable[[str, int], PrintSink]
"""(path asked for, rank) → an open sink. Raises WriteError when no file can be made there."""

_factory: PrintSinkFactory | None = None


def provide_print_sink(factory: PrintSinkFactory) -> None:
    """Name the function that opens print files; called once by a front door."""
    global _factory
    _factory = factory


def open_print_sink(path: str, rank: int) -> PrintSink:
    """Reserve a print file; the name it got is its `path`."""
    if _factory is None:
        raise RuntimeError("no print file format is known yet: import msdump.context first")
    return _factory(path, rank)


class GraphWriter(Protocol):
    """Writes a graph to a file, replacing what is there."""

    def __call__(self, graph: Graph, path: str, kind: str, dialect: str) -> None:
        """`kind` is "ir" or "dot", `dialect` the release whose text form an .ir has ("2.10")."""


_graph_writer: GraphWriter | None = None


def provide_graph_writer(writer: GraphWriter) -> None:
    """Name the function that writes graphs; called once by a front door."""
    global _graph_writer
    _graph_writer = writer


def write_graph(graph: Graph, path: str, kind: str, dialect: str) -> None:
    """Write a graph, if a front door has named a writer; see GraphWriter."""
    if _graph_writer is not None:
        _graph_writer(graph, path, kind, dialect)


Slots: TypeAlias = "Sequence[tuple[int, np.ndarray[Any, Any]]]"


class DumpSink(Protocol):
    """Writes what a dump holds; see formats.dump.writing.DumpWriter.

    `rank_folder` is where this process's part of the dump lies.
    """

    rank_folder: str

    def operator(
        self,
        graph: int,
        iteration: int,
        op_type: str,
        full_name: str,
        inputs: Slots = (),
        outputs: Slots = (),
    ) -> None:
        """One run of an operator: (slot, tensor) of what it took and gave."""

    def ran(self, graph: int, iteration: int, full_name: str) -> None:
        """An operator has run; it stands in the execution order, dumped or not."""

    def constant(self, graph: int, number: int, array: np.ndarray[Any, Any]) -> None:
        """A constant of a graph."""

    def close(self) -> None:
        """Write what stands beside the tensors."""


DumpSinkFactory: TypeAlias = "Callable[[DumpSettings, int, str], DumpSink]"
"""(settings, rank, device target) → a sink."""

_dump_factory: DumpSinkFactory | None = None


def provide_dump_sink(factory: DumpSinkFactory) -> None:
    """Name the function that opens dumps; called once by a front door."""
    global _dump_factory
    _dump_factory = factory


def open_dump_sink(settings: DumpSettings, rank: int, device_target: str) -> DumpSink | None:
    """Open a dump, if a front door has named how."""
    return None if _dump_factory is None else _dump_factory(settings, rank, device_target)


__all__ = [
    "DumpSink",
    "DumpSinkFactory",
    "GraphWriter",
    "PrintSink",
    "PrintSinkFactory",
    "Slots",
    "open_dump_sink",
    "open_print_sink",
    "provide_dump_sink",
    "provide_graph_writer",
    "provide_print_sink",
    "write_graph",
]

"""Where what the runtime makes goes: the protocols of its writers, and how a front door names them.

The runtime writes no format itself. The front door `msdump.context` puts its `Writers` into the Session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    from msdump.graph import Graph
    from msdump.records import Profile
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


class GraphWriter(Protocol):
    """Writes a graph to a file, replacing what is there."""

    def __call__(self, graph: Graph, path: str, kind: str, dialect: str) -> None:
        """`kind` is "ir" or "dot", `dialect` the release whose text form an .ir has ("2.10")."""


@dataclass(frozen=True, slots=True)
class Writers:
    """The functions that write.

    Attributes:
        print_file: (path asked for, rank) → an open sink. WriteError when no file can be made there.
        graph: see GraphWriter.
        profile: (profile, folder, tables) → files.
        dump: (settings, rank, device target) → a sink.
    """

    print_file: Callable[[str, int], PrintSink]
    graph: GraphWriter
    profile: Callable[[Profile, str, tuple[str, ...]], None]
    dump: Callable[[DumpSettings, int, str], DumpSink]

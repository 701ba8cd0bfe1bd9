""".dat: the graphs of compile stages that MindSpore 1.0 to 1.10 export beside the .ir."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from msdump.formats.format import Format

if TYPE_CHECKING:
    from msdump.graph.graph import Graph
    from msdump.source import Note


def sniff(head: bytes, name: str) -> int:
    """100 for `# [No.1] …` with a funcgraph, 60 for a funcgraph alone, 20 for the suffix."""
    if b"\nfuncgraph fg_" in head or head.startswith(b"funcgraph fg_"):
        return 100 if b"# [No." in head else 60
    return 20 if name.endswith(".dat") else 0


def inspect(path: str | PathLike[str] | bytes) -> tuple[Graph, tuple[Note, ...]]:
    """The Graph of a .dat (a path, or its bytes), and what was odd in it.

    Raises:
        ParseError: no graph is in it.
    """
    from msdump.formats.dat.reader import Reader

    data, file = (path, "<bytes>") if isinstance(path, bytes) else (Path(path).read_bytes(), fspath(path))
    reader = Reader(data.decode("utf-8", "surrogateescape"), file)
    graph = reader.read()
    return graph, tuple(reader.notes)


def read(path: str | PathLike[str] | bytes) -> Graph:
    """The Graph of a .dat; see `inspect`."""
    return inspect(path)[0]


FORMAT = Format(
    name="dat",
    kind="graph",
    suffixes=(".dat",),
    summary="graph of a compile stage (MindSpore 1.x)",
    sniff=sniff,
    read=read,
    carries=frozenset({"types", "attrs", "scopes", "debug_names", "locations", "parents", "targets"}),
)
FORMATS = (FORMAT,)

"""What a format is to the rest of msdump: how it is told, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msdump.errors import MsdumpError
from msdump.formats.signatures import signature
from msdump.source import Note, Place

if TYPE_CHECKING:
    from msdump.graph.graph import Graph

Kind = Literal["print", "graph", "dump", "tensor", "table", "report", "failure"]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What came of reading a file, whole or not.

    Attributes:
        content: a Graph, a PrintLog, …: as much as could be read; None when nothing could.
        notes: odd things met on the way, by position in the file.
        error: what ended the reading before the file's end, or None.
        spans: by the name of a part of the content, where it stands (a place in text or bytes).
        format: name of the format.
        path: the file.
    """

    content: Any
    notes: tuple[Note, ...] = ()
    error: MsdumpError | None = None
    spans: Mapping[str, Place] = field(default_factory=dict)
    format: str = ""
    path: str = ""

    def whole(self) -> Any:
        """The content, when nothing ended the reading; else that error is raised."""
        if self.error is not None:
            raise self.error
        return self.content


class GraphReader(Protocol):
    """One reading of one file."""

    @property
    def notes(self) -> Iterable[Note]:
        """What was odd in it, filled as it goes."""

    @property
    def error(self) -> MsdumpError | None:
        """What ended it early."""

    def read(self) -> Graph:
        """The graph, as far as it goes; an MsdumpError when there is none."""


def reading_of(reader: GraphReader, format_name: str, path: str | PathLike[str]) -> Reading:
    """What a reader makes of its file: of one that breaks off, what stands before is given."""
    graph, error = None, None
    try:
        graph = reader.read()
    except MsdumpError as found:
        error = found
    return Reading(graph, tuple(reader.notes), error or reader.error, format=format_name, path=fspath(path))


def whole(inspect: Callable[..., Reading]) -> Callable[..., Graph]:
    """The `read` that goes with an `inspect`: the graph of a file, or the error that ended the reading."""

    def read(path: str | PathLike[str]) -> Graph:
        graph: Graph = inspect(path).whole()
        return graph

    return read


@dataclass(frozen=True, slots=True)
class Format:
    """One file format: what it does. What tells its files stands in the table of `sniff`.

    Attributes:
        name: what `--to` calls it ("ir", "print.pb").
        kind: what it holds.
        summary: one line for `msdump convert --list`.
        read: path → content (an iterator of records, a Graph, …). None: write-only.
        write: (content, path, **options) → None; raises LossError when something would be lost and
            `lossy=True` was not given. None: read-only.
        capabilities: what it can hold, by name (msdump.capability for graphs), for conversions.
        dialects: name → capabilities of each of its dialects, made when asked for; None: it has none.
        inspect: path → Reading: what `read` gives, with notes and places; never raises for damage.
            None: `read` is asked, and has no notes.
        extra: the optional extra it needs ("parquet"), or "".
    """

    name: str
    kind: Kind
    summary: str
    read: Callable[..., Any] | None = None
    write: Callable[..., None] | None = None
    capabilities: frozenset[str] = frozenset()
    extra: str = ""
    inspect: Callable[..., Reading] | None = None
    dialects: Callable[[], Mapping[str, frozenset[str]]] | None = None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name endings, each with its dot; "/" for a folder."""
        return signature(self.kind, self.name).suffixes

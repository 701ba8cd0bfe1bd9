"""The .ir text format: lines, Document, Graph, and back to text.

`read` gives a Graph, `inspect` the Document with its notes beside it, `write` prints a Graph in any
dialect. Everything heavy is imported when it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msdump.capability import EVERYTHING
from msdump.collector import collector_paused
from msdump.formats.format import Format
from msdump.formats.ir.dialects.capabilities import NEVER

if TYPE_CHECKING:
    from msdump.formats.format import Reading
    from msdump.formats.ir.syntax.document import Document
    from msdump.graph.graph import Graph


def load(path: str | Path) -> tuple[Document, Graph]:
    """A file's Document (with its notes) and its Graph.

    ReadError when it cannot be read, ParseError when it holds no graph.
    """
    from msdump.errors import ParseError, ReadError
    from msdump.formats.ir.lower.lowering import lower
    from msdump.formats.ir.syntax.document import parse_document
    from msdump.formats.ir.syntax.lines import read_lines
    from msdump.formats.pasted import unpaste
    from msdump.source import TextPlace

    try:
        pasted = unpaste(path)
        lines = read_lines(path) if pasted is None or pasted.only_newlines else pasted.lines
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", TextPlace(str(path), 1)) from error
    with collector_paused():
        document = parse_document(lines, str(path), pasted)
        graph = lower(document)
    if not graph.funcs:
        raise ParseError(
            "no graph in this text", document.place(0), hint="a graph has lines such as `subgraph @name() {`"
        )
    return document, graph


def inspect(path: str | Path) -> Reading:
    """What a file holds, with notes, and the place of each node: "graph/%3" → line.

    The error is a TruncatedError when the file ends inside a subgraph.
    """
    from msdump.errors import ReadError, TruncatedError
    from msdump.formats.format import Reading
    from msdump.formats.ir.lower.spans import spans

    try:
        document, graph = load(path)
    except ReadError as error:
        return Reading(None, error=error, format="ir", path=str(path))
    last = document.blocks[-1] if document.blocks else None
    cut = None
    if last is not None and last.end == last.close and last.end >= len(document.lines) - 1:
        cut = TruncatedError("the file ends inside this subgraph", document.place(last.head))
    return Reading(graph, tuple(document.notes), cut, spans(document, graph), "ir", str(path))


def parse(text: str | bytes, name: str = "<text>") -> Graph:
    """The graph of a text in memory. ParseError when it holds none."""
    from msdump.errors import ParseError
    from msdump.formats.ir.lower.lowering import lower
    from msdump.formats.ir.syntax.document import parse_document
    from msdump.formats.ir.syntax.lines import split_lines

    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    document = parse_document(split_lines(data), name)
    graph = lower(document)
    if not graph.funcs:
        raise ParseError("no graph in this text", document.place(0))
    return graph


def read(path: str | Path) -> Graph:
    """The graph of a file. ReadError when it cannot be read or holds no graph."""
    return load(path)[1]


def format_graph(graph: Graph, dialect: str = "") -> str:
    """A graph as .ir text: in the dialect it was read in, or the one named ("1.8", "2.10").

    WriteError when there is no such dialect, the graph contradicts itself, or the text would be read
    as another graph.
    """
    return _checked(graph, dialect).decode("utf-8", "surrogateescape")


def to_bytes(graph: Graph, dialect: str = "", strict: bool = False) -> bytes:
    """As `format_graph`, as the bytes of a file; of any graph unless `strict`: what was read can be shown again."""
    from msdump.errors import WriteError
    from msdump.formats.ir.dialects.releases import NAMES
    from msdump.formats.ir.print.printer import print_graph

    try:
        return print_graph(graph, dialect, strict)
    except (KeyError, ValueError) as error:
        if dialect:
            raise WriteError(f"there is no dialect {dialect!r}", hint="dialects: " + ", ".join(NAMES)) from error
        raise


def _checked(graph: Graph, dialect: str) -> bytes:
    from msdump.graph.verify import require_sound

    require_sound(graph, "ir")
    return to_bytes(graph, dialect, strict=True)


def write(graph: Graph, path: str | Path, *, dialect: str = "", force: bool = False, lossy: bool = False) -> None:
    """Writes a graph as .ir; `dialect` names a release ("2.10"), by itself the one it was read in.

    WriteError when the file exists and `force` is not given, and as `format_graph`. LossError when the
    dialect cannot hold everything, unless `lossy`.
    """
    from msdump.formats.atomic import write_file
    from msdump.formats.ir.loss import refuse_loss

    data = _checked(graph, dialect)
    if not lossy:
        refuse_loss(graph, data, dialect)
    write_file(path, data, force=force)


def dialects() -> dict[str, frozenset[str]]:
    """The capabilities of each dialect, oldest first."""
    from msdump.formats.ir.dialects import releases
    from msdump.formats.ir.dialects.capabilities import capabilities

    return {known.name: capabilities(known) for known in releases.dialects()}


FORMATS = (
    Format(
        "ir",
        "graph",
        "MindSpore's graph dump as text, every release",
        read=read,
        write=write,
        capabilities=EVERYTHING - NEVER,
        inspect=inspect,
        dialects=dialects,
    ),
)


def __getattr__(name: str) -> Any:
    if name == "FORMAT":
        return FORMATS[0]
    raise AttributeError(name)

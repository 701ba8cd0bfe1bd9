"""Files of any kind by path: told by content, read, written, followed.

`sniff` and `kind_of` tell what a path is; `load`, `stream`, `save` and `inspect` work on any of
them, `read_print`, `open_print`, `read_graph` and `write_graph` on the one kind they name. Each is a
thin door to the formats: what a format can do stands in msdump.formats.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from msdump.errors import MsdumpError, ReadError, UnknownFormatError, WriteError
from msdump.formats import Format, Kind, all_formats, format_of, told
from msdump.formats.format import Reading
from msdump.formats.pasted import clean_head
from msdump.formats.signatures import SIGNATURES, by_suffix, signature
from msdump.pipes import STDIN, local
from msdump.source import WHOLE, BytePlace, Note

if TYPE_CHECKING:
    from msdump.formats.print_pb.log import PrintLog
    from msdump.formats.print_pb.recover import Lost
    from msdump.graph import Graph
    from msdump.records import PrintRecord

Path: TypeAlias = "str | os.PathLike[str]"

_HEAD = 1 << 16
_MOST_NAMES = 20_000


# What it is


def sniff(path: Path, kind: Kind | None = None) -> Format:
    """The format of a file: by its content first, by its suffix second.

    Args:
        path: the file; `-` is standard input.
        kind: ask only formats of this kind.

    Raises:
        UnknownFormatError: no format knows it.
        OSError: it is not there or cannot be read.
    """
    with open(local(path), "rb") as stream:
        head = clean_head(stream.read(_HEAD))
    name = os.fspath(path)
    row = told(head, name, [row for row in SIGNATURES if row.reads and kind in (None, row.kind)])
    if row is not None:
        return format_of(row)
    wanted = f"a {kind} file" if kind else "a file msdump reads"
    hint = "" if kind else "`msdump convert --list` names the formats"
    raise UnknownFormatError(f"is not {wanted}", BytePlace(name, 0), hint)


def kind_of(path: Path) -> Kind:
    """What a path holds: "print", "graph", "dump", …; of a directory what the names in it say.

    A directory is a "print" when it is a folder of arrays that msdump made of a print log (its
    index.json says so), a "dump" when a dump's own files are anywhere in it, else a "graph" when
    graph files are.

    Raises:
        UnknownFormatError: nothing in it, or nothing of its content, is known.
        OSError: it is not there or cannot be read.
    """
    name = os.fspath(path)
    if name == STDIN or not os.path.isdir(name):
        return sniff(path).kind
    index = os.path.join(name, "index.json")
    if os.path.isfile(index):
        with open(index, "rb") as stream:
            if b'"msdump.print' in stream.read(_HEAD):
                return "print"
    graphs = False
    for found in _names(name):
        if _is_dumped(found):
            return "dump"
        graphs = graphs or found.endswith((".ir", ".dot", ".dat", ".mindir")) or found.startswith("ms_output_")
    if graphs:
        return "graph"
    raise UnknownFormatError("nothing in this folder is known", BytePlace(name, WHOLE))


def folder_format(path: Path) -> Format | None:
    """The format that reads a folder, told by what is in it; None when no format reads folders of its kind.

    Raises:
        UnknownFormatError: nothing in it is known.
    """
    kind = kind_of(path)
    return next((format_of(row) for row in SIGNATURES if row.kind == kind and "/" in row.suffixes and row.reads), None)


def source_format(path: Path) -> Format:
    """The format of what stands at a path, a folder included.

    Raises:
        UnknownFormatError: no format knows it.
        OSError: it is not there or cannot be read.
    """
    name = os.fspath(path)
    if name != "-" and os.path.isdir(name):
        folder = folder_format(name)
        if folder is None:
            raise ReadError(f"{name}: there is no way to convert a folder of this kind ({kind_of(name)})")
        return folder
    return sniff(path)


def _names(folder: str) -> Iterator[str]:
    """Names of files and folders below a folder, the nearest first, up to a bound."""
    left = _MOST_NAMES
    waiting = [folder]
    while waiting and left > 0:
        deeper: list[str] = []
        for here in waiting:
            try:
                with os.scandir(here) as entries:
                    for entry in entries:
                        left -= 1
                        yield entry.name
                        if entry.is_dir(follow_symlinks=False):
                            deeper.append(entry.path)
            except OSError:
                continue
        waiting = deeper


def _is_dumped(name: str) -> bool:
    """Whether a tensor dump alone has a file or folder of this name (formats/tensor dumps)."""
    if name in (".dump_metadata", "statistic.csv", "mapping.csv", "execution_order") or name.startswith("Opdebug."):
        return True
    if name.endswith(".npy"):
        return True
    # {op_type}.{op_name}.{task}.{stream}.{timestamp}: no suffix, three numbers at the end.
    parts = name.split(".")
    return len(parts) >= 4 and all(part.isdigit() for part in parts[-2:]) and len(parts[-1]) >= 10


# Print logs


def read_print(path: Path, *, start: int = 0, on_note: Callable[[Note], None] | None = None) -> Iterator[PrintRecord]:
    """The records of a print.pb, lazily, in constant memory; arrays are read-only views of the file.

    In MindSpore's own files each value is a record, in msdump's each call of Print.

    Args:
        path: the file; `-` is standard input.
        start: the byte to begin at, where a record does (`record.offset`).
        on_note: is told of what is odd: unknown fields, checksums that do not match.

    Raises:
        OSError: the file is not there or cannot be read (at once, not at the first record).
        TruncatedError: the file ends inside a record; every whole one was given before.
        DecodeError: what stands at its offset is no record; every one before it was given.
    """
    from msdump.formats import print_pb

    return print_pb.read(path, start=start, on_note=on_note)


def open_print(path: Path) -> PrintLog:
    """A print.pb by position: `log[3]`, `log[-10:]`, `len(log)`, `log.labels()`, `log.problems`.

    The index is made in one pass that touches no tensor data. Damage does not raise: the records
    before it are there, and `log.error` and `log.problems` say what is wrong.

    Raises:
        OSError: the file is not there or cannot be read.
    """
    from msdump.formats.print_pb.log import open_log

    return open_log(path)


def iter_recovered(path: Path) -> Iterator[PrintRecord | Lost]:
    """Every whole record of a damaged print.pb, and a Lost (offset, nbytes, what) between them.

    Raises:
        OSError: the file is not there or cannot be read. Damage does not raise.
    """
    from msdump.formats.mapped import open_mapped
    from msdump.formats.print_pb import recover

    return recover.iter_recovered(open_mapped(path))


def follow_print(
    path: Path,
    *,
    start: int = 0,
    poll: float = 0.2,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[PrintRecord]:
    """The records of a print.pb that is being written, each as soon as it is whole, as `tail -f` does.

    Args:
        path: the file.
        start: the byte to begin at, where a record does.
        poll: seconds between two looks at the file.
        stop: asked at each look; True ends the following once the file holds nothing more.

    Raises:
        OSError: the file is not there or cannot be read.
        ReadError: it became shorter than what was read, or what stands at an offset is no record.
    """
    from msdump.formats.print_pb.follow import follow

    return follow(os.fspath(path), start=start, poll=poll, stop=stop)


# Graphs


def read_graph(path: Path, **options: Any) -> Graph:
    """A graph from .ir, .dat, .dot, ms_output_*.pb, .mindir, or JSON; `-` is standard input.

    Args:
        path: the file.
        **options: passed to the format's reader.

    Raises:
        UnknownFormatError: the content is no graph's.
        ReadError: it is, and cannot be read; `where` says the place.
        OSError: the file is not there or cannot be read.
    """
    graph: Graph = _reader(sniff(path, "graph"))(local(path), **options)
    return graph


def write_graph(graph: Graph, path: Path, *, to: str = "", **options: Any) -> None:
    """Write a graph in the format that `to` names, or that the path's suffix does.

    Args:
        graph: the graph.
        path: the file to write.
        to: a format's name (`msdump convert --list`), or "" for the suffix to decide.
        **options: passed to the format's writer, such as `force=True` to replace a file and
            `lossy=True` to leave out what the format cannot carry.

    Raises:
        WriteError: no such format, or the file cannot be written.
        LossError: the format cannot carry everything, and `lossy=True` was not given.
    """
    _writer(format_to_write(path, "graph", to))(graph, path, **options)


# Anything


def load(path: Path, **options: Any) -> Any:
    """What a file holds: a Graph, a PrintLog, or what its format's reader gives.

    Raises:
        UnknownFormatError, ReadError, OSError: as `sniff` and the format's reader.
    """
    found = sniff(path)
    return open_print(path) if found.name == "print.pb" else _reader(found)(local(path), **options)


def stream(path: Path, **options: Any) -> Iterator[Any]:
    """The records of a print log or a dump, one after another; of a folder that holds one too.

    Raises:
        UnknownFormatError: it is no file of records.
    """
    name = os.fspath(path)
    found = folder_format(name) if name != STDIN and os.path.isdir(name) else sniff(path)
    if found is None:
        raise UnknownFormatError("no format reads such a folder", BytePlace(name, 0))
    if found.kind not in ("print", "dump"):
        raise UnknownFormatError(f"holds a {found.kind}, not records", BytePlace(os.fspath(path), 0))
    return iter(_reader(found)(local(path), **options))


def save(content: Any, path: Path, *, to: str = "", **options: Any) -> None:
    """Write a Graph, or records (a PrintLog, or anything that gives PrintRecords), to a file.

    Args:
        content: what to write.
        path: the file; its suffix names the format unless `to` does.
        to: a format's name, or "".
        **options: passed to the format's writer (`force=True`, `lossy=True`, …).

    Raises:
        WriteError: no format for it, or the file cannot be written.
        LossError: the format cannot carry everything, and `lossy=True` was not given.
    """
    from msdump.graph import Graph

    kind: Kind = "graph" if isinstance(content, Graph) else "print"
    _writer(format_to_write(path, kind, to))(content, path, **options)


def inspect(path: Path, **options: Any) -> Reading:
    """What a file holds as far as it can be read, with notes, places, and the error that ended it.

    Raises:
        OSError: the file is not there or cannot be read. Damage, and a content that no format
            knows, are told in the Reading.
    """
    name = os.fspath(path)
    try:
        found = sniff(path)
    except UnknownFormatError as error:
        return Reading(None, error=error, path=name)
    try:
        if found.inspect is not None:
            return found.inspect(local(path), **options)
        return Reading(_reader(found)(local(path), **options), format=found.name, path=name)
    except MsdumpError as error:
        return Reading(None, error=error, format=found.name, path=name)


def format_named(name: str) -> Format:
    """The format that `--to` calls so.

    Raises:
        MsdumpError: there is none; the message names those there are.
    """
    for found in all_formats():
        if found.name == name:
            return found
    raise MsdumpError(f"there is no format {name!r}", hint="formats: " + ", ".join(f.name for f in all_formats()))


def format_to_write(path: Path, kind: Kind, to: str = "") -> Format:
    """The format to write content of a kind in: the one `to` names, else the one of the suffix.

    Raises:
        WriteError: there is none, or it cannot be written, or holds another kind.
    """
    name = os.fspath(path)
    able = [f for f in all_formats() if f.write is not None and f.kind in (kind, "table", "report")]
    if to:
        found = format_named(to)
        if found not in able:
            raise WriteError(f"{name}: the format {to} cannot hold a {kind}", hint=_ways(able))
        return found
    chosen = by_suffix(name, [signature(f.kind, f.name) for f in able])
    if chosen is None:
        raise WriteError(f"{name}: no format for a {kind} has this suffix", hint=_ways(able))
    return format_of(chosen)


def _ways(able: list[Format]) -> str:
    return "formats that can: " + ", ".join(f"{f.name} ({', '.join(f.suffixes)})" for f in able)


def _reader(found: Format) -> Callable[..., Any]:
    if found.read is None:
        raise UnknownFormatError(f"the format {found.name} can only be written")
    return found.read


def _writer(found: Format) -> Callable[..., None]:
    assert found.write is not None
    return found.write

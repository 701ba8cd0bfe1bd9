""".mindir: models that `mindspore.export` writes, 1.1 to 2.10 (mind_ir.proto).

Weights stay in the file (Parameter.default reads them when asked), also those that `export` puts
into a folder beside models over 1 GB. Schema: proto/mind_ir.proto.
"""

from __future__ import annotations

import re
from os import PathLike
from typing import TYPE_CHECKING

from msdump.formats.format import Format

if TYPE_CHECKING:
    from msdump.graph.graph import Graph
    from msdump.source import Note

# ir_version ("0.1.0", "1.1"), then producer_name "MindSpore": what every release writes first.
_HEAD = re.compile(rb"\A\x0a[\x01-\x10]\d+\.\d+(?:\.\d+)?\x12\x09MindSpore")


def sniff(head: bytes, name: str) -> int:
    """100 for the first bytes of ModelProto as MindSpore writes it, 40 for the suffix alone."""
    if _HEAD.match(head):
        return 100
    return 40 if name.endswith(".mindir") else 0


def inspect(path: str | PathLike[str] | bytes) -> tuple[Graph, tuple[Note, ...]]:
    """The Graph of a .mindir (a path, or its bytes), and what was odd in it.

    Raises:
        DecodeError, TruncatedError: the bytes do not follow the schema.
    """
    from msdump.formats.mindir.reader import Reader
    from msdump.formats.mindir.wire import Window, window_of

    window = Window(path, "<bytes>", 0, len(path)) if isinstance(path, bytes) else window_of(path)
    reader = Reader(window)
    graph = reader.read()
    return graph, tuple(reader.notes)


def read(path: str | PathLike[str] | bytes) -> Graph:
    """The Graph of a .mindir; see `inspect`."""
    return inspect(path)[0]


FORMAT = Format(
    name="mindir",
    kind="graph",
    suffixes=(".mindir",),
    summary="exported model with weights (mindspore.export)",
    sniff=sniff,
    read=read,
    carries=frozenset({"types", "attrs", "scopes", "fullnames", "debug_names", "instances", "constants", "weights"}),
)
FORMATS = (FORMAT,)

""".dot: the pictures MindSpore draws of its graphs, and those msdump draws.

MindSpore's own tell structure, operators, attributes as text, and names; no types. msdump's tell
everything: valid DOT, and each node carries its facts, so the graph is read back equal.
"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from msdump.capability import EVERYTHING
from msdump.formats.format import Format, Reading, reading_of, whole

if TYPE_CHECKING:
    from msdump.graph.graph import Graph


def inspect(path: str | PathLike[str]) -> Reading:
    """The Graph of a .dot, what was odd in it, and where it breaks off; raises only OSError.

    Of a file that breaks off, the nodes before are given.
    """
    from msdump.formats.dot.mindspore import Reader
    from msdump.formats.dot.own import OwnReader

    text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
    reader = (OwnReader if text.startswith("digraph msdump {") else Reader)(text, fspath(path))
    return reading_of(reader, FORMAT.name, path)


read = whole(inspect)


def write(graph: Graph, path: str | PathLike[str], *, lossy: bool = False, force: bool = False) -> None:
    """Write a graph as DOT, read back equal.

    Raises:
        LossError: it holds weights, and `lossy=True` was not given.
        WriteError: the file cannot be written.
    """
    from itertools import islice

    from msdump.formats.atomic import new_file
    from msdump.graph.picture import dot_lines
    from msdump.graph.project import refuse_loss
    from msdump.graph.verify import require_sound

    require_sound(graph, "dot")
    refuse_loss(graph, OWN, "dot", lossy)
    with new_file(path, force=force) as stream:
        lines = dot_lines(graph)
        while chunk := list(islice(lines, 4096)):
            stream.write(("\n".join(chunk) + "\n").encode("utf-8", "replace"))


OWN = EVERYTHING - {"weights"}
"""What msdump's own .dot holds."""
FORMAT = Format(
    "dot", "graph", "picture of a graph for Graphviz", read=read, inspect=inspect, write=write, capabilities=OWN
)
FORMATS = (FORMAT,)

""".dat: the graphs of compile stages that MindSpore 1.0 to 1.10 export beside the .ir."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from msdump.formats.format import Format, Reading, reading_of, whole


def inspect(path: str | PathLike[str]) -> Reading:
    """The Graph of a .dat, what was odd in it, and where it breaks off; raises only OSError.

    Of a file that ends inside a graph, everything before the end is given.
    """
    from msdump.formats.dat.reader import Reader
    from msdump.formats.pasted import unpaste

    pasted = unpaste(path)
    text = "\n".join(pasted.lines) if pasted else Path(path).read_bytes().decode("utf-8", "surrogateescape")
    reader = Reader(text, fspath(path), pasted)
    return reading_of(reader, FORMAT.name, path)


read = whole(inspect)


CAPABILITIES = frozenset(
    {
        *("types", "inner_types", "unused_types", "shape_ranges", "type_values", "return_facts"),
        *("return_names", "element_shapes", "refs", "constant_types", "value_kinds", "signature_attrs"),
        *("attrs", "scopes", "bare_scopes", "debug_names", "locations", "targets", "failures"),
        *("parameter_names", "defaults", "graph_names", "graph_details", "parents"),
    }
)
FORMAT = Format(
    "dat", "graph", "graph of a compile stage (MindSpore 1.x)", read=read, inspect=inspect, capabilities=CAPABILITIES
)
FORMATS = (FORMAT,)

""".mindir: models that `mindspore.export` writes, 1.1 to 2.10 (mind_ir.proto).

Weights stay in the file (Parameter.default reads them when asked), also those that `export` puts
into a folder beside models over 1 GB. Schema: proto/mind_ir.proto.
"""

from __future__ import annotations

from os import PathLike

from msdump.formats.format import Format, Reading, reading_of, whole


def inspect(path: str | PathLike[str]) -> Reading:
    """The Graph of a .mindir, what was odd in it, and where it breaks off; raises only OSError.

    Of a file that breaks off inside its subgraphs, what stands before is given.
    """
    from msdump.formats.mindir.reader import Reader
    from msdump.formats.window import window_of

    return reading_of(Reader(window_of(path)), FORMAT.name, path)


read = whole(inspect)


CAPABILITIES = frozenset(
    {
        *("types", "inner_types", "unused_types", "type_values", "element_shapes", "refs", "return_types"),
        *("tensor_numbers", "exact_floats", "small_floats", "value_kinds", "named_values", "signature_attrs"),
        *("attrs", "node_attrs", "scopes", "bare_scopes", "fullnames", "instances", "op_kinds"),
        *("debug_names", "parameter_names", "defaults", "weights", "graph_names", "graph_attrs"),
    }
)
FORMAT = Format(
    "mindir",
    "graph",
    "exported model with weights (mindspore.export)",
    read=read,
    inspect=inspect,
    capabilities=CAPABILITIES,
)
FORMATS = (FORMAT,)

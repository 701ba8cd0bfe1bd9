"""`ms_output_*.pb`, `ms_output_trace_code_graph_*.pb`: back-end graphs (anf_ir.proto, 1.0 to 2.10).

A ModelProto with the graph inside; early releases wrote a bare GraphProto. Schema:
proto/anf_ir.proto.
"""

from __future__ import annotations

from os import PathLike

from msdump.formats.format import Format, Reading, reading_of, whole

_MODEL, _GRAPH, _NOTHING = "model", "graph", ""


def shape_of(head: bytes) -> str:
    """What the first bytes are on the wire: "model", "graph" or "".

    A ModelProto begins with its version and the graph; a bare GraphProto with a NodeProto: inputs,
    a name (2) and an operator (3), where the entry of a print.pb has no field 3.
    """
    from msdump.formats.framing import DELIMITED, VARINT, Broken, read_field, read_varint

    end = len(head)
    try:
        first = read_field(head, 0, end)
        if first.number == 1 and first.wire == VARINT:
            tag, start = read_varint(head, first.after, end)
            if tag != 4 << 3 | DELIMITED:
                return _NOTHING
            size, start = read_varint(head, start, end)
            return _MODEL if size == 0 or head[start : start + 1] in (b"\x0a", b"\x12", b"\x1a") else _NOTHING
        if first.number != 1 or first.wire != DELIMITED:
            return _NOTHING
        seen: dict[int, bytes] = {}
        at = first.start
        while at < first.stop:
            field = read_field(head, at, first.stop)
            if field.number > 10 or (field.wire != DELIMITED and field.number != 7):
                return _NOTHING
            seen[field.number] = head[field.start : field.stop]
            at = field.after
        named = {2, 3} <= seen.keys() and seen[2] and seen[3].decode("utf-8", "replace").isprintable()
        return _GRAPH if named and seen[3] else _NOTHING
    except Broken:
        return _NOTHING


def sniff(head: bytes, name: str) -> int:
    """95 for the wire shape of a ModelProto, 90 for a bare GraphProto, 30 for the name alone."""
    found = shape_of(head)
    if found:
        return 95 if found == _MODEL else 90
    base = name.replace("\\", "/").rpartition("/")[2]
    return 30 if base.startswith("ms_output_") and base.endswith(".pb") else 0


def inspect(path: str | PathLike[str]) -> Reading:
    """The Graph of the file, what was odd in it, and where it breaks off; raises only OSError.

    Of a file that breaks off, the nodes before are given.
    """
    from msdump.formats.anf_pb.reader import Reader
    from msdump.formats.window import window_of

    window = window_of(path)
    reader = Reader(window, shape_of(window.data[0:65536]) == _GRAPH)
    return reading_of(reader, FORMAT.name, path)


read = whole(inspect)


CAPABILITIES = frozenset(
    {
        *("types", "inner_types", "unused_types", "return_types", "exact_floats", "small_floats"),
        *("value_kinds", "signature_attrs", "attrs", "scopes", "bare_scopes", "fullnames", "instances"),
        *("parameter_names",),
    }
)
FORMAT = Format(
    "anf_pb", "graph", "back-end graph (ms_output_*.pb)", read=read, inspect=inspect, capabilities=CAPABILITIES
)
FORMATS = (FORMAT,)

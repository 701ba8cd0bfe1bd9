"""Law 4 for readers of graph files: a damaged file gives a Reading, never another exception."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from msdump.errors import MsdumpError
from msdump.formats.format import Reading
from msdump.graph.graph import Graph

Inspect = Callable[[Path], Reading]


@st.composite
def damages(draw: st.DrawFn, data: bytes) -> bytes:
    """A prefix of the data, or the data with a few bytes changed, taken out or put in."""
    if draw(st.booleans()):
        return data[: draw(st.integers(0, len(data)))]
    changed = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(changed) - 1, 0)))
        piece = draw(st.binary(max_size=6))
        changed[at : at + draw(st.integers(0, 8))] = piece
    return bytes(changed)


def holds(inspect: Inspect, path: Path, data: bytes) -> Reading:
    """Write the data and read it: a Graph, an MsdumpError with a place, or both."""
    path.write_bytes(data)
    reading = inspect(path)
    assert reading.content is None or isinstance(reading.content, Graph)
    assert reading.content is not None or reading.error is not None
    if reading.error is not None:
        assert isinstance(reading.error, MsdumpError)
        assert reading.error.where is not None
    if reading.content is not None:
        touch(reading.content)
    return reading


def touch(graph: Graph) -> None:
    """Look at everything in a graph, weights included."""
    for _, node in graph.iter_nodes():
        assert hash((node.abstract, node.inputs, node.primitive_attrs, node.locations)) is not None
    for func in graph.funcs.values():
        for parameter in func.parameters:
            if parameter.default is not None:
                try:
                    array = parameter.default.numpy()
                except MsdumpError:
                    continue
                assert array.shape == parameter.default.shape

"""Broken files of graphs: a reading with what is left, or an error that says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump import io
from msdump.errors import DecodeError
from msdump.formats import anf_pb, dat, dot, mindir
from tests.conftest import FIXTURES
from tests.formats.graph_laws import Inspect, damages, holds

READERS: dict[str, Inspect] = {
    "anf_pb": anf_pb.inspect,
    "dat": dat.inspect,
    "dot": dot.inspect,
    "mindir": mindir.inspect,
}
FILES = [path for name in READERS for path in sorted((FIXTURES / name).glob("*.*")) if path.suffix != ".npz"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
@given(draw=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_is_an_error_or_a_graph(path: Path, tmp_path: Path, draw: st.DataObject) -> None:
    holds(READERS[path.parent.name], tmp_path / f"m{path.suffix}", draw.draw(damages(path.read_bytes())))


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"\x08\x01\x22\x00", "ms_output_g.pb", "byte 4 (graph): a graph that says nothing"),
        (b"\x08\x01", "ms_output_g.pb", "byte 0 (ModelProto): a model without a graph"),
        (b"\x08\x01\x22\x04\x0a\x02\x0a\x07", "ms_output_g.pb", "byte 6 (graph.node): not a NodeProto"),
        (b"", "m.mindir", "byte 0 (ModelProto): a model without a graph"),
        (b"\x3a\x05", "m.mindir", "byte 0 (ModelProto): field 7 has 5 bytes, 0 are there"),
        (b"\x3a\x02\x12\xff", "m.mindir", "byte 3 (GraphProto): the end comes inside a varint"),
    ],
)
def test_errors_of_a_schema_tell_where(tmp_path: Path, data: bytes, name: str, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DecodeError) as error:
        io.read_graph(path)
    assert str(error.value) == f"{path}: {message}"

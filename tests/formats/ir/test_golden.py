"""What a few files are read as, whole: JSON that was looked through by eye."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from msdump.errors import ParseError
from msdump.formats import graph_json, ir
from msdump.source import TextPlace
from tests.conftest import FIXTURES

GOLDEN = sorted((FIXTURES / "ir").glob("*.golden.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.name)
def test_a_file_is_read_as_its_golden_json(path: Path) -> None:
    graph = ir.read(path.with_name(path.name.replace(".golden.json", ".ir")))
    assert graph_json.to_data(graph) == json.loads(path.read_text())
    assert graph_json.read(path) == graph


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('{"schema": "msdump.graph/1",\n  "entry": }', 2, 12, "not JSON: Expecting value"),
        ("[]", 1, 1, 'no graph: "schema" is not "msdump.graph/1"'),
        ('{"schema": "msdump.graph/9"}', 1, 1, 'the schema is "msdump.graph/9"; this msdump reads "msdump.graph/1"'),
        ('{"schema": "msdump.graph/1"}', 1, 1, "not a graph of schema msdump.graph/1: 'funcs'"),
        (
            '{"schema": "msdump.graph/1", "entry": "g", '
            '"funcs": [{"name": "g", "nodes": [{"name": "a", "op": "A", "type": 3}]}]}',
            1,
            1,
            "not a graph of schema msdump.graph/1: list index out of range",
        ),
    ],
)
def test_json_that_is_no_graph(text: str, line: int, column: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ParseError) as caught:
        graph_json.read(path)
    assert isinstance(caught.value.where, TextPlace)
    assert (caught.value.what, caught.value.where.line, caught.value.where.column) == (message, line, column)

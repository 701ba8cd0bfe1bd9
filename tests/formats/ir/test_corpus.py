"""The laws over real files: the text, the canon, JSON, and meaning without source."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from msdump.formats import graph_json, ir
from msdump.formats.ir.syntax.document import parse_document
from msdump.formats.ir.syntax.lines import read_lines
from msdump.graph import Graph
from msdump.graph.layout import Layout
from msdump.graph.opaque import iter_opaque
from tests.conftest import CORPUS, REAL
from tests.formats.ir.texts import FILES, real_files, sample

ALL = real_files()
SAMPLE = sample(ALL) if REAL == CORPUS else ALL


def name(path: Path) -> str:
    return str(path.relative_to(REAL)) if path.is_relative_to(REAL) else path.name


def law(path: Path) -> Graph:
    """Laws 1 and 3 for one file; its graph."""
    data = path.read_bytes()
    assert parse_document(read_lines(path)).to_bytes() == data
    graph = ir.read(path)
    assert ir.to_bytes(graph) == data
    again = graph_json.from_data(json.loads(json.dumps(graph_json.to_data(graph))))
    assert again == graph
    assert again.source == graph.source
    assert ir.to_bytes(again) == data
    return graph


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_fixture_prints_back_and_without_source_reads_equal(path: Path) -> None:
    graph = law(path)
    plain = dataclasses.replace(graph, source=Layout())
    if "fail" not in path.name:  # the dialect of a failed compilation is told by its source only
        assert ir.parse(ir.to_bytes(plain, graph.source.dialect)) == graph


@pytest.mark.parametrize("path", SAMPLE, ids=name)
def test_a_real_file_prints_back(path: Path) -> None:
    law(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=name)
def test_every_real_file_prints_back(path: Path) -> None:
    law(path)


@pytest.mark.parametrize("path", [p for p in SAMPLE if name(p).startswith("ir/")], ids=name)
def test_only_what_has_no_structure_is_opaque(path: Path) -> None:
    """No type and no order is opaque, and comments are few: headings of nothing, notes of a person."""
    opaque = list(iter_opaque(ir.read(path)))
    assert [o for o in opaque if o.kind in ("type", "order")] == []
    assert [o.text for o in opaque if o.kind == "comment" and not o.text.startswith(("# Co", "  # ", "#"))] == []
    values = [o.text for o in opaque if o.kind == "value"]
    assert len(values) <= 3, values


@pytest.mark.slow
def test_big_files_print_back(corpus: Path) -> None:
    found = sorted((corpus / "big").rglob("*.ir"))
    assert found
    for path in found:
        law(path)

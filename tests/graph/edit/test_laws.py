"""Any sequence of edits, written and read back, is the edited graph; no line changes that need not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump.formats import ir
from msdump.graph import Graph
from msdump.graph.verify import verify
from tests.conftest import FIXTURES
from tests.graph.edit.dependence import pieces
from tests.graph.edit.sequences import edited

FILES = sorted(path for path in (FIXTURES / "ir").glob("*.ir") if path.stat().st_size < 40_000)
SLOW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
GRAPHS = {path.name: ir.read(path) for path in FILES}


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def graph(request: pytest.FixtureRequest) -> Graph:
    return GRAPHS[request.param.name]


@SLOW
@given(data=st.data())
def test_an_edited_graph_is_read_back_in_its_own_dialect(graph: Graph, data: st.DataObject) -> None:
    after = data.draw(edited(graph))
    assert [fault for fault in verify(after) if fault.rule in ("dangling", "cycle", "duplicate", "missing-graph")] == [
        fault for fault in verify(graph) if fault.rule in ("dangling", "cycle", "duplicate", "missing-graph")
    ] or all(fault.level == "warning" for fault in verify(after) if fault.rule != "arity")
    assert ir.parse(ir.format_graph(after)) == after


@SLOW
@given(data=st.data())
def test_no_line_changes_that_does_not_depend_on_the_edit(graph: Graph, data: st.DataObject) -> None:
    after = data.draw(edited(graph, 1))
    old, new = pieces(graph), pieces(after)
    for key in old.keys() & new.keys():
        if old[key].depends == new[key].depends:
            assert old[key].text == new[key].text

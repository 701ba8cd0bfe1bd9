"""One node as JSON: the spelling of the whole graph's document, with nothing left in tables."""

from __future__ import annotations

from msdump.formats.graph_json import node_data, to_data
from msdump.io import read_graph
from tests.conftest import FIXTURES


def test_a_node_has_what_the_tables_hold_in_place() -> None:
    graph = read_graph(FIXTURES / "ir" / "1.3.0_conv_relu_kernel_graph.ir")
    whole = to_data(graph)
    rows = {(func["name"], row["name"]): row for func in whole["funcs"] for row in func["nodes"]}
    groups = ("primitive_attrs", "cnode_attrs", "primal_attrs")
    found = 0
    for func, node in graph.iter_nodes():
        data, row = node_data(node), rows[func.name, node.name]
        assert list(data) == list(row)
        assert data["op"] == row["op"]
        if "type" in row:
            assert data["type"] == whole["types"][row["type"]]
        for key in groups:
            if key in row:
                assert data[key] == whole["attributes"][row[key]]
                found += 1
        assert data.get("locations", []) == [whole["locations"][i] for i in row.get("locations", [])]
    assert found >= 3

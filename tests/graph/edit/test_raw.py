"""Changes made without the editor: what can be said reads back equal, what cannot is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump.errors import WriteError
from msdump.formats import ir
from msdump.graph import CNode, FuncGraph, Graph, NodeRef, TensorType, edit
from msdump.graph.node import CALL, RETURN
from msdump.graph.verify import REFUSED, require_sound, verify
from msdump.io import read_graph
from msdump.runtime.executor import Executor
from tests.conftest import FIXTURES
from tests.graph.edit.sequences import plain_nodes

FILES = sorted(path for path in (FIXTURES / "ir").glob("*.ir") if path.stat().st_size < 40_000)
GRAPHS = {path.name: ir.read(path) for path in FILES}


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def graph(request: pytest.FixtureRequest) -> Graph:
    return GRAPHS[request.param.name]


def with_node(graph: Graph, func: str, name: str, **fields: Any) -> Graph:
    holder = graph.funcs[func]
    nodes = tuple(replace(node, **fields) if node.name == name else node for node in holder.nodes)
    return replace(graph, funcs={**graph.funcs, func: replace(holder, nodes=nodes)})


def test_another_element_type_reads_back_in_every_release(graph: Graph) -> None:
    for func, node in plain_nodes(graph):
        if isinstance(node.abstract, TensorType):
            changed = with_node(graph, func, node.name, abstract=replace(node.abstract, dtype="Int8"))
            assert changed != graph
            assert ir.parse(ir.format_graph(changed)) == changed


def test_another_number_and_operator_read_back_in_every_release(graph: Graph) -> None:
    for func, node in plain_nodes(graph):
        for fields in ({"op_number": 77}, {"op": "Other", "op_label": ""}):
            if node.op_number is not None and not node.op_label:
                changed = with_node(graph, func, node.name, **fields)
                assert changed != graph
                assert ir.parse(ir.format_graph(changed)) == changed


def test_other_names_for_all_nodes_are_the_same_graph(graph: Graph) -> None:
    renamed = graph
    for func in graph.funcs.values():
        renamed = edit.rename_nodes(renamed, {node.name: f"n{i}" for i, node in enumerate(func.nodes)}, func.name)
    assert [n.name for _, n in renamed.iter_nodes()] != [n.name for _, n in graph.iter_nodes()]
    assert renamed == graph
    assert ir.parse(ir.format_graph(renamed)) == graph


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_writer_refuses_just_what_verify_finds(graph: Graph, data: st.DataObject) -> None:
    func = data.draw(st.sampled_from([func for func in graph.funcs.values() if func.nodes]))
    node = data.draw(st.sampled_from(func.nodes))
    other = NodeRef(data.draw(st.sampled_from([n.name for n in func.nodes])))
    broken = data.draw(
        st.sampled_from(
            [
                replace(func, nodes=tuple(n for n in func.nodes if n is not node)),
                replace(func, nodes=tuple(replace(n, inputs=(other,)) if n is node else n for n in func.nodes)),
                replace(func, nodes=tuple(replace(n, name=other.name) if n is node else n for n in func.nodes)),
                replace(func, nodes=tuple(reversed(func.nodes))),
                replace(func, parameters=func.parameters[1:]),
                replace(func, name="renamed"),
                replace(func, parent="nobody"),
                replace(func, order=("nobody",)),
            ]
        )
    )
    changed = replace(graph, funcs={**graph.funcs, func.name: broken})
    faults = [fault for fault in verify(changed) if fault.rule in REFUSED and fault.level == "error"]
    if not faults:
        require_sound(changed, "ir")
        return
    with pytest.raises(WriteError) as caught:
        require_sound(changed, "ir")
    assert faults[0].what in caught.value.what


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_part_of_a_graph_is_a_sound_graph_that_reads_back(graph: Graph, data: st.DataObject) -> None:
    func = data.draw(st.sampled_from([func for func in graph.funcs.values() if func.nodes]))
    names = data.draw(st.sets(st.sampled_from([node.name for node in func.nodes]), min_size=1))
    part = edit.extract(graph, names, func.name)
    assert [fault for fault in verify(part) if fault.rule in REFUSED and fault.level == "error"] == []
    kept = [node.op for node in func.nodes if node.name in names and node.op != RETURN]
    assert [node.op for node in part.root.nodes][: len(kept)] == kept
    again = ir.parse(ir.format_graph(part))
    assert shape(again) == shape(part)


def shape(graph: Graph) -> list[tuple[str, str, int]]:
    """Operators with their subgraphs, without the count that a reader gives to a name that repeats."""
    return [(func.name.partition("#")[0], node.op, len(node.inputs)) for func, node in graph.iter_nodes()]


def test_inlining_leaves_the_results() -> None:
    whole = read_graph(FIXTURES / "mindir" / "2.10.0_control_flow.mindir")
    arrays = np.load(FIXTURES / "mindir" / "2.10.0_control_flow.inputs.npz")
    given = [arrays[name] for name in arrays.files]
    wanted = Executor(whole).run(given)
    calls = [(func.name, node.name) for func, node in whole.iter_nodes() if node.op == CALL]
    assert len(calls) == 3
    for func, name in calls:
        for array, expected in zip(Executor(edit.inline(whole, name, func)).run(given), wanted, strict=True):
            np.testing.assert_array_equal(array, expected)


def test_what_an_operator_needs_gives_what_the_whole_gives() -> None:
    whole = read_graph(FIXTURES / "mindir" / "2.10.0_conv_relu.mindir")
    arrays = np.load(FIXTURES / "mindir" / "2.10.0_conv_relu.inputs.npz")
    given = [arrays[name] for name in arrays.files]
    seen: dict[str, Any] = {}

    def observe(func: FuncGraph, node: CNode, inputs: Sequence[Any], output: Any, begin: int, end: int) -> None:
        seen[node.name] = output

    Executor(whole, observer=observe).run(given)
    relu = next(node for node in whole.root.nodes if node.op == "ReLU")
    part = edit.extract(whole, edit.neighbours(whole, relu.name, depth=None, direction="upstream"), outputs=[relu.name])
    assert [node.op for node in part.root.nodes][-2:] == ["ReLU", "Return"]
    np.testing.assert_array_equal(Executor(part).run(given), seen[relu.name])

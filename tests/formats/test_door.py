"""Every writer of graphs refuses one with dangling, cyclic or ambiguous references, by name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from msdump.errors import WriteError
from msdump.formats import Format, all_formats, ir
from msdump.graph import FuncGraph, Graph, NodeRef
from msdump.io import read_graph
from tests.conftest import FIXTURES

WRITERS = [found for found in all_formats() if found.kind == "graph" and found.write is not None]
WHOLE = read_graph(FIXTURES / "ir" / "2.5.0_print_net_validate.ir")
CALLS = read_graph(FIXTURES / "ir" / "2.10.0_control_flow_if_type_inference.ir")


def root(graph: Graph, **fields: Any) -> Graph:
    """The graph with its entry FuncGraph changed."""
    return replace(graph, funcs={**graph.funcs, graph.entry: replace(graph.root, **fields)})


def without_a_node(graph: Graph) -> Graph:
    return root(graph, nodes=graph.root.nodes[1:])


def with_a_renamed_parameter(graph: Graph) -> Graph:
    first, *rest = graph.root.parameters
    return root(graph, parameters=(replace(first, name="renamed"), *rest))


def with_a_circle(graph: Graph) -> Graph:
    first, *rest = graph.root.nodes
    return root(graph, nodes=(replace(first, inputs=(NodeRef(first.name),)), *rest))


def with_a_name_twice(graph: Graph) -> Graph:
    first, second, *rest = graph.root.nodes
    return root(graph, nodes=(first, replace(second, name=first.name), *rest))


def without_a_subgraph(_: Graph) -> Graph:
    funcs: dict[str, FuncGraph] = dict(CALLS.funcs)
    del funcs["16_cast_21"]
    return replace(CALLS, funcs=funcs)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (without_a_node, "operand 1 of %5 (Print) is %0, which nothing defines"),
        (with_a_renamed_parameter, "operand 0 of %0 (Add) is x, which nothing defines"),
        (with_a_circle, "%0 uses %0, which needs %0"),
        (with_a_name_twice, "%0 is defined more than once"),
        (without_a_subgraph, "@16_cast_21 is not in the graph"),
    ],
)
@pytest.mark.parametrize("writer", WRITERS, ids=lambda found: found.name)
def test_a_dangling_or_cyclic_reference_is_refused_by_every_writer(
    writer: Format, broken: Callable[[Graph], Graph], told: str, tmp_path: Path
) -> None:
    assert writer.write is not None
    path = tmp_path / ("out" + writer.suffixes[0])
    with pytest.raises(WriteError) as caught:
        writer.write(broken(WHOLE), path, lossy=True)
    assert f"{writer.name} refuses the graph: " in caught.value.what
    assert told in caught.value.what
    assert not path.exists()


def test_printing_to_a_text_refuses_as_well() -> None:
    with pytest.raises(WriteError, match="which nothing defines"):
        ir.format_graph(without_a_node(WHOLE))


def test_the_command_says_so_in_one_line(tmp_path: Path) -> None:
    whole = (FIXTURES / "ir" / "2.5.0_print_net_validate.ir").read_text(encoding="utf-8")
    path = tmp_path / "circle.ir"
    path.write_text(whole.replace("PrimFunc_Add(%para1_x, ", "PrimFunc_Add(%0, "), encoding="utf-8")
    words = [sys.executable, "-m", "msdump", "convert", str(path), "-o", str(tmp_path / "out.json")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].endswith(
        "graph.json refuses the graph: %0 uses %0, which needs %0 in @3_1___main___PrintNet_construct_38"
    )
    assert not (tmp_path / "out.json").exists()

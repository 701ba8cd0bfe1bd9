"""The executor on graphs made by hand: calls, closures, branches, loops, effects, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from msdump.errors import ExecutionError
from msdump.graph import CALL_VAR, CNode, FuncGraph, Graph, Parameter
from msdump.runtime.executor import Executor, execute_node, missing_operators
from tests.runtime.executor.graphs import U, func, graph, node


def f32(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


def test_operators_run_with_their_attributes() -> None:
    g = graph(
        func(
            "main",
            "x y",
            node("%0", "MatMul", "x", "y", transpose_b=True),
            node("%1", "ReduceSum", "%0", (1,), keep_dims=True),
            output="%1",
        )
    )
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((4, 3), np.float32)
    np.testing.assert_array_equal(Executor(g).run([x, y]), (x @ y.T).sum(1, keepdims=True))


def test_primitive_functions_take_attributes_as_operands() -> None:
    g = graph(func("main", "x", node("%0", "PrimFunc_Softmax", "x", (0,)), output="%0"))
    np.testing.assert_allclose(Executor(g).run([f32(0, 0)]), [0.5, 0.5])


def test_nodes_run_in_the_order_of_their_needs() -> None:
    g = graph(func("main", "x", node("%0", "Add", "%1", "x"), node("%1", "Mul", "x", "x"), output="%0"))
    np.testing.assert_array_equal(Executor(g).run([f32(3)]), [12])


def test_nodes_the_output_does_not_need_do_not_run() -> None:
    g = graph(func("main", "x", node("%0", "NoSuchOperator", "x"), node("%1", "Neg", "x"), output="%1"))
    assert missing_operators(g) == []
    np.testing.assert_array_equal(Executor(g).run([f32(3)]), [-3])


def test_a_switch_calls_the_branch_the_condition_tells() -> None:
    g = graph(
        func(
            "main",
            "c x",
            node("%0", "Switch", "c", "@yes", "@no"),
            node("%1", CALL_VAR, "%0", "x"),
            output="%1",
        ),
        func("yes", "a", node("%0", "Add", "a", "a"), output="%0"),
        func("no", "a", node("%0", "Neg", "a"), output="%0"),
    )
    executor = Executor(g)
    assert executor.run([np.array(True), f32(3)]).tolist() == [6]
    assert executor.run([np.array(False), f32(3)]).tolist() == [-3]


def test_inner_graphs_use_variables_of_outer_ones_also_through_others() -> None:
    g = graph(
        func("main", "x", node("%0", "Mul", "x", "x"), node("%1", "@outer"), output="%1"),
        func("outer", "", node("%0", "@inner", "main:x"), output="%0"),
        func("inner", "a", node("%0", "Add", "a", "main:%0"), output="%0"),
    )
    assert Executor(g).run([f32(3)]).tolist() == [12]


def test_a_node_that_only_an_inner_graph_needs_is_computed() -> None:
    g = graph(
        func("main", "x", node("%0", "Add", "x", "x"), node("%1", "@middle"), output="%1"),
        func("middle", "", node("%0", "Mul", "main:%0", "main:x"), node("%1", "@inner"), output="%1"),
        func("inner", "", node("%0", "Neg", "middle:%0"), output="%0"),
    )
    assert Executor(g).run([f32(3)]).tolist() == [-18]


def test_partials_keep_their_arguments() -> None:
    g = graph(
        func(
            "main",
            "x y",
            node("%0", "Partial", "@minus", "x"),
            node("%1", CALL_VAR, "%0", "y"),
            output="%1",
        ),
        func("minus", "a b", node("%0", "Sub", "a", "b"), output="%0"),
    )
    assert Executor(g).run([f32(5), f32(3)]).tolist() == [2]


def loop(times: int) -> Graph:
    """while i < times: i = i + 1, as MindSpore compiles it."""
    return graph(
        func("main", "i", node("%0", "@header", "i"), output="%0"),
        func(
            "header",
            "i",
            node("%0", "Less", "i", times),
            node("%1", "Partial", "@body", "i"),
            node("%2", "Partial", "@after", "i"),
            node("%3", "Switch", "%0", "%1", "%2"),
            node("%4", CALL_VAR, "%3"),
            output="%4",
        ),
        func("body", "i", node("%0", "Add", "i", 1), node("%1", "@header", "%0"), output="%1"),
        func("after", "i", output="i"),
    )


def test_loops_run_in_constant_depth() -> None:
    assert Executor(loop(20_000), max_call_depth=3).run([np.array(0)]) == 20_000


def test_recursion_deeper_than_allowed_is_an_error() -> None:
    g = graph(
        func("main", "x", node("%0", "@again", "x"), output="%0"),
        func("again", "x", node("%0", "@again", "x", line=7), node("%1", "Neg", "%0"), output="%1"),
    )
    with pytest.raises(ExecutionError, match="calls nest deeper than max_call_depth, 50, at %0") as caught:
        Executor(g, max_call_depth=50).run([f32(1)])
    assert str(caught.value.where) == "net.py:7:1"


def test_a_chain_of_a_hundred_thousand_nodes_runs() -> None:
    count = 100_000
    nodes = [CNode("%0", "Neg", node("", "Neg", "x").inputs)]
    nodes += [node(f"%{i}", "Neg", f"%{i - 1}") for i in range(1, count)]
    g = graph(func("main", "x", *reversed(nodes), output=f"%{count - 1}"))
    assert Executor(g).run([f32(1)]).tolist() == [1]


def test_assignments_run_in_the_order_of_the_tokens() -> None:
    g = graph(
        func(
            "main",
            "x w",
            node("%0", "Load", "w", U),
            node("%1", "UpdateState", U, "%0"),
            node("%2", "Assign", "w", "x", "%1"),
            node("%3", "UpdateState", "%1", "%2"),
            node("%4", "Load", "w", "%3"),
            node("%5", "MakeTuple", "%0", "%4"),
            output="%5",
        )
    )
    weight = f32(1)
    before, after = Executor(g).run([f32(9), weight])
    assert (before.tolist(), after.tolist(), weight.tolist()) == ([1], [9], [9])


def test_a_default_weight_is_not_changed_in_its_file() -> None:
    from msdump.dtype import float32
    from msdump.tensor import TensorData

    stored = f32(1)
    stored.flags.writeable = False
    entry = FuncGraph(
        "main",
        (Parameter("x"), Parameter("w", has_default=True, default=TensorData(float32, (1,), lambda: stored))),
        (node("%0", "AssignAdd", "w", "x", U), node("%1", "Return", "%0")),
    )
    executor = Executor(Graph("main", {"main": entry}))
    assert executor.run([f32(2)]).tolist() == [3]
    assert stored.tolist() == [1]


def test_an_operator_that_is_not_known_is_named_with_its_line_before_anything_runs() -> None:
    g = graph(func("main", "x", node("%0", "Warp", "x", line=12), node("%1", "Neg", "%0"), output="%1"))
    with pytest.raises(ExecutionError, match="the operator Warp of %0 is not one that msdump can execute") as caught:
        Executor(g)
    assert str(caught.value.where) == "net.py:12:1"
    assert caught.value.node == "%0"
    assert [(m.op, m.func, m.node.name) for m in missing_operators(g)] == [("Warp", "main", "%0")]


def test_a_missing_graph_is_listed_and_named() -> None:
    g = graph(func("main", "x", node("%0", "@elsewhere", "x"), output="%0"))
    assert [m.op for m in missing_operators(g)] == ["call @elsewhere"]
    with pytest.raises(ExecutionError, match="%0 uses @elsewhere, which is not in this file"):
        Executor(g)


def test_an_operator_that_fails_is_named_with_its_inputs_and_line() -> None:
    g = graph(func("main", "x y", node("%0", "MatMul", "x", "y", line=3), output="%0"))
    with pytest.raises(ExecutionError) as caught:
        Executor(g).run([np.ones((2, 3), np.float32), np.ones((4, 5), np.float32)])
    assert str(caught.value) == (
        "net.py:3:1: MatMul %0 of Tensor[Float32] (2, 3), Tensor[Float32] (4, 5): For 'MatMul' the input "
        "dimensions must be equal, but got 'x1_col': 3 and 'x2_row': 4."
    )


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([f32(1)], "the graph takes 2 inputs (x, y), but 1 were given"),
        ({"x": f32(1)}, "no value is given for the parameter y"),
        ({}, "no value is given for the parameters x, y"),
    ],
)
def test_inputs_that_do_not_fit_are_an_error(inputs: Any, message: str) -> None:
    g = graph(func("main", "x y", node("%0", "Add", "x", "y"), output="%0"))
    with pytest.raises(ExecutionError) as caught:
        Executor(g).run(inputs)
    assert str(caught.value) == message


def test_nodes_that_need_one_another_are_an_error() -> None:
    g = graph(func("main", "x", node("%0", "Add", "%1", "x"), node("%1", "Neg", "%0"), output="%1"))
    with pytest.raises(ExecutionError, match="needs its own result"):
        Executor(g)


def test_a_fragment_without_return_is_an_error() -> None:
    fragment = Graph("main", {"main": FuncGraph("main", (), (node("%0", "Neg", 1),))})
    with pytest.raises(ExecutionError, match="@main has no Return"):
        Executor(fragment)


def test_the_observer_sees_every_operator_with_inputs_and_output() -> None:
    g = graph(func("main", "x", node("%0", "Add", "x", "x"), node("%1", "Neg", "%0"), output="%1"))
    seen: list[tuple[str, Any, Any]] = []

    def observe(func: FuncGraph, made: CNode, inputs: Any, output: Any, begin: int, end: int) -> None:
        assert begin <= end
        seen.append((made.op, [i.tolist() for i in inputs], output.tolist()))

    Executor(g, observer=observe).run([f32(2)])
    assert seen == [("Add", [[2], [2]], [4]), ("Neg", [[4]], [-4])]


def test_one_node_is_computed_again_in_double_precision() -> None:
    made = node("%3", "Sub", "%1", "%2")
    (found,) = execute_node(made, [f32(1), f32(1e-9)])
    assert found.dtype == np.float64
    assert found[0] == 1 - np.float64(np.float32(1e-9))
    (single,) = execute_node(made, [f32(1), f32(1e-9)], float64=False)
    assert single.dtype == np.float32
    assert single[0] == 1


def test_one_node_takes_constants_from_the_graph_and_tuples_spread_out() -> None:
    (found,) = execute_node(node("%1", "ReduceSum", "%0", 1, keep_dims=True), [np.ones((2, 3), np.float32)])
    assert found.tolist() == [[3], [3]]
    (joined,) = execute_node(node("%1", "Concat", "%0", axis=0), [f32(1), f32(2), f32(3)])
    assert joined.tolist() == [1, 2, 3]
    with pytest.raises(ExecutionError, match="%1 has 2 inputs, but 3 were given"):
        execute_node(node("%1", "Add", "%0", "%9"), [f32(1)] * 3)

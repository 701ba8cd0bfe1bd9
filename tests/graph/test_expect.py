from __future__ import annotations

import pytest

from msdump.errors import GraphError
from msdump.graph.expect import check
from msdump.io import read_graph
from tests.conftest import FIXTURES

GRAPH = read_graph(FIXTURES / "pairs" / "2.10.0_conv_cast_added" / "edited.ir")


def whys(expectations: str) -> list[tuple[int, str]]:
    return [(miss.line, miss.why) for miss in check(GRAPH, expectations)]


def test_all_hold() -> None:
    text = """
    # CHECK: Conv2D … {stride: (1, 1, 1, 1), kernel_size: (3, 3)}
    # CHECK: BiasAdd
    # CHECK-NEXT: ReLU
    # CHECK: Cast(… 42) … Float16
    # CHECK-NEXT: Exp … Tensor[Float16]
    # CHECK-COUNT-2: Cast
    # CHECK-COUNT-9: Load
    # CHECK-DAG: Conv2D {pad_mode: 0}
    # CHECK-NOT: Tanh
    """
    assert check(GRAPH, text) == ()


def test_order_matters() -> None:
    assert whys("CHECK: Softmax\nCHECK: Conv2D") == [
        (2, "no later node matches (an earlier one does); there is %Conv2D.1 = " + _line("%Conv2D.1 = "))
    ]


def _line(start: str) -> str:
    from msdump.graph.canon import canon

    return next(line.strip() for line in canon(GRAPH).split("\n") if line.strip().startswith(start))[len(start) :]


def test_the_nearest_is_told() -> None:
    assert whys("CHECK: Conv2D {stride: (2, 2)}") == [(1, "no node matches; Conv2D is there with stride: (1, 1, 1, 1)")]
    assert whys("CHECK: Tanh") == [(1, "no node matches; there is no Tanh")]
    assert whys("CHECK: relu") == [(1, "no node matches; there is ReLU")]


def test_counts_are_exact() -> None:
    ((line, why),) = whys("CHECK-COUNT-3: Cast")
    assert (line, why.split(":")[0]) == (1, "2 nodes match, not 3")


def test_what_must_not_be_there() -> None:
    assert whys("CHECK: Conv2D\nCHECK-NOT: Cast\nCHECK: MaxPool") == []
    ((line, why),) = whys("CHECK: Conv2D\nCHECK-NOT: Cast\nCHECK: Softmax")
    assert (line, why.startswith("there is %Cast.1 = Cast(")) == (2, True)
    assert [line for line, _ in whys("CHECK: Softmax\nCHECK-NOT: Return")] == [2]


def test_a_scope_of_its_own() -> None:
    assert (
        whys("CHECK-SCOPE: Default/bn\nCHECK-COUNT-4: Load\nCHECK-COUNT-0: Conv2D\nCHECK-SCOPE:\nCHECK: Conv2D") == []
    )
    assert whys("CHECK-SCOPE: Default/nowhere") == [(1, "there is no node in Default/nowhere")]


def test_regular_expressions_and_patterns() -> None:
    assert whys("CHECK: *Pool … {{Tensor.Float\\d+.}}") == []
    with pytest.raises(GraphError, match="line 1: CHECK: ReLU"):
        check(GRAPH, "CHECK: ReLU {{(}}")


def test_no_expectation_is_an_error() -> None:
    with pytest.raises(GraphError, match="no expectation in it"):
        check(GRAPH, "nothing")
    with pytest.raises(GraphError, match="names no operator"):
        check(GRAPH, "CHECK:")

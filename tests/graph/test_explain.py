from __future__ import annotations

from pathlib import Path

import pytest

from msdump.errors import GraphError
from msdump.graph.explain import Explanation, explain
from msdump.graph.failure import message_of
from msdump.io import read_graph
from msdump.render.graph_explain import explanation_json, explanation_lines
from tests.conftest import FIXTURES

FAIL = FIXTURES / "fail"


def told(name: str, with_log: bool = False) -> Explanation:
    log = (FAIL / f"{name}.txt").read_text(encoding="utf-8") if with_log else ""
    return explain(read_graph(FAIL / f"{name}.ir"), log)


def test_shapes_of_a_matmul() -> None:
    found = told("2.10.0_MatmulShape")
    assert (found.kind, found.why) == ("shape", "inner dimensions differ: 3 and 4")
    failure = found.failure
    assert failure.op == "MatMul"
    assert [(a.name, a.type) for a in failure.arguments] == [
        ("h", "Tensor[Float32] (2, 3)"),
        ("y", "Tensor[Float32] (4, 5)"),
    ]
    assert [(str(f), f.code) for f in failure.frames] == [
        ("nets.py:21", "return self.mm(h, y)"),
        ("nets.py:19", "def construct(self, x, y):"),
    ]
    assert failure.message == "For 'MatMul' the input dimensions must be equal, but got 'x1_col': 3 and 'x2_row': 4."
    assert explanation_lines(found)[:3] == [
        "compilation stopped at nets.py:21   return self.mm(h, y)",
        "  MatMul( h: Tensor[Float32] (2, 3),  y: Tensor[Float32] (4, 5) )",
        "  inner dimensions differ: 3 and 4",
    ]


def test_the_same_without_a_message_in_the_file() -> None:
    found = told("2.0.0_MatmulShape")
    assert (found.failure.op, found.why, found.failure.message) == ("MatMul", "inner dimensions differ: 3 and 4", "")


@pytest.mark.parametrize(("name", "with_log"), [("2.10.0_ArgCount", False), ("2.0.0_ArgCount", True)])
def test_too_many_arguments(name: str, with_log: bool) -> None:
    found = told(name, with_log)
    assert (found.kind, found.why) == ("arguments", "scale takes 2 arguments, 3 are given (self not counted)")
    assert found.details == ("defined at nets.py:10   def scale(self, a, b):",)
    assert str(found.failure.place) == "nets.py:14"


def test_branches_of_different_types() -> None:
    found = told("2.10.0_BranchTypes")
    assert (found.kind, found.why) == (
        "branches",
        "the branches of this if return values of different types: tensor and tuple",
    )
    assert found.details == (
        "true branch: nets.py:25   out = x",
        "false branch: a tuple of 2   nets.py:27   out = (x, x)",
    )
    assert told("2.0.0_BranchTypes").kind == "branches"


@pytest.mark.parametrize(
    ("name", "frame"), [("2.10.0_ConvChannels", "conv.py:373"), ("2.0.0_ConvChannels", "conv.py:313")]
)
def test_channels_of_a_convolution(name: str, frame: str) -> None:
    found = told(name)
    assert (found.failure.op, found.why) == ("Conv2D", "the input has 8 channels, the weight is for 16")
    place = found.failure.place
    assert place is not None
    assert (str(place), place.code) == ("nets.py:38", "return self.conv2(ops.relu(self.conv1(x)))")
    assert str(found.failure.frames[0]) == frame


@pytest.mark.parametrize("name", ["2.10.0_Unsupported", "2.0.0_Unsupported"])
def test_an_unsupported_call(name: str) -> None:
    found = told(name)
    assert found.kind == "unsupported"
    assert "has no attribute not_a_method" in found.why


def test_1x_writes_dat() -> None:
    found = explain(read_graph(FAIL / "1.6.1_scalars.dat"))
    assert (found.kind, found.failure.op) == ("unsupported", "greater_equal")
    assert found.why == "greater_equal is not defined for a tuple and a tuple in a compiled graph"
    assert str(found.failure.place) == "print_net.py:41"


def test_a_graph_that_did_not_fail() -> None:
    with pytest.raises(GraphError, match="no node carries a failure mark"):
        explain(read_graph(FIXTURES / "pairs" / "2.10.0_conv_attr_stride" / "base.ir"))


def test_the_message_is_the_first_paragraph() -> None:
    text = (FAIL / "2.0.0_MatmulShape.txt").read_text(encoding="utf-8")
    assert message_of(text.splitlines()).startswith("ValueError: For 'MatMul', the input dimensions must be equal")
    assert message_of(["# num of function graphs in stack: 1"]) == ""


def test_as_json() -> None:
    document = explanation_json(told("2.10.0_MatmulShape"))
    assert document["schema"] == "msdump.graph-explain/1"
    assert document["arguments"][0] == {"name": "h", "type": "Tensor[Float32] (2, 3)", "value": ""}
    assert (document["source"], document["code"]) == ("nets.py:21", "return self.mm(h, y)")


def test_every_failure_of_the_corpus(corpus: Path) -> None:
    files = sorted((corpus / "fail").glob("*/*/analyze_fail*"))
    kinds = {str(f.relative_to(corpus / "fail").parent): explain(read_graph(f)).kind for f in files}
    assert {kind for name, kind in kinds.items() if name.startswith("1.")} == {"unsupported"}
    assert kinds["2.10.0/ArgCount"] == "arguments"
    assert len(kinds) == len(files)

from __future__ import annotations

from pathlib import Path

import pytest

from msdump.graph import CNode, FuncGraph, Graph, NodeRef, Parameter
from msdump.graph.canon import canon, canon_hash
from msdump.graph.text import stable_text
from msdump.graph.value import Scalar, Str
from msdump.io import read_graph
from tests.conftest import FIXTURES
from tests.diff.mutate import Mutator

PAIRS = FIXTURES / "pairs"


def test_a_small_graph() -> None:
    from msdump.graph import Attrs, TensorType, ValueNode

    nodes = (
        CNode(
            "%5", "Exp", (NodeRef("x"),), TensorType("Float32", (2, 3)), scope="Default/act-Exp", debug_name="CNode_7"
        ),
        CNode(
            "%9",
            "Add",
            (NodeRef("%5"), ValueNode(Scalar("Float32", 0.5))),
            primitive_attrs=Attrs({"b": Str("two"), "a": Scalar("Int64", 1), "unique_id": Str("77")}),
        ),
        CNode("", "Return", (NodeRef("%9"),)),
    )
    graph = Graph("3_construct.12", {"3_construct.12": FuncGraph("3_construct.12", (Parameter("x"),), nodes)})
    assert canon(graph) == (
        "entry @construct\n"
        "\n"
        "graph @construct {\n"
        "  %x\n"
        "  %Exp.1 = Exp(%x) : Tensor[Float32] (2, 3)  # Default/act-Exp\n"
        '  %Add.1 = Add(%Exp.1, 0.5) {a: 1, b: "two"}\n'
        "  Return(%Add.1)\n"
        "}\n"
    )


@pytest.mark.parametrize("name", ["1.1.1_conv_same_second_compile"])
def test_two_runs_of_one_script_give_one_canon(name: str) -> None:
    a, b = (read_graph(PAIRS / name / f"{side}.ir") for side in ("base", "edited"))
    assert canon(a) == canon(b)
    assert canon_hash(a) == canon_hash(b)


def test_renumbered_and_reordered_is_the_same_canon() -> None:
    graph = read_graph(PAIRS / "2.10.0_conv_op_added_mul_const" / "base.ir")
    for seed in range(5):
        mutator = Mutator(graph, seed)
        mutator.renumber()
        mutator.reorder()
        assert canon(mutator.graph()) == canon(graph)


def test_one_operator_more_is_few_lines_more() -> None:
    import difflib

    a, b = (canon(read_graph(PAIRS / "2.10.0_conv_cast_added" / f"{s}.ir")).split("\n") for s in ("base", "edited"))
    changed = [line for line in difflib.unified_diff(a, b, n=0) if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changed) == 6  # two Casts, and the two lines of Exp and Sub that use them


def test_what_changes_from_run_to_run() -> None:
    assert stable_text("ptr: 0x7f9d9c01da30, ok") == "ptr: ADDR, ok"
    assert stable_text("Namespace:__main__..<GradNet::139936790951216>") == "Namespace:__main__..<GradNet::ADDR>"
    assert stable_text("/home/me/work/net.py") == "net.py"
    assert stable_text("123") == "123"


def test_reruns_of_the_corpus(corpus: Path) -> None:
    different = []
    for folder in sorted((corpus / "pairs").glob("*/*/same_*")):
        for base in sorted((folder / "base").glob("*.ir")):
            if canon(read_graph(base)) != canon(read_graph(folder / "edited" / base.name)):
                different.append(str(base.relative_to(corpus)))
    assert different == []

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from msdump.graph import CNode, FuncGraph, Graph, GraphRef, NodeCounts, NodeRef, Parameter
from msdump.graph.verify import verify
from msdump.io import read_graph
from tests.conftest import FIXTURES


def one(*nodes: CNode, counts: NodeCounts | None = None, **others: FuncGraph) -> Graph:
    return Graph("g", {"g": FuncGraph("g", (Parameter("x"),), nodes), **others}, counts=counts)


RETURN = CNode("", "Return", (NodeRef("%0"),))
RELU = CNode("%0", "ReLU", (NodeRef("x"),))


def test_a_sound_graph() -> None:
    assert verify(one(RELU, RETURN)) == ()


def test_a_dangling_operand() -> None:
    (fault,) = verify(one(CNode("%0", "Add", (NodeRef("x"), NodeRef("%9"))), RETURN))
    assert (fault.rule, fault.what, fault.graph, fault.node) == (
        "dangling",
        "operand 1 of %0 (Add) is %9, which nothing defines",
        "g",
        "%0",
    )


def test_a_name_that_the_file_does_not_declare_is_a_warning() -> None:
    call = CNode("%0", "call_var", (NodeRef("x"),), callee=NodeRef("Φrange", ""))
    (fault,) = verify(one(call, RETURN))
    assert (fault.what, fault.level) == ("callee of %0 (call_var) is Φrange, which nothing defines", "warning")


def test_a_cycle() -> None:
    (fault,) = verify(
        one(CNode("%0", "Add", (NodeRef("x"), NodeRef("%1"))), CNode("%1", "Neg", (NodeRef("%0"),)), RETURN)
    )
    assert (fault.rule, fault.what) == ("cycle", "%1 uses %0, which needs %1")


def test_an_unreachable_subgraph_is_a_warning() -> None:
    lonely = FuncGraph("lonely", (Parameter("y"),), (CNode("", "Return", (NodeRef("y"),)),))
    (fault,) = verify(one(RELU, RETURN, lonely=lonely))
    assert (fault.rule, fault.what, fault.level) == ("unreachable", "@lonely is reached from nowhere", "warning")


def test_a_call_with_too_many_arguments() -> None:
    inner = FuncGraph("inner", (Parameter("y"),), (CNode("", "Return", (NodeRef("y"),)),))
    call = CNode("%0", "call", (NodeRef("x"), NodeRef("x")), callee=GraphRef("inner"))
    (fault,) = verify(one(call, RETURN, inner=inner))
    assert (fault.rule, fault.what, fault.level) == ("arity", "@inner takes 1 arguments, %0 gives it 2", "error")


def test_a_missing_subgraph_duplicates_and_counts() -> None:
    call = CNode("%0", "call", (NodeRef("x"),), callee=GraphRef("elsewhere"))
    (fault,) = verify(one(call, RETURN))
    assert (fault.what, fault.level) == ("@elsewhere is not in the graph; %0 of @g uses it", "error")
    (fault,) = verify(replace(one(call, RETURN), elsewhere=frozenset({"elsewhere"})))
    assert (fault.rule, fault.level) == ("missing-graph", "warning")
    assert [f.what for f in verify(one(RELU, RELU, RETURN))] == ["%0 is defined more than once in @g"]
    faults = verify(one(RELU, RETURN, counts=NodeCounts(9, 3)))
    assert [f.what for f in faults] == ["the file states 3 CNodes, it has 2"]
    assert [f.rule for f in verify(Graph("g", {}))] == ["entry"]


def test_what_mindspore_wrote_is_sound() -> None:
    for path in sorted((FIXTURES / "pairs").rglob("*.ir")):
        assert [f for f in verify(read_graph(path)) if f.level == "error"] == [], path


def test_the_corpus_is_sound(corpus: Path) -> None:
    wrong = {}
    for path in sorted((corpus / "pairs").rglob("*validate.ir"))[::5]:
        faults = [f.what for f in verify(read_graph(path)) if f.level == "error"]
        if faults:
            wrong[str(path.relative_to(corpus))] = faults[:2]
    assert wrong == {}

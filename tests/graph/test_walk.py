"""Walks: what comes in which order, once each, however deep it lies."""

from __future__ import annotations

from msdump.graph import CNode, DictType, GraphRef, KeywordType, NodeRef, RefType, Scalar, SequenceType, Str, TensorType
from msdump.graph.value import DictValue, Sequence
from msdump.graph.walk import (
    CALLEE,
    back_edges,
    called,
    iter_types,
    iter_values,
    operands,
    operands_within,
    postorder,
    preorder,
)

DIAMOND = {"a": "bc", "b": "d", "c": "d", "d": "", "e": "a"}
DEEP = 100_000


def test_postorder_gives_what_is_below_first_and_each_once() -> None:
    assert "".join(postorder("ae", DIAMOND.__getitem__)) == "dbcae"
    assert "".join(postorder("bacde", DIAMOND.__getitem__)) == "dbcae"


def test_preorder_gives_what_is_above_first_and_each_once() -> None:
    assert "".join(preorder("ae", DIAMOND.__getitem__)) == "abdce"
    assert "".join(preorder("", DIAMOND.__getitem__)) == ""


def test_a_cycle_ends_and_is_told_by_the_edge_that_closes_it() -> None:
    ring = {"a": "b", "b": "c", "c": "ad", "d": "d"}
    assert "".join(postorder("a", ring.__getitem__)) == "dcba"
    assert "".join(preorder("b", ring.__getitem__)) == "bcad"
    assert list(back_edges("abcd", ring.__getitem__)) == [("c", "a"), ("d", "d")]
    assert list(back_edges("abcde", DIAMOND.__getitem__)) == []


def test_a_chain_is_no_deeper_than_anything() -> None:
    def below(n: int) -> range:
        return range(n + 1, min(n + 2, DEEP))

    assert list(postorder([0], below)) == list(reversed(range(DEEP)))
    assert list(preorder([0], below)) == list(range(DEEP))
    assert list(back_edges([0], below)) == []


def test_the_operands_of_a_node_begin_with_its_callee() -> None:
    node = CNode("%1", "call", (NodeRef("%0"), NodeRef("x", "g"), GraphRef("h")), callee=GraphRef("f"))
    assert list(operands(node)) == [
        (CALLEE, GraphRef("f")),
        (0, NodeRef("%0")),
        (1, NodeRef("x", "g")),
        (2, GraphRef("h")),
    ]
    assert list(called([node])) == ["f", "h"]
    here = {"%0": CNode("%0", "ReLU"), "%1": node, "x": CNode("x", "Add")}
    assert list(operands_within("g", here)("%1")) == ["%0", "x"]
    assert list(operands_within("f", here)("%1")) == ["%0"]


def test_values_inside_of_values() -> None:
    one, two, key = Scalar("Int64", 1), Scalar("Int64", 2), Str("k")
    inner = Sequence("List", (one,))
    outer = Sequence("Tuple", (inner, DictValue(((key, two),))))
    assert list(iter_values(outer)) == [outer, inner, one, outer.items[1], key, two]
    deep = Sequence("Tuple", ())
    for _ in range(DEEP):
        deep = Sequence("Tuple", (deep,))
    assert sum(1 for _ in iter_values(deep)) == DEEP + 1


def test_types_inside_of_types() -> None:
    tensor = TensorType("Float32", (2,))
    ref, keyword = RefType(tensor), KeywordType("k", tensor)
    table = DictType(("k",), (keyword,))
    whole = SequenceType("Tuple", (ref, table))
    assert list(iter_types(whole)) == [whole, ref, tensor, table, keyword, tensor]

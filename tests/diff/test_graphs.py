from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from msdump.diff.edits import GraphDiff
from msdump.diff.graphs import diff_graphs, select_changes
from msdump.graph import Attrs, CNode, FuncGraph, Graph, GraphRef, NodeRef, Parameter, TensorType, ValueNode
from msdump.graph.layout import Layout
from msdump.graph.value import Scalar, Str
from msdump.io import read_graph
from tests.conftest import FIXTURES
from tests.diff.made import blocks, chain, dead, fan, made, random_net, ring
from tests.diff.mutate import Mutator

PAIRS = FIXTURES / "pairs"


def pair(name: str, **options: Any) -> GraphDiff:
    return diff_graphs(read_graph(PAIRS / name / "base.ir"), read_graph(PAIRS / name / "edited.ir"), **options)


def roots(diff: GraphDiff) -> list[tuple[str, str]]:
    return [(change.kind, change.op) for change in diff.roots]


# ------------------------------------------------------------------ real pairs
def test_one_operator_added_and_the_calls_it_brings() -> None:
    diff = pair("2.10.0_conv_op_added_mul_const")
    assert diff.summary() == {
        "added": {"Muls": 1, "Return": 2, "call": 2},
        "removed": {},
        "changed": 0,
        "rewired": 0,
        "moved": 0,
    }
    assert roots(diff) == [("added", "Muls")]
    (root,) = diff.roots
    assert (root.scope, root.source, root.code) == ("Default", "net.py:26", "y = y * 0.5")
    at = diff.changes.index(root)
    assert {change.cause for change in diff.changes if change is not root} == {at}


def test_an_attribute_changed_and_the_shapes_that_follow() -> None:
    diff = pair("2.10.0_conv_attr_stride")
    (root,) = diff.roots
    assert (root.kind, root.op, root.source) == ("changed", "MaxPool", "net.py:25")
    assert root.what["strides"] == ("(1, 1, 2, 2)", "(1, 1, 1, 1)")
    followers = [change for change in diff.changes if change.cause is not None]
    assert len(followers) == 7
    assert {tuple(change.what) for change in followers} == {("type",)}


def test_a_renamed_layer_is_the_same_computation() -> None:
    diff = pair("2.10.0_conv_layer_renamed")
    assert diff.same
    assert diff.roots == ()
    assert diff.count("moved") == {"Load": 1, "Conv2D": 1, "BiasAdd": 1, "Parameter": 2}
    moved = {change.what.get("scope") for change in diff.changes} - {None}
    assert moved == {("Default/conv1-Conv2d", "Default/stem-Conv2d")}
    assert pair("2.10.0_conv_layer_renamed", ignore=["scope", "names"]).changes == ()


def test_swapped_inputs_are_rewired() -> None:
    diff = pair("2.0.0_conv_inputs_swapped")
    assert not diff.same
    (root,) = diff.roots
    assert (root.kind, root.op) == ("rewired", "Sub")
    assert root.what == {"x": ("Exp Default", "Sigmoid Default"), "y": ("Sigmoid Default", "Exp Default")}


def test_a_constant_is_changed_at_the_operator_and_the_call_follows() -> None:
    diff = pair("1.1.1_conv_const_changed")
    (root,) = diff.roots
    assert (root.op, dict(root.what)) == ("Mul", {"y": ("Tensor[Float32]()=2", "Tensor[Float32]()=3")})
    assert [(c.kind, c.op, c.cause) for c in diff.changes if c is not root] == [
        ("changed", "call", diff.changes.index(root))
    ]


def test_an_operator_removed_with_its_subgraph() -> None:
    diff = pair("2.10.0_ctrl_op_removed")
    assert diff.summary()["removed"] == {"ReLU": 1, "Return": 1, "call": 1}
    assert roots(diff) == [("removed", "ReLU")]


def test_a_second_compilation_is_the_same() -> None:
    diff = pair("1.1.1_conv_same_second_compile")
    assert diff.same
    assert diff.matched == diff.nodes[0] == diff.nodes[1] == 70


# ------------------------------------------------------------------ single edits
def small(**changes: Any) -> Graph:
    """x → Conv2D → ReLU, with the node named by a keyword changed."""
    nodes = {
        "conv": CNode("%0", "Conv2D", (NodeRef("x"),), primitive_attrs=Attrs({"stride": Scalar("Int64", 1)})),
        "relu": CNode("%1", "ReLU", (NodeRef("%0"),)),
        "exp": CNode("%2", "Exp", (NodeRef("%1"),)),
    }
    for name, fields in changes.items():
        nodes[name] = dataclasses.replace(nodes[name], **fields)
    return made(list(nodes.values()), "%2")


def test_each_kind_of_change() -> None:
    base = small()
    replaced = diff_graphs(base, small(relu={"op": "Tanh"}))
    assert [(c.kind, c.op, dict(c.what)) for c in replaced.changes] == [("changed", "Tanh", {"op": ("ReLU", "Tanh")})]
    attribute = diff_graphs(base, small(conv={"primitive_attrs": Attrs({"stride": Scalar("Int64", 2)})}))
    assert [(c.kind, c.op, dict(c.what)) for c in attribute.changes] == [("changed", "Conv2D", {"stride": ("1", "2")})]
    typed = diff_graphs(
        small(exp={"abstract": TensorType("Float32", (2,))}), small(exp={"abstract": TensorType("Float16", (2,))})
    )
    assert [dict(c.what) for c in typed.changes] == [{"type": ("Tensor[Float32] (2)", "Tensor[Float16] (2)")}]
    scoped = diff_graphs(small(relu={"scope": "Default/a"}), small(relu={"scope": "Default/b"}))
    assert scoped.same
    assert [(c.kind, dict(c.what)) for c in scoped.changes] == [("moved", {"scope": ("Default/a", "Default/b")})]


def test_what_is_ignored() -> None:
    base, other = small(), small(conv={"primitive_attrs": Attrs({"stride": Scalar("Int64", 2)})})
    assert diff_graphs(base, other, ignore=["attrs"]).same
    assert diff_graphs(base, other, ignore=["attr:stride"]).same
    assert not diff_graphs(base, other, ignore=["attr:pad"]).same
    with pytest.raises(ValueError, match="colours"):
        diff_graphs(base, other, ignore=["colours"])


def test_bookkeeping_attributes_say_nothing() -> None:
    ids = {"conv": {"primitive_attrs": Attrs({"stride": Scalar("Int64", 1), "unique_id": Str("9")})}}
    assert diff_graphs(small(), small(**ids)).changes == ()


def test_only_some_changes_are_selected() -> None:
    diff = pair("2.10.0_conv_attr_stride")
    assert [c.op for c in select_changes(diff, only=["attrs"]).changes] == ["MaxPool"]
    assert select_changes(diff, scope="Default/fc-Dense").changes == ()
    some = select_changes(diff, scope="Default/bn-BatchNorm2d")
    assert {c.op for c in some.changes} == {"BatchNorm", "TupleGetItem"}
    assert [c.cause for c in some.changes if c.cause is not None and c.cause >= len(some.changes)] == []


def test_a_pinned_match() -> None:
    a = made([CNode("%0", "Exp", (NodeRef("x"),)), CNode("%1", "Exp", (NodeRef("x"),))], "%0")
    b = made([CNode("%7", "Exp", (NodeRef("x"),)), CNode("%8", "Exp", (NodeRef("x"),))], "%7")
    free = diff_graphs(a, b)
    assert free.same
    pinned = diff_graphs(a, b, pins={"%0": "%8"})
    assert roots(pinned) == [("rewired", "Return")]
    assert pinned.matching is not None
    assert "pinned" in pinned.matching.why


def test_an_inlined_subgraph_loses_its_glue_only() -> None:
    inner = FuncGraph(
        "inner", (Parameter("p"),), (CNode("%0", "Exp", (NodeRef("p"),)), CNode("", "Return", (NodeRef("%0"),)))
    )
    called = made(
        [CNode("%0", "ReLU", (NodeRef("x"),)), CNode("%1", "call", (NodeRef("%0"),), callee=GraphRef("inner"))],
        "%1",
        inner,
    )
    inlined = made([CNode("%0", "ReLU", (NodeRef("x"),)), CNode("%1", "Exp", (NodeRef("%0"),))], "%1")
    diff = diff_graphs(called, inlined)
    assert diff.summary()["removed"] == {"Return": 1, "call": 1}
    assert diff.summary()["added"] == {}
    assert {c.op for c in diff.changes if c.kind == "moved"} == {"Exp"}


def test_weights_are_told_by_name_and_inputs_by_place() -> None:
    def net(first: str, second: str, *names: str) -> Graph:
        nodes = (CNode("%0", "Sub", (NodeRef(first), NodeRef(second))), CNode("", "Return", (NodeRef("%0"),)))
        return Graph("g", {"g": FuncGraph("g", tuple(Parameter(n) for n in names), nodes)})

    assert diff_graphs(net("x", "y", "x", "y"), net("a", "b", "a", "b")).same
    assert diff_graphs(net("l.w", "l.b", "l.w", "l.b"), net("l.w", "l.b", "l.b", "l.w")).same
    assert roots(diff_graphs(net("l.w", "l.b", "l.w", "l.b"), net("l.b", "l.w", "l.w", "l.b"))) == [("rewired", "Sub")]


def test_an_input_of_another_shape_is_the_root_of_all_types() -> None:
    def net(size: int) -> Graph:
        kind = TensorType("Float32", (size, 4))
        nodes = (CNode("%0", "Exp", (NodeRef("x"),), kind), CNode("", "Return", (NodeRef("%0"),), kind))
        return Graph("g", {"g": FuncGraph("g", (Parameter("x", kind),), nodes)})

    diff = diff_graphs(net(2), net(3))
    assert [(c.op, c.cause) for c in diff.changes] == [("Parameter", None), ("Exp", 0), ("Return", 0)]
    assert diff_graphs(net(2), net(3), ignore=["types"]).same


# ------------------------------------------------------------------ the worst cases
def test_graphs_with_nothing_in_common() -> None:
    diff = diff_graphs(random_net(200, 1, ("Add", "Mul")), random_net(200, 2, ("ReLU", "Exp")))
    assert sum(diff.count("added").values()) == sum(diff.count("removed").values()) == 200


def test_empty_graphs() -> None:
    empty = Graph("g", {})
    assert diff_graphs(empty, empty).changes == ()
    assert diff_graphs(empty, chain(2)).count("added") == {"ReLU": 2, "Return": 1}
    assert diff_graphs(chain(2), empty).count("removed") == {"ReLU": 2, "Return": 1}


@pytest.mark.parametrize("make", [chain, fan], ids=["in a line", "beside each other"])
def test_ten_thousand_identical_nodes(make: Any) -> None:
    whole = make(10_000)
    assert diff_graphs(whole, make(10_000)).changes == ()
    assert roots(diff_graphs(whole, make(10_000, without=4321))) == [("removed", "ReLU")]


def test_identical_nodes_that_nothing_uses() -> None:
    assert diff_graphs(dead(3000), dead(2998)).count("removed") == {"ReLU": 2}


def test_identical_blocks() -> None:
    diff = diff_graphs(blocks(1000), blocks(1000, without=400))
    assert diff.count("removed") == {"MatMul": 1, "BiasAdd": 1, "Softmax": 1, "Add": 1}
    assert diff.count("added") == {}
    assert len(diff.changes) == 4


def test_cycles_between_subgraphs() -> None:
    assert diff_graphs(ring(50), ring(50)).changes == ()
    assert diff_graphs(ring(50), ring(49)).count("removed") == {"Add": 1, "Return": 1, "call": 2}


def test_two_different_nets() -> None:
    ops = ("Add", "Mul", "ReLU", "MatMul", "Exp")
    a, b = random_net(1000, 1, ops), random_net(1000, 2, ops)
    diff = diff_graphs(a, b)
    net = diff.count("added")
    net.subtract(diff.count("removed"))
    for change in diff.changes:
        if "op" in change.what:
            old, new = change.what["op"]
            net[str(new)] += 1
            net[str(old)] -= 1
    truth = Counter(n.op for _, n in b.iter_nodes())
    truth.subtract(Counter(n.op for _, n in a.iter_nodes()))
    assert {k: v for k, v in net.items() if v} == {k: v for k, v in truth.items() if v}


@pytest.mark.slow
def test_a_chain_of_100000() -> None:
    assert roots(diff_graphs(chain(100_000), chain(100_000, without=50_000))) == [("removed", "ReLU")]


# ------------------------------------------------------------------ generated edits
def found(diff: GraphDiff) -> Counter[tuple[str, str]]:
    """Roots by (kind, operator); an operator that became another counts as one less and one more."""
    counted: Counter[tuple[str, str]] = Counter()
    for change in diff.roots:
        if set(change.what) == {"type"}:
            continue
        if "op" in change.what:
            counted["removed", str(change.what["op"][0])] += 1
            counted["added", str(change.what["op"][1])] += 1
        else:
            counted[change.kind, change.op] += 1
    return counted


def shortest(seen: Counter[tuple[str, str]], truth: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """The truth with a removal and an addition of one operator told as its rewiring, where the diff
    tells it so: that is one edit for two, with the same outcome."""
    told = truth.copy()
    for kind, op in list(seen - truth):
        if kind == "rewired" and (truth - seen)["removed", op] and (truth - seen)["added", op]:
            told["removed", op] -= 1
            told["added", op] -= 1
            told["rewired", op] += 1
    return +told


def measure(graph: Graph, seeds: range) -> tuple[float, float, int]:
    """Recall, precision, and how often more than twice the true number of edits was reported."""
    hits = reported = true = over = 0
    size = sum(1 for _ in graph.iter_nodes())
    for seed in seeds:
        mutator = Mutator(graph, seed)
        for _ in range(min(1 + seed % 20, max(1, size // 8))):
            mutator.edit()
        mutator.renumber()
        mutator.reorder()
        seen = found(diff_graphs(graph, mutator.graph()))
        truth = shortest(seen, mutator.truth)
        hits += sum((seen & truth).values())
        reported += sum(seen.values())
        true += sum(truth.values())
        over += sum(seen.values()) > 2 * sum(mutator.truth.values())
    return hits / true, hits / max(reported, 1), over


@pytest.mark.parametrize(
    "name", ["2.10.0_conv_op_added_mul_const", "1.1.1_conv_const_changed", "2.10.0_ctrl_op_removed"]
)
def test_generated_edits_are_found(name: str) -> None:
    recall, precision, over = measure(read_graph(PAIRS / name / "base.ir"), range(20))
    assert (recall >= 0.99, precision >= 0.99, over) == (True, True, 0)


@pytest.mark.slow
def test_generated_edits_of_a_training_graph_are_found(corpus: Path) -> None:
    folder = corpus / "pairs" / "1.6.1" / "resid" / "op_added" / "base"
    for stage in ("abstract_specialize.ir", "validate.ir"):
        recall, precision, over = measure(read_graph(folder / stage), range(40))
        assert (recall >= 0.97, precision >= 0.99, over) == (True, True, 0)


def test_what_changes_nothing_is_the_same() -> None:
    graph = read_graph(PAIRS / "2.10.0_ctrl_op_removed" / "base.ir")
    for seed in range(10):
        mutator = Mutator(graph, seed)
        mutator.renumber()
        mutator.reorder()
        diff = diff_graphs(graph, mutator.graph())
        assert diff.same
        assert diff.matched == diff.nodes[0]


def test_deterministic() -> None:
    graph = read_graph(PAIRS / "1.1.1_conv_const_changed" / "base.ir")
    mutator = Mutator(graph, 7)
    for _ in range(6):
        mutator.edit()
    other = mutator.graph()
    assert diff_graphs(graph, other) == diff_graphs(graph, other)


# ------------------------------------------------------------------ the corpus
def test_exact_pairs_of_the_corpus(corpus: Path) -> None:
    wrong = []
    for path in sorted((corpus / "pairs").glob("*/*/*/edit.json")):
        edit = json.loads(path.read_text(encoding="utf-8"))
        for stage, told in edit["stages"].items():
            if "resid" in path.parts and stage != "validate":
                continue
            base, edited = (read_graph(path.parent / side / f"{stage}.ir") for side in ("base", "edited"))
            diff = diff_graphs(base, edited)
            where = f"{path.parent.relative_to(corpus)} {stage}"
            if diff.same != edit["same"]:
                wrong.append(f"{where}: same is {diff.same}")
            net = diff.count("added")
            net.subtract(diff.count("removed"))
            for change in diff.changes:
                if change.kind == "changed" and "op" in change.what:
                    net[str(change.what["op"][0])] -= 1
                    net[str(change.what["op"][1])] += 1
            want = Counter(told["ops_added"])
            want.subtract(told["ops_removed"])
            if {k: v for k, v in net.items() if v} != {k: v for k, v in want.items() if v}:
                wrong.append(f"{where}: operators {net} for {want}")
            if edit["exact"] and told["exact"] and not _roots_are(diff, edit["by_scope"]):
                wrong.append(f"{where}: roots {roots(diff)}")
    assert wrong == []


def _roots_are(diff: GraphDiff, truth: Any) -> bool:
    seen = found(diff)
    if any(change["op"] == "*" for change in truth["changed"]):
        return True
    want: Counter[tuple[str, str]] = Counter()
    for op in truth["added"]:
        want["added", op] += 1
    for op in truth["removed"]:
        want["removed", op] += 1
    for change in truth["changed"]:
        want["changed", change["op"]] += change.get("count", 1)
    # 2.10 spells a multiplication by a scalar Muls; a swap of inputs is told as a rewiring.
    plain: Counter[tuple[str, str]] = Counter()
    for (kind, op), count in seen.items():
        plain["changed" if kind == "rewired" else kind, "Mul" if op == "Muls" else op] += count
    return plain == want


def test_value_nodes_of_other_kinds_are_one_constant() -> None:
    def net(kind: str, value: float) -> Graph:
        return made([CNode("%0", "Mul", (NodeRef("x"), ValueNode(Scalar(kind, value))))], "%0")

    assert diff_graphs(net("", 2.0), net("Float32", 2.0)).same
    assert [dict(c.what) for c in diff_graphs(net("", 2.0), net("", 3.0)).changes] == [{"input 1": ("2.0", "3.0")}]


def test_two_releases_are_compared_by_what_they_mean() -> None:
    def net(dialect: str, attrs: dict[str, Any], *more: Any) -> Graph:
        node = CNode("%0", "MatMul", (NodeRef("x"), NodeRef("x"), *more), primitive_attrs=Attrs(attrs))
        return dataclasses.replace(made([node], "%0"), source=Layout("ir", dialect))

    yes, no = Scalar("Bool", True), Scalar("Bool", False)
    names = {"input_names": Str("x1"), "transpose_a": no, "transpose_b": yes, "transpose_x1": no, "transpose_x2": yes}
    old, new = net("2.0", names), net("2.10", {}, ValueNode(no), ValueNode(yes))
    assert diff_graphs(old, new).same
    assert diff_graphs(new, old).same
    turned = net("2.10", {}, ValueNode(no), ValueNode(no))
    assert [dict(c.what) for c in diff_graphs(old, turned).roots] == [
        {"transpose_b": ("True", None), "transpose_x2": ("True", None)}
    ]
    assert not diff_graphs(net("2.0", names), net("2.0", {}, ValueNode(no), ValueNode(yes))).same


def test_the_same_net_of_two_releases(corpus: Path) -> None:
    a, b = (next((corpus / "ir" / v / "conv_relu").glob("*validate*.ir")) for v in ("2.0.0", "2.10.0"))
    assert diff_graphs(read_graph(a), read_graph(b)).same


def test_the_same_stage_in_two_formats(corpus: Path) -> None:
    text = next((corpus / "ir" / "1.1.1" / "conv_relu").glob("10_validate_*.ir"))
    graph = read_graph(text)
    for other in ("dot/1.1.1/conv_relu/10_validate.dot", "dat/1.1.1/conv_relu/10_validate.dat"):
        assert diff_graphs(graph, read_graph(corpus / other)).same, other

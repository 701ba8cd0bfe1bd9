"""Operators that were split into several, or fused from several."""

from __future__ import annotations

from msdump.diff.edits import GraphDiff
from msdump.diff.graphs import diff_graphs, select_changes
from msdump.graph import CNode, Graph, NodeRef
from msdump.render.graph_diff import diff_lines
from tests.diff.made import made


def node(name: str, op: str, *inputs: str) -> CNode:
    return CNode(name, op, tuple(NodeRef(i) for i in inputs))


WHOLE = made([node("%0", "ReLU", "x"), node("%1", "LayerNorm", "%0"), node("%2", "Exp", "%1")], "%2")
PARTS = made(
    [
        node("%0", "ReLU", "x"),
        node("%1", "ReduceMean", "%0"),
        node("%2", "Sub", "%0", "%1"),
        node("%3", "Rsqrt", "%2"),
        node("%4", "Mul", "%2", "%3"),
        node("%5", "Exp", "%4"),
    ],
    "%5",
)


def grouped(diff: GraphDiff) -> list[tuple[str, list[str]]]:
    """Each split or fused node's operator with those of the others."""
    changes = diff.changes
    for n, change in enumerate(changes):
        for m in change.several:
            assert changes[m].part_of == n
        if change.part_of is not None:
            assert n in changes[change.part_of].several
    return [
        (" → ".join(str(v) for v in c.what["op"]) if "op" in c.what else c.op, sorted(changes[m].op for m in c.several))
        for c in changes
        if c.several
    ]


def operators(a: Graph, b: Graph) -> list[str]:
    (group,) = grouped(diff_graphs(a, b))
    return sorted({*group[0].split(" → "), *group[1]})


def test_one_operator_split_into_four_and_back() -> None:
    expected = ["LayerNorm", "Mul", "ReduceMean", "Rsqrt", "Sub"]
    assert operators(WHOLE, PARTS) == expected
    assert operators(PARTS, WHOLE) == expected


def test_the_counts_stay_those_of_single_operators() -> None:
    diff = diff_graphs(WHOLE, PARTS)
    added, removed = diff.count("added"), diff.count("removed")
    for change in diff.changes:
        if "op" in change.what:
            before, after = change.what["op"]
            added[str(after)] += 1
            removed[str(before)] += 1
    assert added == {"ReduceMean": 1, "Sub": 1, "Rsqrt": 1, "Mul": 1}
    assert removed == {"LayerNorm": 1}


def test_the_report_says_it_in_a_line() -> None:
    (line,) = [line for line in diff_lines(diff_graphs(WHOLE, PARTS)) if "split into" in line]
    assert line.startswith("    split into 4 operators: ")
    (line,) = [line for line in diff_lines(diff_graphs(PARTS, WHOLE)) if "fused from" in line]
    assert line.startswith("    fused from 4 operators: ")


def test_json_names_the_others_by_index() -> None:
    rows = diff_graphs(WHOLE, PARTS).to_json()["changes"]
    (one,) = [n for n, row in enumerate(rows) if "several" in row]
    assert sorted(n for n, row in enumerate(rows) if row.get("part_of") == one) == sorted(rows[one]["several"])
    assert len(rows[one]["several"]) in (3, 4)  # the node may have become one of the four


def test_another_place_is_no_group() -> None:
    fed_otherwise = made(
        [
            node("%0", "ReLU", "x"),
            node("%1", "ReduceMean", "x"),
            node("%2", "Sub", "x", "%1"),
            node("%3", "Exp", "%2"),
            node("%4", "Add", "%0", "%3"),
        ],
        "%4",
    )
    before = made(
        [
            node("%0", "ReLU", "x"),
            node("%1", "LayerNorm", "%0"),
            node("%2", "Exp", "%1"),
            node("%3", "Add", "%0", "%2"),
        ],
        "%3",
    )
    assert grouped(diff_graphs(before, fed_otherwise)) == []


def test_indexes_follow_a_selection() -> None:
    diff = diff_graphs(WHOLE, PARTS)
    chosen = select_changes(diff, only=("op:Sub", "op:Mul", "op:Rsqrt", "op:ReduceMean", "op:LayerNorm"))
    assert grouped(chosen) == grouped(diff)

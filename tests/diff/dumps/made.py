"""Pairs of dumps for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from msdump.diff.dumps.operators import OperatorIndex
from msdump.dumps.comparing import diff_dumps
from msdump.dumps.opening import graph_beside, read_dump
from msdump.graph import CNode, NodeRef
from tests.formats.dump.making import put

F: Any = np.float32


def one(sides: tuple[Path, Path], a: Any, b: Any, **rule: Any) -> Any:
    """How the one tensor of two dumps compares."""
    put(sides[0], "Add", a)
    put(sides[1], "Add", b, at=7_000_000, task=9)
    diff = diff_dumps(*sides, **rule)
    assert len(diff) == 1
    return diff[0]


def network(root: Path, wrong: str = "", *, at: int = 0, iterations: int = 1) -> None:
    """a → Mul → Add → Relu, in which `wrong` begins to be wrong."""
    bad = False
    for iteration in range(iterations):
        for place, op in enumerate(("Mul", "Add", "Relu")):
            put(root, op, F([1, 2 + bad]), "input", at=at + 10 * place, iteration=iteration)
            bad = bad or op == wrong
            put(root, op, F([1, 2 + bad]), at=at + 10 * place + 5, iteration=iteration)


def flows(root: Path) -> tuple[int, int, int]:
    """How many records have no full name; and how often an operator's dumped input is, or is not, what the
    operator that makes it in the graph was dumped to have given."""
    records = [r for r in read_dump(root) if r.op_type != "Parameter" and r.iteration == 0]
    first: dict[tuple[str, str], dict[tuple[str, int], Any]] = {}
    for r in sorted(records, key=lambda r: r.timestamp):
        assert r.tensor is not None
        first.setdefault((r.graph, r.scope_name), {}).setdefault((r.io, r.slot), r.tensor)
    same = other = 0
    for graph_id in {graph for graph, _ in first}:
        graph = graph_beside(str(root / "rank_0"), graph_id)
        if graph is None:
            continue
        places = OperatorIndex([(graph_id, graph)])
        for _, node in graph.iter_nodes():
            for slot, operand in enumerate(node.inputs):
                maker = places.operand(node, operand) if isinstance(operand, NodeRef) else None
                if not isinstance(maker, CNode):
                    continue
                taken = first.get((graph_id, node.fullname), {}).get(("input", slot))
                given = first.get((graph_id, maker.fullname), {}).get(("output", 0))
                if taken is not None and given is not None:
                    alike = taken.numpy().tobytes() == given.numpy().tobytes()
                    same, other = same + alike, other + (not alike)
    return sum(not r.scope_name for r in records), same, other

"""The front door of dumps: what `read_dump` takes, and the names it finds in the graphs beside a dump."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from tests.conftest import FIXTURES
from tests.diff.dumps.made import flows
from tests.formats.dump.making import put

F: Any = np.float32


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for iteration in range(3):
        for rank in range(2):
            put(tmp_path, "MatMul", F([1]), iteration=iteration, rank=rank)
            put(tmp_path, "Mul", F([1]), iteration=iteration, rank=rank)
    return tmp_path


@pytest.mark.parametrize(
    ("one", "several", "count"),
    [
        ({"ops": "MatMul"}, {"ops": ["MatMul"]}, 6),
        ({"include": "MatMul*"}, {"include": ("MatMul*",)}, 6),
        ({"exclude": "MatMul*"}, {"exclude": ["MatMul*"]}, 6),
        ({"iterations": 0}, {"iterations": [0]}, 4),
        ({"ranks": 1}, {"ranks": {1}}, 6),
        ({"iterations": 2, "ops": "Mul", "ranks": 0}, {"iterations": range(2, 3), "ops": ("Mul",), "ranks": [0]}, 1),
    ],
)
def test_one_pattern_or_number_is_as_good_as_a_list(
    root: Path, one: dict[str, Any], several: dict[str, Any], count: int
) -> None:
    found = [record.path for record in msdump.read_dump(root, **one)]
    assert len(found) == count
    assert found == [record.path for record in msdump.read_dump(root, **several)]
    assert len(msdump.diff_dumps(root, root, **one)) == count


def test_operators_numbered_anew_are_resolved_by_the_graph_beside_them() -> None:
    dump = msdump.read_dump(FIXTURES / "dump/2.10.0/while_tensor/out")
    names = {r.op_name: r.scope_name for r in dump if r.graph == "4"}
    # The third addition is of integers, as the dumped tensors of Default_Add-op2 are.
    assert {k: v for k, v in names.items() if "Add" in k} == {
        "Default_Add-op0": "Default/Add-op1",
        "Default_Add-op1": "Default/Add-op2",
        "Default_Add-op2": "Default/Add-op0",
    }
    assert dump.notes == []


def test_the_names_of_real_dumps_are_those_the_data_flows_by(corpus: Path) -> None:
    found = {f"{p.parent.parent.name}/{p.parent.name}": flows(p) for p in (corpus / "dump").glob("*/*/out")}
    assert all(unnamed == other == 0 for unnamed, _, other in found.values())
    assert {name: same for name, (_, same, _) in found.items() if same > 2} == {
        "1.3.0/casts_tensor": 5,
        "2.10.0/attention_tensor": 83,
        "2.10.0/bf16_tensor": 4,
        "2.10.0/casts_tensor": 4,
        "2.10.0/consts_tensor": 4,
        "2.10.0/odd_tensor": 4,
    }

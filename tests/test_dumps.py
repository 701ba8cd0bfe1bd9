"""The front door of dumps: what `read_dump` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
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

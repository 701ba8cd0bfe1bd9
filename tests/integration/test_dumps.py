"""Dumps that MindSpore 2.7 writes here and now: whole, named as the data flows, and computed right."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import msdump
from msdump.dumps.verifying import verify_dump
from msdump.formats.dump.checking import check
from tests.diff.dumps.made import flows

pytestmark = pytest.mark.integration

Dumped = Callable[[str], Path]


@pytest.fixture(scope="module")
def dumped(mindspore_python: str, tmp_path_factory: pytest.TempPathFactory) -> Dumped:
    """The dump of a network of dump_oracle.py, made once."""
    made: dict[str, Path] = {}

    def dump(net: str) -> Path:
        if net not in made:
            folder = tmp_path_factory.mktemp(net)
            script = Path(__file__).with_name("dump_oracle.py")
            words = [mindspore_python, str(script), net, str(folder)]
            subprocess.run(words, check=True, capture_output=True, timeout=300)
            made[net] = folder / "out"
        return made[net]

    return dump


@pytest.mark.parametrize(
    ("net", "tensors", "inputs", "right"),
    [("shapes", 49, 9, 15), ("loop", 54, 4, 9), ("training", 213, 54, 31), ("transformer", 341, 88, 96)],
)
def test_a_dump_of_the_real_framework(dumped: Dumped, net: str, tensors: int, inputs: int, right: int) -> None:
    root = dumped(net)
    dump = msdump.read_dump(root)
    assert len(list(dump)) == tensors
    assert (dump.notes, dump.problems) == ([], [])
    assert list(check(msdump.read_dump(root))) == []
    # Every operator has its full name, and what it takes is what its maker gave.
    assert flows(root) == (0, inputs, 0)
    states = Counter(v.state for v in verify_dump(root))
    assert (states["right"], states["wrong"]) == (right, 0)
    assert msdump.diff_dumps(root, root).same


def test_files_of_the_operator_tensor_dump(dumped: Dumped) -> None:
    records = sorted(msdump.read_dump(dumped("operator")), key=lambda r: r.task)
    assert [(r.op_type, r.op_name, r.io, r.task) for r in records] == [
        ("TensorDump", "x", "output", 0),
        ("TensorDump", "x", "output", 1),
    ]
    arrays = [r.tensor.numpy() for r in records if r.tensor is not None]
    np.testing.assert_array_equal(arrays[0], np.arange(4, dtype=np.float32))
    np.testing.assert_array_equal(arrays[1], np.arange(6, dtype=np.int64).reshape(2, 3))
    assert [a.dtype for a in arrays] == [np.float32, np.int64]

"""Operators of real and made-up dumps computed again, and where they come from."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from msdump.diff.dumps.operators import OperatorIndex
from msdump.dumps.comparing import diff_dumps
from msdump.dumps.opening import operators_beside, read_dump
from msdump.dumps.verifying import verify_dump
from msdump.errors import MsdumpError
from msdump.formats.dump.npy import NpyTensor, npy_bytes
from msdump.io import read_graph
from tests.conftest import FIXTURES

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
WHILE = FIXTURES / "dump/2.10.0/while_tensor/out"


def states(root: Path) -> dict[tuple[str, int], str]:
    return {(v.record.op_name, v.occurrence): v.state for v in verify_dump(root)}


def test_a_real_dump_is_right() -> None:
    assert states(BF16) == {(f"Default_Cast-op{i}", 0): "right" for i in range(4)} | {("Default_Add-op0", 0): "right"}


def test_the_kernel_that_is_wrong_is_found(tmp_path: Path) -> None:
    root = tmp_path / "out"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    values = NpyTensor(str(victim)).numpy() + np.float32(0.5)
    victim.write_bytes(npy_bytes(values))
    found = list(verify_dump(root))
    assert [v.record.op_name for v in found if v.state == "wrong"] == ["Default_Add-op0"]
    wrong = next(v for v in found if v.state == "wrong")
    assert wrong.outputs is not None
    assert wrong.outputs[0].max_abs == pytest.approx(0.5, abs=1e-6)
    assert wrong.outputs[0].mismatched == 2
    assert wrong.spot is not None
    assert (wrong.spot.full_name, wrong.spot.source) == ("Default/Add-op0", "dtypes.py:34")


def test_operators_whose_inputs_are_not_there_are_unchecked() -> None:
    found = list(verify_dump(WHILE))
    assert {v.state for v in found} == {"right", "unchecked"}
    assert all(v.why for v in found if v.state == "unchecked")
    # The file calls it op1; by its inputs and outputs it is the graph's op2 (x + 2).
    right = [v for v in found if v.state == "right"]
    assert {v.record.op_name for v in right} == {"Default_Add-op1"}
    assert {v.spot.full_name for v in right if v.spot} == {"Default/Add-op2"}


def test_an_operator_the_executor_does_not_know_is_no_pass(tmp_path: Path) -> None:
    graph = next(BF16.rglob("*.ir")).read_text().replace("PrimFunc_Add(", "PrimFunc_NoSuchThing(")
    path = tmp_path / "graph.ir"
    path.write_text(graph)
    found = {v.record.op_name: v for v in verify_dump(BF16, path)}
    assert found["Default_Add-op0"].state == "unchecked"
    assert "NoSuchThing" in found["Default_Add-op0"].why
    assert found["Default_Cast-op0"].state == "right"


def test_random_operators_are_unchecked(tmp_path: Path) -> None:
    graph = next(BF16.rglob("*.ir")).read_text().replace("PrimFunc_Add(", "PrimFunc_Dropout(")
    path = tmp_path / "graph.ir"
    path.write_text(graph)
    found = {v.record.op_name: v for v in verify_dump(BF16, path)}
    assert (found["Default_Add-op0"].state, found["Default_Add-op0"].why) == ("unchecked", "it draws random numbers")


def test_views_are_dumped_with_the_shape_of_what_they_view(corpus: Path) -> None:
    found = list(verify_dump(corpus / "dump/2.10.0/attention_tensor/out"))
    assert [v.record.op_name for v in found if v.state == "wrong"] == []
    assert sum(v.state == "right" for v in found) >= 68
    assert all(v.state == "right" for v in found if v.record.op_type in ("Reshape", "MatMul", "BatchMatMul", "GeLU"))


@pytest.mark.parametrize("case", ["2.10.0/casts_tensor", "2.10.0/odd_tensor", "2.10.0/consts_tensor"])
def test_every_operator_of_simple_dumps_is_right(corpus: Path, case: str) -> None:
    assert set(states(corpus / "dump" / case / "out").values()) == {"right"}


def test_places_of_operators() -> None:
    path = next(BF16.rglob("*.ir"))
    places = OperatorIndex([("", read_graph(path))])
    spot = places.spot("Default/Add-op0", "Default_Add-op0")
    assert spot is not None
    assert (spot.full_name, spot.source) == ("Default/Add-op0", "dtypes.py:34")
    assert places.spot("", "Default_Nothing-op0") is None
    beside = operators_beside(read_dump(BF16), list(read_dump(BF16)))
    assert beside is not None
    assert beside.spot("Default/Add-op0", "Default_Add-op0") == spot


def test_a_divergence_has_its_source_line(tmp_path: Path) -> None:
    root = tmp_path / "out"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    victim.write_bytes(npy_bytes(NpyTensor(str(victim)).numpy() + np.float32(0.5)))
    for graph in (None, next(BF16.rglob("*.ir"))):
        first = diff_dumps(BF16, root, graph=graph).first
        assert first is not None
        t = first.tensor
        assert (t.which.op, t.scope, t.spot.source) == ("Add.Default_Add-op0", "Default/Add-op0", "dtypes.py:34")
        assert first.inputs == "agree"


def test_without_a_graph_there_is_nothing_to_verify_by(tmp_path: Path) -> None:
    shutil.copytree(BF16 / "rank_0" / "Net", tmp_path / "rank_0" / "Net")
    assert operators_beside(read_dump(tmp_path), list(read_dump(tmp_path))) is None
    with pytest.raises(MsdumpError, match="there is no graph beside it"):
        list(verify_dump(tmp_path))

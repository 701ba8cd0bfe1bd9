"""Which tensors meet, and where two dumps part first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.dumps.comparing import diff_dumps
from msdump.dumps.opening import NothingToCompare
from tests.diff.dumps.made import network, one
from tests.formats.dump.making import order, put

F: Any = np.float32


def test_an_operator_on_one_side(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Mul", F([1]))
    t = one(sides, F([1]), F([1]))
    assert t.same
    diff = diff_dumps(*sides)
    assert not diff.same
    assert [(u.which.op, u.which.io, u.which.slot) for u in diff.only_a] == [("Mul.Default_Mul-op0", "output", 0)]
    assert diff.only_b == ()
    assert diff.first is None
    other = diff_dumps(sides[1], sides[0])
    assert ([u.which.op for u in other.only_b], other.only_a) == (["Mul.Default_Mul-op0"], ())


def test_nothing_matched_is_trouble(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Add", F([1]))
    put(sides[1], "Mul", F([1]))
    with pytest.raises(NothingToCompare, match="none of 1 tensors") as told:
        diff_dumps(*sides)
    assert "Add.Default_Add-op0 and Mul.Default_Mul-op0" in told.value.hint
    with pytest.raises(NothingToCompare, match="no dumped tensor"):
        diff_dumps(*sides, ops=["Sub"])


def test_the_first_divergence_and_its_inputs(sides: tuple[Path, Path]) -> None:
    network(sides[0])
    network(sides[1], "Add", at=99)
    first = diff_dumps(*sides).first
    assert first is not None
    assert (first.tensor.which.op_type, first.tensor.which.io, first.inputs) == ("Add", "output", "agree")


def test_the_first_divergence_is_first_in_execution_order(sides: tuple[Path, Path]) -> None:
    for root, values in ((sides[0], (0, 0)), (sides[1], (1, 1))):
        put(root, "Late", F([values[0]]), at=1)
        put(root, "Early", F([values[1]]), at=2)
    by_time = diff_dumps(*sides).first
    assert by_time is not None
    assert by_time.tensor.which.op_type == "Late"
    for root in sides:
        order(root, ["Default/Early-op0", "Default/Late-op0"])
    by_order = diff_dumps(*sides).first
    assert by_order is not None
    assert (by_order.tensor.which.op_type, by_order.tensor.scope) == ("Early", "Default/Early-op0")
    assert by_order.inputs == ""


def test_inputs_without_a_partner_are_not_said_to_agree(sides: tuple[Path, Path]) -> None:
    for side, y in zip(sides, (1, 2), strict=True):
        put(side, "Add", F([1]), "input", 0)
        put(side, "Add", F([y]), "output", 0)
    put(sides[0], "Add", F([1]), "input", 1)
    first = diff_dumps(*sides).first
    assert first is not None
    assert (first.tensor.which.io, first.inputs, first.differing_inputs, first.unpaired_inputs) == (
        "output",
        "unpaired",
        (),
        (1,),
    )


def test_a_divergence_that_came_in(sides: tuple[Path, Path]) -> None:
    for root, value in ((sides[0], 1), (sides[1], 2)):
        put(root, "Add", F([value]), "input", 0, at=0)
        put(root, "Add", F([5]), "input", 1, at=1)
        put(root, "Add", F([value]), at=2)
    first = diff_dumps(*sides).first
    assert first is not None
    assert (first.tensor.which.io, first.tensor.which.slot, first.inputs, first.differing_inputs) == (
        "input",
        0,
        "differ",
        (0,),
    )


def test_launches_pair_in_turn(sides: tuple[Path, Path]) -> None:
    for root, values in ((sides[0], (1, 2, 3)), (sides[1], (1, 2, 9))):
        for turn, value in enumerate(values):
            put(root, "Add", F([value]), at=turn + (100 if root == sides[1] else 0))
    put(sides[0], "Add", F([4]), at=50)
    diff = diff_dumps(*sides)
    assert [(t.which.occurrence, t.same) for t in diff] == [(0, True), (1, True), (2, False)]
    assert [u.which.occurrence for u in diff.only_a] == [3]


@pytest.mark.parametrize(
    "lost", [("output", 0), ("output", 1), ("output", 2), ("input", 0), ("input", 1), ("input", 2)]
)
def test_a_launch_of_which_something_is_missing_keeps_its_number(
    sides: tuple[Path, Path], lost: tuple[str, int]
) -> None:
    for side in sides:
        for number in range(3):
            for at, which in enumerate(("input", "output")):
                if side is sides[0] or (which, number) != lost:
                    put(side, "Add", F([number]), which, at=10 * number + 4 * at)
    diff = diff_dumps(*sides)
    assert (len(diff.tensors), diff.different, diff.only_b) == (5, (), ())
    assert [(u.which.io, u.which.occurrence) for u in diff.only_a] == [lost]


def test_iterations_and_ranks_pair(sides: tuple[Path, Path]) -> None:
    for root in sides:
        for rank in (0, 1):
            for iteration in (0, 1):
                put(root, "Add", F([rank * 10 + iteration]), rank=rank, iteration=iteration)
    put(sides[1], "Add", F([99]), rank=1, iteration=1)
    diff = diff_dumps(*sides)
    assert [(t.which.rank, t.which.iteration, t.same) for t in diff] == [
        (0, 0, True),
        (1, 0, True),
        (0, 1, True),
        (1, 1, False),
    ]
    assert len(diff_dumps(*sides, ranks={1}, iterations={0})) == 1


def test_a_chosen_iteration_meets_another(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Add", F([1]), iteration=0)
    put(sides[0], "Add", F([1]), iteration=3, rank=1)
    assert diff_dumps(sides[0] / "rank_0/Net/0/0", sides[0] / "rank_1/Net/0/3").same


def test_graph_ids_are_ignored_unless_they_agree(sides: tuple[Path, Path]) -> None:
    for graph, value in (("0", 1), ("1", 2)):
        put(sides[0], "Add", F([value]), graph=graph, at=int(graph))
        put(sides[1], "Add", F([value]), graph=str(int(graph) + 5), at=int(graph))
    diff = diff_dumps(*sides)
    assert [(t.which.graph, t.same) for t in diff] == [("0", True), ("1", True)]


def test_renamed_operators(sides: tuple[Path, Path], tmp_path: Path) -> None:
    put(sides[0], "Conv2D", F([1]), name="Default_net_layer1_Conv2D-op0", at=0)
    put(sides[0], "MatMul", F([2]), name="Default_net_fc_MatMul-op0", at=1)
    sides[1].mkdir()
    (sides[1] / "layer1.npy").write_bytes(put(tmp_path / "x", "A", F([1])).read_bytes())
    (sides[1] / "fc.npy").write_bytes(put(tmp_path / "x", "A", F([3])).read_bytes())
    table = tmp_path / "names.yaml"
    table.write_text("Default/net/layer1/Conv2D-op0: layer1\nDefault/net/fc/MatMul-op0.output.0: fc.output.0\n")
    for renames in (str(table), r"s/Default_net_(\w+)_(Conv2D|MatMul)-op\d+/\1/"):
        diff = diff_dumps(*sides, renames=renames)
        assert [(t.which.op_type, t.same) for t in diff] == [("Conv2D", True), ("MatMul", False)]
        assert not diff.only_a
        assert not diff.only_b


def test_inputs_and_outputs_of_another_framework(sides: tuple[Path, Path], tmp_path: Path) -> None:
    put(sides[0], "MatMul", F([1]), "input", 0, name="Default_net_fc_MatMul-op0")
    put(sides[0], "MatMul", F([2]), "input", 1, name="Default_net_fc_MatMul-op0")
    put(sides[0], "MatMul", F([3]), "output", 0, name="Default_net_fc_MatMul-op0")
    sides[1].mkdir()
    for name, value in (("fc.input.0", 1), ("fc.input.1", 5), ("fc.output", 3)):
        np.save(sides[1] / f"{name}.npy", F([value]))
    table = tmp_path / "names.yaml"
    table.write_text("Default/net/fc/MatMul-op0: fc\n")
    diff = diff_dumps(*sides, renames=str(table))
    assert [(t.which.io, t.which.slot, t.same) for t in diff] == [
        ("input", 0, True),
        ("input", 1, False),
        ("output", 0, True),
    ]
    assert not diff.only_a
    assert not diff.only_b


def test_two_files_meet_whatever_they_are_called(tmp_path: Path) -> None:
    for name, value in (("a.npy", 1), ("b.npy", 2)):
        np.save(tmp_path / name, F([value]))
    diff = diff_dumps(tmp_path / "a.npy", tmp_path / "b.npy")
    assert [(t.which.op, t.diff.max_abs) for t in diff] == [("a", 1)]

"""What comparing must get right: each line of the list, with the right value."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.diff.dumps.result import DumpDiff
from msdump.dumps.comparing import diff_dumps
from msdump.dumps.opening import NothingToCompare
from msdump.errors import MsdumpError
from msdump.formats.dump.bin import write_bin
from tests.formats.dump.making import STAMP, order, put

F: Any = np.float32


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Two roots, with dots in their names."""
    return tmp_path / "v.1", tmp_path / "v.2"


def one(sides: tuple[Path, Path], a: Any, b: Any, **rule: Any) -> Any:
    put(sides[0], "Add", a)
    put(sides[1], "Add", b, at=7_000_000, task=9)
    diff = diff_dumps(*sides, **rule)
    assert len(diff) == 1
    return diff[0]


def test_infinities_of_opposite_sign(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([math.inf, 1]), F([-math.inf, 1]))
    assert (t.same, t.mismatched, t.max_abs, t.worst, t.inf) == (False, 1, math.inf, (0,), (1, 1))


def test_equal_infinities_are_equal(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([math.inf, -math.inf, 1]), F([math.inf, -math.inf, 1]))
    assert (t.same, t.mismatched, t.max_abs, t.inf) == (True, 0, 0, (2, 2))


@pytest.mark.parametrize("flip", [False, True])
def test_all_nan_against_numbers(sides: tuple[Path, Path], flip: bool) -> None:
    a, b = F([math.nan] * 3), F([5] * 3)
    t = one(sides, b, a) if flip else one(sides, a, b)
    assert (t.same, t.mismatched, t.count) == (False, 3, 3)
    assert t.nan == ((0, 3) if flip else (3, 0))


def test_nan_equals_nan_when_it_is_asked_to(sides: tuple[Path, Path]) -> None:
    a = F([math.nan, 1])
    assert not one(sides, a, a).same
    assert diff_dumps(*sides, equal_nan=True).same


@pytest.mark.parametrize(("a", "b", "rel"), [([0, 0], [0, 100], 1.0), ([0, 100], [0, 0], math.inf)])
def test_zero_against_a_hundred(sides: tuple[Path, Path], a: Any, b: Any, rel: float) -> None:
    t = one(sides, F(a), F(b))
    assert (t.same, t.max_abs, t.max_rel, t.mismatched, t.worst) == (False, 100, rel, 1, (1,))


def test_a_scaled_tensor_differs_though_its_cosine_is_one(sides: tuple[Path, Path]) -> None:
    a = np.linspace(-1, 1, 24, dtype=F).reshape(4, 6)
    t = one(sides, a, a * F(1.9), rtol=1e-3)
    assert not t.same
    assert t.mismatched == 24
    assert t.cosine == pytest.approx(1, abs=1e-6)
    assert t.max_abs == pytest.approx(0.9, rel=1e-6)
    assert t.rel_l2 == pytest.approx(0.9 / 1.9, rel=1e-6)


def test_small_numbers_far_apart(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([1e-4] * 4), F([5e-4] * 4), rtol=1e-2)
    assert (t.same, t.mismatched) == (False, 4)
    assert t.max_rel == pytest.approx(0.8, rel=1e-6)


@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_scalar_and_one_element(sides: tuple[Path, Path], shape: tuple[int, ...]) -> None:
    t = one(sides, np.full(shape, 1, F), np.full(shape, 900, F))
    assert (t.same, t.max_abs, t.count, t.worst) == (False, 899, 1, tuple(0 for _ in shape))


def test_dtypes_alone_are_no_difference(sides: tuple[Path, Path]) -> None:
    a = np.array([0.5, 1, 2], np.float16)
    t = one(sides, a, a.astype(F))
    assert (t.same, t.dtype, t.max_abs) == (True, ("Float16", "Float32"), 0)
    strict = diff_dumps(*sides, strict_dtype=True)[0]
    assert (strict.same, strict.what, strict.mismatched) == (False, "dtype", 0)


def test_an_operator_on_one_side(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Mul", F([1]))
    t = one(sides, F([1]), F([1]))
    assert t.same
    diff = diff_dumps(*sides)
    assert not diff.same
    assert [(u.op, u.io, u.slot) for u in diff.only_a] == [("Mul.Default_Mul-op0", "output", 0)]
    assert diff.only_b == ()
    assert diff.first is None
    other = diff_dumps(sides[1], sides[0])
    assert ([u.op for u in other.only_b], other.only_a) == (["Mul.Default_Mul-op0"], ())


def test_names_with_and_without_the_dtype(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Add", F([1]), dtype="Float32")
    put(sides[1], "Add", F([1]), dtype="")
    assert diff_dumps(*sides).same


def test_names_of_mapping_csv(sides: tuple[Path, Path]) -> None:
    long = "x" * 300
    for side in sides:
        side.mkdir()
        write_bin(side / f"{side.name[-1] * 20}", [F([1])], [F([2])])
        (side / "mapping.csv").write_text(f"{side.name[-1] * 20},Add.{long}.0.0.{STAMP}\n")
    diff = diff_dumps(*sides)
    assert [(t.op, t.io) for t in diff] == [(f"Add.{long}", "input"), (f"Add.{long}", "output")]
    assert diff.same


HEAD = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape"


def saved(root: Path, columns: str, values: str, dtype: str = "float32") -> None:
    folder = root / "rank_0/Net/0/0"
    folder.mkdir(parents=True)
    (folder / "statistic.csv").write_text(f"{HEAD},{columns}\nAdd,a,0,0,17,output,0,12,{dtype},(3),{values}\n")


@pytest.mark.parametrize(
    ("columns", "a", "b", "wrong"),
    [
        ("Max Value,Min Value", "2,1", "2,1", ()),
        ("Max Value,Min Value", "null,null", "5,5", ("max", "min")),
        ("Max Value,Min Value", "5,5", "null,null", ("max", "min")),
        ("Max Value,NaN Count", "null,3", "null,3", ("nan",)),
        ("Max Value,NaN Count", "null,0", "null,0", ()),
        ("Max Value,Positive Inf Count", "inf,1", "4,1", ()),
        ("Max Value", "0", "100", ("max",)),
        ("Max Value", "100", "0", ("max",)),
        ("Max Value", "inf", "-inf", ("max",)),
        ("Max Value", "inf", "inf", ()),
        ("Max Value,L2Norm Value", "1,2", "1,3.8", ("l2norm",)),
        ("L2 Value", "0.0001", "0.0005", ("l2norm",)),
        ("NaN Count", "0", "1", ("nan",)),
        ("MD5", "aa", "bb", ("md5",)),
        ("MD5", "aa", "AA", ()),
    ],
)
def test_statistics(sides: tuple[Path, Path], columns: str, a: str, b: str, wrong: tuple[str, ...]) -> None:
    saved(sides[0], columns, a)
    saved(sides[1], columns, b)
    t = diff_dumps(*sides, rtol=1e-3)[0]
    assert (t.same, t.statistics) == (not wrong, wrong)
    assert t.what == ("statistics" if wrong else "")


def test_nan_in_statistics_equals_nan_when_it_is_asked_to(sides: tuple[Path, Path]) -> None:
    for side in sides:
        saved(side, "Max Value,NaN Count", "null,3")
    assert not diff_dumps(*sides).same
    assert diff_dumps(*sides, equal_nan=True).same


@pytest.mark.parametrize("value", [math.nan, -1.0, "x", None])
@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_a_tolerance_is_a_number_from_zero_on(sides: tuple[Path, Path], name: str, value: Any) -> None:
    put(sides[0], "Add", F([1]))
    put(sides[1], "Add", F([100]))
    with pytest.raises(MsdumpError, match=f"{name} is .*, and no number from 0 on"):
        diff_dumps(*sides, **{name: value})
    half: Any = np.float32(0.5)
    assert not diff_dumps(*sides, rtol=half, atol=1).same
    assert diff_dumps(*sides, atol=math.inf).same
    with pytest.raises(MsdumpError, match="rtol is infinite"):
        diff_dumps(*sides, rtol=math.inf)


def test_fewer_statistics_than_usual(sides: tuple[Path, Path]) -> None:
    saved(sides[0], "Max Value,Min Value,L2Norm Value", "2,1,3")
    saved(sides[1], "Max Value", "2")
    assert diff_dumps(*sides).same


def test_no_statistic_in_common_is_no_agreement(sides: tuple[Path, Path]) -> None:
    saved(sides[0], "Max Value", "2")
    saved(sides[1], "Min Value", "2")
    t = diff_dumps(*sides)[0]
    assert (t.same, t.what, t.error) == (False, "statistics", "the two sides have no statistic in common")


def test_a_tensor_against_its_statistics(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Add", F([1, 2, -4]), name="a")
    saved(sides[1], "Max Value,Min Value,Avg Value,Count", "2,-4,-0.33333334,3")
    assert diff_dumps(*sides, rtol=1e-6).same
    t = diff_dumps(*sides)[0]
    assert t.statistics == ("avg",)


def test_statistics_of_another_dtype(sides: tuple[Path, Path]) -> None:
    saved(sides[0], "Max Value", "2", "Float32")
    saved(sides[1], "Max Value", "2", "float16")
    assert diff_dumps(*sides).same
    assert diff_dumps(*sides, strict_dtype=True)[0].what == "dtype"


def test_nothing_matched_is_trouble(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Add", F([1]))
    put(sides[1], "Mul", F([1]))
    with pytest.raises(NothingToCompare, match="none of 1 tensors") as told:
        diff_dumps(*sides)
    assert "Add.Default_Add-op0 and Mul.Default_Mul-op0" in told.value.hint
    with pytest.raises(NothingToCompare, match="no dumped tensor"):
        diff_dumps(*sides, ops=["Sub"])


def test_shapes_differ(sides: tuple[Path, Path]) -> None:
    a = np.arange(24, dtype=F)
    t = one(sides, a.reshape(4, 6), a.reshape(6, 4))
    assert (t.same, t.what, t.shape, t.max_abs) == (False, "shape", ((4, 6), (6, 4)), None)


def test_the_rule_is_of_the_second_side(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([1.0]), F([1.5]), rtol=0.34)
    assert t.same  # 0.5 <= 0.34 * 1.5
    assert not diff_dumps(sides[1], sides[0], rtol=0.34).same  # 0.5 > 0.34 * 1.0
    assert diff_dumps(sides[1], sides[0], rtol=0.34, atol=0.17).same


def test_all_metrics(sides: tuple[Path, Path]) -> None:
    a, b = F([1, 2, 4]), F([1, 2.5, 3])
    t = one(sides, a, b)
    assert (t.count, t.mismatched, t.share, t.worst, t.worst_values) == (3, 2, 2 / 3, (2,), (4, 3))
    assert (t.max_abs, t.mean_abs, t.max_rel) == (1, 0.5, pytest.approx(1 / 3))
    assert t.cosine == pytest.approx(float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b)), rel=1e-6)
    assert t.rel_l2 == pytest.approx(float(np.linalg.norm(a - b) / np.linalg.norm(b)), rel=1e-6)
    assert t.max_ulp == 1 << 22  # 3 and 4 are half a binade of float32 apart


def test_async_files_against_npy(sides: tuple[Path, Path]) -> None:
    folder = sides[0] / "rank_0/Net/0/0"
    folder.mkdir(parents=True)
    write_bin(folder / f"Add.Default_Add-op0.3.1.{STAMP}", [F([1, 2]), F([3, 4])], [F([4, 6])])
    for slot, value in enumerate(([1, 2], [3, 4])):
        put(sides[1], "Add", F(value), "input", slot)
    put(sides[1], "Add", F([4, 7]))
    diff = diff_dumps(*sides)
    assert [(t.io, t.slot, t.same) for t in diff] == [("input", 0, True), ("input", 1, True), ("output", 0, False)]
    assert diff.first is not None
    assert diff.first.inputs == "agree"


def network(root: Path, wrong: str = "", *, at: int = 0, iterations: int = 1) -> None:
    """a → Mul → Add → Relu, in which `wrong` begins to be wrong."""
    bad = False
    for iteration in range(iterations):
        for place, op in enumerate(("Mul", "Add", "Relu")):
            put(root, op, F([1, 2 + bad]), "input", at=at + 10 * place, iteration=iteration)
            bad = bad or op == wrong
            put(root, op, F([1, 2 + bad]), at=at + 10 * place + 5, iteration=iteration)


def test_the_first_divergence_and_its_inputs(sides: tuple[Path, Path]) -> None:
    network(sides[0])
    network(sides[1], "Add", at=99)
    first = diff_dumps(*sides).first
    assert first is not None
    assert (first.tensor.op_type, first.tensor.io, first.inputs) == ("Add", "output", "agree")


def test_the_first_divergence_is_first_in_execution_order(sides: tuple[Path, Path]) -> None:
    for root, values in ((sides[0], (0, 0)), (sides[1], (1, 1))):
        put(root, "Late", F([values[0]]), at=1)
        put(root, "Early", F([values[1]]), at=2)
    by_time = diff_dumps(*sides).first
    assert by_time is not None
    assert by_time.tensor.op_type == "Late"
    for root in sides:
        order(root, ["Default/Early-op0", "Default/Late-op0"])
    by_order = diff_dumps(*sides).first
    assert by_order is not None
    assert (by_order.tensor.op_type, by_order.tensor.scope) == ("Early", "Default/Early-op0")
    assert by_order.inputs == ""


def test_inputs_without_a_partner_are_not_said_to_agree(sides: tuple[Path, Path]) -> None:
    for side, y in zip(sides, (1, 2), strict=True):
        put(side, "Add", F([1]), "input", 0)
        put(side, "Add", F([y]), "output", 0)
    put(sides[0], "Add", F([1]), "input", 1)
    first = diff_dumps(*sides).first
    assert first is not None
    assert (first.tensor.io, first.inputs, first.differing_inputs, first.unpaired_inputs) == (
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
    assert (first.tensor.io, first.tensor.slot, first.inputs, first.differing_inputs) == ("input", 0, "differ", (0,))


def test_launches_pair_in_turn(sides: tuple[Path, Path]) -> None:
    for root, values in ((sides[0], (1, 2, 3)), (sides[1], (1, 2, 9))):
        for turn, value in enumerate(values):
            put(root, "Add", F([value]), at=turn + (100 if root == sides[1] else 0))
    put(sides[0], "Add", F([4]), at=50)
    diff = diff_dumps(*sides)
    assert [(t.occurrence, t.same) for t in diff] == [(0, True), (1, True), (2, False)]
    assert [u.occurrence for u in diff.only_a] == [3]


def test_iterations_and_ranks_pair(sides: tuple[Path, Path]) -> None:
    for root in sides:
        for rank in (0, 1):
            for iteration in (0, 1):
                put(root, "Add", F([rank * 10 + iteration]), rank=rank, iteration=iteration)
    put(sides[1], "Add", F([99]), rank=1, iteration=1)
    diff = diff_dumps(*sides)
    assert [(t.rank, t.iteration, t.same) for t in diff] == [
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
    assert [(t.graph, t.same) for t in diff] == [("0", True), ("1", True)]


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
        assert [(t.op_type, t.same) for t in diff] == [("Conv2D", True), ("MatMul", False)]
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
    assert [(t.io, t.slot, t.same) for t in diff] == [("input", 0, True), ("input", 1, False), ("output", 0, True)]
    assert not diff.only_a
    assert not diff.only_b


def test_a_file_cut_short_is_told_and_the_rest_compared(sides: tuple[Path, Path]) -> None:
    network(sides[0])
    network(sides[1])
    victim = next(sides[1].rglob("Add*output*"))
    victim.write_bytes(victim.read_bytes()[:-1])
    diff: DumpDiff = diff_dumps(*sides)
    assert len(diff) == 6
    assert [(t.op_type, t.io, t.what) for t in diff.different] == [("Add", "output", "unreadable")]
    assert len(diff.problems) == 1
    assert "8 bytes of data are announced, 7 are there" in diff.problems[0]


def test_results_are_frozen_and_make_a_table(sides: tuple[Path, Path]) -> None:
    network(sides[0])
    network(sides[1], "Relu")
    diff = diff_dumps(*sides)
    assert diff.to_list() == list(diff.tensors)
    with pytest.raises(AttributeError):
        diff[0].same = False
    pandas = pytest.importorskip("pandas")
    table = diff.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table["same"].tolist() == [True] * 5 + [False]
    assert table["op_type"].tolist()[::2] == ["Mul", "Add", "Relu"]


def test_two_files_meet_whatever_they_are_called(tmp_path: Path) -> None:
    for name, value in (("a.npy", 1), ("b.npy", 2)):
        np.save(tmp_path / name, F([value]))
    diff = diff_dumps(tmp_path / "a.npy", tmp_path / "b.npy")
    assert [(t.op, t.max_abs) for t in diff] == [("a", 1)]

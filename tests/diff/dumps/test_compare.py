"""What comparing must get right: each line of the list, with the right value."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.diff.dumps.result import DumpDiff
from msdump.dumps.comparing import diff_dumps
from msdump.errors import MsdumpError
from msdump.formats.dump.bin import write_bin
from tests.diff.dumps.made import network, one
from tests.formats.dump.making import STAMP, put

F: Any = np.float32


def test_infinities_of_opposite_sign(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([math.inf, 1]), F([-math.inf, 1]))
    assert (t.same, t.diff.mismatched, t.diff.max_abs, t.diff.worst, t.diff.inf) == (False, 1, math.inf, (0,), (1, 1))


def test_equal_infinities_are_equal(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([math.inf, -math.inf, 1]), F([math.inf, -math.inf, 1]))
    assert (t.same, t.diff.mismatched, t.diff.max_abs, t.diff.inf) == (True, 0, 0, (2, 2))


@pytest.mark.parametrize("flip", [False, True])
def test_all_nan_against_numbers(sides: tuple[Path, Path], flip: bool) -> None:
    a, b = F([math.nan] * 3), F([5] * 3)
    t = one(sides, b, a) if flip else one(sides, a, b)
    assert (t.same, t.diff.mismatched, t.diff.count) == (False, 3, 3)
    assert t.diff.nan == ((0, 3) if flip else (3, 0))


def test_nan_equals_nan_when_it_is_asked_to(sides: tuple[Path, Path]) -> None:
    a = F([math.nan, 1])
    assert not one(sides, a, a).same
    assert diff_dumps(*sides, equal_nan=True).same


@pytest.mark.parametrize(("a", "b", "rel"), [([0, 0], [0, 100], 1.0), ([0, 100], [0, 0], math.inf)])
def test_zero_against_a_hundred(sides: tuple[Path, Path], a: Any, b: Any, rel: float) -> None:
    t = one(sides, F(a), F(b))
    assert (t.same, t.diff.max_abs, t.diff.max_rel, t.diff.mismatched, t.diff.worst) == (False, 100, rel, 1, (1,))


def test_a_scaled_tensor_differs_though_its_cosine_is_one(sides: tuple[Path, Path]) -> None:
    a = np.linspace(-1, 1, 24, dtype=F).reshape(4, 6)
    t = one(sides, a, a * F(1.9), rtol=1e-3)
    assert not t.same
    assert t.diff.mismatched == 24
    assert t.diff.cosine == pytest.approx(1, abs=1e-6)
    assert t.diff.max_abs == pytest.approx(0.9, rel=1e-6)
    assert t.diff.rel_l2 == pytest.approx(0.9 / 1.9, rel=1e-6)


def test_small_numbers_far_apart(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([1e-4] * 4), F([5e-4] * 4), rtol=1e-2)
    assert (t.same, t.diff.mismatched) == (False, 4)
    assert t.diff.max_rel == pytest.approx(0.8, rel=1e-6)


@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_scalar_and_one_element(sides: tuple[Path, Path], shape: tuple[int, ...]) -> None:
    t = one(sides, np.full(shape, 1, F), np.full(shape, 900, F))
    assert (t.same, t.diff.max_abs, t.diff.count, t.diff.worst) == (False, 899, 1, tuple(0 for _ in shape))


def test_dtypes_alone_are_no_difference(sides: tuple[Path, Path]) -> None:
    a = np.array([0.5, 1, 2], np.float16)
    t = one(sides, a, a.astype(F))
    assert (t.same, t.diff.dtype, t.diff.max_abs) == (True, ("Float16", "Float32"), 0)
    strict = diff_dumps(*sides, strict_dtype=True)[0]
    assert (strict.same, strict.verdict.what, strict.diff.mismatched) == (False, "dtype", 0)


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
    assert [(t.which.op, t.which.io) for t in diff] == [(f"Add.{long}", "input"), (f"Add.{long}", "output")]
    assert diff.same


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


def test_shapes_differ(sides: tuple[Path, Path]) -> None:
    a = np.arange(24, dtype=F)
    t = one(sides, a.reshape(4, 6), a.reshape(6, 4))
    assert (t.same, t.verdict.what, t.diff.shape, t.diff.max_abs) == (False, "shape", ((4, 6), (6, 4)), None)


def test_the_rule_is_of_the_second_side(sides: tuple[Path, Path]) -> None:
    t = one(sides, F([1.0]), F([1.5]), rtol=0.34)
    assert t.same  # 0.5 <= 0.34 * 1.5
    assert not diff_dumps(sides[1], sides[0], rtol=0.34).same  # 0.5 > 0.34 * 1.0
    assert diff_dumps(sides[1], sides[0], rtol=0.34, atol=0.17).same


def test_all_metrics(sides: tuple[Path, Path]) -> None:
    a, b = F([1, 2, 4]), F([1, 2.5, 3])
    t = one(sides, a, b)
    assert (t.diff.count, t.diff.mismatched, t.diff.share, t.diff.worst, t.diff.worst_values) == (
        3,
        2,
        2 / 3,
        (2,),
        (4, 3),
    )
    assert (t.diff.max_abs, t.diff.mean_abs, t.diff.max_rel) == (1, 0.5, pytest.approx(1 / 3))
    assert t.diff.cosine == pytest.approx(float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b)), rel=1e-6)
    assert t.diff.rel_l2 == pytest.approx(float(np.linalg.norm(a - b) / np.linalg.norm(b)), rel=1e-6)
    assert t.diff.max_ulp == 1 << 22  # 3 and 4 are half a binade of float32 apart


def test_async_files_against_npy(sides: tuple[Path, Path]) -> None:
    folder = sides[0] / "rank_0/Net/0/0"
    folder.mkdir(parents=True)
    write_bin(folder / f"Add.Default_Add-op0.3.1.{STAMP}", [F([1, 2]), F([3, 4])], [F([4, 6])])
    for slot, value in enumerate(([1, 2], [3, 4])):
        put(sides[1], "Add", F(value), "input", slot)
    put(sides[1], "Add", F([4, 7]))
    diff = diff_dumps(*sides)
    assert [(t.which.io, t.which.slot, t.same) for t in diff] == [
        ("input", 0, True),
        ("input", 1, True),
        ("output", 0, False),
    ]
    assert diff.first is not None
    assert diff.first.inputs == "agree"


def test_a_file_cut_short_is_told_and_the_rest_compared(sides: tuple[Path, Path]) -> None:
    network(sides[0])
    network(sides[1])
    victim = next(sides[1].rglob("Add*output*"))
    victim.write_bytes(victim.read_bytes()[:-1])
    diff: DumpDiff = diff_dumps(*sides)
    assert len(diff) == 6
    assert [(t.which.op_type, t.which.io, t.verdict.what) for t in diff.different] == [("Add", "output", "unreadable")]
    assert len(diff.problems) == 1
    assert "8 bytes of data are announced, 7 are there" in diff.problems[0]


def test_results_are_frozen_and_make_a_table(sides: tuple[Path, Path]) -> None:
    network(sides[0])
    network(sides[1], "Relu")
    diff = diff_dumps(*sides)
    assert diff.to_list() == list(diff.tensors)
    with pytest.raises(AttributeError):
        diff[0].diff = diff[1].diff
    pandas = pytest.importorskip("pandas")
    table = diff.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table["same"].tolist() == [True] * 5 + [False]
    assert table["op_type"].tolist()[::2] == ["Mul", "Add", "Relu"]

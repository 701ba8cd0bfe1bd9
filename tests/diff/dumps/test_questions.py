"""What is asked of one dump, and names of the other side: renames, statistics, NaN, watching."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msdump.diff.dumps.nan import iter_odd
from msdump.diff.dumps.renames import from_mapping, parse_rule
from msdump.diff.dumps.tensor_statistics import check_statistics, histogram, statistics_of, tensor_statistics
from msdump.diff.dumps.watch import parse_condition, watch
from msdump.errors import MsdumpError
from msdump.formats.dump.npy import NpyTensor
from msdump.formats.dump.reading import Dump
from tests.formats.dump.making import put

F: Any = np.float32


VALUES = st.one_of(
    st.floats(width=32, allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 3e38, 1e-45]),
)


def test_rules_as_sed_writes_them() -> None:
    rule = parse_rule(r"s#Default/(\w+)#net_\1#")
    assert rule is not None
    assert rule.of("Add", "x", "Default/a", "output", 0)[0][0] == "net_a"
    assert parse_rule("names.yaml") is None
    assert parse_rule("sss") is None
    with pytest.raises(MsdumpError, match="is wrong"):
        parse_rule("s/(/x/")


@pytest.mark.parametrize("content", [[1], {"a": 1}, "text", None, {"/(/": "x"}])
def test_tables_that_are_none(content: Any) -> None:
    with pytest.raises(MsdumpError):
        from_mapping(content)


def test_a_table_may_hold_expressions() -> None:
    renames = from_mapping({r"/layer(\d)/": r"block\1", "a/b": "c"})
    assert renames.of("Add", "layer3", "", "output", 0) == [("block3", None, None)] * 0 + [
        ("Add.block3", None, None),
        ("block3", None, None),
    ]
    assert renames.of("Add", "a_b", "", "output", 0)[0] == ("c", None, None)


def test_statistics_count_as_mindspore_counts(tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([1, -2, 0, math.nan, math.inf, -math.inf, -math.inf, 4]))
    found = tensor_statistics(NpyTensor(str(path)), md5=True)
    assert len(found.pop("md5")) == 32
    assert found == {
        "max": 4.0,
        "min": -2.0,
        "avg": 0.75,
        "count": 8,
        "negative": 3,  # MindSpore counts infinities here as well
        "positive": 3,
        "nan": 1,
        "negative_inf": 2,
        "positive_inf": 1,
        "zero": 1,
        "l2norm": None,  # of all elements, of which one is NaN
    }


@pytest.mark.parametrize(
    ("array", "l2norm", "avg"),
    [
        (F([3, -4]), 5.0, -0.5),
        (F([3, -math.inf]), math.inf, 3.0),
        (F([]), 0.0, None),
        (F([0, 0]), 0.0, 0.0),
        (np.array([1e308, 1e308]), math.sqrt(2) * 1e308, 1e308),
        (np.array([3e-320, 4e-320]), 5e-320, 3.5e-320),
        (np.array([-1.7e308, 1.7e308]), math.inf, 0.0),
    ],
)
def test_norm_and_average(array: Any, l2norm: float, avg: float | None) -> None:
    found = statistics_of(array).to_dict()
    for key, expected in (("l2norm", l2norm), ("avg", avg)):
        # The smallest floats have few digits.
        rel = 1e-3 if expected is not None and 0 < abs(expected) < 1e-300 else 1e-15
        assert found[key] is expected if expected is None else found[key] == pytest.approx(expected, rel=rel, abs=0)


@pytest.mark.parametrize(
    ("array", "key", "saved", "right"),
    [
        (F([1, math.inf]), "max", math.inf, True),
        (F([1, math.inf]), "max", 1.0, True),
        (F([1, math.inf]), "max", 2.0, False),
        (F([1, math.inf]), "min", math.inf, False),
        (F([1, -math.inf]), "min", -math.inf, True),
        (F([1, -math.inf, math.inf]), "avg", None, True),
        (F([1, math.nan]), "max", None, True),
        (F([1, math.nan]), "max", math.inf, False),
        (F([1, 2]), "max", None, False),
        (F([-math.inf]), "max", -math.inf, True),
        (F([-math.inf]), "max", None, True),
    ],
)
def test_values_saved_over_finite_or_over_all(array: Any, key: str, saved: float | None, right: bool) -> None:
    computed = statistics_of(array).to_dict()
    assert check_statistics({key: saved}, computed, 0, 0) == ([] if right else [key])


@pytest.mark.parametrize("array", [F([math.nan]), F([math.inf, math.nan])])
def test_no_finite_value_gives_none(array: Any) -> None:
    found = statistics_of(array).to_dict()
    assert found["max"] is found["min"] is found["avg"] is found["l2norm"] is None


def test_large_integers_keep_their_last_digit() -> None:
    found = statistics_of(np.array([2**63 - 1, -(2**63)]))
    assert (found.max, found.min) == (2**63 - 1, -(2**63))


@given(st.lists(st.lists(VALUES, max_size=8), max_size=5))
def test_statistics_merge(blocks: list[list[float]]) -> None:
    total = statistics_of(F([]))
    for block in blocks:
        total = total.merge(statistics_of(F(block)))
    whole = statistics_of(F([v for block in blocks for v in block]))
    for name in ("count", "negative", "positive", "zero", "nan", "negative_inf", "positive_inf", "max", "min"):
        assert getattr(total, name) == getattr(whole, name)


def test_saved_statistics_are_held_against_the_data() -> None:
    computed = {"max": 2.0, "min": None, "nan": 3, "md5": "a"}
    assert check_statistics({"max": 2.00001, "min": None, "nan": 3, "md5": "a"}, computed, 1e-4, 0) == []
    assert check_statistics({"max": 2.1, "min": 1.0, "nan": 2, "md5": "b"}, computed, 1e-4, 0) == [
        "max",
        "min",
        "nan",
        "md5",
    ]


def test_a_histogram(tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([0, 1, 2, 3, 4, math.nan, math.inf]))
    found = histogram(NpyTensor(str(path)), 2)
    assert (found.edges, found.counts, found.nan, found.positive_inf) == ((0, 2, 4), (2, 3), 1, 1)


@pytest.mark.parametrize(
    "values",
    [
        np.full(4, np.finfo(np.float32).min, np.float32),
        np.array([1e16, 1e16 + 2]),
        np.array([2**62, 2**62 + 1]),
        np.array([2**64 - 1, 2**64 - 3], np.uint64),
        np.array([1e308]),
        np.array([np.finfo(np.float64).max, np.finfo(np.float64).max]),
        np.array([-1.7e308, 1.7e308, 0]),
        np.array([5e-324, 0]),
        np.array([7, 7, 7]),
        np.array([0.0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("bins", [1, 4, 100])
def test_a_histogram_holds_every_finite_value(tmp_path: Path, values: Any, bins: int) -> None:
    np.save(tmp_path / "x.npy", values)
    found = histogram(NpyTensor(str(tmp_path / "x.npy")), bins)
    assert sum(found.counts) == values.size
    assert len(found.edges) == bins + 1
    assert all(math.isfinite(edge) for edge in found.edges)
    assert list(found.edges) == sorted(found.edges)
    assert found.edges[0] <= float(values.min()) <= float(values.max()) <= found.edges[-1]


def test_the_first_nan_is_made_not_passed_on(tmp_path: Path) -> None:
    clean, bad = F([1, 2]), F([1, math.nan])
    put(tmp_path, "Log", clean, "input", at=0)
    put(tmp_path, "Log", bad, at=1)
    put(tmp_path, "Add", bad, "input", at=2)
    put(tmp_path, "Add", bad, at=3)
    found = list(iter_odd(Dump(str(tmp_path))))
    assert [(x.record.op_type, x.origin) for x in found] == [("Log", True), ("Add", False)]
    assert (found[0].outputs[0].nan, found[0].outputs[0].index, found[0].inputs_known) == (1, (1,), True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
def test_infinities_in_every_float(tmp_path: Path, dtype: str) -> None:
    import ml_dtypes

    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    put(tmp_path, "Exp", np.array([1, math.inf]).astype(kind), dtype="BFloat16" if dtype == "bfloat16" else None)
    put(tmp_path, "Max", np.full(3, 6e4).astype(kind), dtype="BFloat16" if dtype == "bfloat16" else None)
    found = list(iter_odd(Dump(str(tmp_path))))
    assert [(x.record.op_type, x.outputs[0].inf, x.outputs[0].index) for x in found] == [("Exp", 1, (1,))]
    assert list(iter_odd(Dump(str(tmp_path)), infinities=False)) == []


def hits(root: Path, *conditions: str) -> list[tuple[str, int]]:
    found = watch(Dump(str(root)), [parse_condition(c) for c in conditions])
    return [(h.record.op_type, h.record.iteration) for h in found]


def test_watch_conditions(tmp_path: Path) -> None:
    for iteration, value in enumerate((1.0, 1.0, 1.5)):
        put(tmp_path, "Weight", F([value, -value]), iteration=iteration)
    put(tmp_path, "Zero", F([0, 0]))
    put(tmp_path, "Odd", F([math.nan, 1]))
    put(tmp_path, "Large", F([1e6, 0]))
    assert hits(tmp_path, "tensor_all_zero") == [("Zero", 0)]
    assert hits(tmp_path, "nan") == hits(tmp_path, "tensor_overflow") == [("Odd", 0)]
    assert hits(tmp_path, "weight_not_changed") == [("Weight", 1)]
    assert hits(tmp_path, "weight_change_too_large:abs_mean_update_ratio_gt=0.4") == [("Weight", 2)]
    assert hits(tmp_path, "weight_change_too_small:abs_mean_update_ratio_lt=0.4") == [("Weight", 1)]
    assert hits(tmp_path, "tensor_too_large:abs_mean_gt=100") == [("Large", 0)]
    assert hits(tmp_path, "tensor_too_large:max_gt=100,min_gt=0.5") == [("Large", 0), ("Odd", 0)]
    assert hits(tmp_path, "tensor_too_small:max_lt=0.5") == [("Zero", 0)]
    assert hits(tmp_path, "tensor_range:range_start_inclusive=-2,range_end_inclusive=2") == [("Large", 0), ("Odd", 0)]
    assert hits(tmp_path, "tensor_range:max_min_gt=1000") == [("Large", 0)]


@pytest.mark.parametrize("text", ["", "large", "tensor_too_large", "tensor_too_large:x=1", "tensor_too_large:max_gt=y"])
def test_conditions_that_are_none(text: str) -> None:
    with pytest.raises(MsdumpError):
        parse_condition(text)

"""Metrics of two tensors against their definitions, and the law of merging."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from msdump.diff.tensor.metrics import diff_tensors
from msdump.diff.tensor.partial import Partial
from msdump.diff.tensor.tolerance import Tolerance
from tests.diff.tensor.partials import iter_partials, merge_all

Array = np.ndarray[Any, Any]
F = np.float32
INF, NAN = math.inf, math.nan


def test_the_metrics_of_a_small_example() -> None:
    d = diff_tensors(np.array([[1, 2], [4, 8]], F), np.array([[1, 2.5], [4, 4]], F), Tolerance(rtol=0.25))
    assert (d.same, d.count, d.mismatched, d.worst, d.share) == (False, 4, 1, (1, 1), 0.25)
    assert d.worst_values == (F(8), F(4))
    assert (d.max_abs, d.mean_abs, d.max_rel) == (4.0, 4.5 / 4, 1.0)
    assert d.cosine == pytest.approx((1 + 5 + 16 + 32) / math.sqrt((1 + 4 + 16 + 64) * (1 + 6.25 + 16 + 16)), rel=1e-15)
    assert d.rel_l2 == pytest.approx(math.sqrt((0.25 + 16) / (1 + 6.25 + 16 + 16)), rel=1e-15)
    assert d.max_ulp == 1 << 23  # one power of two in float32


@pytest.mark.parametrize(
    ("a", "b", "rtol", "atol", "same"),
    [
        (1.0, 1.1, 0.0, 0.1, False),  # |1 - 1.1| is a little more than 0.1
        (1.0, 1.125, 0.0, 0.125, True),  # the limit itself is in tolerance
        (9.0, 10.0, 0.1, 0.0, True),  # relative to b, not to a
        (10.0, 9.0, 0.1, 0.0, False),
        (0.0, 100.0, 0.5, 0.0, False),
        (100.0, 0.0, 1e9, 0.0, False),
        (1e-4, 5e-4, 1e-5, 1e-8, False),
        (1.0, 1.9, 1e-5, 1e-8, False),
        (INF, INF, 0.0, 0.0, True),
        (INF, -INF, 1.0, 1e300, False),
        (INF, 1.0, 1.0, 1e300, False),
        (1.0, INF, 1.0, 1e300, False),
        (NAN, NAN, 1.0, 1e300, False),
        (NAN, 5.0, 1.0, 1e300, False),
        (5.0, NAN, 1.0, 1e300, False),
        (-0.0, 0.0, 0.0, 0.0, True),
    ],
)
def test_the_tolerance_rule(a: float, b: float, rtol: float, atol: float, same: bool) -> None:
    for shape in ((), (1,), (3,)):
        d = diff_tensors(np.full(shape, a), np.full(shape, b), Tolerance(rtol, atol))
        assert d.same is same
        assert d.mismatched == (0 if same else math.prod(shape))


def test_nan_equals_nan_only_when_asked() -> None:
    a, b = np.array([NAN, 1, NAN], F), np.array([NAN, 1, 2], F)
    plain, equal = diff_tensors(a, b), diff_tensors(a, b, Tolerance(equal_nan=True))
    assert (plain.mismatched, plain.worst, plain.nan) == (2, (0,), (2, 1))
    assert (equal.mismatched, equal.worst, equal.nan) == (1, (2,), (2, 1))
    assert equal.max_abs == 0
    assert equal.cosine == 1.0


def test_infinities_are_counted_and_dominate() -> None:
    d = diff_tensors(np.array([INF, INF, -INF, 1], F), np.array([INF, -INF, 3, 1], F))
    assert (d.mismatched, d.worst, d.max_abs, d.max_rel, d.inf) == (2, (1,), INF, INF, (3, 2))
    assert (d.mean_abs, d.rel_l2) == (0.0, 0.0)  # of the one finite pair


def test_all_nan_against_numbers_has_no_metrics_but_differs() -> None:
    d = diff_tensors(np.full(3, NAN, F), np.full(3, 5, F))
    assert (d.same, d.mismatched, d.nan) == (False, 3, (3, 0))
    assert (d.max_abs, d.mean_abs, d.cosine) == (None, None, None)


def test_zero_against_something() -> None:
    d = diff_tensors(np.array([0, 0, 0], F), np.array([0, 100, 0], F))
    assert (d.max_abs, d.max_rel, d.cosine, d.rel_l2) == (100.0, 1.0, 0.0, 1.0)
    d = diff_tensors(np.array([0, 100, 0], F), np.array([0, 0, 0], F))
    assert (d.max_abs, d.max_rel, d.cosine, d.rel_l2) == (100.0, INF, 0.0, INF)
    d = diff_tensors(np.zeros(3, F), np.zeros(3, F))
    assert (d.same, d.cosine, d.rel_l2, d.max_rel) == (True, 1.0, 0.0, 0.0)


def test_shapes() -> None:
    d = diff_tensors(np.zeros((2, 3), F), np.zeros((3, 2), F))
    assert (d.same, d.shapes_differ, d.shape, d.max_abs) == (False, True, ((2, 3), (3, 2)), None)
    d = diff_tensors(F(2), np.array([3], F))
    assert (d.shapes_differ, d.max_abs, d.worst) == (False, 1.0, (0,))
    assert diff_tensors(np.float64(2), np.float64(3)).worst == ()
    d = diff_tensors(np.zeros((2, 0), F), np.zeros((2, 0), F))
    assert (d.same, d.count, d.max_abs, d.share) == (True, 0, None, 0.0)
    assert not diff_tensors(np.zeros((2, 0), F), np.zeros((0, 2), F)).same


def test_values_of_different_types_are_compared_by_value() -> None:
    values = [0.5, 1, 2]
    d = diff_tensors(np.array(values, np.float16), np.array(values, np.float32))
    assert (d.same, d.dtype, d.max_ulp) == (True, ("float16", "float32"), None)
    assert diff_tensors(np.array([1, 0]), np.array([True, False])).same
    assert diff_tensors(np.array([1, 2], ml_dtypes.bfloat16), np.array([1, 2], np.int8)).same
    assert diff_tensors(np.array([1, 2], np.int8), np.array([1, 2], np.complex64)).same


@pytest.mark.parametrize(
    ("a", "b", "gap"),
    [
        (np.int64(2**53 + 1), np.int64(2**53), 1),
        (np.int64(-(2**63)), np.int64(2**63 - 1), 2**64 - 1),
        (np.uint64(2**64 - 1), np.uint64(0), 2**64 - 1),
        (np.uint64(2**63 + 1), np.int64(2**63 - 1), 2),
        (np.int64(-5), np.uint64(2**64 - 7), 2**64 - 2),
        (np.int64(-5), np.uint64(2**64 - 5), 2**64),
        (np.int64(-(2**63)), np.uint64(2**64 - 1), 2**63 + 2**64 - 1),
        (np.int64(2**53 + 1), np.float64(2**53), 1),
        (np.uint64(2**64 - 1), np.float32(1.0), 2**64 - 2),
        (np.int64(-(2**62)), ml_dtypes.bfloat16(2.0**100), 2**100 + 2**62),
        (np.int32(-(2**31)), np.int32(2**31 - 1), 2**32 - 1),
        (np.int64(2**60 + 1), np.int8(-1), 2**60 + 2),
    ],
)
def test_large_integers_keep_their_last_bit(a: Any, b: Any, gap: int) -> None:
    for x, y in ((a, b), (b, a)):
        d = diff_tensors(np.full(5, x), np.full(5, y))
        assert d.max_abs == float(gap) if "float" in "".join(d.dtype) else d.max_abs == gap
        assert d.mismatched == 5
        assert diff_tensors(x, x).same
    if isinstance(a, np.int64) and isinstance(b, np.int64):
        assert diff_tensors(a, b, Tolerance(atol=gap)).same


def test_an_integer_limit_is_its_floor() -> None:
    a, b = np.array([2**60 + 3], np.int64), np.array([2**60], np.int64)
    assert diff_tensors(a, b, Tolerance(atol=3)).same
    assert diff_tensors(a, b, Tolerance(atol=3.9)).same
    assert not diff_tensors(a, b, Tolerance(atol=2.9)).same
    assert diff_tensors(a, b, Tolerance(atol=INF)).same


def test_signed_against_unsigned_of_all_sizes() -> None:
    a = np.array([-(2**63), -(2**63), -1, 5, 2**63 - 1], np.int64)
    b = np.array([2**64 - 1, 0, 0, 5, 2**64 - 1], np.uint64)
    gaps = [abs(int(x) - int(y)) for x, y in zip(a, b, strict=True)]
    for x, y in ((a, b), (b, a)):
        d = diff_tensors(x, y)
        assert (d.max_abs, d.mismatched, d.worst) == (3 * 2**63 - 1, 4, (0,))
        assert d.mean_abs == pytest.approx(sum(gaps) / 5, rel=1e-15)
        assert d.rel_l2 == pytest.approx(math.sqrt(sum(g * g for g in gaps) / sum(int(v) ** 2 for v in y)), rel=1e-15)
        for limit in (*gaps, 2.0**64, 1.4 * 2**64, 2.0**65):
            wrong = sum(gap > float(limit) for gap in gaps)
            assert diff_tensors(x, y, Tolerance(atol=limit)).mismatched == wrong


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_ulp_distance(dtype: Any) -> None:
    one = np.array([1.0, 0.0, -0.0], dtype)
    bits = np.dtype(f"u{one.dtype.itemsize}")
    three_up = np.array([1.0, 0.0, 0.0], dtype)
    three_up.view(bits)[0] += 3
    assert diff_tensors(one, three_up).max_ulp == 3
    # The smallest positive and the smallest negative number lie two apart.
    tiny = np.zeros(1, dtype)
    tiny.view(bits)[0] = 1
    assert diff_tensors(tiny, -tiny).max_ulp == 2


def test_complex_numbers() -> None:
    a, b = np.array([3 + 4j, 0], np.complex64), np.array([0, 1j], np.complex64)
    d = diff_tensors(a, b)
    assert (d.max_abs, d.mean_abs, d.max_rel, d.cosine) == (5.0, 3.0, INF, 0.0)
    nan = diff_tensors(np.array([complex(NAN, 1)]), np.array([1 + 1j]))
    assert (nan.mismatched, nan.nan) == (1, (1, 0))
    inf = np.array([complex(INF, 1)])
    assert diff_tensors(inf, inf).same
    assert not diff_tensors(inf, -inf).same


def test_squares_that_leave_the_floats() -> None:
    for scale in (1e-300, 5e-324, 1e300):
        a, b = np.array([3.0, 4.0]) * scale, np.array([3.0, 0.0]) * scale
        d = diff_tensors(a, b)
        assert d.cosine == pytest.approx(0.6, rel=1e-12)
        assert d.rel_l2 == pytest.approx(4 / 3, rel=1e-12)
        assert d.mean_abs == pytest.approx(2 * scale, rel=1e-12)
    d = diff_tensors(np.array([1.5e308]), np.array([-1.5e308]))
    assert (d.max_abs, d.cosine, d.rel_l2, d.mismatched) == (INF, -1.0, 2.0, 1)


def test_layouts_do_not_matter() -> None:
    base = np.arange(24, dtype=F).reshape(4, 6)
    other = base.copy()
    other[3, 2] += 1
    swapped = other.astype(">f4")
    assert diff_tensors(base, swapped).worst == (3, 2)
    assert diff_tensors(base.T, other.T).worst == (2, 3)
    assert diff_tensors(base[::2], other[::2]).same
    assert diff_tensors(base[::-1], other[::-1]).worst == (0, 2)


def test_strings_are_equal_or_not() -> None:
    d = diff_tensors(np.array(["a", "b"]), np.array(["a", "c"]))
    assert (d.same, d.mismatched, d.worst) == (False, 1, (1,))
    assert diff_tensors(np.array([b"x"]), np.array([b"x"])).same


def test_the_result_of_a_long_array_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(7)
    b = rng.standard_normal(100_003)
    a = b + rng.standard_normal(b.size) * 1e-6
    a[77_777] += 1
    d = diff_tensors(a, b, Tolerance(1e-5, 1e-8))
    gap = np.abs(a - b)
    assert d.mismatched == int((gap > 1e-8 + 1e-5 * np.abs(b)).sum())
    assert d.worst == (77_777,)
    assert d.max_abs == gap.max()
    assert d.max_rel == (gap / np.abs(b)).max()
    assert d.mean_abs == pytest.approx(gap.mean(), rel=1e-12)
    assert d.rel_l2 == pytest.approx(np.linalg.norm(a - b) / np.linalg.norm(b), rel=1e-12)
    assert d.cosine == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), rel=1e-12)


DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint64, np.bool_, np.complex64]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Array, Array]:
    n = draw(st.integers(0, 40))
    a, b = (draw(hnp.arrays(draw(st.sampled_from(DTYPES)), n)) for _ in range(2))
    if draw(st.booleans()):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            b = b.astype(a.dtype, casting="unsafe")
        keep = draw(hnp.arrays(np.bool_, n))
        b = np.where(keep, a, b)
    return a, b


@settings(max_examples=200, deadline=None)
@given(pairs(), st.integers(1, 45), st.booleans(), st.randoms(use_true_random=False))
def test_any_split_and_any_order_of_merging_gives_the_same(
    pair: tuple[Array, Array], block: int, equal_nan: bool, random: Any
) -> None:
    with np.errstate(all="ignore"):
        a, b = pair
        tolerance = Tolerance(1e-3, 1e-6, equal_nan)
        whole = merge_all(iter_partials(a, b, tolerance, 1000))
        parts = list(iter_partials(a, b, tolerance, block))
        total = merge_all(parts)
        random.shuffle(parts)
        assert merge_all(parts) == total  # to the last bit, whatever the order
        while len(parts) > 1:
            i = random.randrange(len(parts) - 1)
            parts[i : i + 2] = [parts[i].merge(parts[i + 1])]
        assert (parts[0] if parts else Partial()) == total
    # Another split rounds the sums inside blocks otherwise; all else is the same.
    assert (whole.count, whole.odd, whole.largest, whole.mismatches) == (
        (total.count, total.odd, total.largest, total.mismatches)
    )
    assert repr(whole.mismatches.values) == repr(total.mismatches.values)  # NaN is not equal to itself
    for name, x, y in zip(whole.sums._fields, whole.sums, total.sums, strict=True):
        scale = max(whole.sums.aa, whole.sums.bb, whole.sums.dd) if name == "dot" else abs(x)
        assert abs(x - y) <= Fraction(scale, 10**12), name


@settings(max_examples=200, deadline=None)
@given(pairs(), st.sampled_from([(0.0, 0.0), (1e-3, 0.0), (0.5, 2.0)]), st.booleans())
def test_the_count_is_that_of_the_rule_element_by_element(
    pair: tuple[Array, Array], tolerance: tuple[float, float], equal_nan: bool
) -> None:
    a, b = pair
    rtol, atol = tolerance
    with np.errstate(all="ignore"):
        d = diff_tensors(a, b, Tolerance(rtol, atol, equal_nan))
        wrong = sum(not _equal(x, y, rtol, atol, equal_nan) for x, y in zip(a.tolist(), b.tolist(), strict=True))
    assert d.mismatched == wrong


def _equal(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool) -> bool:
    odd = [v for v in (x, y) if v != v]
    if odd:
        return equal_nan and len(odd) == 2
    if x == y:
        return True
    if isinstance(x, complex) or isinstance(y, complex):
        far = abs(complex(x) - complex(y))
        return math.isfinite(far) and far <= atol + rtol * abs(complex(y))
    if math.isinf(x) or math.isinf(y):
        return False
    gap: Any = abs(x - y) if isinstance(x, int) and isinstance(y, int) else abs(Fraction(x) - Fraction(y))
    return bool(float(gap) <= atol + rtol * abs(float(y)))

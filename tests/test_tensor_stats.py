"""The elements of a tensor as numbers that statistics are of."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from msdump.diff.dumps.tensor_statistics import statistics_of
from msdump.tensor_stats import real_values, tensor_stats

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_the_modulus_is_that_of_double_precision(dtype: Any) -> None:
    array = np.array([3 + 4j, 0.1 + 0.7j, 3e38 - 3e38j, 0], dtype)
    expected = [math.hypot(complex(v).real, complex(v).imag) for v in array]
    found = real_values(array).tolist()
    assert found == pytest.approx(expected, rel=4e-16)  # libraries differ in the last bit of a root
    stats = statistics_of(array)
    assert (stats.max, stats.min, stats.zero) == (found[2], 0.0, 1)
    assert tensor_stats(array).max == found[2]


def test_a_part_that_is_nan_makes_the_number_nan() -> None:
    array = np.array([complex(INF, NAN), complex(NAN, 1), complex(-INF, 2), 1j])
    np.testing.assert_array_equal(real_values(array), [NAN, NAN, INF, 1])
    stats = statistics_of(array)
    assert (stats.nan, stats.positive_inf, stats.negative_inf, stats.max) == (2, 1, 0, 1)
    assert (tensor_stats(array).nan, tensor_stats(array).inf) == (2, 1)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.bool_, ml_dtypes.bfloat16, ml_dtypes.int4])
def test_other_numbers_are_themselves(dtype: Any) -> None:
    assert real_values(np.array([0, 1], dtype)).tolist() == [0.0, 1.0]

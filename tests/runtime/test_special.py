"""Special functions against scipy's, over the whole line and at its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from msdump.runtime.ops import special

LINE = np.concatenate([np.linspace(-30, 30, 2001), [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-300, 171.5, -2.5, -3.0]])
INSIDE = np.concatenate([np.linspace(-1, 1, 2001), [0.0, 1e-12, 1 - 1e-12, 1.5, -2.0, np.nan]])


@pytest.mark.parametrize(
    ("ours", "theirs", "where", "rtol"),
    [
        (special.erf, "erf", LINE, 1e-14),
        (special.erfc, "erfc", LINE, 1e-13),
        (special.lgamma, "gammaln", LINE[-np.inf != LINE], 1e-12),
        (special.erfinv, "erfinv", INSIDE, 1e-12),
    ],
    ids=["erf", "erfc", "lgamma", "erfinv"],
)
def test_as_scipy(ours: Callable[[Any], Any], theirs: str, where: Any, rtol: float) -> None:
    known = pytest.importorskip("scipy.special")
    found = ours(where)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, getattr(known, theirs)(where), rtol=rtol, atol=1e-300)


def test_erf_of_single_precision() -> None:
    known = pytest.importorskip("scipy.special")
    x = np.linspace(-6, 6, 100_001, dtype=np.float32)
    found = special.erf(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, known.erf(x.astype(np.float64)), rtol=0, atol=4e-7)

"""Comparing two tensors, all metrics, against one pass of `np.abs(a - b).max()` side by side.

    python benchmarks/diff_tensors.py [ELEMENTS]

Prints, for each type, the ratio of the two for tensors that differ everywhere by rounding, for
tensors that are equal, and for tensors of which a hundredth is out of tolerance.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from msdump.diff.tensor.metrics import diff_tensors
from msdump.diff.tensor.tolerance import Tolerance

TOLERANCE = Tolerance(rtol=1e-2, atol=1e-6)


def best(work: Callable[[], Any], times: int = 4) -> float:
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


def ratio(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    return best(lambda: diff_tensors(a, b, TOLERANCE)) / best(lambda: np.abs(a - b).max())


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 24
    rng = np.random.default_rng(0)
    print(f"{n:,} elements; times of one pass of np.abs(a - b).max()")
    print(f"{'type':10} {'close':>7} {'equal':>7} {'1% out':>7}")
    for name in ("float32", "float64", "float16", "bfloat16", "int32", "int64", "complex64"):
        dtype = np.dtype(getattr(ml_dtypes, name)) if name == "bfloat16" else np.dtype(name)
        base = rng.standard_normal(n) * 100
        a = base.astype(dtype)
        close = (base * (1 + 1e-4 * rng.standard_normal(n))).astype(dtype)
        out = np.where(rng.random(n) < 0.01, a + np.ones(1, dtype), a).astype(dtype)
        ratios = [ratio(a, b) for b in (close, a, out)]
        print(f"{name:10} " + " ".join(f"{ratio:7.2f}" for ratio in ratios), flush=True)


if __name__ == "__main__":
    main()

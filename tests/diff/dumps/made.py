"""Pairs of dumps for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from msdump.dumps.comparing import diff_dumps
from tests.formats.dump.making import put

F: Any = np.float32


def one(sides: tuple[Path, Path], a: Any, b: Any, **rule: Any) -> Any:
    """How the one tensor of two dumps compares."""
    put(sides[0], "Add", a)
    put(sides[1], "Add", b, at=7_000_000, task=9)
    diff = diff_dumps(*sides, **rule)
    assert len(diff) == 1
    return diff[0]


def network(root: Path, wrong: str = "", *, at: int = 0, iterations: int = 1) -> None:
    """a → Mul → Add → Relu, in which `wrong` begins to be wrong."""
    bad = False
    for iteration in range(iterations):
        for place, op in enumerate(("Mul", "Add", "Relu")):
            put(root, op, F([1, 2 + bad]), "input", at=at + 10 * place, iteration=iteration)
            bad = bad or op == wrong
            put(root, op, F([1, 2 + bad]), at=at + 10 * place + 5, iteration=iteration)

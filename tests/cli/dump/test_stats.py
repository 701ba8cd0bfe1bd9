"""`msdump dump stats`: statistics held against the data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.writing import COLUMNS, DumpWriter
from tests.cli.conftest import Run

F: Any = np.float32


@pytest.mark.parametrize(
    "array",
    [F([-math.inf, -2, 3]), F([math.nan, 1]), F([math.nan]), F([math.inf, -math.inf]), F([]), F(2), F([1, -0.0, 2])],
)
@pytest.mark.parametrize("file_format", ["npy", "bin"])
def test_what_the_writer_saves_is_borne_out(tmp_path: Path, run: Run, array: Any, file_format: str) -> None:
    writer = DumpWriter(str(tmp_path), statistics=tuple(COLUMNS), file_format=file_format)
    writer.operator(0, 0, "A", "Default/A-op0", [], [(0, np.asarray(array))])
    writer.close()
    ran = run("dump", "stats", "--check", tmp_path)
    assert (ran.status, ran.out) == (0, "1 tensors checked against their statistics: 1 agree\n")

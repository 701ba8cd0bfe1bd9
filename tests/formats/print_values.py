"""The values of a print file as plain Python, for tests that compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import msdump
from msdump import BadValue


def values_of(path: str | Path) -> list[list[Any]]:
    """Every value of a file, arrays as lists."""
    return [
        [v if isinstance(v, (str, BadValue)) else np.asarray(v).tolist() for v in record.values]
        for record in msdump.read_print(Path(path))
    ]

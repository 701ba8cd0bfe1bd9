"""MindSpore 2.7's parse_print reads what msdump wrote, metadata and all."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from msdump import PrintWriter
from msdump.dtype import by_numpy

pytestmark = pytest.mark.integration


def special(dtype: Any) -> np.ndarray[Any, Any]:
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return np.array([[info.min, 0, 1], [info.max, 100, 7]], kind)
    if kind.kind == "b":
        return np.array([[True, False, True]])
    return np.array([[0.0, -0.0, 1.5], [np.nan, np.inf, -2.5]]).astype(kind)


# Not here: complex numbers, dims of [0] and Int4, which parse_print itself misreads or refuses.
TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)
CALLS: list[tuple[Any, ...]] = [
    ("only a string",),
    ("", "café \x1b[31m\n", "x" * 70_000),
    *[("label of", name, special(name), special(name)[0, :1], special(name)[:, None, :]) for name in TYPES],
    *[(special(name).ravel()[2],) for name in TYPES],
    (special(ml_dtypes.bfloat16),),
    ("large:", np.arange(300_000, dtype=np.float32), "after"),
    (np.zeros((2, 0, 3), np.float32),),
]


def wanted(value: Any) -> Any:
    if isinstance(value, str):
        return value
    known = by_numpy(value.dtype)
    assert known is not None
    plain = np.asarray(value, np.float32) if known.name == "BFloat16" else np.asarray(value)
    return [known.name, list(value.shape), base64.b64encode(plain.tobytes()).decode()]


def test_parse_print_returns_the_same_values(tmp_path: Path, mindspore_python: str) -> None:
    path = tmp_path / "print.pb"
    with PrintWriter(path, rank=3) as writer:
        for at, values in enumerate(CALLS):
            writer.write(values, step=at, file="net.py", line=at + 1)
    script = Path(__file__).with_name("parse_print_oracle.py")
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [mindspore_python, str(script), str(path)]
    done = subprocess.run(command, capture_output=True, env=env, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    flat = [value for values in CALLS for value in values]
    assert len(found) == len(flat)
    for got, value in zip(found, flat, strict=True):
        assert got == wanted(value)

"""Dump directories for tests, laid out as MindSpore lays them out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from msdump.formats.dump.npy import npy_bytes

STAMP = 1_796_092_485_879_026


def put(
    root: Path,
    op: str,
    array: Any,
    io: str = "output",
    slot: int = 0,
    *,
    name: str = "",
    at: int = 0,
    rank: int = 0,
    graph: str = "0",
    iteration: int = 0,
    dtype: str | None = None,
    task: int = 0,
) -> Path:
    """Put one tensor as .npy; `at` is microseconds after the first launch, `dtype` "" leaves it out."""
    array = np.asarray(array)
    folder = root / f"rank_{rank}" / "Net" / graph / str(iteration)
    folder.mkdir(parents=True, exist_ok=True)
    token = {"float32": "Float32", "float16": "Float16", "int32": "Int32", "bool": "Bool"}.get(array.dtype.name, "")
    token = token if dtype is None else dtype
    op_name = name or f"Default_{op}-op0"
    stem = f"{op}.{op_name}.{task}.0.{STAMP + at}.{io}.{slot}.DefaultFormat"
    path = folder / (stem + (f".{token}" if token else "") + ".npy")
    path.write_bytes(npy_bytes(array))
    return path


def order(root: Path, names: list[str], graph: str = "0", rank: int = 0) -> None:
    """Put an execution order file."""
    folder = root / f"rank_{rank}" / "execution_order"
    folder.mkdir(parents=True, exist_ok=True)
    text = "NodeExecutionOrder-FullNameWithScope\n" + "".join(f"{n}\n" for n in names)
    (folder / f"ms_execution_order_graph_{graph}.csv").write_text(text)

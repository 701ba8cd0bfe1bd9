"""Dump directories for tests, laid out as MindSpore lays them out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from msdump.diff.dumps.pairs import Pair, pair
from msdump.formats.dump.npy import npy_bytes
from msdump.formats.dump.reading import Dump

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


def pairs_of(tmp_path: Path, count: int = 5, size: int = 200_000) -> list[Pair]:
    """Pairs of two dumps, a and b, that differ in more elements and by more from one to the next."""
    rng = np.random.default_rng(0)
    for i in range(count):
        a = rng.standard_normal(size).astype(np.float32)
        b = a.copy()
        b[i :: size // 3] += np.float32(i)
        put(tmp_path / "a", f"Op{i}", a, at=i)
        put(tmp_path / "b", f"Op{i}", b, at=i)
    return pair(Dump(str(tmp_path / "a")), Dump(str(tmp_path / "b"))).pairs

"""Dumps that msdump writes itself, where MindSpore's names do not fit."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.atomic import new_folder, write_file
from msdump.formats.dump.reading import Dump
from msdump.formats.dump.writing import DumpWriter

F: Any = np.float32
LONG = "Default/" + "/".join(["network-NetWithLossCell"] * 20) + "/Add-op{}"


@pytest.mark.parametrize("file_format", ["npy", "bin"])
def test_long_names_become_numbers(tmp_path: Path, file_format: str) -> None:
    for _ in range(2):  # what is there already keeps its number
        writer = DumpWriter(str(tmp_path), file_format=file_format)
        for i in range(2):
            writer.operator(0, 0, "Add", LONG.format(i), [(0, F([i]))], [(0, F([i + 10]))])
        writer.operator(0, 0, "Mul", "Default/Mul-op0", outputs=[(0, F([3]))])
        writer.close()
    records = list(Dump(str(tmp_path)))
    found = sorted((r.scope_name, r.io, r.tensor.numpy().tolist()) for r in records if r.tensor is not None)
    adds = [(LONG.format(i), io, [value]) for i in range(2) for io, value in (("input", i), ("output", i + 10))]
    assert found == sorted(2 * [*adds, ("Default/Mul-op0", "output", [3.0])])
    (mapping,) = tmp_path.rglob("mapping.csv")
    rows = list(csv.reader(mapping.read_text().splitlines()))
    suffix, count = (".npy", 8) if file_format == "npy" else ("", 4)
    assert [row[0] for row in rows] == [f"{i}{suffix}" for i in range(count)]
    assert all(len(row[1]) > 255 for row in rows)


def test_names_of_many_bytes_are_written(tmp_path: Path) -> None:
    name = "名" * 83 + ".npy"  # 253 bytes
    write_file(tmp_path / name, b"x")
    with new_folder(tmp_path / ("夹" * 84), ours=lambda _: False):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, "夹" * 84])

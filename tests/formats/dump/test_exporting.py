"""A dump's tensors as arrays for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from msdump.conversion import convert
from msdump.dumps.comparing import diff_dumps
from msdump.errors import LossError, ReadError, WriteError
from msdump.formats.dump.bin import write_bin
from msdump.formats.dump.reading import Dump
from tests.conftest import FIXTURES
from tests.formats.dump.making import STAMP, put

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
F: Any = np.float32
STEM = f"Add.Default_Add-op0.3.7.{STAMP}"


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """An operator's file with a tensor numpy has and one it lacks."""
    path = tmp_path / STEM
    write_bin(path, [F([[1, 2], [3, 4]])], [np.array([1.5, -2], ml_dtypes.bfloat16)])
    return path


def test_a_file_of_several_tensors_becomes_a_folder(one: Path, tmp_path: Path) -> None:
    convert(one, f"{tmp_path / 'out'}/")
    names = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert names == [f"{STEM}.input.0.ND.Float32.npy", f"{STEM}.output.0.ND.BFloat16.npy"]
    assert np.load(tmp_path / "out" / names[0]).tolist() == [[1, 2], [3, 4]]
    assert np.load(tmp_path / "out" / names[1]).view(ml_dtypes.bfloat16).tolist() == [1.5, -2]
    assert diff_dumps(one, tmp_path / "out").same


def test_a_file_of_several_tensors_becomes_an_npz(one: Path, tmp_path: Path) -> None:
    convert(one, tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as arrays:
        assert arrays[f"{STEM}.input.0.ND.Float32"].tolist() == [[1, 2], [3, 4]]
        assert len(arrays.files) == 2


def test_one_npy_holds_one_tensor(one: Path, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"holds several tensors, and a \.npy one"):
        convert(one, tmp_path / "x.npy")
    write_bin(tmp_path / f"Mul.x.0.0.{STAMP}", [], [F([1, 2])])
    convert(tmp_path / f"Mul.x.0.0.{STAMP}", tmp_path / "x.npy")
    assert np.load(tmp_path / "x.npy").tolist() == [1, 2]


def test_a_whole_dump_keeps_its_directories(tmp_path: Path) -> None:
    convert(BF16, f"{tmp_path / 'out'}/")
    there = sorted(p.relative_to(BF16) for p in BF16.rglob("*.npy"))
    assert sorted(p.relative_to(tmp_path / "out") for p in (tmp_path / "out").rglob("*.npy")) == there
    assert diff_dumps(BF16, tmp_path / "out").same
    convert(BF16, tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as arrays:
        assert sorted(arrays.files) == sorted(str(p.with_suffix("")) for p in there)


def test_names_too_long_for_a_file_are_mapped(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    long = "Default_" + "x" * 240
    write_bin(folder / "77", [], [F([1])])
    (folder / "mapping.csv").write_text(f"77,Add.{long}.0.0.{STAMP}\n")
    convert(folder, f"{tmp_path / 'out'}/")
    assert (tmp_path / "out/mapping.csv").read_text() == f"0.npy,Add.{long}.0.0.{STAMP}.output.0.ND.Float32.npy\n"
    (record,) = Dump(str(tmp_path / "out"))
    assert (record.op_name, record.tensor is not None and record.tensor.numpy().tolist()) == (long, [1])
    assert diff_dumps(folder, tmp_path / "out").same


def test_what_is_lost_or_damaged_leaves_nothing_behind(tmp_path: Path) -> None:
    cut = put(tmp_path / "a", "Add", F([1, 2]))
    cut.write_bytes(cut.read_bytes()[:-1])
    with pytest.raises(ReadError):
        convert(tmp_path / "a", f"{tmp_path / 'out'}/")
    table = put(tmp_path / "b", "Add", F([1])).parent / "statistic.csv"
    head = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value"
    table.write_text(f'{head}\nMul,m,0,0,{STAMP},output,0,4,float32,"(1,)",1\n')
    with pytest.raises(LossError, match="of which there is no tensor"):
        convert(tmp_path / "b", f"{tmp_path / 'out'}/")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
    convert(tmp_path / "b", f"{tmp_path / 'out'}/", lossy=True)
    assert len(list((tmp_path / "out").rglob("*.npy"))) == 1


def test_only_a_folder_of_arrays_is_replaced(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    convert(one, f"{out}/")
    with pytest.raises(WriteError, match="exists already"):
        convert(one, f"{out}/")
    convert(one, f"{out}/", force=True)
    (out / "notes.txt").write_text("mine")
    with pytest.raises(WriteError, match="is not a folder that msdump made"):
        convert(one, f"{out}/", force=True)
    assert (out / "notes.txt").read_text() == "mine"

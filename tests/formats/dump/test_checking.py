"""What `dump check` finds, and what it does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from msdump.formats.dump.checking import DiskUse, check
from msdump.formats.dump.layout import Selection
from msdump.formats.dump.reading import Dump
from tests.conftest import FIXTURES
from tests.formats.dump.making import order, put

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
WHILE = FIXTURES / "dump/2.10.0/while_tensor/out"
ONE = np.array([1, 2], np.float32)


def kinds(root: Path) -> list[tuple[str, str]]:
    return sorted((f.kind, Path(f.path).name[:12]) for f in check(Dump(str(root))))


def test_check_finds_what_is_wrong(tmp_path: Path) -> None:
    put(tmp_path, "Add", ONE)
    put(tmp_path, "Add", ONE, dtype="")  # the same launch, without the dtype in the name
    cut = put(tmp_path, "Cut", ONE)
    cut.write_bytes(cut.read_bytes()[:-1])
    put(tmp_path, "Long", ONE).open("ab").write(b"xx")
    put(tmp_path, "Bad", ONE).write_bytes(b"junk, no tensor")
    order(tmp_path, [f"Default/{op}-op0" for op in ("Add", "Gone", "Cut", "Long", "Bad")])
    use = DiskUse()
    found = list(check(Dump(str(tmp_path)), use))
    assert sorted((f.kind, f.what) for f in found) == [
        ("duplicate", next(f.what for f in found if f.kind == "duplicate")),
        ("missing", "Default/Gone-op0 runs in graph 0, and has no file"),
        ("trailing", "2 bytes behind the data"),
        ("truncated", "8 bytes of data are announced, 7 are there (byte 135)"),
        ("unreadable", "not a .npy file: the magic bytes are missing (byte 0)"),
    ]
    assert use.files == 5
    assert use.bytes == 136 + 136 + 135 + 138 + 15
    assert [f.harmless for f in found if f.kind == "trailing"] == [True]


def test_check_does_not_miss_what_was_not_chosen(tmp_path: Path) -> None:
    put(tmp_path, "Add", ONE)
    order(tmp_path, ["Default/Add-op0", "Default/Mul-op0"])
    assert [kind for kind, _ in kinds(tmp_path)] == ["missing"]
    (tmp_path / "rank_0/.dump_metadata").mkdir()
    (tmp_path / "rank_0/.dump_metadata/data_dump.json").write_text('{"common_dump_settings": {"dump_mode": 1}}')
    assert kinds(tmp_path) == []


def test_what_an_iteration_or_rank_has_is_expected_of_the_others(tmp_path: Path) -> None:
    for rank, iteration in ((0, 0), (0, 1), (1, 0)):
        put(tmp_path, "Add", ONE, "input", rank=rank, iteration=iteration)
        if (rank, iteration) != (0, 1):
            put(tmp_path, "Add", ONE, "output", rank=rank, iteration=iteration)
    put(tmp_path, "Branch", ONE, "output")  # an operator that one iteration alone ran is not missed
    found = [(f.kind, f.path, f.what) for f in check(Dump(str(tmp_path)))]
    assert found == [
        ("missing", str(tmp_path / "rank_0/Net/0/1"), "Add.Default_Add-op0 has no output 0, which it has elsewhere"),
        ("missing", str(tmp_path / "rank_1"), "rank 1 has no iteration 1, which rank 0 has"),
    ]
    assert list(check(Dump(str(tmp_path), Selection(iterations=frozenset({0}))))) == []


@pytest.mark.parametrize("root", [BF16, WHILE], ids=["bf16", "while"])
def test_real_dumps_are_whole(root: Path) -> None:
    assert kinds(root) == []

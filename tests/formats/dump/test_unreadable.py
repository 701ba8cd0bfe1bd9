"""What the file system refuses, or a library behind a URL: told with its path, and the rest given."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.dumps.comparing import diff_dumps
from msdump.errors import MsdumpError, ReadError
from msdump.formats.dump import storage
from msdump.formats.dump.checking import check
from msdump.formats.dump.reading import Dump
from tests.formats.dump.making import order, put

ONE = np.array([1, 2], np.float32)
Refuse = Callable[[Path], None]


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """Makes the file system refuse what concerns a path (tests may run as a user whom nothing is refused)."""
    refused: set[str] = set()

    def guard(name: str) -> None:
        real = getattr(os, name)

        def guarded(path: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(path, str) and path in refused:
                raise PermissionError(13, "Permission denied", path)
            return real(path, *args, **kwargs)

        monkeypatch.setattr(os, name, guarded)

    for name in ("open", "scandir"):
        guard(name)
    return lambda path: refused.add(str(path))


def names(dump: Dump) -> list[str]:
    return sorted(record.op_type for record in dump)


def problems(dump: Dump) -> list[str]:
    return [problem.line for problem in dump.problems]


def test_a_directory_that_cannot_be_listed(tmp_path: Path, refuse: Refuse) -> None:
    put(tmp_path, "Add", ONE, iteration=0)
    hidden = put(tmp_path, "Mul", ONE, iteration=1).parent
    put(tmp_path, "Sub", ONE, iteration=2)
    refuse(hidden)
    dump = Dump(str(tmp_path))
    assert names(dump) == ["Add", "Sub"]
    assert problems(dump) == [f"{hidden}: permission denied"]
    with pytest.raises(ReadError, match="permission denied"):
        list(Dump(str(hidden)))


@pytest.mark.parametrize("name", ["mapping.csv", "statistic.csv"])
def test_a_file_beside_tensors_that_cannot_be_read(tmp_path: Path, refuse: Refuse, name: str) -> None:
    folder = put(tmp_path, "Add", ONE).parent
    (folder / name).write_text("1,2\n")
    refuse(folder / name)
    dump = Dump(str(tmp_path))
    assert names(dump) == ["Add"]
    assert problems(dump) == [f"{folder / name}: permission denied"]


def test_an_execution_order_that_cannot_be_read(tmp_path: Path, refuse: Refuse) -> None:
    put(tmp_path, "Add", ONE)
    order(tmp_path, ["Default/Add-op0"])
    place = tmp_path / "rank_0/execution_order/ms_execution_order_graph_0.csv"
    refuse(place)
    dump = Dump(str(tmp_path))
    assert names(dump) == ["Add"]
    assert problems(dump) == [f"{place}: permission denied"]


def test_a_tensor_that_cannot_be_read(tmp_path: Path, refuse: Refuse) -> None:
    put(tmp_path, "Add", ONE)
    victim = put(tmp_path, "Mul", ONE)
    refuse(victim)
    assert [(f.kind, f.path, f.what) for f in check(Dump(str(tmp_path)))] == [
        ("unreadable", str(victim), "permission denied")
    ]
    diff = diff_dumps(tmp_path, tmp_path, jobs=1)
    assert diff.problems == (f"{victim}: permission denied",)
    assert [(t.which.op_type, t.same, t.verdict.what) for t in diff] == [
        ("Add", True, ""),
        ("Mul", False, "unreadable"),
    ]


def test_a_file_that_is_gone_since(tmp_path: Path) -> None:
    victim = put(tmp_path, "Add", ONE)
    (record,) = Dump(str(tmp_path))
    victim.unlink()
    assert record.tensor is not None
    with pytest.raises(ReadError) as caught:
        record.tensor.numpy()
    assert caught.value.line == f"{victim}: no such file or directory"


def test_what_a_library_behind_a_url_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("503\nService Unavailable")

    monkeypatch.setattr(type(fs), "cat_file", broken)
    monkeypatch.setattr(type(fs), "ls", broken)
    with pytest.raises(ReadError) as caught:
        storage.read_range("memory://x/y.npy", 0, 4)
    assert caught.value.line == "memory://x/y.npy: 503 Service Unavailable (RuntimeError)"
    with pytest.raises(ReadError, match="503 Service Unavailable"):
        list(storage.scan("memory://x"))
    with pytest.raises(MsdumpError, match="nosuch://x"):
        storage.size("nosuch://x")


def test_a_cell_too_long_for_a_csv_reader_hides_nothing(tmp_path: Path) -> None:
    folder = put(tmp_path, "Add", ONE).parent
    long = "Mul.Default_Mul-op0.0.0.1796092485879030.output.0.DefaultFormat.Float32"
    (folder / "123.npy").write_bytes((next(folder.glob("Add*"))).read_bytes())
    (folder / "mapping.csv").write_text(f"9,{'x' * 200_000}\n123,{long}\n")
    assert names(Dump(str(tmp_path))) == ["Add", "Mul"]


def test_check_finds_a_directory_that_cannot_be_listed(tmp_path: Path, refuse: Refuse) -> None:
    put(tmp_path, "Add", ONE, iteration=0)
    hidden = put(tmp_path, "Add", ONE, iteration=1).parent
    refuse(hidden)
    dump = Dump(str(tmp_path))
    assert [(f.kind, f.path, f.what) for f in check(dump)] == [("unreadable", str(hidden), "permission denied")]
    assert dump.problems == []

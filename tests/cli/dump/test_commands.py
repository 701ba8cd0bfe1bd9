"""The commands on dumps as users meet them: what is said, and how they end."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.bin import bin_bytes
from msdump.formats.dump.npy import npy_bytes
from tests.cli.conftest import Run
from tests.conftest import FIXTURES
from tests.formats.dump.making import STAMP, put

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
WHILE = FIXTURES / "dump/2.10.0/while_tensor/out"
F: Any = np.float32


def test_dump_commands_by_kind(run: Run) -> None:
    assert run("show", BF16).out == run("dump", "ls", BF16).out
    assert run("diff", BF16, BF16).status == 0


def test_ls(run: Run) -> None:
    lines = run("dump", "ls", BF16).out.splitlines()
    assert lines[0] == "device_target CPU, ms_version 2.10.0"
    assert lines[1].split() == ["rank", "net", "graph", "iteration", "operators", "files", "size"]
    assert lines[2].split()[:6] == ["0", "Net", "0", "0", "7", "13"]
    long = run("dump", "ls", "-l", BF16).out
    assert "Add Default/Add-op0    output 0  Float32   (2)" in long
    document = run("dump", "ls", "--json", "-l", BF16, "--op", "Add").json()
    assert document["schema"] == "msdump.dump-list/1"
    assert {(t["io"], t["slot"], t["dtype"], tuple(t["shape"])) for t in document["tensors"]} == {
        ("input", 0, "Float32", (2,)),
        ("input", 1, "Float32", (2,)),
        ("output", 0, "Float32", (2,)),
    }
    stream = run("dump", "ls", "--format", "jsonl", BF16).out.splitlines()
    assert len([json.loads(line) for line in stream]) == 13


def test_show_a_slice(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "Add", np.arange(24, dtype=F).reshape(2, 3, 4))
    ran = run("dump", "show", path, "[0,:,3]")
    assert ran.status == 0
    assert ran.out.splitlines()[-1] == "[ 3.  7. 11.]"
    document = run("dump", "show", path, "--slice", "[-1, ::2, 0]", "--json").json()
    assert document["tensors"][0]["data"] == [12, 20]
    assert document["tensors"][0]["shape"] == [2, 3, 4]
    assert run("dump", "show", path, "[0,0,0,0]").status == 2
    assert run("dump", "show", path, "[a]").status == 2
    precise = run("dump", "show", put(tmp_path, "Pi", F([3.14159265])), "--precision", "2").out
    assert precise.splitlines()[-1] == "[3.14]"
    counted = run("dump", "show", path, "--histogram", "2", "--json").json()["tensors"][0]["histogram"]
    assert counted == {"edges": [0, 11.5, 23], "counts": [12, 12]}


def test_a_slice_that_fits_some(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "Add", F([1, 2]))
    short = put(tmp_path, "Mul", F([3]), at=1)
    put(tmp_path, "Sub", F([4, 5]), at=2)
    ran = run("dump", "show", tmp_path, "[1]")
    assert ran.status == 2
    assert [line for line in ran.out.splitlines() if line[0].isdigit()] == ["2.0", "5.0"]
    index = "index 1 is out of bounds for axis 0 with size 1"
    assert ran.err == f"msdump: {short}: the slice does not fit shape (1,): {index}\n"


def test_show_an_async_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / f"Add.add.0.0.{STAMP}"
    path.write_bytes(bin_bytes([F([1, 2])], [F([5])]))
    ran = run("dump", "show", path, "--io", "output")
    assert ran.out.splitlines()[-1] == "[5.]"
    path.write_bytes(path.read_bytes()[:-1])
    cut = run("dump", "show", path)
    assert cut.status == 2
    assert "[1. 2.]" in cut.out
    assert "output[0] has 4 bytes, the file ends after 3 (byte" in cut.err


def test_stats_and_their_check(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([1, -3]))
    document = run("dump", "stats", "--json", path).json()
    assert document["tensors"][0]["statistics"]["max"] == 1
    table = run("dump", "stats", "--csv", tmp_path).out
    assert "Max Value,Min Value" in table
    target = path.parent / "statistic.csv"
    target.write_text(table)
    assert run("dump", "stats", "--check", tmp_path).status == 0
    target.write_text(table.replace("-3.0", "-2.0"))
    ran = run("dump", "stats", "--check", tmp_path)
    assert ran.status == 1
    assert "min saved -2.0, is -3.0" in ran.out
    target.unlink()
    assert run("dump", "stats", "--check", tmp_path).status == 2


def test_nan(run: Run, tmp_path: Path) -> None:
    assert run("dump", "nan", BF16).status == 0
    root = tmp_path / "out"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    victim.write_bytes(npy_bytes(F([1, np.nan])))
    ran = run("dump", "nan", root)
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("first NaN or inf   Add Default/Add-op0   dtypes.py:34")
    assert lines[1:] == [
        "    output 0: 1 NaN, 0 inf, the first at [1]",
        "    rank 0, graph 0, iteration 0, its inputs have none",
    ]
    first = run("dump", "nan", root, "--json").json()["first"]
    assert (first["op"], first["source"], first["io"], first["slot"], first["origin"]) == (
        "Add.Default_Add-op0",
        "dtypes.py:34",
        "output",
        0,
        True,
    )
    assert run("dump", "nan", tmp_path / "absent").status == 2


@pytest.mark.parametrize("command", ["ls", "show", "stats", "nan", "watch --all-zero", "verify"])
def test_documents_tell_what_is_unread_and_odd(run: Run, tmp_path: Path, command: str) -> None:
    root = tmp_path / "out"
    shutil.copytree(BF16, root)
    folder = next(root.rglob("Add.Default_Add-op0*output*")).parent
    (folder / "statistic.csv").write_text("none\n")
    order = root / "rank_0/execution_order/ms_execution_order_graph_0.csv"
    order.write_text(order.read_text().replace("NodeExecutionOrder-FullNameWithScope\n", ""))
    name, *options = command.split()
    document = run("dump", name, *options, "--json", root).json()
    assert [p["what"] for p in document["problems"]] == [
        f"{folder / 'statistic.csv'}: the first line is no header of statistics (line 1)"
    ]
    assert any("is taken for a name" in note for note in document["notes"])


def test_inputs_that_could_not_be_read_are_not_called_clean(run: Run, tmp_path: Path) -> None:
    cut = put(tmp_path, "Add", F([1, 2]), "input")
    cut.write_bytes(cut.read_bytes()[:-1])
    put(tmp_path, "Add", F([1, np.nan]))
    ran = run("dump", "nan", tmp_path)
    assert ran.status == 2
    assert ran.out.splitlines()[-1] == (
        "    rank 0, graph 0, iteration 0, its inputs were not dumped, or could not be read"
    )
    put(tmp_path, "Add", F([1, 2]))
    ran = run("dump", "nan", tmp_path)
    assert (ran.status, ran.out) == (2, "no NaN or inf in 1 of 2 tensors; cannot tell of the others\n")


def test_check(run: Run, tmp_path: Path) -> None:
    assert run("dump", "check", BF16).status == 0
    victim = put(tmp_path, "Add", F([1, 2]))
    victim.write_bytes(victim.read_bytes()[:-1])
    ran = run("dump", "check", tmp_path)
    assert ran.status == 1
    assert ran.out.startswith("truncated   ")
    document = run("dump", "check", "--json", tmp_path).json()
    assert [f["kind"] for f in document["findings"]] == ["truncated"]
    assert (document["files"], document["bytes"]) == (1, 135)


def test_watch(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "Zero", F([0, 0]))
    ran = run("dump", "watch", tmp_path, "--all-zero")
    assert (ran.status, ran.out.split()[:3]) == (1, ["tensor_all_zero", "Zero", "Default_Zero-op0"])
    assert run("dump", "watch", tmp_path, "--too-large", "5").status == 0
    assert run("dump", "watch", tmp_path, "-c", "tensor_too_small:max_lt=1", "--json").json()["hits"][0]["why"] == (
        "max 0 is below 1"
    )
    assert run("dump", "watch", tmp_path).status == 2
    assert run("dump", "watch", tmp_path, "-c", "nonsense").status == 2


def test_verify(run: Run, edited: Path) -> None:
    graph = next(BF16.rglob("*.ir"))
    right = run("dump", "verify", BF16, "--graph", graph)
    assert (right.status, right.out) == (0, "5 launches checked: 5 right, 0 wrong\n")
    wrong = run("dump", "verify", edited, "--graph", graph)
    assert wrong.status == 1
    assert wrong.out.splitlines()[0].startswith("wrong   Add Default/Add-op0   dtypes.py:34")
    unchecked = run("dump", "verify", WHILE, "--json").json()
    assert (unchecked["right"], unchecked["wrong"], unchecked["unchecked"]) == (5, 0, 26)
    assert run("dump", "verify", WHILE, "--graph", graph, "--op", "Less").status == 2


@pytest.mark.parametrize("command", ["ls", "show", "stats", "nan", "check", "diff"])
def test_bad_paths_end_in_one_line(run: Run, tmp_path: Path, command: str) -> None:
    words = [tmp_path / "absent"] * (2 if command == "diff" else 1)
    ran = run("dump", command, *words)
    assert ran.status == 2
    assert len(ran.err.splitlines()) == 1
    assert "no such file" in ran.err


def test_single_files_by_kind(run: Run, tmp_path: Path) -> None:
    for name, value in (("a.npy", 1), ("b.npy", 2)):
        np.save(tmp_path / name, F([value]))
    assert run("show", tmp_path / "a.npy").out.splitlines()[-1] == "[1.]"
    assert run("diff", tmp_path / "a.npy", tmp_path / "b.npy").status == 1
    path = tmp_path / f"Add.add.0.0.{STAMP}"
    path.write_bytes(bin_bytes([], [F([5])]))
    assert run("show", path).out.splitlines()[-1] == "[5.]"
    table = tmp_path / "statistic.csv"
    table.write_text(run("dump", "stats", "--csv", path).out)
    assert "max 5.0" in run("show", table).out
    assert run("diff", table, table).status == 0


@pytest.mark.parametrize("option", ["--iteration", "--rank"])
@pytest.mark.parametrize("number", ["9" * 5000, "٣", "1_0", "3-" + "9" * 5000])
def test_a_number_that_is_none(run: Run, tmp_path: Path, option: str, number: str) -> None:
    put(tmp_path, "Add", F([1]))
    ran = run("dump", "ls", tmp_path, option, number)
    assert ran.status == 2
    assert "is neither a number nor a range like 4-8" in ran.err

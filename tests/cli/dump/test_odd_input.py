"""Dumps that come through pipes, hold no tensor, or have files that no name or file system of ours would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.bin import bin_bytes
from tests.cli.conftest import MSDUMP, Run
from tests.conftest import FIXTURES
from tests.formats.dump.making import STAMP, put

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
F: Any = np.float32
READING = ["ls", "show", "stats", "nan", "check", "watch --all-zero"]


# -- pipes ----------------------------------------------------------------------------------------


def contents(tmp_path: Path) -> dict[str, bytes]:
    head = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value"
    table = f'{head}\nAdd,x,0,0,{STAMP},output,0,4,float32,"(1,)",7\n'
    return {
        "npy": put(tmp_path, "Add", F([5, 6])).read_bytes(),
        "bin": bin_bytes([], [F([5, 6])]),
        "statistic": table.encode(),
    }


@pytest.mark.parametrize("kind", ["npy", "bin", "statistic"])
def test_a_dumped_file_on_standard_input(run: Run, tmp_path: Path, kind: str) -> None:
    content = contents(tmp_path)[kind]
    told = "max 7.0" if kind == "statistic" else "[5. 6.]"
    for words in (("-",), ("dump", "show", "-"), ("show", "-")):
        ran = run(*words, stdin=content)
        assert (ran.status, ran.err) == (0, "")
        assert told in ran.out
    (tensor,) = run("dump", "ls", "-", "--json", stdin=content).json()["tensors"]
    assert tensor["path"] == "<stdin>"


def test_a_dumped_file_from_a_pipe_is_compared(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([5, 6]))
    assert run("diff", "-", path, stdin=path.read_bytes()).out == "1 tensor compared: all agree\n"
    other = put(tmp_path / "other", "Add", F([5, 7]))
    done = subprocess.run(
        ["bash", "-c", '"$0" -m msdump dump diff <(cat "$1") <(cat "$2") --json', MSDUMP[0], path, other],
        capture_output=True,
        check=False,
    )
    document = json.loads(done.stdout)
    assert (done.returncode, document["compared"], document["different"]) == (1, 1, 1)


def test_graphs_come_through_pipes_as_well() -> None:
    graphs = sorted((FIXTURES / "ir").rglob("*.ir"))[:1]
    script = '"$0" -m msdump graph diff <(cat "$1") <(cat "$1") && "$0" -m msdump <(cat "$1")'
    done = subprocess.run(["bash", "-c", script, MSDUMP[0], graphs[0]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("same computation\ngraph @")


def test_damage_in_a_pipe_is_told_of_the_pipe(run: Run, tmp_path: Path) -> None:
    ran = run("dump", "show", "-", stdin=put(tmp_path, "Add", F([5, 6])).read_bytes()[:-1])
    assert ran.status == 2
    assert ran.err == "msdump: <stdin>: 8 bytes of data are announced, 7 are there (byte 135)\n"
    assert run("dump", "show", "-", stdin=b"nothing").err == "msdump: <stdin>: there is no dumped tensor in it\n"


# -- nothing there --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [*READING[1:], "verify"])
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_no_tensor_is_no_answer(run: Run, tmp_path: Path, command: str, more: list[str]) -> None:
    name, *options = command.split()
    ran = run("dump", name, *options, *more, BF16, "--op", "Absent")
    assert (ran.status, ran.out.count("{")) == (2, 0)
    assert ran.err == f"msdump: {BF16}: there is no dumped tensor in it among those chosen\n"
    (tmp_path / "notes.txt").write_text("hello")
    for path in (tmp_path, tmp_path / "notes.txt"):
        ran = run("dump", name, *options, *more, path)
        assert (ran.status, ran.err) == (2, f"msdump: {path}: there is no dumped tensor in it\n")


def test_a_change_needs_two_iterations(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "Add", F([1]))
    ran = run("dump", "watch", tmp_path, "--unchanged")
    assert (ran.status, ran.err) == (2, "msdump: nothing to compare: no tensor was dumped in two iterations\n")
    put(tmp_path, "Add", F([1]), iteration=1)
    assert run("dump", "watch", tmp_path, "--unchanged").status == 1
    put(tmp_path, "Add", F([2]), iteration=1)
    assert run("dump", "watch", tmp_path, "--unchanged").out == "no condition holds\n"
    put(tmp_path, "Mul", F([1]))
    ran = run("dump", "watch", tmp_path, "--unchanged")
    assert (ran.status, ran.out) == (2, "no condition holds in 2 of 3 tensors\n")
    assert ran.err == f"msdump: {tmp_path}: 1 of 3 tensors were not looked at: they were dumped in one iteration\n"


def test_ls_counts_files_and_rows_apart(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path / "dump", "Add", F([1]))
    (path.parent / "statistic.csv").write_bytes(contents(tmp_path / "other")["statistic"])
    lines = [line.split() for line in run("dump", "ls", tmp_path / "dump").out.splitlines()]
    assert lines[-2][3:] == ["iteration", "operators", "files", "size", "statistics"]
    assert lines[-1] == ["0", "Net", "0", "0", "2", "1", "132", "B", "1"]


# -- no regular files -----------------------------------------------------------------------------


@pytest.fixture
def piped(tmp_path: Path) -> Path:
    """The real dump with pipes that nobody writes to in it."""
    root = tmp_path / "piped"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    victim.unlink()
    for path in (victim, victim.parent / "statistic.csv", victim.parent / "mapping.csv", victim.parent / "other"):
        os.mkfifo(path)
    return victim


@pytest.mark.parametrize("command", READING)
def test_a_pipe_among_the_files_is_told_and_not_waited_for(piped: Path, command: str) -> None:
    root = piped.parents[4]
    name, *options = command.split()
    words = [*MSDUMP, "dump", name, *options, str(root)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    told = done.stdout if name == "check" else done.stderr
    assert f"{piped}" in told
    assert "is not a regular file" in told
    assert done.returncode == (1 if name == "check" else 2)


def test_a_pipe_among_graphs_is_left_out(tmp_path: Path) -> None:
    stages = FIXTURES / "passes"
    folder = next(path.parent for path in sorted(stages.rglob("*.ir")))
    shutil.copytree(folder, tmp_path / "graphs")
    words = [*MSDUMP, "graph", "passes", str(tmp_path / "graphs"), "--json"]
    before = json.loads(subprocess.run(words, capture_output=True, timeout=60, check=False).stdout)
    os.mkfifo(tmp_path / "graphs/99_piped_0099.ir")
    os.mkfifo(tmp_path / "graphs/analyze_fail.ir")
    assert json.loads(subprocess.run(words, capture_output=True, timeout=60, check=False).stdout) == before


# -- names ----------------------------------------------------------------------------------------


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A dump with a file whose name is no UTF-8, in a folder like that."""
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    put(root, "Add", F([1, 0]), name=os.fsdecode(b"Default_\xe4\x9b_Add-op0"))
    put(root, "Mul", F([0, 0]), at=1, name="Default_\x9b31m_Mul-op0")
    return root


@pytest.mark.parametrize("command", [*READING, "diff"])
@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict", "latin-1:strict"])
def test_names_that_are_no_utf8(run: Run, foreign: Path, command: str, encoding: str) -> None:
    name, *options = command.split()
    words = ["dump", name, *options, foreign, *([foreign] if name == "diff" else [])]
    plain = run(*words, PYTHONIOENCODING=encoding)
    assert "Traceback" not in plain.err
    assert plain.status == (1 if name == "watch" else 0)
    assert "\x9b" not in plain.out
    if name in ("show", "watch"):
        assert "\\x9b31m_Mul" in plain.out
    if name == "stats":
        assert "\\xe4\\x9b_Add" in plain.out
    ran = run(*words, "--json", PYTHONIOENCODING=encoding)
    assert ran.status == plain.status
    document = ran.json()
    assert "\x9b" not in ran.out
    if name in ("ls", "show", "stats"):
        assert [t["op"] for t in sorted(document["tensors"], key=lambda t: str(t["timestamp"]))] == [
            "Add.Default_\udce4\udc9b_Add-op0",  # as Python has it: os.fsencode gives the bytes
            "Mul.Default_\x9b31m_Mul-op0",
        ]

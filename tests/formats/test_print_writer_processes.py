"""Threads, forks, processes that start at once, kill -9 in the middle of writing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import PrintWriter, TruncatedError
from tests.formats.print_values import values_of

unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def test_many_threads_share_a_writer(tmp_path: Path) -> None:
    with PrintWriter(tmp_path / "print.pb") as writer:

        def work(name: int) -> None:
            for at in range(200):
                writer.write((f"{name}", np.full(at, name, np.int16)))

        threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    records = list(msdump.read_print(tmp_path / "print.pb"))
    assert [r.meta.call for r in records if r.meta] == list(range(1600))
    for name in range(8):
        mine = [np.asarray(r.values[1]).tolist() for r in records if r.values[0] == str(name)]
        assert mine == [[name] * at for at in range(200)]


@unix
def test_a_child_that_prints_gets_a_file_of_its_own(tmp_path: Path) -> None:
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(("parent 1",))
        child = os.fork()
        if child == 0:
            try:
                writer.write(("child",))
                writer.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        silent = os.fork()
        if silent == 0:
            try:
                writer.close()
            finally:
                os._exit(0)
        os.waitpid(silent, 0)
        writer.write(("parent 2",))
    assert values_of(tmp_path / "print.pb") == [["parent 1"], ["parent 2"]]
    (own,) = [name for name in os.listdir(tmp_path) if name != "print.pb"]
    assert own.startswith("print.pb.")
    assert values_of(tmp_path / own) == [["child"]]


@unix
def test_a_fork_while_another_thread_writes(tmp_path: Path) -> None:
    writer = PrintWriter(tmp_path / "print.pb")
    with writer._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            try:
                writer.write(("child",))
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    writer.write(("parent",))
    writer.close()
    (own,) = [name for name in os.listdir(tmp_path) if name != "print.pb"]
    assert values_of(tmp_path / own) == [["child"]]


RACE = """
import os, sys, time
from msdump import context, ops
while time.time() < float(sys.argv[2]): pass
context.set_context(print_file_path=sys.argv[1])
for at in range(50): ops.Print()(sys.argv[3], at)
print(context.get_context("print_file_path"))
"""


def test_eight_processes_that_start_at_once(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    start = str(time.time() + 2.5)
    command = [sys.executable, "-c", RACE, str(path), start]
    running = [subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, text=True) for n in range(8)]
    names = [process.communicate(timeout=60)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0] * 8
    assert sorted(os.listdir(tmp_path)) == sorted(map(os.path.basename, names))
    assert len(set(names)) == 8
    assert str(path) in names
    for number, name in enumerate(names):
        assert values_of(name) == [[str(number), at] for at in range(50)]


KILLED = """
import sys, numpy as np
from msdump import PrintWriter
writer = PrintWriter(sys.argv[1])
sizes = [3, 5_000, 40_000, 1_000_000]
at = 0
while True:
    writer.write((f"call {at}", np.full(sizes[at % 4], at, np.int32)))
    at += 1
    if at == 8: print("going", flush=True)
"""


def kill_while_writing(path: Path, delay: float) -> int:
    """Kill a writer in its work; how many whole records are there. Every one must be right."""
    with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.wait()
    records: list[Any] = []
    error: TruncatedError | None = None
    try:
        records.extend(msdump.read_print(path))
    except TruncatedError as cut:
        error = cut
    assert error is None or "byte" in str(error)
    for at, record in enumerate(records):
        label, value = record.values
        assert label == f"call {at}"
        assert value.shape == ([3, 5_000, 40_000, 1_000_000][at % 4],)
        assert int(value[0]) == int(value[-1]) == at
    return len(records)


@pytest.mark.parametrize("seed", range(6))
def test_kill_9_loses_at_most_the_record_being_written(tmp_path: Path, seed: int) -> None:
    assert kill_while_writing(tmp_path / "print.pb", random.Random(seed).uniform(0, 0.05)) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_kill_9_many_times(tmp_path: Path, seed: int) -> None:
    assert kill_while_writing(tmp_path / "print.pb", random.Random(seed).uniform(0, 0.3)) >= 8


UNCAUGHT = """
import sys, numpy as np
from msdump import context, Print
context.set_context(print_file_path=sys.argv[1])
Print()("before", np.float32(1.5))
raise SystemExit(3) if sys.argv[2] == "exit" else ZeroDivisionError("as it happens")
"""


@pytest.mark.parametrize("how", ["exit", "exception"])
def test_all_is_there_when_a_program_ends_early(tmp_path: Path, how: str) -> None:
    path = tmp_path / "print.pb"
    done = subprocess.run([sys.executable, "-c", UNCAUGHT, str(path), how], capture_output=True, timeout=60)
    assert done.returncode == (3 if how == "exit" else 1)
    assert values_of(path) == [["before", 1.5]]
    assert os.stat(path).st_mode & 0o222 == 0


def test_no_protobuf_is_imported_to_write() -> None:
    code = (
        "import sys, tempfile, msdump; from msdump import context, Print\n"
        "context.set_context(print_file_path=tempfile.mkdtemp() + '/p.pb'); Print()('a', 1)\n"
        "assert not [m for m in sys.modules if m.startswith('google.protobuf')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)

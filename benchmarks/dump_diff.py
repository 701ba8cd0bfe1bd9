"""Comparing dumps: msdump beside msprobe, and beside the limit.

The limit is what any comparison in numpy has to do: read both sides with np.load and make one pass of
np.abs(a - b).max(). Each run is a process of its own; the figure is the least of some runs, taken in
turn. Files are in the page cache as far as memory allows.

    python benchmarks/dump_diff.py FOLDER [--msprobe COMMAND] [--case NAME] [--big-pairs N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from msdump.formats.dump.bin import bin_bytes
from msdump.formats.dump.npy import npy_bytes

STAMP = 1_796_092_485_000_000

LIMIT = """
import os, sys
import numpy as np
a, b = (sys.argv[1] + side + '/rank_0/Net/0/0/' for side in ('/a', '/b'))
there = {name.split('.')[1]: name for name in os.listdir(b)}
for name in os.listdir(a):
    if sys.argv[2] == 'npy':
        x, y = np.load(a + name), np.load(b + there[name.split('.')[1]])
    else:
        start = int(sys.argv[2])
        x, y = (np.fromfile(p, np.float32, offset=start) for p in (a + name, b + there[name.split('.')[1]]))
    np.abs(x - y).max()
"""


@dataclass(frozen=True)
class Case:
    """Pairs of float32 tensors, half of them equal and half a relative 1e-6 apart."""

    name: str
    pairs: int
    elements: int
    kind: str = "npy"
    runs: int = 3

    def make(self, root: Path) -> int:
        """Write both sides; gives the bytes of a .bin file's header."""
        folders = [root / side / "rank_0" / "Net" / "0" / "0" for side in ("a", "b")]
        for folder in folders:
            folder.mkdir(parents=True)
        base = np.random.default_rng(0).standard_normal(self.elements).astype(np.float32)
        start = 0
        for i in range(self.pairs):
            one = np.roll(base, i)
            other = one * np.float32(1 + 1e-6) if i % 2 else one
            for side, (folder, array) in enumerate(zip(folders, (one, other), strict=True)):
                stem = f"Add.Default_net_Add-op{i}.0.0.{STAMP + 2 * i + side}"
                if self.kind == "npy":
                    # Without the dtype in the name, or msprobe does not know it for a dump file.
                    content = npy_bytes(array)
                    (folder / f"{stem}.output.0.DefaultFormat.npy").write_bytes(content)
                else:
                    content = bin_bytes([], [array], op_name="x")
                    (folder / stem).write_bytes(content)
                start = len(content) - array.nbytes
        return start


CASES = (
    Case("1,000 pairs of 1 MiB", 1000, 1 << 18),
    Case("pairs of 500 MiB", 6, 500 << 18, runs=2),
    Case("100,000 pairs of 1 KiB", 100_000, 256, runs=2),
    Case("1,000 asynchronous .bin of 1 MiB", 1000, 1 << 18, "bin"),
)


Figures = tuple[float, float, float]
"""Seconds, seconds of processor time, MiB of memory at the most."""


def timed(command: list[str]) -> tuple[Figures, bool]:
    """What a command took, and whether it went well (1: the two differ)."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    figures = time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    return figures, os.waitstatus_to_exitcode(status) in (0, 1)


def least(commands: dict[str, Callable[[], list[str]]], runs: int) -> dict[str, Figures]:
    """The least times and the most memory of each, run in turn (msprobe once: it is slow)."""
    found: dict[str, Figures] = {}
    for turn in range(runs):
        for name, command in commands.items():
            if name.startswith("msprobe") and turn:
                continue
            figures, well = timed(command())
            if not well:
                print(f"  {name} failed", file=sys.stderr)
                continue
            before = found.get(name, figures)
            found[name] = min(before[0], figures[0]), min(before[1], figures[1]), max(before[2], figures[2])
    return found


def measure(case: Case, folder: Path, msprobe: str | None) -> None:
    root = folder / "dumps"
    shutil.rmtree(root, ignore_errors=True)
    # In a process of its own: what is measured would inherit the peak of this one's memory.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        start = pool.submit(case.make, root).result()
    sides = [str(root / "a"), str(root / "b")]
    diff = [sys.executable, "-m", "msdump", "dump", "diff", *sides, "--top", "0"]
    out = folder / "msprobe"
    commands: dict[str, Callable[[], list[str]]] = {
        "limit": lambda: [sys.executable, "-c", LIMIT, str(root), "npy" if case.kind == "npy" else str(start)],
        "msdump": lambda: diff,
        "msdump, one process": lambda: [*diff, "--jobs", "1"],
    }
    if msprobe is not None and case.kind == "npy":

        def compare() -> list[str]:
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            return [msprobe, "compare", "-tp", sides[0], "-gp", sides[1], "-o", str(out), "--rank", "0", "--step", "0"]

        commands["msprobe"] = compare
    found = least(commands, case.runs)
    ours = found["msdump"]
    title = f"{case.pairs} {case.name}" if case.name.startswith("pairs") else case.name
    for name, (seconds, busy, memory) in found.items():
        ratios = "| |" if name == "msdump" else f"| {seconds / ours[0]:.2f} | {busy / ours[1]:.2f} |"
        print(f"| {title} | {name} | {seconds:.2f} s | {busy:.2f} s | {memory:,.0f} MiB {ratios}", flush=True)
    shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--msprobe", help="msprobe's command, of an environment of its own")
    parser.add_argument("--case", help="only the case whose name holds this")
    parser.add_argument("--big-pairs", type=int, default=6, help="how many pairs of 500 MiB (1 GB of disk each)")
    given = parser.parse_args()
    print("| input | who | time | processor time | memory | times msdump's | of processor time |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for case in CASES:
        if given.case and given.case not in case.name:
            continue
        if case.name.startswith("pairs"):
            case = Case(case.name, given.big_pairs, case.elements, case.kind, case.runs)
        measure(case, given.folder, given.msprobe)


if __name__ == "__main__":
    main()

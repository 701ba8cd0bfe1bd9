"""Writing print logs, against pickle and against the bare disk. Prints ratios; exits 1 when short.

    python benchmarks/print_write.py [CALLS] [FOLDER]

Small: CALLS (a million) prints of a label and four Float32, and of one Python float, against
pickling the same values with one unbuffered write each. Goal: within 3 times.
Large: 64 MiB tensors against os.write of the same memory, and the peak memory beyond the tensor.
FOLDER should be on a disk, not in memory. Every figure is the best of five, each run in a
process of its own, ours and theirs in turns.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile

SMALL = """
import json, os, pickle, sys, time
import numpy as np
from msdump import context, ops
way, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rows = np.random.default_rng(0).standard_normal((10_000, 4)).astype(np.float32)
rows = [rows[i] for i in range(len(rows))]
path = os.path.join(folder, way)
kind, how = way.split("-")
if how == "print":
    context.set_context(print_file_path=path)
    emit = ops.Print()
    start = time.perf_counter()
    if kind == "arrays":
        for i in range(count): emit("loss:", rows[i % 10_000])
    else:
        for i in range(count): emit(i * 0.5)
    context.set_context(print_file_path=None)
else:
    file = open(path, "wb", buffering=0)
    dumps = pickle.dumps
    start = time.perf_counter()
    if kind == "arrays":
        for i in range(count): file.write(dumps(("loss:", rows[i % 10_000]), protocol=5))
    else:
        for i in range(count): file.write(dumps((i * 0.5,), protocol=5))
    file.close()
print(json.dumps(time.perf_counter() - start))
"""

LARGE = """
import json, os, resource, sys, time
import numpy as np
from msdump import PrintWriter
way, sync, folder = sys.argv[1], sys.argv[2] == "fsync", sys.argv[3]
array = np.random.default_rng(0).standard_normal(16 << 20, dtype=np.float32)
path = os.path.join(folder, "large")
if way == "print":
    writer = PrintWriter(path, fsync=sync)
    writer.write(("warm",))
else:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    view = array.view(np.uint8).data
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
for _ in range(8):
    if way == "print":
        writer.write(("gradient:", array))
    else:
        done = 0
        while done < len(view): done += os.write(fd, view[done:])
        if sync: os.fsync(fd)
taken = time.perf_counter() - start
print(json.dumps([taken, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024]))
"""


def once(code: str, *arguments: str) -> list[float]:
    folder = tempfile.mkdtemp(dir=FOLDER)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments, folder], capture_output=True, text=True, check=True
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = json.loads(done.stdout)
    return found if isinstance(found, list) else [found]


def side_by_side(code: str, ours: list[str], theirs: list[str]) -> tuple[list[float], list[float]]:
    """The best of five of each, taken in turns so that both meet the same machine."""
    turns = [(once(code, *ours), once(code, *theirs)) for _ in range(5)]
    return min(a for a, _ in turns), min(b for _, b in turns)


def main() -> int:
    good = True
    for kind, what in (("arrays", "a label and 4 Float32"), ("floats", "one Python float")):
        (ours,), (pickled,) = side_by_side(SMALL, [f"{kind}-print", COUNT], [f"{kind}-pickle", COUNT])
        good &= ours <= 3 * pickled
        print(
            f"{int(COUNT):,} prints of {what}: {ours:.2f} s, pickle and write {pickled:.2f} s: "
            f"{ours / pickled:.2f}x (goal 3)"
        )
    for sync in ("fsync", "cached"):
        (ours, grown), (plain, _) = side_by_side(LARGE, ["print", sync], ["write", sync])
        good &= grown < 8
        print(
            f"8 tensors of 64 MiB, {sync}: {ours:.2f} s ({0.5 / ours:.2f} GiB/s), os.write {plain:.2f} s: "
            f"{ours / plain:.2f}x; {grown:.1f} MiB more at the peak"
        )
    return not good


if __name__ == "__main__":
    COUNT = sys.argv[1] if len(sys.argv) > 1 else "1000000"
    FOLDER = sys.argv[2] if len(sys.argv) > 2 else None
    sys.exit(main())

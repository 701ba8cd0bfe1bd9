"""Reading .ir graph dumps, as ratios to a baseline B, each in a process of its own.

    python benchmarks/ir_read.py FILE... [--grow MEGABYTES...]

B reads the file, splits it into lines, keeps each line under a node once and matches one regular
expression on each node line. Told for each file: the time of the summary, of a Graph with every
field of every node used, of the same written again and read, in B; MB/s, nodes/s, and peak memory
as a multiple of the file (less what the interpreter takes with the modules loaded).
`--grow` repeats the first file's subgraphs to files of so many megabytes: the cost should grow as
they do. A chain of 100,000 nodes is read and printed at the end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BASE = r"""
import re, sys, time
t = time.perf_counter()
s = open(sys.argv[1], encoding="utf-8").read()
node = re.compile(r"^  (?:%(\d+)\((.*?)\) = |(Return))(.*)$")
out, cur, seen = [], None, {}
for line in s.split("\n"):
    if line.startswith("      "):
        c = seen.setdefault(line, line)
        if cur is not None: cur.append(c)
    elif line.startswith("  "):
        m = node.match(line)
        if m: cur = [m.group(1), m.group(2), m.group(4)]; out.append(cur)
print(time.perf_counter() - t)
"""
SUMMARY = r"""
import sys, time
from msdump.formats.ir.summary import summary
t = time.perf_counter()
s = summary(sys.argv[1])
print(time.perf_counter() - t, s.nodes)
"""
GRAPH = r"""
import resource, sys, time
from msdump.formats import ir
import msdump.formats.ir.lower.lowering
empty = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
t = time.perf_counter()
g = ir.read(sys.argv[1])
n = 0
for f in g.funcs.values():
    for c in f.nodes:
        n += 1
        c.abstract; c.inputs; c.primitive_attrs; c.cnode_attrs; c.primal_attrs; c.scope; c.locations
t = time.perf_counter() - t
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(t, n, (peak - empty) / 1024, empty / 1024)
"""
PRINT = r"""
import sys, time
from msdump.formats import ir
g = ir.read(sys.argv[1])
t = time.perf_counter()
data = ir.to_bytes(g)
print(time.perf_counter() - t, data == open(sys.argv[1], "rb").read())
"""
GROW = r"""
import sys
path, size, target = sys.argv[1], int(sys.argv[2]) * 10**6, sys.argv[3]
head, mark, rest = open(path, encoding="utf-8").read().partition("subgraph attr:")
number = 0
with open(target, "w", encoding="utf-8") as stream:
    stream.write(head)
    while stream.tell() < size:
        stream.write((mark + rest).replace("@", f"@r{number}_")[: size - stream.tell() + 10**4])
        number += 1
"""


def run(code: str, path: Path) -> list[str]:
    """What one process prints, of the fastest of two."""
    results = [
        subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    return min(results, key=lambda words: float(words[0]))


def report(path: Path) -> None:
    size = os.path.getsize(path) / 1e6
    base = float(run(BASE, path)[0])
    seconds, nodes = run(SUMMARY, path)
    print(f"{path.name}: {size:.1f} MB, {nodes} nodes, B = {base:.3f} s")
    print(f"  summary {float(seconds) / base:5.2f} B   {size / float(seconds):6.1f} MB/s")
    seconds, nodes, memory, empty = run(GRAPH, path)
    print(
        f"  graph   {float(seconds) / base:5.2f} B   {size / float(seconds):6.1f} MB/s   "
        f"{int(nodes) / float(seconds):8.0f} nodes/s   {float(memory) / size:4.1f} x the file in memory, "
        f"beside {float(empty):.0f} MB"
    )
    seconds, same = run(PRINT, path)
    print(f"  print   {float(seconds) / base:5.2f} B   the same bytes: {same}")


def grown(path: Path, size: int, folder: Path) -> Path:
    """A file of about `size` megabytes: the subgraphs of `path`, repeated under other names."""
    target = folder / f"{path.stem}_{size}MB.ir"
    subprocess.run([sys.executable, "-c", GROW, str(path), str(size), str(target)], check=True)
    return target


def chain(folder: Path, length: int) -> Path:
    nodes = "\n".join(
        f"  %{i}(n{i}) = ReLU({f'%{i - 1}' if i else '%para1_x'})\n      : (<null>) -> (<null>)" for i in range(length)
    )
    target = folder / f"chain_{length}.ir"
    target.write_text(
        "#IR entry      : @g\n#attrs         :\n#Total params  : 1\n\n%para1_x : <null>\n\n#Total subgraph : 1\n\n"
        f"subgraph attr:\nsubgraph @g() {{\n{nodes}\n}}\n\n"
    )
    return target


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--grow", nargs="*", type=int, default=[])
    options = parser.parse_args()
    for path in options.files:
        report(path)
    with tempfile.TemporaryDirectory() as name:
        for size in options.grow:
            report(grown(options.files[0], size, Path(name)))
        report(chain(Path(name), 100_000))


if __name__ == "__main__":
    main()

"""How fast graph files other than .ir are read, and .dot and GraphML written, beside what else there is.

    python benchmarks/graph_formats.py [--corpus DIR] [--folder DIR] [--repeat N]

Every figure is a process of its own, CPU time after its imports, the least of N runs. Beside each:

- B            one pass over the text: read, split into lines, one regular expression a node line
               (of an .ir of about as many nodes where the format is no text)
- onnx.load    of a model with as many nodes (each with three attributes), in the same run

The curve repeats a graph of the corpus 1, 5 and 25 times in one file.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PASS = r"""
import re, sys, time
start = time.process_time()
text = open(sys.argv[1], encoding="utf-8").read()
node = re.compile(sys.argv[2]); seen = {}; found = []
for line in text.split("\n"):
    line = seen.setdefault(line, line) if line.startswith("      ") else line
    match = node.match(line)
    if match: found.append(match.groups())
print(time.process_time() - start, len(found), 0)
"""
READ = r"""
import re, sys, time
from msdump import io
import msdump.formats.window, msdump.graph.carry, msdump._proto.anf_ir_pb2
peak = lambda: int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1])
before = peak()
start = time.process_time()
graph = io.read_graph(sys.argv[1])
count = 0
for _, node in graph.iter_nodes():
    node.abstract; node.primitive_attrs; node.inputs; node.locations; count += 1
print(time.process_time() - start, count, (peak() - before) / 1024)
"""
WRITE = r"""
import sys, time
from msdump import io
graph = io.read_graph(sys.argv[1])
start = time.process_time()
io.write_graph(graph, sys.argv[2], force=True, lossy=True)
print(time.process_time() - start, sum(1 for _ in graph.iter_nodes()), 0)
"""
LOAD = r"""
import sys, time
import onnx
start = time.process_time()
model = onnx.load(sys.argv[1])
print(time.process_time() - start, len(model.graph.node), 0)
"""
PATTERNS = {
    ".ir": r"^  (?:%(\d+)\((.*?)\) = |(Return))(.*)$",
    ".dat": r"^    (?:%(\d+) (?:: (.*?) )?= )?(\w+)::(.*)$",
    ".dot": r"^(node\w+)(?:\[|:core->|->)(.*)$",
}


def run(code: str, *arguments: str, repeat: int) -> tuple[float, int, float]:
    """Seconds, nodes and MiB of the best of some runs."""
    results = []
    for _ in range(repeat):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        seconds, nodes, memory = done.stdout.split()
        results.append((float(seconds), int(nodes), float(memory)))
    return min(results)


def repeated(path: Path, times: int, folder: Path) -> Path:
    """A file with the graphs of a .dat or .dot so many times, under other numbers and addresses."""
    text, parts = path.read_text(encoding="utf-8"), []
    for i in range(times):
        if path.suffix == ".dat":
            part = re.sub(r"(?m)^# \[No\.(\d+)\] (.*)$", rf"# [No.\1] {i}_\2", text)
            part = re.sub(r"fg_(\d+)", rf"fg_{i}_\1", part)
            parts.append(re.sub(r"%para(\d+)", lambda m: f"%para{int(m[1]) + i * 100_000}", part))  # noqa: B023 (called at once)
        else:
            body = text[text.index("subgraph") : text.rindex("}")]
            parts.append(body.replace("0x", f"0x{i:04d}"))
    made = folder / f"{path.stem}_{times}{path.suffix}"
    joined = "\n".join(parts)
    made.write_text(joined if path.suffix == ".dat" else f"digraph mindspore {{\ncompound=true\n{joined}}}\n")
    return made


def onnx_model(nodes: int, folder: Path) -> Path:
    """A chain of nodes with attributes."""
    from onnx import TensorProto, helper, save

    made = [
        helper.make_node("Conv", [f"t{i}", f"w{i}"], [f"t{i + 1}"], f"conv{i}", strides=[1, 1], pads=[1] * 4, group=1)
        for i in range(nodes)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("t0", f"t{nodes}")]
    path = folder / f"{nodes}.onnx"
    save(helper.make_model(helper.make_graph(made, "g", ends[:1], ends[1:])), path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "corpus")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    big, folder = options.corpus / "big", options.folder
    dense, notes = big / "1.1.1" / "04_abstract_specialize_0004.ir", big / "2.10.0" / "21_validate_0076.ir"
    files = {
        big / "1.1.1" / "10_validate.dat": None,
        big / "1.1.1" / "24layers_10_validate.dot": None,
        big / "2.10.0" / "ms_output_optimize.pb": notes,
    }
    print("| read | nodes | s | MB/s | nodes/s | B | onnx.load | memory, times the file |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for path, text in files.items():
        row(path, text or path, folder, options.repeat)
    print("\n| curve | nodes | s | MB/s | nodes/s | B | onnx.load | memory, times the file |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in ("10_validate.dat", "24layers_10_validate.dot"):
        for times in (1, 5, 25):
            made = repeated(big / "1.1.1" / name, times, folder)
            row(made, made, folder, 1)
            made.unlink()
    print("\n| write | nodes | s | nodes/s | B |")
    print("| --- | --- | --- | --- | --- |")
    for source in (dense, notes):
        base, _, _ = run(PASS, str(source), PATTERNS[".ir"], repeat=options.repeat)
        for suffix in (".dot", ".graphml"):
            target = folder / f"benchmark{suffix}"
            seconds, nodes, _ = run(WRITE, str(source), str(target), repeat=options.repeat)
            speed = f"{nodes:,} | {seconds:.2f} | {nodes / seconds:,.0f} | {seconds / base:.1f}"
            print(f"| {source.name} as {suffix} | {speed} |")
            target.unlink()


def row(path: Path, text: Path, folder: Path, repeat: int) -> None:
    """One line of a table of readers."""
    base, _, _ = run(PASS, str(text), PATTERNS[text.suffix], repeat=repeat)
    seconds, nodes, memory = run(READ, str(path), repeat=repeat)
    model = onnx_model(nodes, folder)
    loaded, _, _ = run(LOAD, str(model), repeat=repeat)
    model.unlink()
    size = path.stat().st_size / 1e6
    print(
        f"| {path.name} ({size:.1f} MB) | {nodes:,} | {seconds:.2f} | {size / seconds:.1f} | {nodes / seconds:,.0f} "
        f"| {seconds / base:.1f} | {seconds / loaded:.1f} | {memory * 1.048576 / size:.1f} |"
    )


if __name__ == "__main__":
    main()

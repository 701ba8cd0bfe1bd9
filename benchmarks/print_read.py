"""How fast print.pb files are read, and in how much memory, beside what else reads them.

    python benchmarks/print_read.py [--folder DIR] [--mindspore-python PYTHON] [--repeat N]

Makes its inputs in the folder (4 GB, kept for the next run): (a) a million small values, (b) 1 GiB
in 64 MiB tensors, (c) 2.5 GiB of them. Every measurement is a process of its own; the time is taken
in it after its imports (of `cat` from outside), the least of N runs counts, the peak is that of the
whole process with all mapped pages (Linux). Peers:

- parse_print   mindspore.parse_print of the Python given, 2.7 being the last release that has it
- upb           protobuf's C parser, whole file at once, and the same arrays made of it
- cat           `cat FILE >/dev/null`
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

VARINT_END = 0x80
MIB = 1 << 20


def varint(number: int) -> bytes:
    out = b""
    while number >= VARINT_END:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def delimited(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor_head(shape: tuple[int, ...], size: int) -> bytes:
    """All of a Float32 tensor's value before its elements."""
    dims = b"".join(b"\x08" + varint(dim) for dim in shape)
    message = dims + delimited(2, b"Float32") + b"\x1a" + varint(size)
    inner = b"\x12" + varint(len(message) + size) + message
    return b"\x0a" + varint(len(inner) + size) + inner


def string(text: str) -> bytes:
    return delimited(1, delimited(1, text.encode()))


def make_small(path: Path, count: int = 1_000_000) -> None:
    numbers = np.random.default_rng(0).standard_normal((count // 2, 4)).astype(np.float32)
    head = tensor_head((4,), 16)
    with open(path, "wb", buffering=MIB) as stream:
        for i, row in enumerate(numbers):
            stream.write(string(f"step {i} loss:") + head + row.tobytes())


def make_large(path: Path, tensors: int) -> None:
    content = np.random.default_rng(1).standard_normal((4096, 4096)).astype(np.float32).tobytes()
    head = tensor_head((4096, 4096), len(content))
    with open(path, "wb") as stream:
        for i in range(tensors):
            stream.write(string(f"gradient {i}:") + head)
            stream.write(content)


# The kernel's own figure of this program; getrusage would count what the parent had before exec.
END = """
import re
status = open("/proc/self/status").read()
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status).group(1)) / 1024
print(json.dumps([count, seconds, peak]))
"""
READ = """
import json, sys, time
import numpy, msdump
start = time.perf_counter(); count = 0
for record in msdump.read_print(sys.argv[1]):
    for value in record.values:
        count += 1
seconds = time.perf_counter() - start
"""
INDEX = """
import json, sys, time
import numpy, msdump
start = time.perf_counter()
count = len(msdump.open_print(sys.argv[1]))
seconds = time.perf_counter() - start
"""
TOUCH = """
import json, sys, time
import numpy, msdump
start = time.perf_counter(); count = 0
for record in msdump.read_print(sys.argv[1]):
    for value in record.values:
        count += 1
        if not isinstance(value, str):
            numpy.bitwise_or.reduce(value.reshape(-1).view(numpy.uint32))
seconds = time.perf_counter() - start
"""
UPB = """
import json, sys, time
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import api_implementation
assert api_implementation.Type() == "upb"
file = descriptor_pb2.FileDescriptorProto(name="peer.proto", package="peer", syntax="proto2")
tensor = file.message_type.add(name="TensorProto")
for number, (name, kind, label) in enumerate([("dims", 3, 3), ("tensor_type", 9, 2), ("tensor_content", 12, 2)], 1):
    tensor.field.add(name=name, number=number, type=kind, label=label)
value = file.message_type.add(name="Value")
value.oneof_decl.add(name="value")
value.field.add(name="desc", number=1, type=9, label=1, oneof_index=0)
value.field.add(name="tensor", number=2, type=11, label=1, type_name=".peer.TensorProto", oneof_index=0)
message = file.message_type.add(name="Print")
message.field.add(name="value", number=1, type=11, label=3, type_name=".peer.Value")
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
Print = message_factory.GetMessageClass(pool.FindMessageTypeByName("peer.Print"))
start = time.perf_counter(); count = 0
with open(sys.argv[1], "rb") as stream:
    content = stream.read()
for value in Print.FromString(content).value:
    if value.HasField("desc"):
        found = value.desc
    else:
        found = np.frombuffer(value.tensor.tensor_content, np.float32).reshape(tuple(value.tensor.dims))
    count += 1
seconds = time.perf_counter() - start
"""
PARSE_PRINT = """
import json, sys, time
import mindspore
start = time.perf_counter()
count = len(mindspore.parse_print(sys.argv[1]))
seconds = time.perf_counter() - start
"""


@dataclass
class Result:
    count: int
    seconds: float
    peak: float


def measure(python: str, code: str, path: Path, repeat: int) -> Result | None:
    """The fastest of some runs; None when the peer fails (as upb does over 2 GiB)."""
    best: Result | None = None
    for _ in range(repeat):
        done = subprocess.run([python, "-c", code + END, str(path)], capture_output=True, text=True, check=False)
        if done.returncode:
            return None
        found = Result(*json.loads(done.stdout.splitlines()[-1]))
        if best is None or found.seconds < best.seconds:
            best = found
    return best


def measure_cat(path: Path, repeat: int) -> Result:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        with open(os.devnull, "wb") as nowhere:
            subprocess.run(["cat", str(path)], stdout=nowhere, check=True)
        times.append(time.perf_counter() - start)
    return Result(0, min(times), 0)


def row(what: str, ours: Result, peer: str, theirs: Result | None, goal: str) -> str:
    if theirs is None:
        ratio, beside = "", f"{peer}: cannot" if peer else ""
    elif theirs.seconds >= ours.seconds:
        ratio, beside = f"{theirs.seconds / ours.seconds:.1f} times faster", f"{peer}: {theirs.seconds:.2f} s"
    else:
        ratio, beside = f"{ours.seconds / theirs.seconds:.2f} times its time", f"{peer}: {theirs.seconds:.2f} s"
    if theirs is not None and theirs.peak:
        beside += f", {theirs.peak:,.0f} MB"
    return f"| {what} | {ours.seconds:.3f} s, {ours.peak:.0f} MB | {beside} | {ratio} | {goal} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "msdump-benchmarks")
    options.add_argument("--mindspore-python", default="")
    options.add_argument("--repeat", type=int, default=3)
    given = options.parse_args()
    given.folder.mkdir(exist_ok=True)
    small, one, two = (given.folder / f"print_{name}.pb" for name in ("small", "1gib", "2.5gib"))
    if not small.exists():
        make_small(small)
    if not one.exists():
        make_large(one, 16)
    if not two.exists():
        make_large(two, 40)

    def ours(code: str, path: Path) -> Result:
        found = measure(sys.executable, code, path, given.repeat)
        if found is None:
            sys.exit(f"msdump could not read {path}")
        return found

    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, numpy {np.__version__}\n")
    print("| what | msdump | beside it | ratio | goal |\n| --- | --- | --- | --- | --- |")
    read = ours(READ, small)
    print(
        row("(a) every value as numpy", read, "upb", measure(sys.executable, UPB, small, given.repeat), "≤ 1.5 times")
    )
    if given.mindspore_python:
        theirs = measure(given.mindspore_python, PARSE_PRINT, small, 1)
        print(row("(a) every value as numpy", read, "parse_print", theirs, "≥ 25 times faster"))
    print(row("(a) index", ours(INDEX, small), "", None, "< 100 MB"))
    for name, path in (("b", one), ("c", two)):
        print(row(f"({name}) list every record", ours(READ, path), "", None, "< 0.1 s, < 100 MB"))
        print(row(f"({name}) index", ours(INDEX, path), "", None, "< 0.1 s, < 100 MB"))
        touch = ours(TOUCH, path)
        print(row(f"({name}) touch every byte", touch, "cat", measure_cat(path, given.repeat), "≤ 2 times, < 300 MB"))
        print(row(f"({name}) touch every byte", touch, "upb", measure(sys.executable, UPB, path, 1), ""))
        if given.mindspore_python:
            theirs = measure(given.mindspore_python, PARSE_PRINT, path, 1)
            print(row(f"({name}) touch every byte", touch, "parse_print", theirs, ""))


if __name__ == "__main__":
    main()

"""What the name of a dump file says: operator, launch, input or output, slot, format, dtype.

Names are read from the right, since operator names may hold anything. Source: the naming rules of
MindSpore's dump documentation (1.0 to 2.x) and files of real dumps::

    {op_type}.{op_name}.{task}.{stream}.{timestamp}.{input|output}.{slot}.{format}[.{dtype}].npy
    {op_type}.{op_name}.{task}[.{stream}].{timestamp}[.{task_type}.{context}.{thread}[.{device}]][.bin]
    {op_name}_{input|output}_{slot}_shape_{dims}_{dtype}_{format}.bin        synchronous, 1.0 and 1.1
    {name}[_in]_{dtype}_{id}.npy   {id}_{name}.npy                           operator TensorDump
    Opdebug.Node_OpDebug.{task}.{stream}.{timestamp}[.output.{slot}.json]    overflow
    {anything}[.{input|output}[.{slot}]].npy               arrays that other programs wrote
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from msdump.dtype import by_name
from msdump.records import mangle

UNKNOWN_ID = 65535
"""Task and stream of a launch that has none."""

FileKind = Literal["npy", "async", "sync", "raw", "overflow"]
"""How the bytes are laid out: a .npy file; a header and payloads; payload alone with a shape in
the name (sync) or without one (raw); an overflow report."""


@dataclass(frozen=True, slots=True)
class DumpName:
    """What one file name says. `io` is "" and `slot` -1 where one file holds all of an operator.

    `timestamp` is microseconds since the epoch (0: none); `dtype` the spelling in the name or "";
    `shape` is given by synchronous .bin names alone; `full_name` is the scoped name where the file
    name can be undone; `serial` counts the calls of a TensorDump.
    """

    kind: FileKind
    op_type: str
    op_name: str
    io: str = ""
    slot: int = -1
    task: int = UNKNOWN_ID
    stream: int = UNKNOWN_ID
    timestamp: int = 0
    format: str = ""
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    full_name: str = ""
    serial: int = 0


_IO = ("input", "output")
_OVERFLOW = re.compile(r"Opdebug\.Node_OpDebug\.", re.IGNORECASE)
_SYNC = re.compile(
    r"(?P<op>.+)_(?P<io>input|output)_(?P<slot>[0-9]{1,6})_shape_(?P<dims>(?:[0-9]{1,18}_)*)(?P<dtype>[A-Za-z]+\d*)_(?P<format>\w+)",
    re.DOTALL,
)
_TENSOR_DUMP = re.compile(r"(?P<name>.+?)(?:_(?P<mode>in|out))?_(?P<dtype>[A-Za-z]+\d*)_(?P<id>[0-9]{1,18})", re.DOTALL)
_OLD_TENSOR_DUMP = re.compile(r"(?P<id>[0-9]{1,18})_(?P<name>.+)", re.DOTALL)
_OTHERS = re.compile(r"(?P<name>.+)\.(?P<io>input|output)(?:\.(?P<slot>[0-9]{1,6}))?", re.DOTALL)


def parse_name(name: str) -> DumpName | None:
    """What a file name says, or None when no kind of dump file is called so."""
    if _OVERFLOW.match(name):
        return _overflow(name)
    if name.endswith(".npy"):
        stem = name[:-4]
        return _dotted(stem, "npy") or _of_tensor_dump(stem) or _of_others(stem)
    if name.endswith(".bin"):
        stem = name[:-4]
        return _dotted(stem, "raw") or _synchronous(stem) or _asynchronous(stem)
    return _dotted(name, "raw") or _asynchronous(name)


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 20


def _dotted(stem: str, kind: FileKind) -> DumpName | None:
    parts = stem.split(".")
    for at in (len(parts) - 4, len(parts) - 3, len(parts) - 2):
        if at < 4 or parts[at] not in _IO or not _number(parts[at + 1]):
            continue
        if at >= 5 and _number(parts[at - 3]) and _number(parts[at - 2]) and _number(parts[at - 1]):
            start, task, stream = at - 3, int(parts[at - 3]), int(parts[at - 2])
        elif _number(parts[at - 2]) and _number(parts[at - 1]):
            start, task, stream = at - 2, int(parts[at - 2]), UNKNOWN_ID
        else:
            continue
        rest = parts[at + 2 :]
        return DumpName(
            kind,
            parts[0],
            ".".join(parts[1:start]),
            parts[at],
            int(parts[at + 1]),
            task,
            stream,
            int(parts[at - 1]),
            rest[0] if rest else "",
            rest[1] if len(rest) > 1 else "",
        )
    return None


# How many numbers stand behind the operator's name when no long timestamp shows their meaning:
# count → (has a stream, numbers behind the timestamp).
_TAILS = {2: (False, 0), 3: (True, 0), 5: (False, 3), 6: (True, 3), 7: (True, 4)}


def _asynchronous(stem: str) -> DumpName | None:
    parts = stem.split(".")
    first = len(parts)
    while first > 2 and _number(parts[first - 1]):
        first -= 1
    numbers = parts[first:]
    long = max((i for i, text in enumerate(numbers) if len(text) >= 13), default=-1)
    if long >= 1:
        has_stream = long >= 2
        stamp = long
    elif len(numbers) in _TAILS:
        has_stream = _TAILS[len(numbers)][0]
        stamp = 2 if has_stream else 1
    else:
        return None
    start = first + stamp - (2 if has_stream else 1)
    if start < 2:
        return None
    return DumpName(
        "async",
        parts[0],
        ".".join(parts[1:start]),
        task=int(parts[start]),
        stream=int(parts[start + 1]) if has_stream else UNKNOWN_ID,
        timestamp=int(numbers[stamp]),
    )


def _overflow(name: str) -> DumpName | None:
    stem = name[: -len(".json")] if name.endswith(".json") else name
    found = _dotted(stem, "overflow") or _asynchronous(stem)
    return None if found is None else replace(found, kind="overflow")


def _synchronous(stem: str) -> DumpName | None:
    found = _SYNC.fullmatch(stem)
    if found is None:
        return None
    full = found["op"].replace("--", "/")
    last = full.rpartition("/")[2]
    return DumpName(
        "sync",
        last.partition("-op")[0],
        mangle(full),
        found["io"],
        int(found["slot"]),
        format=found["format"],
        dtype=found["dtype"],
        shape=tuple(int(d) for d in found["dims"].split("_") if d),
        full_name=full,
    )


def _of_tensor_dump(stem: str) -> DumpName | None:
    found = _TENSOR_DUMP.fullmatch(stem)
    if found and by_name(found["dtype"]) is not None:
        io = "input" if found["mode"] == "in" else "output"
        return DumpName("npy", "TensorDump", found["name"], io, 0, dtype=found["dtype"], serial=int(found["id"]))
    found = _OLD_TENSOR_DUMP.fullmatch(stem)
    if found:
        return DumpName("npy", "TensorDump", found["name"], "output", 0, serial=int(found["id"]))
    return None


def _of_others(stem: str) -> DumpName:
    found = _OTHERS.fullmatch(stem)
    if found is None:
        return DumpName("npy", "", stem, "output", 0)
    return DumpName("npy", "", found["name"], found["io"], int(found["slot"] or 0))


def npy_name(name: DumpName) -> str:
    """The file name that MindSpore 2.x would give a tensor in .npy."""
    head = f"{name.op_type}.{name.op_name}.{name.task}.{name.stream}.{name.timestamp}"
    tail = f"{name.io}.{name.slot}.{name.format or 'DefaultFormat'}"
    return f"{head}.{tail}" + (f".{name.dtype}" if name.dtype else "") + ".npy"

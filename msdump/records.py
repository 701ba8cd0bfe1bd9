"""What print files and dump directories hold, once read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from msdump.tensor import TensorData


@dataclass(frozen=True, slots=True)
class BadValue:
    """A value of a print record that cannot be understood; its neighbours are unharmed.

    Attributes:
        raw: bytes of the value; which ones, `part` says.
        dtype: the type's spelling in the file, or "".
        shape: dims as the file has them (may be negative or absurd), or ().
        what: what is wrong, in one line.
        part: what `raw` is: "content" the tensor's content, with dtype and shape all there is to
            know of the value; "string" the bytes of a string; "value" the whole Value message.
    """

    raw: bytes
    dtype: str
    shape: tuple[int, ...]
    what: str
    part: Literal["content", "string", "value"] = "content"


PrintValue: TypeAlias = "str | np.ndarray[Any, Any] | np.generic | BadValue"


@dataclass(frozen=True, slots=True)
class PrintMeta:
    """What msdump's own writer notes beside each call of Print.

    `time_ns` is wall-clock nanoseconds since the epoch; `line` counts from 1; `step` is None when
    the program told none.
    """

    call: int
    time_ns: int
    rank: int = 0
    step: int | None = None
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class PrintRecord:
    """One call of Print (msdump's files), or one value (files of MindSpore itself).

    Attributes:
        index: position in the file, from 0.
        values: what was printed; a 0-d tensor is a numpy scalar, arrays are read-only views.
        offset: byte offset of the record in the file.
        meta: msdump's own metadata, None in MindSpore's files.
    """

    index: int
    values: tuple[PrintValue, ...]
    offset: int = 0
    meta: PrintMeta | None = None


_MANGLED = re.compile(r"[/.\\ ]")


def mangle(full_name: str) -> str:
    """A scoped name as dumps spell it in file names: `/`, `.`, `\\` and space have become `_`."""
    return _MANGLED.sub("_", full_name)


_NUMBER = re.compile(r"-op([0-9]{1,18})$")


def op_number(name: str) -> int:
    """The number behind `-op` at the end of an operator's name; -1 without one."""
    found = _NUMBER.search(name)
    return int(found[1]) if found else -1


def without_number(name: str) -> str:
    """A name without the number behind `-op`."""
    return _NUMBER.sub("", name)


def operator_word(op_type: str, op_name: str) -> str:
    """An operator in one word: type and name, or the name alone where no type is told."""
    return f"{op_type}.{op_name}" if op_type else op_name


@dataclass(frozen=True, slots=True)
class DumpRecord:
    """One dumped tensor, or its statistics, of one operator at one iteration.

    Attributes:
        op_type, op_name: as the file name has them (`/` and `.` have become `_` in op_name).
        io: "input" or "output"; slot: its position, from 0.
        iteration, rank, graph: where in the run; "" or -1 when the layout does not tell.
        task, stream, timestamp: of the kernel launch; timestamp in microseconds since the epoch.
        tensor: the data, or None when only statistics were saved.
        statistics: columns of statistic.csv by name, or None.
        path: the file it stands in.
        scope_name: full name with scope when execution order or graph resolves it, else "".
        position: when the operator runs in its graph, from 0, as the execution order tells; else -1.
    """

    op_type: str
    op_name: str
    io: str
    slot: int
    iteration: int = -1
    rank: int = 0
    graph: str = ""
    net: str = ""
    task: int = 65535
    stream: int = 65535
    timestamp: int = 0
    format: str = ""
    tensor: TensorData | None = None
    statistics: dict[str, Any] | None = None
    path: str = ""
    scope_name: str = ""
    position: int = -1

    @property
    def operator(self) -> str:
        """The operator in one word."""
        return operator_word(self.op_type, self.op_name)


@dataclass(frozen=True, slots=True)
class ProfileSpan:
    """Something that took time in a profiled run.

    Attributes:
        kind: "iteration" (one call of the outermost network), "operator", "data" (from the end of
            one iteration to the beginning of the next: the feeding of data) or "compile".
        name: the operator's type, the network's class.
        scope: full name with scope of an operator, or "".
        begin_ns, end_ns: on the monotonic clock, in nanoseconds.
        iteration: the iteration it belongs to, from 0; -1 outside of any.
        memory: bytes resident at its end, -1 when not measured.
        thread: identifier of the thread it ran on.
    """

    kind: str
    name: str
    begin_ns: int
    end_ns: int
    scope: str = ""
    iteration: int = -1
    memory: int = -1
    thread: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profiled run measured, in the order things began.

    `fp_point` and `bp_point` name the operators where the forward pass begins and the backward pass
    ends; "" is the first and the last operator of an iteration.
    """

    rank: int
    spans: tuple[ProfileSpan, ...]
    fp_point: str = ""
    bp_point: str = ""


def labelled(records: Iterable[PrintRecord]) -> Iterator[tuple[str, PrintRecord, PrintValue]]:
    """Every value of the records that is no string, with its label and its record.

    The label is the nearest string before the value: in the same call where the file tells calls
    apart (the record has `meta`), else anywhere before it; "" when there is none.
    """
    label = ""
    for record in records:
        if record.meta is not None:
            label = ""
        for value in record.values:
            if isinstance(value, str):
                label = value
            else:
                yield label, record, value
        if record.meta is not None:
            label = ""

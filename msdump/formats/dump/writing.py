"""Writing a dump directory as MindSpore's CPU and GPU runs lay it out.

::

    rank_<r>/.dump_metadata/{config.json,data_dump.json}
    rank_<r>/<net>/<graph>/<iteration>/*.npy (or .bin's without suffix), statistic.csv
    rank_<r>/<net>/<graph>/constants/*.npy
    rank_<r>/execution_order/ms_execution_order_graph_<g>.csv, ms_global_execution_order_graph_<g>.csv
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from msdump.dtype import by_numpy
from msdump.formats.atomic import write_file
from msdump.formats.dump.bin import write_bin
from msdump.formats.dump.file_names import DumpName, npy_name
from msdump.formats.dump.npy import write_npy
from msdump.formats.dump.sidecars import ShortNames
from msdump.records import mangle
from msdump.tensor_stats import real_values

Array = np.ndarray[Any, Any]
ROW = (
    "Op Type",
    "Op Name",
    "Task ID",
    "Stream ID",
    "Timestamp",
    "IO",
    "Slot",
    "Data Size",
    "Data Type",
    "Shape",
)


class DumpWriter:
    """Writes what operators take and give; `close` writes what stands beside.

    Args:
        root: folder that receives `rank_<n>/`.
        net: name of the folder below the rank's.
        file_format: "npy", one file a tensor, or "bin", one file an operator.
        tensors: whether tensors are written.
        statistics: columns of statistic.csv, names of COLUMNS; () writes none.
        config: what `.dump_metadata/config.json` tells of the run.
        settings: the dump configuration, kept as `data_dump.json`, or None.
    """

    def __init__(
        self,
        root: str,
        *,
        net: str = "Net",
        rank: int = 0,
        file_format: str = "npy",
        tensors: bool = True,
        statistics: Sequence[str] = (),
        config: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.rank_folder = os.path.join(root, f"rank_{rank}")
        self.net = net
        self.file_format = file_format
        self.tensors = tensors
        self.statistics = tuple(name for name in COLUMNS if name in statistics)
        self._orders: dict[int, dict[str, None]] = {}
        self._iterations: dict[int, dict[int, None]] = {}
        self._stamp = 0
        self._short = ShortNames()
        self._metadata("config.json", dict(config or {}))
        if settings is not None:
            self._metadata("data_dump.json", dict(settings))

    def operator(
        self,
        graph: int,
        iteration: int,
        op_type: str,
        full_name: str,
        inputs: Sequence[tuple[int, Array]] = (),
        outputs: Sequence[tuple[int, Array]] = (),
    ) -> None:
        """Write one run of an operator: (slot, tensor) of what it took and gave."""
        self.ran(graph, iteration, full_name)
        folder = os.path.join(self.rank_folder, self.net, str(graph), str(iteration))
        os.makedirs(folder, exist_ok=True)
        sides = (("input", inputs), ("output", outputs))
        if self.tensors and self.file_format == "bin":
            name = f"{op_type}.{mangle(full_name)}.0.0.{self._next_stamp()}"
            arrays = ([array for _, array in inputs], [array for _, array in outputs])
            write_bin(self._path(folder, name), *arrays, op_name=full_name, time=self._stamp)
        rows = []
        for side, slots in sides:
            for slot, array in slots:
                name_of = self._name(op_type, full_name, side, slot, array)
                if self.tensors and self.file_format == "npy":
                    write_npy(array, self._path(folder, npy_name(name_of)))
                if self.statistics:
                    rows.append(self._row(name_of, array))
        if rows:
            self._append(os.path.join(folder, "statistic.csv"), rows)

    def ran(self, graph: int, iteration: int, full_name: str) -> None:
        """Note that an operator has run, for the execution order."""
        self._orders.setdefault(graph, {})[full_name] = None
        self._iterations.setdefault(graph, {})[iteration] = None

    def parameter(self, graph: int, iteration: int, name: str, array: Array) -> None:
        """Write the value of a parameter."""
        folder = os.path.join(self.rank_folder, self.net, str(graph), str(iteration))
        self._npy(folder, self._name("Parameter", name, "output", 0, array), array)

    def constant(self, graph: int, number: int, array: Array) -> None:
        """Write a constant of a graph, counted from 0."""
        folder = os.path.join(self.rank_folder, self.net, str(graph), "constants")
        self._npy(folder, self._name("Parameter", f"data-{number}", "output", 0, array), array)

    def close(self) -> None:
        """Write the execution orders; more may be written afterwards, and closed again."""
        folder = os.path.join(self.rank_folder, "execution_order")
        os.makedirs(folder, exist_ok=True)
        for graph, names in self._orders.items():
            lines = ["NodeExecutionOrder-FullNameWithScope", *names]
            self._text(os.path.join(folder, f"ms_execution_order_graph_{graph}.csv"), lines)
            iterations = [str(i) for i in self._iterations[graph]]
            self._text(os.path.join(folder, f"ms_global_execution_order_graph_{graph}.csv"), iterations)

    def _npy(self, folder: str, name: DumpName, array: Array) -> None:
        os.makedirs(folder, exist_ok=True)
        write_npy(array, self._path(folder, npy_name(name)))

    def _path(self, folder: str, name: str) -> str:
        return os.path.join(folder, self._short.of(folder, name))

    def _name(self, op_type: str, full_name: str, io: str, slot: int, array: Array) -> DumpName:
        dtype = by_numpy(array.dtype)
        spelled = dtype.name if dtype else ""
        return DumpName("npy", op_type, mangle(full_name), io, slot, 0, 0, self._next_stamp(), dtype=spelled)

    def _next_stamp(self) -> int:
        # Files of one operator run again are told apart by their microsecond.
        self._stamp = max(self._stamp + 1, time.time_ns() // 1000)
        return self._stamp

    def _row(self, name: DumpName, array: Array) -> list[Any]:
        shape = "(" + ",".join(map(str, array.shape)) + ")"
        head = [name.op_type, name.op_name, 0, 0, name.timestamp, name.io, name.slot, array.nbytes, name.dtype, shape]
        return head + [COLUMNS[column][1](array) for column in self.statistics]

    def _append(self, path: str, rows: list[list[Any]]) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not os.path.exists(path):
            writer.writerow([*ROW, *(COLUMNS[name][0] for name in self.statistics)])
        writer.writerows(rows)
        with open(path, "a", encoding="utf-8") as file:
            file.write(text.getvalue())

    def _metadata(self, name: str, content: Mapping[str, Any]) -> None:
        folder = os.path.join(self.rank_folder, ".dump_metadata")
        os.makedirs(folder, exist_ok=True)
        write_file(os.path.join(folder, name), json.dumps(content).encode(), force=True)

    def _text(self, path: str, lines: Sequence[str]) -> None:
        write_file(path, ("\n".join(lines) + "\n").encode(), force=True)


def _numbers(array: Array) -> Array:
    """The elements as numbers that statistics are told of: Float64 or integers, of complex the modulus."""
    return array if array.dtype.kind in "iu" else real_values(array)


def _over_finite(function: Callable[[Array], Any]) -> Callable[[Array], str]:
    def value(array: Array) -> str:
        numbers = _numbers(array)
        finite = numbers[np.isfinite(numbers)]
        return "null" if finite.size == 0 else _shown(function(finite))

    return value


def _count(test: Callable[[Array], Array]) -> Callable[[Array], int]:
    return lambda array: int(np.count_nonzero(test(_numbers(array))))


def _norm(array: Array) -> str:
    numbers = _numbers(array).astype(np.float64)
    return _shown(math.sqrt(float(np.sum(numbers * numbers))))


def _shown(value: Any) -> str:
    return str(int(value)) if isinstance(value, np.integer) else repr(float(value))


COLUMNS: dict[str, tuple[str, Callable[[Array], Any]]] = {
    "max": ("Max Value", _over_finite(np.max)),
    "min": ("Min Value", _over_finite(np.min)),
    "avg": ("Avg Value", _over_finite(lambda finite: np.mean(finite, dtype=np.float64))),
    "count": ("Count", lambda array: int(array.size)),
    # "Negative" and "Positive Zero Count" count values below and above zero: MindSpore's own words.
    "negative zero count": ("Negative Zero Count", _count(lambda x: x < 0)),
    "positive zero count": ("Positive Zero Count", _count(lambda x: x > 0)),
    "nan count": ("NaN Count", _count(np.isnan)),
    "negative inf count": ("Negative Inf Count", _count(lambda x: np.isinf(x) & (x < 0))),
    "positive inf count": ("Positive Inf Count", _count(lambda x: np.isinf(x) & (x > 0))),
    "zero count": ("Zero Count", _count(lambda x: x == 0)),
    "l2norm": ("L2Norm Value", _norm),
    "md5": ("MD5", lambda array: hashlib.md5(np.ascontiguousarray(array).tobytes(), usedforsecurity=False).hexdigest()),
}
"""Name of statistic_category → the column's title, and what stands in it."""

"""Which format a file is of: one table, asked before any format is imported.

A row has what tells a format from its first 64 KiB: marks (bytes that no other file has), a name that
only its files have, its suffixes. What no mark tells, the wire of a protobuf or a page of plain text,
is for the format itself to look at (its module's `sniff`), and only where the first bytes allow it.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from msdump.formats.format import Kind

Mark = tuple[int, "re.Pattern[bytes]"]


@dataclass(frozen=True, slots=True)
class Look:
    """A look by the format itself, where the head or the name of a file allows that it is its own.

    Attributes:
        head: bytes in the head with which it is asked.
        name: file names (without the folder) with which it is asked.
        function: which function of its module: (head, name) → score.
    """

    head: re.Pattern[bytes]
    name: re.Pattern[str] | None = None
    function: str = "sniff"


@dataclass(frozen=True, slots=True)
class Signature:
    """One row: a format, its module, and what tells its files.

    Attributes:
        name: what `--to` calls it.
        kind: what it holds.
        module: the module of this package that reads or writes it.
        suffixes: file name endings, each with its dot; "/" is a folder.
        marks: score (100 is certain) and bytes in the head of a file that give it.
        named: score and pattern of the file's name without its folder, or None.
        look: when the module itself is asked, or None.
        reads: whether it can be read; what is only written is nobody's file.
    """

    name: str
    kind: Kind
    module: str
    suffixes: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    named: tuple[int, re.Pattern[str]] | None = None
    look: Look | None = None
    reads: bool = True

    def score(self, head: bytes, base: str) -> int:
        """How sure it is, 0 to 100, by what stands in the table alone."""
        found = max((score for score, mark in self.marks if mark.search(head)), default=0)
        if not found and self.named is not None and self.named[1].search(base):
            return self.named[0]
        return found


def _mark(score: int, pattern: bytes) -> Mark:
    return score, re.compile(pattern, re.MULTILINE)


_WIRE = re.compile(rb"\A(?:\Z|[^\x20-\x7e\t\r\x89\x93]|[\s\S]{1,40}[\0-\x08\x0e-\x1a\x1c-\x1f])")
"""Nothing at all, or bytes that no text has near its beginning."""
_REPORT = re.compile(rb"[Aa]ctor|SOMAS|somas|[Ss]ize|mem_id|# device tensor|^%\d+ = [\w.]+:|\d+T\t#", re.MULTILINE)
_STREAM = re.compile(rb"\A[\s\S]{4}\0{4}[\x0a\x10\x1a\x22\x2a\x32]")
"""The length of a header below 4 GB and the tag of one of its fields."""
SIGNATURES: tuple[Signature, ...] = (
    Signature("print.pb", "print", "print_pb", (".pb",), (_mark(100, rb"\A\xea\xed\xf3\xe4\x0d"),), look=Look(_WIRE)),
    Signature("json", "print", "print_streams", (".json",), (_mark(100, rb'\A\s*\{[\s\S]{0,380}"msdump\.print/1"'),)),
    Signature("jsonl", "print", "print_streams", (".jsonl",), (_mark(90, rb'\A\s*\{"index"[^\n]{0,2000}"values"'),)),
    Signature("csv", "print", "print_streams", (".csv",), reads=False),
    Signature("text", "print", "print_text", (".txt", ".log"), reads=False),
    Signature(
        "npz", "print", "print_arrays", (".npz",),
        (_mark(60, rb"\APK\x03\x04[\s\S]{26}(?:\d{6,}\.\d+.*?\.npy|index\.json)"),),
    ),
    Signature("npy", "print", "print_arrays", ("/",)),
    Signature(
        "safetensors", "print", "print_arrays", (".safetensors",),
        (_mark(95, rb'\A[\s\S]{8}\{[\s\S]{0,80}"__metadata__": \{"msdump"'),),
    ),
    Signature("parquet", "print", "print_parquet", (".parquet",), (_mark(50, rb"\APAR1"),)),
    Signature(
        "print-log", "print", "print_screen", (".log",),
        (_mark(40, rb"^(?:Tensor\(shape=\[[-\d, ]*\], dtype=\w+, value=|Tensor shape:\[)"),),
    ),
    Signature(
        "failure-log", "failure", "failure_log", (),
        (_mark(25, rb"The Traceback of Net Construct Code|\(For framework developers\)|The function call stack"),
         _mark(25, rb"[Ss]ee file .{0,300}analyze_fail\.(?:ir|dat)")),
    ),
    # ir_version ("0.1.0", "1.1"), then producer_name "MindSpore": what every release writes first.
    Signature(
        "mindir", "graph", "mindir", (".mindir",),
        (_mark(100, rb"\A\x0a[\x01-\x10]\d+\.\d+(?:\.\d+)?\x12\x09MindSpore"),),
        (40, re.compile(r"\.mindir$")),
    ),
    Signature(
        "anf_pb", "graph", "anf_pb", (".pb",), named=(30, re.compile(r"^ms_output_.*\.pb$")),
        look=Look(re.compile(rb"\A[\x08\x0a]")),
    ),
    Signature(
        "ir", "graph", "ir", (".ir",),
        (
            _mark(95, rb"^# ?IR entry\s*: @|^subgraph (?:attr:|instance: |@)"),
            _mark(80, rb"^#-+> \d+|^# .*(?:analyze fail|evaluating failed|evaluation fails)"),
            _mark(80, rb"^%para\d+(?:_\S+| = \S+) ?: <|^ +%\d+(?:\(.*\))? = \S+\("),
        ),
        (5, re.compile(r"\.ir$")),
    ),
    Signature(
        "graph.json", "graph", "graph_json", (".json",), (_mark(100, rb'\A\s*\{\s*"schema"\s*:\s*"msdump\.graph/'),),
    ),
    Signature("ir.report", "report", "ir_report", (".ir", ".info"), look=Look(_REPORT, re.compile("actor_set|somas"))),
    Signature(
        "dat", "graph", "dat", (".dat",),
        (
            _mark(60, rb"^funcgraph fg_"),
            _mark(100, rb"# \[No\.[\s\S]*^funcgraph fg_|^funcgraph fg_[\s\S]*# \[No\."),
        ),
        (20, re.compile(r"\.dat$")),
    ),
    Signature(
        "dot", "graph", "dot", (".dot", ".gv"),
        (_mark(100, rb"\Adigraph (?:mindspore|msdump) \{"),),
        (20, re.compile(r"\.(?:dot|gv)$")),
    ),
    Signature("graphml", "graph", "graphml", (".graphml",), reads=False),
    Signature("mermaid", "graph", "mermaid", (".mmd", ".mermaid"), reads=False),
    Signature("svg", "graph", "graphviz", (".svg",), reads=False),
    Signature("png", "graph", "graphviz", (".png",), reads=False),
    Signature("onnx", "graph", "onnx", (".onnx",), reads=False),
    Signature("npy", "tensor", "dump", (".npy",), (_mark(95, rb"\A\x93NUMPY"),)),
    Signature(
        "dump.bin", "tensor", "dump", (".bin",),
        # Names of its files have a time in microseconds.
        look=Look(_STREAM, re.compile(r"\.\d{16,}(?:\.|$)"), "sniff_bin"),
    ),
    Signature("tensor.npz", "tensor", "dump", (".npz",), reads=False),
    Signature("tensor.folder", "tensor", "dump", ("/",), reads=False),
    Signature("dump", "dump", "dump", ("/",)),
    Signature("dump.npy", "dump", "dump", ("/",), reads=False),
    Signature("dump.npz", "dump", "dump", (".npz",), reads=False),
    Signature(
        "statistic.csv", "table", "dump", ("statistic.csv",),
        look=Look(re.compile(rb"\A[^\n\0]*(?:slot|index)", re.I), function="sniff_statistic"),
    ),
)  # fmt: skip
"""Every format; of equal scores the first one counts."""


def by_suffix(name: str, rows: Iterable[Signature]) -> Signature | None:
    """The row with the longest suffix that a name ends with."""
    lower = os.path.basename(name).lower()
    ends = [(len(suffix), row) for row in rows for suffix in row.suffixes if lower.endswith(suffix)]
    longest = max((length for length, _ in ends), default=0)
    return next((row for length, row in ends if length == longest), None)


@functools.cache
def signature(kind: Kind, name: str) -> Signature:
    """The row of a format."""
    return next(row for row in SIGNATURES if (row.kind, row.name) == (kind, name))

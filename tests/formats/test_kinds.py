"""The one table that tells formats: it agrees with what the formats do, and no reader is imported in vain."""

from __future__ import annotations

import subprocess
import sys

import pytest

from msdump.formats import all_formats, format_of, told
from msdump.formats.print_meta import TAG
from msdump.formats.signatures import SIGNATURES, by_suffix
from tests.conftest import FIXTURES

PRINT = FIXTURES / "print/mindspore/new_mixed.pb"


def test_every_row_is_a_format_and_every_format_a_row() -> None:
    rows = [(row.kind, row.name, row.reads) for row in SIGNATURES]
    assert sorted(rows) == sorted((f.kind, f.name, f.read is not None) for f in all_formats())
    assert len(set(rows)) == len(rows)
    assert all(format_of(row).suffixes == row.suffixes for row in SIGNATURES)


def test_what_only_writes_has_no_marks() -> None:
    assert all(row.reads or not (row.marks or row.named or row.look) for row in SIGNATURES)


@pytest.mark.parametrize(
    ("head", "name", "format_name"),
    [
        (TAG + b"...", "notes.txt", "print.pb"),
        (b"", "print.pb.1700000000", "print.pb"),
        (b"", "ms_output_optimize.pb", "anf_pb"),
        (b"\x93NUMPY", "a.bin", "npy"),
        (b"digraph msdump {", "x", "dot"),
        (b"#IR entry      : @1_construct.1\n", "x.dat", "ir"),
        (b"#attrs :\nsubgraph @g() {\n", "actor_set_1.ir", "ir"),
        (b"# [No.1] main\nfuncgraph fg_1(\n", "x.ir", "dat"),
        (b"funcgraph fg_1(\n", "x", "dat"),
        (b'{"schema": "msdump.graph/1"', "x", "graph.json"),
        (b'{"schema": "msdump.print/1"', "x", "json"),
        (b'{"index": 0, "offset": 0, "values": [', "x", "jsonl"),
        (b"PAR1", "x", "parquet"),
        (b"Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Shape,Max Value\n", "x", "statistic.csv"),
        (b"hello\nTensor(shape=[2], dtype=Float32, value= [1, 2])\n", "x", "print-log"),
        (b"\x0a\x050.1.0\x12\x09MindSpore", "x", "mindir"),
        (b"hello", "x.mindir", "mindir"),
        (b"hello", "x.onnx", None),
        (b"hello", "notes.txt", None),
    ],
)  # fmt: skip
def test_a_file_is_told_by_head_name_or_suffix(head: bytes, name: str, format_name: str | None) -> None:
    row = told(head, name, [row for row in SIGNATURES if row.reads])
    assert (row.name if row else None) == format_name


def test_the_longest_suffix_counts() -> None:
    row = by_suffix("run/STATISTIC.csv", SIGNATURES)
    assert row is not None
    assert row.name == "statistic.csv"


def imported(code: str) -> set[str]:
    """The modules of ours that are there after running some code."""
    shown = "print(*(m for m in sys.modules if m == 'msdump' or m.startswith('msdump.')))"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{shown}"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split("\n")[-2].split())


def test_showing_a_print_file_imports_one_reader_and_fewer_than_forty_modules() -> None:
    code = f"from msdump.cli import main\ntry:\n    main([{str(PRINT)!r}])\nexcept SystemExit:\n    pass"
    found = imported(code)
    assert len(found) < 40, sorted(found)
    readers = {name.split(".")[2] for name in found if name.startswith("msdump.formats.")}
    assert readers & {row.module for row in SIGNATURES} == {"print_pb", "print_text"}


@pytest.mark.parametrize(
    ("path", "reader"),
    [
        ("ir/2.10.0_dtypes_rank_optimize.ir", "ir"),
        ("dat/1.6.1_while.dat", "dat"),
        ("dot/2.10.0_while.dot", "dot"),
        ("mindir/2.10.0_conv_relu.mindir", "mindir"),
    ],
)
def test_telling_a_graph_imports_its_reader_alone_and_no_numpy(path: str, reader: str) -> None:
    told = f"msdump.io.sniff({str(FIXTURES / path)!r}).name"
    found = imported(f"import msdump.io\nassert ({told}, 'numpy' in sys.modules) == ({reader!r}, False)")
    assert {name.split(".")[2] for name in found if name.startswith("msdump.formats.")} & {
        row.module for row in SIGNATURES
    } == {reader}

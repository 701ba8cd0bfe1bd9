"""Files by path: what they are is told by content, then by suffix, folders by what is in them."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import io
from msdump.errors import MsdumpError
from msdump.formats import print_pb
from msdump.formats.format import Reading
from msdump.formats.framing import encode_delimited, encode_varint
from msdump.source import BytePlace
from tests.conftest import FIXTURES, ROOT
from tests.formats.print_bytes import call, string, tensor

PRINTS = sorted((FIXTURES / "print" / "mindspore").glob("*.pb"))
NUMBERS = np.arange(6, dtype=np.float32).reshape(2, 3)
NUMBERS_BYTES = tensor("Float32", (2, 3), NUMBERS.tobytes())


def write(path: Path, *parts: bytes) -> Path:
    path.write_bytes(b"".join(parts))
    return path


# What a path is


@pytest.mark.parametrize("path", PRINTS, ids=lambda p: p.stem)
def test_print_files_are_known_by_content_under_any_name(path: Path, tmp_path: Path) -> None:
    assert io.sniff(path).name == "print.pb"
    # Of these nothing is left that tells, but for the name.
    if path.stem.startswith(("random", "trunc_00", "missing_required_type", "new_unknown_type_empty")):
        return
    assert io.sniff(write(tmp_path / "print.ir", path.read_bytes())).name == "print.pb"


def test_the_suffix_decides_where_the_content_tells_nothing(tmp_path: Path) -> None:
    assert io.sniff(write(tmp_path / "print.pb")).name == "print.pb"
    assert io.kind_of(write(tmp_path / "noise.pb", b"\xff" * 20)) == "print"
    with pytest.raises(msdump.UnknownFormatError) as caught:
        io.sniff(write(tmp_path / "notes.txt", b"hello"))
    assert str(caught.value) == f"{tmp_path / 'notes.txt'}: byte 0: is not a file msdump reads"


def test_a_large_first_tensor_and_a_name_that_was_taken(tmp_path: Path) -> None:
    large = tensor("Float32", (1 << 16,), bytes(4 << 16))
    assert io.sniff(write(tmp_path / "print.log", large)).name == "print.pb"
    for taken in ("print.pb.1700000000", "print.pb.1700000000.1"):
        assert io.sniff(write(tmp_path / taken)).name == "print.pb"
    assert print_pb.sniff(b"", "ms_output_optimize.pb") == 0


def test_text_that_begins_with_an_empty_line_is_no_print_file(tmp_path: Path) -> None:
    # A newline is the tag of a value, and what follows it a length.
    text = b"\n\n#### actors\nKernelActor: name\n" + b"\ta line of text\n" * 300
    assert print_pb.sniff(text, "1_actor_set.ir") == 0
    assert print_pb.sniff(text, "notes.txt") == 0


def test_a_kind_can_be_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "print.pb", string("a"), NUMBERS_BYTES)
    assert io.sniff(path, "print").kind == "print"
    with pytest.raises(msdump.UnknownFormatError, match="is not a graph file"):
        io.sniff(write(tmp_path / "x", string("a"), NUMBERS_BYTES), "graph")


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["rank_0/.dump_metadata/config.json", "rank_0/graphs/ms_output_trace_code_graph_0.ir"], "dump"),
        (["rank_0/net/0/0/statistic.csv"], "dump"),
        (["rank_0/net/0/0/Conv2D.Default_conv.0.0.1700000000000000.output.0.NCHW.npy"], "dump"),
        (["20240101/0/MatMul.Default_MatMul-op0.12.3.1700000000000000"], "dump"),
        (["a/b/18_validate_0042.ir"], "graph"),
        (["x.dot"], "graph"),
        (["ms_output_optimize.pb"], "graph"),
        (["net.mindir"], "graph"),
    ],
)
def test_a_folder_is_told_by_what_is_in_it(tmp_path: Path, names: list[str], kind: str) -> None:
    for name in names:
        path = tmp_path / "run.v1.2" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    assert io.kind_of(tmp_path / "run.v1.2") == kind


def test_a_folder_of_nothing_known(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", b"hello")
    with pytest.raises(msdump.UnknownFormatError, match="nothing in this folder is known"):
        io.kind_of(tmp_path)


def test_a_folder_of_arrays_made_of_a_print_log(tmp_path: Path) -> None:
    write(tmp_path / "0000.npy", b"")
    write(tmp_path / "index.json", b'{"schema": "msdump.print/1"}')
    assert io.kind_of(tmp_path) == "print"


# Print logs


def test_a_missing_file_is_told_at_once(tmp_path: Path) -> None:
    for door in (io.read_print, io.open_print, io.sniff, io.load, io.iter_recovered):
        with pytest.raises(FileNotFoundError):
            door(tmp_path / "none.pb")


def test_random_access(tmp_path: Path) -> None:
    parts = [string("loss:"), NUMBERS_BYTES, call(string("a") + NUMBERS_BYTES, 0), tensor("Int8", (), b"\x07")]
    log = msdump.open_print(write(tmp_path / "print.pb", *parts))
    assert len(log) == 4
    assert log[0].values == ("loss:",)
    np.testing.assert_array_equal(log[1].values[0], NUMBERS)
    assert np.array_equal(log[-1].values[0], 7)  # type: ignore[arg-type]  # an array, as is tested
    assert log[-1].index == 3
    assert [r.index for r in log[1:3]] == [1, 2]
    assert [r.index for r in log[::-2]] == [3, 1]
    assert log[5:] == []
    assert [r.index for r in log] == [0, 1, 2, 3]
    assert [r.index for r in reversed(log)] == [3, 2, 1, 0]
    for beyond in (4, -5):
        with pytest.raises(IndexError, match=f"record {beyond} of 4"):
            log[beyond]
    with msdump.open_print(tmp_path / "print.pb") as same:
        assert repr(same) == f"<PrintLog {str(tmp_path / 'print.pb')!r}: 4 records>"


def test_labels_are_the_nearest_strings_before(tmp_path: Path) -> None:
    zero = tensor("Int8", (), b"\0")
    mindspores = [zero, string("a"), zero, zero, string("b"), string("c"), zero, string("a"), zero]
    log = msdump.open_print(write(tmp_path / "print.pb", *mindspores))
    assert log.labels() == ["", "a", "c"]
    assert [(label, record.index) for label, record, _ in log.labelled()] == [
        ("", 0),
        ("a", 2),
        ("a", 3),
        ("c", 6),
        ("a", 8),
    ]
    # A call that has no string of its own takes none of another call.
    ours = [call(string("x") + zero, 0), call(zero + string("y") + zero, 1), string("z"), call(zero, 2), zero]
    log = msdump.open_print(write(tmp_path / "ours.pb", *ours))
    assert [label for label, _, _ in log.labelled()] == ["x", "", "y", "", ""]


def test_arrays_outlive_the_log_and_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "print.pb", NUMBERS_BYTES)
    (record,) = msdump.read_print(path)
    array = record.values[0]
    path.unlink()
    np.testing.assert_array_equal(array, NUMBERS)
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1  # type: ignore[index]  # an array


def test_files_over_2_and_4_gib(tmp_path: Path) -> None:
    # Sparse: two tensors of more than 2 GiB each, so that the second lies over 4 GiB.
    size = (1 << 31) + (1 << 20)
    message = b"\x08" + encode_varint(size) + encode_delimited(2, 5) + b"UInt8" + encode_delimited(3, size)
    inner = encode_delimited(2, len(message) + size) + message
    outer = len(inner) + size
    path = tmp_path / "print.pb"
    with open(path, "wb") as stream:
        for last in (1, 2):
            stream.write(encode_delimited(1, outer) + inner)
            stream.seek(size - 1, 1)
            stream.write(bytes([last]))
        stream.write(string("end"))
    try:
        log = msdump.open_print(path)
        assert len(log) == 3
        assert log[1].offset > 1 << 31
        assert log[2].offset > 1 << 32
        first, second, end = (record.values[0] for record in msdump.read_print(path))
        assert (first.shape, first[-1], first[0]) == ((size,), 1, 0)  # type: ignore[union-attr,index]  # an array
        assert (second.shape, second[-1], second[-2]) == ((size,), 2, 0)  # type: ignore[union-attr,index]  # an array
        assert end == "end"
    finally:
        path.unlink()


def run(code: str, *arguments: str, stdin: bytes = b"") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], input=stdin, capture_output=True, cwd=ROOT, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def test_standard_input_can_be_asked_more_than_once() -> None:
    code = (
        "import msdump\n"
        "print(msdump.sniff('-').name, msdump.kind_of('-'), len(msdump.open_print('-')))\n"
        "try:\n"
        "    for r in msdump.read_print('-'): print(r.values)\n"
        "except msdump.TruncatedError as e: print(e)\n"
    )
    lines = run(code, stdin=string("a") + string("b")[:-1]).splitlines()
    assert lines == [
        "print.pb print 1",
        "('a',)",
        "<stdin>: byte 5: the file ends inside a record: field 1 has 3 bytes, 2 are there",
    ]


def test_a_pipe_is_read(tmp_path: Path) -> None:
    import os

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(string("a") + NUMBERS_BYTES,))
    writer.start()
    values = [record.values[0] for record in msdump.read_print(pipe)]
    writer.join()
    assert values[0] == "a"
    np.testing.assert_array_equal(values[1], NUMBERS)


def test_reading_print_files_imports_no_protobuf(tmp_path: Path) -> None:
    code = (
        "import sys, msdump\n"
        "values = [v for r in msdump.read_print(sys.argv[1]) for v in r.values]\n"
        "log = msdump.open_print(sys.argv[1]); log.labels(); log.problems\n"
        "print(len(values), [m for m in sys.modules if m.startswith(('google', 'ml_dtypes', 'click', 'rich'))])\n"
    )
    assert run(code, str(write(tmp_path / "print.pb", string("a"), NUMBERS_BYTES))) == "2 []"


def test_memory_stays_small_while_every_byte_is_touched(tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("how memory is let go, and counted, is Linux's")
    big = np.zeros(16 << 18, np.float32)  # 16 MiB
    part = tensor("Float32", big.shape, big.tobytes())
    with open(tmp_path / "print.pb", "wb") as stream:
        for _ in range(24):
            stream.write(part)
    code = (
        "import re, sys, msdump\n"
        "status = lambda: open('/proc/self/status').read()\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+) kB', status()).group(1)) // 1024\n"
        "for r in msdump.read_print(sys.argv[1]): r.values[0].sum()\n"
        "first = peak(); log = msdump.open_print(sys.argv[1])\n"
        "for _ in range(2):\n"
        "    for r in log: r.values[0].sum()\n"
        "for i in range(len(log)): log[i].values[0].sum()\n"
        "print(first, peak())\n"
    )
    peaks = [int(number) for number in run(code, str(tmp_path / "print.pb")).split()]
    (tmp_path / "print.pb").unlink()
    # The file has 384 MiB; the interpreter and numpy take about 30.
    assert max(peaks) < 200


def test_following_gives_each_record_once_it_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "print.pb")
    parts = [call(string(f"step {n}") + NUMBERS_BYTES, n) for n in range(5)]
    done = threading.Event()

    def grow() -> None:
        with open(path, "ab", buffering=0) as stream:
            for part in parts:
                for piece in (part[:7], part[7:40], part[40:]):
                    stream.write(piece)
                    time.sleep(0.005)
        done.set()

    writer = threading.Thread(target=grow)
    writer.start()
    found = list(msdump.follow_print(path, poll=0.002, stop=done.is_set))
    writer.join()
    assert [(r.index, r.values[0]) for r in found] == [(n, f"step {n}") for n in range(5)]
    rest = list(msdump.follow_print(path, start=found[3].offset, stop=lambda: True))
    assert [r.values[0] for r in rest] == ["step 3", "step 4"]


def test_following_a_file_that_was_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "print.pb", string("a"), string("b"))
    following = msdump.follow_print(path, poll=0.001)
    assert [next(following).values, next(following).values] == [("a",), ("b",)]
    path.write_bytes(b"")
    with pytest.raises(msdump.ReadError, match="was cut to 0 bytes while it was followed"):
        next(following)


# Anything


def test_load_stream_and_inspect(tmp_path: Path) -> None:
    path = write(tmp_path / "print.pb", string("a"), tensor("Nope", (1,), b"\0"), string("b")[:-1])
    assert next(r.values[0] for r in io.load(path)) == "a"
    records: list[Any] = []
    with pytest.raises(msdump.TruncatedError):
        records.extend(io.stream(path))
    reading = io.inspect(path)
    assert (reading.format, reading.path) == ("print.pb", str(path))
    assert len(reading.content) == 2
    assert [(n.what, n.where) for n in reading.notes] == [
        ('the type "Nope" is unknown', BytePlace(str(path), 5)),
        (
            "the file ends inside a record: field 1 has 3 bytes, 2 are there",
            BytePlace(str(path), path.stat().st_size - 4),
        ),
    ]
    assert isinstance(reading.error, msdump.TruncatedError)


def test_inspecting_what_nobody_knows(tmp_path: Path) -> None:
    reading = io.inspect(write(tmp_path / "notes.txt", b"hello"))
    assert isinstance(reading, Reading)
    assert reading.content is None
    assert isinstance(reading.error, msdump.UnknownFormatError)


def test_the_format_to_write_is_named_or_told_by_the_suffix() -> None:
    with pytest.raises(MsdumpError, match="there is no format 'nope'"):
        io.format_named("nope")
    with pytest.raises(msdump.WriteError, match="no format for a graph has this suffix"):
        io.format_to_write("out.nope", "graph")
    with pytest.raises(msdump.WriteError, match=r"the format print\.pb cannot hold a graph"):
        io.format_to_write("out.pb", "graph", "print.pb")


@pytest.mark.parametrize("name", sorted(msdump.__all__))
def test_public_names_are_there(name: str) -> None:
    assert getattr(msdump, name) is not None

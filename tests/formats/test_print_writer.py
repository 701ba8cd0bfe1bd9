"""PrintWriter: what stands in the file, names that are taken, writes cut short, full disks."""

from __future__ import annotations

import errno
import os
import stat
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msdump
from msdump import BadValue, PrintWriter, WriteError
from msdump.dtype import DTYPES, by_numpy
from msdump.formats import print_encode, print_writer
from msdump.formats.print_encode import encode_values
from msdump.formats.print_writer import PrintPathError
from tests.formats.print_bytes import call as call_bytes
from tests.formats.print_bytes import string, tensor
from tests.formats.print_values import values_of


def same(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return type(a) is type(b) and bool(a == b)
    return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


# --- bytes --------------------------------------------------------------------------------------


def test_the_bytes_of_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_writer, "time_ns", lambda: 1_700_000_000_000_000_000)
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(("loss:", np.array([[1, 2]], np.uint8), np.float32(1.5)), step=7, file="net.py", line=12)
    payload = string("loss:") + tensor("UInt8", [1, 2], b"\x01\x02") + tensor("Float32", [], np.float32(1.5).tobytes())
    assert (tmp_path / "print.pb").read_bytes() == call_bytes(payload, 0, step=7, file="net.py", line=12)


def test_metadata_is_read_back(tmp_path: Path) -> None:
    before = time.time_ns()
    with PrintWriter(tmp_path / "print.pb", rank=3) as writer:
        writer.write(("a",))
        writer.write(("b",), step=9, file="x.py", line=5)
    metas = [record.meta for record in msdump.read_print(tmp_path / "print.pb")]
    assert all(meta is not None and before <= meta.time_ns <= time.time_ns() for meta in metas)
    assert [(m.call, m.rank, m.step, m.file, m.line) for m in metas if m] == [(0, 3, None, "", 0), (1, 3, 9, "x.py", 5)]


@pytest.mark.parametrize("dtype", [d for d in DTYPES if by_numpy(d.np) is d], ids=lambda d: d.name)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (7,), (2, 0, 3), (2, 3, 1), (1,) * 9])
def test_every_type_and_shape_is_read_back(tmp_path: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    size = int(np.prod(shape))
    raw = np.random.default_rng(size).integers(0, 2, size * 16).astype(np.uint8)
    array = (raw[:size] if dtype.bits < 8 else raw[: size * dtype.np.itemsize].view(dtype.np)).astype(dtype.np)
    array = array.reshape(shape)
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write((array if shape else array[()],))
    ((value,),) = [record.values for record in msdump.read_print(tmp_path / "print.pb")]
    assert isinstance(value, (np.ndarray, np.generic))
    assert (value.dtype, value.shape) == (dtype.np, shape)
    assert value.tobytes() == array.tobytes()


@pytest.mark.parametrize("kind", [">i4", ">f8", ">c8", "<i2"])
def test_content_is_little_endian_whatever_the_array_is(kind: str) -> None:
    array = np.array([1, 256, -2]).astype(kind)
    little = array.astype(array.dtype.newbyteorder("<"))
    assert encode_values([array]) == encode_values([little])
    large = np.tile(array, 20_000)
    assert bytes(encode_values([large])[1]) == large.astype(large.dtype.newbyteorder("<")).tobytes()


@pytest.mark.parametrize("size", [5, 200_000])
def test_four_bit_elements_stand_two_to_a_byte(tmp_path: Path, size: int) -> None:
    array = np.resize(np.array([-8, 7, 1, -1, 3], np.int8), size).astype(ml_dtypes.int4)
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write((array,))
    ((value,),) = [record.values for record in msdump.read_print(tmp_path / "print.pb")]
    assert isinstance(value, np.ndarray)
    assert value.astype(np.int8).tolist() == array.astype(np.int8).tolist()
    assert os.path.getsize(tmp_path / "print.pb") < size // 2 + 100


def test_two_byte_elements_on_a_big_endian_host(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    monkeypatch.setattr(print_encode, "_types", {})
    monkeypatch.setattr(print_encode, "_prefixes", {})
    monkeypatch.setattr(print_encode, "_LITTLE", False)
    # This host is little-endian, so turning to little-endian is no change; that it is asked for is what counts.
    assert encode_values([array]) == [tensor("BFloat16", [2], b"\xc0\x3f\x00\xc0")]
    assert print_encode._types[array.dtype][1] == np.dtype("<u2")


@pytest.mark.parametrize("order", ["transposed", "strided", "fortran"])
def test_arrays_that_are_not_contiguous(tmp_path: Path, order: str) -> None:
    base = np.arange(360 * 400, dtype=np.float64).reshape(360, 400)
    array = {"transposed": base.T, "strided": base[::2, ::-3], "fortran": np.asfortranarray(base)}[order]
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write((array, array[:2, :2]))
    ((large, small),) = [record.values for record in msdump.read_print(tmp_path / "print.pb")]
    assert np.array_equal(np.asarray(large), array)
    assert np.array_equal(np.asarray(small), array[:2, :2])


def test_strings_are_data_and_come_back_whole(tmp_path: Path) -> None:
    strings = ["", "\x1b[31mred\x1b[0m\x07", "a\x00b", "café 字 \U0001f600", "x" * 300, "y" * 100_000, "\r\n"]
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(strings)
        writer.write(("lone \ud800 surrogate",))
    assert values_of(tmp_path / "print.pb") == [strings, ["lone \\ud800 surrogate"]]


def test_a_bad_value_is_written_back_as_it_was(tmp_path: Path) -> None:
    bad = BadValue(b"\x01\x02\x03", "Float32", (2, -1), "content is short")
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(("before", bad, "after"))
    ((before, found, after),) = [record.values for record in msdump.read_print(tmp_path / "print.pb")]
    assert (before, after) == ("before", "after")
    assert isinstance(found, BadValue)
    assert (found.raw, found.dtype, found.shape) == (bad.raw, bad.dtype, bad.shape)


def _message(*fields: tuple[int, bytes]) -> bytes:
    return b"".join(bytes((number << 3 | 2, len(content))) + content for number, content in fields)


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (_message((1, b"caf\xe9")), "string"),
        (_message((2, _message((3, b"abcd")))), "content"),
        (_message((2, b"\x08\x02" + _message((3, b"abcd")))), "content"),
        (_message((2, _message((2, b"Float32")))), "value"),
        (_message((2, b"\x08\x02")), "value"),
        (_message((2, b"\x08\x02" + _message((2, b"Float32"), (3, b"abc")))), "content"),
        (_message((2, b"\x08\x02" + _message((2, b"Unheard"), (3, b"abc")))), "content"),
        (_message((2, _message((2, b"\xff\xfe"), (3, b"abc")))), "value"),
        (_message((2, _message((2, b""), (3, b"abc")))), "value"),
        (b"\x12\x01\x08", "value"),
        (b"", "value"),
        (b"\x0b", "value"),
    ],
)
@pytest.mark.parametrize("suffix", [".pb", ".json", ".jsonl"])
def test_bad_values_keep_their_bytes(tmp_path: Path, value: bytes, part: str, suffix: str) -> None:
    file = _message((1, _message((1, b"a"))), (1, value), (1, _message((1, b"b"))))
    (tmp_path / "in.pb").write_bytes(file)
    records = list(msdump.read_print(tmp_path / "in.pb"))
    (bad,) = records[1].values
    assert isinstance(bad, BadValue)
    assert bad.part == part
    msdump.convert(tmp_path / "in.pb", tmp_path / f"by{suffix}", to="print.pb" if suffix == ".pb" else "")
    msdump.convert(tmp_path / f"by{suffix}", tmp_path / "out.pb", to="print.pb")
    assert (tmp_path / "out.pb").read_bytes() == file
    with PrintWriter(tmp_path / "written.pb") as writer:
        writer.write(records[1].values)
    ((again,),) = [record.values for record in msdump.read_print(tmp_path / "written.pb")]
    assert isinstance(again, BadValue)
    assert (again.raw, again.dtype, again.shape, again.part) == (bad.raw, bad.dtype, bad.shape, part)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (1j, "a print file holds strings and tensors, not complex"),
        (1 << 64, f"a print file holds integers of 64 bits, not {1 << 64}"),
        (b"raw", "a print file holds strings and tensors, not bytes"),
        (np.array(["a"]), "MindSpore has no tensors of the numpy type <U1"),
        (np.zeros(100_000, object), "MindSpore has no tensors of the numpy type object"),
    ],
)
def test_what_no_file_can_hold(tmp_path: Path, value: Any, what: str) -> None:
    with PrintWriter(tmp_path / "print.pb") as writer:
        with pytest.raises(TypeError) as raised:
            writer.write(("before", value))
        writer.write(("next",))
    assert str(raised.value) == what
    assert values_of(tmp_path / "print.pb") == [["next"]]


SCALARS = st.sampled_from(["int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "bool"])
ARRAYS = st.builds(
    lambda kind, shape, raw: np.resize(np.frombuffer(raw, np.uint8), int(np.prod(shape))).astype(kind).reshape(shape),
    SCALARS,
    st.lists(st.integers(0, 4), max_size=4).map(tuple),
    st.binary(min_size=1, max_size=16),
)
VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | ARRAYS


@given(st.lists(st.lists(VALUES, max_size=5), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_what_is_read(tmp_path_factory: pytest.TempPathFactory, calls: list[list[Any]]) -> None:
    path = tmp_path_factory.mktemp("law") / "print.pb"
    with PrintWriter(path) as writer:
        for values in calls:
            writer.write(values)
    records = list(msdump.read_print(path))
    assert len(records) == len(calls)
    for record, values in zip(records, calls, strict=True):
        assert len(record.values) == len(values)
        wanted = [v if isinstance(v, str) or v.ndim else v[()] for v in values]
        assert all(same(a, b) for a, b in zip(record.values, wanted, strict=True))


# --- names --------------------------------------------------------------------------------------


def test_names_that_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.7)
    path = tmp_path / "print.pb"
    writers = [PrintWriter(path) for _ in range(4)]
    names = [os.path.basename(writer.path) for writer in writers]
    stamped = "print.pb.1700000000"
    assert names == ["print.pb", stamped, f"{stamped}.1", f"{stamped}.2"]
    for at, writer in enumerate(writers):
        writer.write((str(at),))
        writer.close()
    assert [values_of(writer.path) for writer in writers] == [[[str(at)]] for at in range(4)]


def test_a_dangling_link_is_a_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "print.pb").symlink_to(tmp_path / "nowhere")
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(("x",))
    assert os.path.basename(writer.path).startswith("print.pb.")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("", "the path of a print file is empty"),
        ("  ", "the path of a print file is empty"),
        ("{tmp}", "{tmp}: a print file should be a file, but this is a folder"),
        ("{tmp}/new/", "{tmp}/new/: a print file should be a file, but this is a folder"),
        ("{tmp}/file/print.pb", "{tmp}/file/print.pb: no print file can be made there: "),
        ("{tmp}/" + "n" * 300, "no print file can be made there: File name too long"),
    ],
)
def test_places_where_no_file_can_be(tmp_path: Path, path: str, what: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PrintPathError) as raised:
        PrintWriter(path.format(tmp=tmp_path))
    assert what.format(tmp=tmp_path) in str(raised.value)
    assert isinstance(raised.value, (WriteError, OSError))
    assert sorted(os.listdir(tmp_path)) == ["file"]


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PrintPathError, match="no print file can be made there: Permission denied"):
        PrintWriter(tmp_path / "print.pb")


def test_missing_folders_are_made(tmp_path: Path) -> None:
    with PrintWriter(tmp_path / "a" / "b" / "print.pb") as writer:
        writer.write(("x",))
    assert values_of(tmp_path / "a" / "b" / "print.pb") == [["x"]]


def test_the_file_is_read_only_at_the_end(tmp_path: Path) -> None:
    writer = PrintWriter(tmp_path / "print.pb")
    writer.write(("x",))
    assert os.stat(writer.path).st_mode & stat.S_IWUSR
    writer.close()
    writer.close()
    assert os.stat(writer.path).st_mode & 0o222 == 0
    with pytest.raises(WriteError, match="the file is closed"):
        writer.write(("y",))


def test_a_file_that_nothing_was_written_to_is_removed(tmp_path: Path) -> None:
    writer = PrintWriter(tmp_path / "print.pb")
    assert (tmp_path / "print.pb").exists()
    assert writer.is_empty()
    writer.close()
    assert not (tmp_path / "print.pb").exists()


# --- system calls -------------------------------------------------------------------------------


def test_a_call_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(name: str) -> Callable[[int, Any], int]:
        real = getattr(os, name)

        def write(fd: int, chunks: Any) -> int:
            calls.append(name)
            return int(real(fd, chunks))

        return write

    monkeypatch.setattr(os, "write", counted("write"))
    monkeypatch.setattr(os, "writev", counted("writev"))
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(("loss:", np.ones(4, np.float32)))
        writer.write(("large:", np.ones(100_000, np.float32), "and", np.ones(100_000, np.float32)))
    assert calls == ["write", "writev"]


@pytest.mark.parametrize("limit", [1, 7, 1000, 65_537])
def test_writes_that_are_cut_short_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    real = os.write

    def some(fd: int, chunk: Any) -> int:
        return real(fd, memoryview(chunk)[:limit])

    monkeypatch.setattr(os, "write", some)
    monkeypatch.setattr(os, "writev", lambda fd, chunks: some(fd, next(c for c in chunks if len(c))))
    size = 20_000 if limit > 7 else 17_000
    array = np.arange(size, dtype=np.int32)
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(("a", array, "b"))
        writer.write(("c",))
    monkeypatch.undo()
    assert values_of(tmp_path / "print.pb") == [["a", array.tolist(), "b"], ["c"]]


def test_more_chunks_than_one_writev_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_encode, "LARGE", 8)
    values = [np.array([at, at], np.int64) for at in range(1500)]
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(values)
    assert values_of(tmp_path / "print.pb") == [[[at, at] for at in range(1500)]]


def test_a_write_larger_than_the_system_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_writer, "_MOST_AT_ONCE", 100_000)
    array = np.arange(200_000, dtype=np.int32)
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write((array, "end"))
    assert values_of(tmp_path / "print.pb") == [[array.tolist(), "end"]]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_half_a_record_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    writer = PrintWriter(tmp_path / "print.pb")
    writer.write(("first",))
    real = os.write
    room = [10]

    def full(fd: int, chunk: Any) -> int:
        if not room[0]:
            raise error
        room[0] -= (written := real(fd, memoryview(chunk)[: room[0]]))
        return written

    monkeypatch.setattr(os, "write", full)
    with pytest.raises((WriteError, KeyboardInterrupt)) as raised:
        writer.write(("second",))
    monkeypatch.undo()
    if isinstance(error, OSError):
        assert str(raised.value) == f"{writer.path}: cannot be written: No space left on device"
    writer.write(("third",))
    writer.close()
    assert values_of(tmp_path / "print.pb") == [["first"], ["third"]]
    assert [r.meta.call for r in msdump.read_print(tmp_path / "print.pb") if r.meta] == [0, 1]


def test_fsync_after_each_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_size))
    with PrintWriter(tmp_path / "plain.pb") as writer:
        writer.write(("x",))
    assert synced == []
    with PrintWriter(tmp_path / "safe.pb", fsync=True) as writer:
        writer.write(("x",))
        writer.write(("y",))
    assert synced[-1] == os.path.getsize(tmp_path / "safe.pb")
    assert len(synced) == 2


def test_a_large_tensor_is_not_copied(tmp_path: Path) -> None:
    array = np.ones(16 << 20, np.float32)
    with PrintWriter(tmp_path / "print.pb") as writer:
        writer.write(("warm",))
        tracemalloc.start()
        writer.write(("large:", array))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1 << 20
    assert os.path.getsize(tmp_path / "print.pb") > array.nbytes

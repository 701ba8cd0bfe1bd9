"""Laws over any print file: what was put in is read, and no damage does more than it must."""

from __future__ import annotations

import itertools
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stnp

import msdump
from msdump.dtype import DTYPES, by_numpy
from msdump.formats.packed import plain
from msdump.formats.print_pb.recover import Lost
from msdump.records import BadValue, PrintRecord
from msdump.source import BytePlace
from tests.formats.print_bytes import call, string, tensor

NUMPY = [d for d in DTYPES if plain(d) and not d.ml]
arrays = st.sampled_from(NUMPY).flatmap(
    lambda d: stnp.arrays(d.np, stnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
values = st.one_of(texts, arrays)
reuse = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def encode(value: str | np.ndarray[Any, Any]) -> bytes:
    if isinstance(value, str):
        return string(value)
    dtype = by_numpy(value.dtype)
    assert dtype is not None
    return tensor(dtype.name, value.shape, value.tobytes())


def key(value: Any) -> Any:
    """What makes two values the same: the text, or type, shape and every bit of a tensor."""
    if isinstance(value, (str, BadValue)):
        return value
    return value.dtype.name, value.shape, value.tobytes()


def read_all(path: Path) -> tuple[list[PrintRecord], msdump.DecodeError | None]:
    records: list[PrintRecord] = []
    try:
        for record in msdump.read_print(path):
            records.append(record)
    except msdump.DecodeError as error:
        return records, error
    return records, None


@reuse
@given(st.lists(values, max_size=12))
def test_values_come_back_in_mindspores_files(tmp_path: Path, items: list[Any]) -> None:
    path = tmp_path / "print.pb"
    path.write_bytes(b"".join(map(encode, items)))
    records, error = read_all(path)
    assert error is None
    assert [[key(v) for v in r.values] for r in records] == [[key(v)] for v in items]
    assert [r.index for r in records] == list(range(len(items)))


@reuse
@given(st.lists(st.lists(values, max_size=4), max_size=6))
def test_calls_come_back_in_our_files(tmp_path: Path, calls: list[list[Any]]) -> None:
    path = tmp_path / "print.pb"
    path.write_bytes(b"".join(call(b"".join(map(encode, items)), i) for i, items in enumerate(calls)))
    log = msdump.open_print(path)
    assert len(log) == len(calls)
    assert log.problems == ()
    assert [[key(v) for v in r.values] for r in log] == [[key(v) for v in items] for items in calls]
    assert [r.meta.call for r in log if r.meta is not None] == list(range(len(calls)))
    assert [key(v) for i in range(len(log)) for v in log[i].values] == [key(v) for items in calls for v in items]


SMALL: list[Any] = [
    "loss:",
    np.arange(6, dtype=np.float32).reshape(2, 3),
    "é",
    np.array(7, np.int8),
    np.zeros((0, 2), np.int64),
    "x" * 130,
    np.arange(100, dtype=np.int16),
]


def prefixes(parts: list[bytes], path: Path) -> None:
    """Read every prefix of the parts joined: whole parts are given, a cut one is told of."""
    whole = b"".join(parts)
    ends = [0, *itertools.accumulate(map(len, parts))]
    path.write_bytes(whole)
    wanted = [[key(v) for v in r.values] for r in msdump.read_print(path)]
    assert len(wanted) == len(parts)
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        records, error = read_all(path)
        complete = sum(end <= size for end in ends[1:])
        assert [[key(v) for v in r.values] for r in records] == wanted[:complete]
        log = msdump.open_print(path)
        assert len(log) == complete
        if size in ends:
            assert error is None
            assert log.error is None
        else:
            assert type(error) is type(log.error) is msdump.TruncatedError
            assert error is not None
            assert log.error is not None
            assert error.where == log.error.where == BytePlace(str(path), ends[complete])
            found = list(msdump.iter_recovered(path))
            assert [[key(v) for v in r.values] for r in found if isinstance(r, PrintRecord)] == wanted[:complete]
            assert [(r.offset, r.nbytes) for r in found if isinstance(r, Lost)] == [
                (ends[complete], size - ends[complete])
            ]


def test_every_prefix_of_mindspores_file(tmp_path: Path) -> None:
    prefixes([encode(v) for v in SMALL], tmp_path / "print.pb")


def test_every_prefix_of_our_file(tmp_path: Path) -> None:
    parts = [
        call(encode(a) + encode(b), i, file="net.py", line=3) for i, (a, b) in enumerate(itertools.pairwise(SMALL))
    ]
    prefixes(parts, tmp_path / "print.pb")


def assert_survives(content: bytes, path: Path) -> None:
    """Any bytes give records, BadValues, or a DecodeError within the file; nothing else."""
    path.write_bytes(content)
    records, error = read_all(path)
    assert [r.index for r in records] == list(range(len(records)))
    offsets = [r.offset for r in records]
    assert offsets == sorted(set(offsets))
    assert all(0 <= offset < len(content) for offset in offsets)
    log = msdump.open_print(path)
    assert [r.offset for r in log] == offsets
    assert [key(v) for r in log[:] for v in r.values] == [key(v) for r in records for v in r.values]
    if error is not None:
        assert isinstance(error.where, BytePlace)
        assert 0 <= error.where.offset < len(content)
        assert log.error is not None
        assert log.error.where == error.where
    # All a reader makes of a file is of the file's own size, up to its Python objects.
    held = sum(
        v.nbytes if isinstance(v, np.ndarray) else len(v.raw) if isinstance(v, BadValue) else 0
        for r in records
        for v in r.values
    )
    assert held <= 4 * len(content) + 100
    at = 0
    for item in msdump.iter_recovered(path):
        assert item.offset >= at
        at = item.offset + (item.nbytes if isinstance(item, Lost) else 1)
    assert at <= len(content)


WHOLE = b"".join(map(encode, SMALL))
CALLS = b"".join(call(encode(a) + encode(b), i) for i, (a, b) in enumerate(itertools.pairwise(SMALL)))


@reuse
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    assert_survives(content, tmp_path / "print.pb")


@reuse
@given(
    st.sampled_from([WHOLE, CALLS, WHOLE[:200] + CALLS]),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 255)), min_size=1, max_size=4),
)
def test_changed_bytes(tmp_path: Path, whole: bytes, changes: list[tuple[int, int]]) -> None:
    content = bytearray(whole)
    for at, flip in changes:
        content[at % len(content)] ^= flip
    assert_survives(bytes(content), tmp_path / "print.pb")


@pytest.mark.slow
@settings(reuse, max_examples=20_000)
@given(
    st.sampled_from([WHOLE, CALLS]),
    st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=12), st.integers(0, 12)), min_size=1, max_size=6),
)
def test_bytes_cut_out_and_put_in(tmp_path: Path, whole: bytes, edits: list[tuple[int, bytes, int]]) -> None:
    content = whole
    for at, put, cut in edits:
        content = content[:at] + put + content[at + cut :]
    assert_survives(content, tmp_path / "print.pb")


@reuse
@given(st.data())
def test_one_damaged_call_loses_no_other(tmp_path: Path, data: st.DataObject) -> None:
    parts = [call(encode(a) + encode(b), i) for i, (a, b) in enumerate(itertools.pairwise(SMALL))]
    hit = data.draw(st.integers(0, len(parts) - 1))
    damaged = bytearray(parts[hit])
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    if bytes(damaged) == parts[hit]:
        return
    path = tmp_path / "print.pb"
    path.write_bytes(b"".join(bytes(damaged) if i == hit else part for i, part in enumerate(parts)))
    found = [r.meta.call for r in msdump.iter_recovered(path) if isinstance(r, PrintRecord) and r.meta is not None]
    assert [n for n in range(len(parts)) if n != hit] == [n for n in found if n != hit]


def test_absurd_lengths_allocate_nothing(tmp_path: Path) -> None:
    import tracemalloc

    huge = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
    inside = [b"\x0a" + huge, b"\x12" + huge, b"\x12\x0c\x12\x01x\x1a" + huge, b"\x12\x0b\x0a" + huge]
    files = [b"\x0a" + huge, b"\x4a" + huge, b"\xea\xed\xf3\xe4\x0d" + huge]
    files += [b"\x0a" + bytes([len(i)]) + i for i in inside]
    whole = call(string("a"))
    files.append(whole[:8] + struct.pack("<Q", (1 << 64) - 1) + whole[16:])
    path = tmp_path / "print.pb"
    for content in files:
        path.write_bytes(content)
        read_all(path)
        tracemalloc.start()
        records, error = read_all(path)
        log = msdump.open_print(path)
        recovered = list(msdump.iter_recovered(path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200_000
        assert len(log) == len(records)
        assert isinstance(error, msdump.TruncatedError) or all(
            isinstance(v, BadValue) for r in records for v in r.values
        )
        assert recovered

"""Conversions of print logs: every pair that is lossless is, and what fails leaves nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import msdump
from msdump.conversion import conversions, target_format
from msdump.errors import DecodeError, LossError, MsdumpError, ParseError, ReadError, WriteError
from msdump.io import source_format
from msdump.json_values import record_json, value_from_json, value_json
from msdump.records import BadValue, PrintMeta, PrintRecord, PrintValue
from tests.cli.conftest import MINDSPORE

F = np.float32
LOSSLESS = ["a.json", "a.jsonl", "a.npz", "a/", "a.safetensors", "a.parquet"]
ALL_TYPES = [
    np.array([[True, False]]),
    *(np.array([1, 0, 100], t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32)),
    np.array([2**64 - 1, 0], np.uint64),
    np.array([0.1, np.nan, -np.inf, -0.0, 5e-324]),
    np.array([0.1, np.nan, -np.inf, -0.0, 1e-45], F),
    np.array([0.1, np.nan, -np.inf, -0.0, 6e-8], np.float16),
    np.array([0.1, np.nan, -np.inf, -0.0], ml_dtypes.bfloat16),
    np.array([0.5, np.nan, -0.0], ml_dtypes.float8_e5m2),
    np.array([0.5, np.nan, -0.0], ml_dtypes.float8_e4m3fn),
    np.array([-8, 7, 0], ml_dtypes.int4),
    np.array([1 + 2j, complex(np.nan, -np.inf)], np.complex64),
    np.array([1 + 2j, complex(-0.0, 3)], np.complex128),
]


def same_value(a: PrintValue, b: PrintValue) -> bool:
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        return (type(a), a.dtype, a.shape, a.tobytes()) == (type(b), b.dtype, b.shape, b.tobytes())
    return type(a) is type(b) and a == b


def assert_same(a: list[PrintRecord], b: list[PrintRecord]) -> None:
    assert [(r.index, r.meta, len(r.values)) for r in a] == [(r.index, r.meta, len(r.values)) for r in b]
    for x, y in zip(a, b, strict=True):
        assert all(same_value(v, w) for v, w in zip(x.values, y.values, strict=True)), (x, y)


def read(path: str | Path) -> list[PrintRecord]:
    found = source_format(path).read
    assert found is not None
    return list(found(path))


def records(*values: tuple[PrintValue, ...], meta: bool = True) -> list[PrintRecord]:
    return [
        PrintRecord(i, v, meta=PrintMeta(i, 10**18 + i, 3, i or None, "网.py", 7) if meta else None)
        for i, v in enumerate(values)
    ]


@pytest.mark.parametrize("name", LOSSLESS)
@pytest.mark.parametrize("meta", [True, False])
def test_every_type_there_and_back(tmp_path: Path, name: str, meta: bool) -> None:
    pytest.importorskip("pyarrow" if "parquet" in name else "numpy")
    rows: list[tuple[PrintValue, ...]] = [
        ("label:", array, array[0] if array.ndim == 1 else array[0, 0]) for array in ALL_TYPES
    ]
    rows += [("", np.zeros((2, 0, 3), F), "α\n\x1b[31m"), (np.zeros((1, 1, 1, 1, 1, 1, 1, 1), F),), (F(3),)]
    if not meta:
        rows = [(value,) for row in rows for value in row]
    given_records = records(*rows, meta=meta)
    pb = tmp_path / "a.pb"
    msdump.save(given_records, pb, to="print.pb")
    assert_same(read(pb), given_records)
    there = f"{tmp_path}/{name}"
    msdump.convert(pb, there)
    assert_same(read(there), given_records)
    back = tmp_path / "back.pb"
    msdump.convert(there, back)
    assert back.read_bytes() == pb.read_bytes()


@pytest.mark.parametrize("name", LOSSLESS)
def test_bad_values_are_carried(tmp_path: Path, name: str) -> None:
    pytest.importorskip("pyarrow" if "parquet" in name else "numpy")
    bad = MINDSPORE / "content_short.pb"
    there = f"{tmp_path}/{name}"
    msdump.convert(bad, there)
    (value,) = read(there)[0].values
    assert isinstance(value, BadValue)
    assert value == read(bad)[0].values[0]
    back = tmp_path / "back.pb"
    msdump.convert(there, back)
    assert back.read_bytes() == bad.read_bytes()


values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    hnp.arrays(
        st.sampled_from([np.float16, np.float32, np.float64, np.int8, np.int64, np.uint64, np.bool_, np.complex64]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ).map(lambda a: a if a.ndim else a[()]),
    st.builds(
        BadValue,
        st.binary(max_size=9),
        st.text("aZ", max_size=5),
        st.tuples(st.integers(-3, 9)),
        st.text("xy", max_size=5),
    ),
)


def _parts(value: Any) -> Any:
    return np.asarray(value).reshape(-1).view(F)


@settings(max_examples=300, deadline=None)
@given(values)
def test_any_value_through_json(value: Any) -> None:
    back = value_from_json(json.loads(json.dumps(value_json(value), allow_nan=False)))
    if isinstance(value, np.ndarray | np.generic):
        assert isinstance(back, np.ndarray | np.generic)
        assert (type(back), back.dtype, back.shape) == (type(value), value.dtype, value.shape)
        # JSON has one NaN; every other bit is kept.
        parts = (value, back) if value.dtype.kind != "c" else (_parts(value), _parts(back))
        a, b = (np.where(x == x, x, 0) for x in parts)
        assert np.array_equal(parts[0] != parts[0], parts[1] != parts[1])
        assert a.tobytes() == b.tobytes()
    else:
        assert back == value


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(values, max_size=3).map(tuple), max_size=4), st.sampled_from(LOSSLESS[:5]))
def test_any_records_through_any_format(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]], name: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    there = f"{folder}/{name}"
    given_records = records(*rows)
    write = target_format(there, "print").write
    assert write is not None
    write(given_records, there)
    got = read(there)
    assert [record_json(r)["values"] for r in got] == [record_json(r)["values"] for r in given_records]


def test_numpy_alone_reads_the_arrays(tmp_path: Path) -> None:
    msdump.convert(MINDSPORE / "new_mixed.pb", tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as archive:
        assert sorted(archive.files)[:3] == ["000001.0.tensor", "000003.0.scalar", "000004.0.scalar"]
        assert archive["000003.0.scalar"] == F(3.5)
    msdump.convert(MINDSPORE / "new_mixed.pb", f"{tmp_path}/f/")
    assert np.load(tmp_path / "f" / "000003.0.scalar.npy") == F(3.5)


def test_the_safetensors_library_reads_the_arrays(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    msdump.convert(MINDSPORE / "new_common_dtypes.pb", tmp_path / "a.safetensors")
    loaded = library.load_file(tmp_path / "a.safetensors")
    expected = [
        v for r in msdump.read_print(MINDSPORE / "new_common_dtypes.pb") for v in r.values if not isinstance(v, str)
    ]
    assert len(loaded) == len(expected) > 0
    for (_, a), b in zip(sorted(loaded.items()), expected, strict=True):
        assert not isinstance(b, BadValue)
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


def test_pandas_reads_the_table(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    msdump.convert(MINDSPORE / "new_mixed.pb", tmp_path / "a.parquet")
    frame = pandas.read_parquet(tmp_path / "a.parquet")
    assert frame[frame.label == "scalar"].scalar.dropna().tolist() == [3.5, 7.0]


def test_text_is_lossy_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(LossError) as caught:
        msdump.convert(MINDSPORE / "new_mixed.pb", tmp_path / "a.txt")
    assert caught.value.lost == ("elements of large tensors", "digits")
    assert list(tmp_path.iterdir()) == []
    msdump.convert(MINDSPORE / "new_mixed.pb", tmp_path / "a.txt", lossy=True)
    assert (tmp_path / "a.txt").read_text().startswith("tensor:\nTensor(shape=[2, 2], dtype=Float32, value=\n")


def test_unknown_targets(tmp_path: Path) -> None:
    source = MINDSPORE / "new_mixed.pb"
    with pytest.raises(WriteError, match="no format for a print has this suffix"):
        msdump.convert(source, tmp_path / "a.what")
    with pytest.raises(WriteError, match="there is no format 'what'"):
        msdump.convert(source, tmp_path / "a.json", to="what")
    with pytest.raises(WriteError, match="is the file that is read"):
        msdump.convert(source, source, force=True)
    msdump.convert(source, tmp_path / "a.what", to="jsonl")
    assert json.loads((tmp_path / "a.what").read_text().splitlines()[0])["index"] == 0


def test_a_folder_is_replaced_only_when_it_is_ours(tmp_path: Path) -> None:
    source = MINDSPORE / "new_mixed.pb"
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("x")
    with pytest.raises(WriteError, match="exists"):
        msdump.convert(source, f"{mine}/")
    with pytest.raises(WriteError, match="not a folder that msdump made"):
        msdump.convert(source, f"{mine}/", force=True)
    assert (mine / "thesis.txt").read_text() == "x"
    msdump.convert(source, f"{tmp_path}/ours/")
    msdump.convert(MINDSPORE / "new_int8.pb", f"{tmp_path}/ours/", force=True)
    assert [p.name for p in sorted((tmp_path / "ours").iterdir())] == ["000000.0.npy", "index.json"]


def record_of(value: str) -> str:
    return f'{{"schema": "msdump.print/1", "records": [{{"values": [{value}]}}]}}'


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": "msdump.print/1"}',
        '{"schema": "msdump.print/1", "records": [{}]}',
        '{"schema": "msdump.print/1", "records": [',
        '{"schema": "msdump.print/1", "records": 7}',
        record_of('{"kind": "tensor"}'),
        record_of('{"kind": "tensor", "dtype": "Q", "shape": [], "data": 1}'),
        record_of('{"kind": "tensor", "dtype": "Int8", "shape": [2], "data": [1]}'),
        record_of('{"kind": "tensor", "dtype": "Int8", "shape": [1], "data": [999]}'),
        record_of('{"kind": "tensor", "dtype": "Float32", "shape": [1], "data": ["nan"]}'),
        record_of('{"kind": "string", "value": 7}'),
        record_of('{"kind": "what"}'),
    ],
)
def test_json_that_is_not_ours_is_a_parse_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ParseError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:")


@pytest.mark.parametrize("name", ["a.npz", "a.safetensors", "a.jsonl", "a.parquet"])
def test_damaged_containers_raise_nothing_else(tmp_path: Path, name: str) -> None:
    pytest.importorskip("pyarrow" if "parquet" in name else "numpy")
    path = tmp_path / name
    msdump.convert(MINDSPORE / "new_mixed.pb", path)
    data = path.read_bytes()
    rng = np.random.default_rng(5)
    found = 0
    for case in range(120):
        broken = bytearray(data)
        if case % 2:
            broken = broken[: rng.integers(len(data))]
        else:
            broken[rng.integers(len(data))] ^= 1 << rng.integers(8)
        path.write_bytes(broken)
        try:
            read(path)
        except (ReadError, DecodeError):
            found += 1
    assert found > 30


def test_the_table_of_conversions() -> None:
    pairs = {(c.source, c.target) for c in conversions() if c.kind == "print"}
    forms = {"print.pb", "json", "jsonl", "npz", "npy", "safetensors", "parquet"}
    assert pairs >= {(a, b) for a in forms for b in forms | {"csv", "text"} if a != b}


def test_an_absent_extra_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MsdumpError) as caught:
        msdump.convert(MINDSPORE / "new_mixed.pb", tmp_path / "a.parquet")
    assert (caught.value.what, caught.value.hint) == ("Parquet needs pyarrow", "pip install 'msdump[parquet]'")

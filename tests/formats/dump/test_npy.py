""".npy: every layout numpy writes, MindSpore's own codes, damage."""

from __future__ import annotations

import io
import pickle
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump.dtype import DTYPES
from msdump.errors import DecodeError, MsdumpError, TruncatedError
from msdump.formats.dump.npy import MAGIC, NpyTensor, npy_bytes, write_npy
from tests.conftest import FIXTURES


def saved(array: Any, version: tuple[int, int] | None = None) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), version, allow_pickle=True)
    return out.getvalue()


def raw(descr: str, shape: str, data: bytes) -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"
    return MAGIC + b"\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


ARRAYS = [
    np.arange(24, dtype=np.float32).reshape(2, 3, 4),
    np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
    np.arange(6, dtype=">f8").reshape(3, 2),
    np.array(3.5, np.float16),
    np.array([True, False]),
    np.zeros((0, 4), np.uint8),
    np.array([1 + 2j], np.complex64),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_what_numpy_writes(tmp_path: Path, array: Any, version: tuple[int, int]) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(saved(array, version))
    tensor = NpyTensor(str(path))
    assert tensor.shape == array.shape
    assert tensor.dtype.np == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(tensor.numpy(), array)
    np.testing.assert_array_equal(tensor.flat(1, 4), array.reshape(-1)[1:4])


def test_a_large_file_is_read_in_part(tmp_path: Path) -> None:
    array = np.arange(500_000, dtype=np.float32).reshape(500, 1000)
    path = tmp_path / "a.npy"
    np.save(path, array)
    tensor = NpyTensor(str(path))
    assert tensor.sliceable
    np.testing.assert_array_equal(tensor.flat(123_456, 123_460), [123456, 123457, 123458, 123459])
    np.testing.assert_array_equal(tensor.numpy(), array)
    assert tensor.nbytes == array.nbytes


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<i8", "<c8"])
@pytest.mark.parametrize("shape", [(5, 7), (3, 1, 11), (2, 3, 4)])
def test_a_column_major_file_is_read_in_part(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    array = np.asfortranarray(np.arange(np.prod(shape)).reshape(shape).astype(dtype))
    np.save(tmp_path / "x.npy", array)
    tensor = NpyTensor(str(tmp_path / "x.npy"))
    for start, stop in ((0, 3), (4, 5), (1, array.size), (2, array.size + 9)):
        part = tensor.flat(start, stop)
        assert part.dtype.isnative
        assert part.tolist() == array.reshape(-1)[start:stop].tolist()
    assert tensor.numpy().tolist() == array.tolist()


def test_mindspores_code_of_bfloat16() -> None:
    path = next((FIXTURES / "dump/2.10.0/bf16_tensor").rglob("Cast.Default_Cast-op0*output*"))
    with pytest.raises(ValueError, match="descr"):
        np.load(path)
    tensor = NpyTensor(str(path))
    assert tensor.dtype.name == "BFloat16"
    assert tensor.numpy().astype(np.float32).tolist() == [1.625, -0.61328125]


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.ml and d.bits == 8], ids=lambda d: d.name)
def test_types_numpy_lacks_are_told_by_the_name(tmp_path: Path, dtype: Any) -> None:
    array = np.array([1, 2, 0.5]).astype(dtype.np)
    path = tmp_path / "a.npy"
    write_npy(array, path)
    assert np.load(path).dtype == np.dtype("V1")  # other readers open it
    tensor = NpyTensor(str(path), dtype.name)
    assert tensor.dtype == dtype
    assert tensor.numpy().tobytes() == array.tobytes()
    with pytest.raises(DecodeError, match="none that MindSpore has"):
        _ = NpyTensor(str(path)).dtype


def test_bfloat16_of_ml_dtypes_needs_no_name(tmp_path: Path) -> None:
    array = np.array([1, 2.5], ml_dtypes.bfloat16)
    path = tmp_path / "a.npy"
    np.save(path, array)
    assert NpyTensor(str(path)).dtype.name == "BFloat16"
    np.testing.assert_array_equal(NpyTensor(str(path)).numpy(), array)
    path.write_bytes(saved(np.array([0x3F80], np.uint16)))
    assert NpyTensor(str(path), "BFloat16").numpy().astype(float).tolist() == [1.0]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (saved(np.array([{}], object)), "pickled Python objects"),
        (saved(np.zeros(2, [("a", "f4")])), "records"),
        (saved(np.array(["a"])), "none that MindSpore has"),
        (raw("'<f4'", "(-1,)", b""), "not a tuple of sizes"),
        (raw("'<f4'", "(True,)", b"...."), "not a tuple of sizes"),
        (raw("'<q9'", "(1,)", b"...."), "unknown"),
        (raw("[]", "(1,)", b"...."), "records"),
        (raw("(" * 3000, "(1,)", b""), "no dictionary"),
        (b"\x93NUMPY\x09\x00" + bytes(20), "version 9.0"),
        (b"PK\x03\x04" + bytes(20), "magic bytes"),
        (MAGIC + b"\x02\x00" + b"\xff\xff\xff\x7f" + bytes(20), "absurd"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_is_no_tensor(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(DecodeError, match=what) as told:
        NpyTensor(str(path)).numpy()
    assert told.value.where is not None
    assert told.value.where.file == str(path)


def test_every_prefix_is_told_truncated(tmp_path: Path) -> None:
    content = npy_bytes(np.arange(5, dtype=np.float32))
    path = tmp_path / "a.npy"
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(TruncatedError) as told:
            NpyTensor(str(path)).numpy()
        assert told.value.where is not None
        assert getattr(told.value.where, "offset", -1) == length
    path.write_bytes(content[:-4])
    with pytest.raises(TruncatedError, match="20 bytes of data are announced, 16 are there"):
        NpyTensor(str(path)).flat(0, 5)
    np.testing.assert_array_equal(NpyTensor(str(path)).flat(0, 4), [0, 1, 2, 3])


def test_odd_escapes_in_a_header_warn_nobody(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    text = b"{'descr': '\\o', 'fortran_order': False, 'shape': (1,)}"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes([len(text), 0]) + text + b"xxxx")
    with pytest.raises(DecodeError, match="is unknown"):
        NpyTensor(str(tmp_path / "x.npy")).numpy()
    assert not recwarn.list


def test_an_absurd_shape_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(raw("'<f4'", "(1000000000000, 1000000000000)", b"...."))
    with pytest.raises(TruncatedError):
        NpyTensor(str(path)).numpy()


@pytest.mark.parametrize("descr", ["'<02f4'", "'<f99999999999999999999'", "'(3'", "'f4,f4'", "'O'"])
def test_an_element_type_that_is_none_is_told(tmp_path: Path, descr: str) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(raw(descr, "(2,)", b"...."))
    with pytest.raises(DecodeError, match=r"element type|pickled"):
        NpyTensor(str(path)).numpy()


CONTENT = npy_bytes(np.arange(8, dtype=np.float16).reshape(2, 4))


@given(st.integers(0, len(CONTENT) - 1), st.binary(min_size=1, max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_damage_gives_an_error_or_a_tensor(tmp_path: Path, at: int, junk: bytes) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(CONTENT[:at] + junk + CONTENT[at + len(junk) :])
    # Anything but a MsdumpError fails the test.
    with suppress(MsdumpError):
        NpyTensor(str(path)).numpy()


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
def test_numpy_reads_what_is_written(tmp_path: Path, array: Any) -> None:
    path = tmp_path / "a.npy"
    write_npy(array, path)
    found = np.load(path)
    assert found.shape == array.shape
    np.testing.assert_array_equal(found, array)


def test_a_tensor_travels_by_reference(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(3))
    there = pickle.loads(pickle.dumps(NpyTensor(str(path), "Int64", "x")))
    assert (there.name, there.token, there.numpy().tolist()) == ("x", "Int64", [0, 1, 2])


def test_a_file_keeps_what_is_behind_its_data(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(npy_bytes(np.arange(3, dtype=np.int8)) + b"more")
    tensor = NpyTensor(str(path))
    assert tensor.surplus == 4
    assert tensor.numpy().tolist() == [0, 1, 2]

"""Asynchronous .bin files, made from the schema: no real one is at hand."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump._proto.dump_data_pb2 import DumpData
from msdump.dtype import DTYPES, by_name, by_number
from msdump.errors import DecodeError, MsdumpError, TruncatedError, WriteError
from msdump.formats.dump.bin import bin_bytes, looks_like_bin, read_bin, write_bin
from msdump.formats.dump.device_format import FORMATS
from msdump.formats.packed import pack

IN_DUMPS = [d for d in DTYPES if d.dump is not None]


def assemble(message: DumpData, payload: bytes, more: bytes = b"") -> bytes:
    header = message.SerializeToString() + more
    return struct.pack("<Q", len(header)) + header + payload


def one(
    data_type: int, shape: tuple[int, ...], payload: bytes, *, form: int = 2, original: tuple[int, ...] = ()
) -> DumpData:
    message = DumpData(version="1.0", dump_time=17, op_name="conv")
    entry: Any = message.output.add(data_type=data_type, format=form, size=len(payload))
    entry.shape.dim.extend(shape)
    entry.original_shape.dim.extend(original)
    return message


def read(tmp_path: Path, content: bytes) -> Any:
    path = tmp_path / "Conv2D.conv.3.7.1796092485879026"
    path.write_bytes(content)
    return read_bin(str(path))


def test_inputs_then_outputs_then_buffers(tmp_path: Path) -> None:
    message = DumpData(version="1.0", op_name="add")
    # In the header outputs come first; payloads of inputs do.
    out: Any = message.output.add(data_type=7, format=2, size=8)
    out.shape.dim.extend([2])
    for value in (1, 2):
        entry: Any = message.input.add(data_type=1, format=2, size=4)
        entry.shape.dim.extend([1])
        assert value
    message.buffer.add(buffer_type=1, size=3)
    payload = np.array([1, 2], np.float32).tobytes() + np.array([30, 40], np.int32).tobytes() + b"xyz"
    found = read(tmp_path, assemble(message, payload))
    assert [(s.io, s.slot, s.tensor.numpy().tolist()) for s in found.slots] == [
        ("input", 0, [1.0]),
        ("input", 1, [2.0]),
        ("output", 0, [30, 40]),
    ]
    size = (tmp_path / "Conv2D.conv.3.7.1796092485879026").stat().st_size
    assert found.buffers == ((1, size - 3, 3),)
    assert found.problem is None


@pytest.mark.parametrize("dtype", IN_DUMPS, ids=lambda d: d.name)
def test_every_type_of_the_schema(tmp_path: Path, dtype: Any) -> None:
    array = (np.arange(9) % 2 + (1 if "E8M0" in dtype.name else 0)).astype(dtype.np).reshape(3, 3)
    payload = pack(array, dtype)
    padding = b"" if dtype.bits == 6 else bytes(23)
    found = read(tmp_path, assemble(one(dtype.dump, (3, 3), payload + padding), payload + padding))
    tensor = found.slots[0].tensor
    assert tensor.dtype == by_number("dump", dtype.dump) == dtype
    assert tensor.shape == (3, 3)
    assert tensor.numpy().tobytes() == array.tobytes()
    np.testing.assert_array_equal(tensor.flat(4, 6).tobytes(), array.reshape(-1)[4:6].tobytes())


C0 = {"Float16": 16, "BFloat16": 16, "Float32": 16, "Int8": 32, "Float8E5M2": 32, "Int4": 64}
"""Elements that a slice of channels has; 8- and 4-bit types have more."""


@pytest.mark.parametrize("dtype", IN_DUMPS, ids=lambda d: d.name)
def test_a_scalar_of_every_type_is_one(tmp_path: Path, dtype: Any) -> None:
    array = np.ones((), dtype.np)
    payload = pack(array, dtype)
    (slot,) = read(tmp_path, assemble(one(dtype.dump, (), payload), payload)).slots
    assert (slot.tensor.shape, slot.tensor.dtype) == ((), dtype)
    assert slot.tensor.numpy().tobytes() == array.tobytes()


@pytest.mark.parametrize("name", C0)
@pytest.mark.parametrize("form", ["NC1HWC0", "FRACTAL_NZ", "FRACTAL_Z"])
def test_a_device_format_goes_back(tmp_path: Path, name: str, form: str) -> None:
    dtype, c0 = by_name(name), C0[name]
    assert dtype is not None
    assert dtype.dump is not None
    n, c, h, w = 3, c0 + 5, 2, 3
    original: Any = (np.arange(n * c * h * w) % 5).astype(dtype.np).reshape(n, c, h, w)
    # Element by element, where the format's description says.
    if form == "NC1HWC0":
        device = np.zeros((n, 2, h, w, c0), dtype.np)
        for at in np.ndindex(n, c, h, w):
            device[at[0], at[1] // c0, at[2], at[3], at[1] % c0] = original[at]
    elif form == "FRACTAL_Z":
        device = np.zeros((2 * h * w, 1, 16, c0), dtype.np)
        for at in np.ndindex(n, c, h, w):
            device[(at[1] // c0 * h + at[2]) * w + at[3], 0, at[0], at[1] % c0] = original[at]
    else:
        original = original.reshape(n * h, c, w).transpose(0, 2, 1)  # the last axis is the one that is cut
        device = np.zeros((n * h, 2, 1, 16, c0), dtype.np)
        for at in np.ndindex(*original.shape):
            device[at[0], at[2] // c0, 0, at[1], at[2] % c0] = original[at]
    payload = pack(device, dtype)
    number = next(k for k, v in FORMATS.items() if v == form)
    message = one(dtype.dump, device.shape, payload, form=number, original=original.shape)
    (slot,) = read(tmp_path, assemble(message, payload)).slots
    assert (slot.format, slot.tensor.dtype, slot.tensor.shape) == (form, dtype, original.shape)
    assert slot.tensor.numpy().tobytes() == np.ascontiguousarray(original).tobytes()
    assert not slot.tensor.sliceable


def test_a_device_format_that_does_not_fit_is_told(tmp_path: Path) -> None:
    payload = bytes(2 * 1 * 3 * 4 * 16 * 2)
    message = one(2, (2, 1, 3, 4, 16), payload, form=3, original=(9, 9, 9, 9))
    found = read(tmp_path, assemble(message, payload))
    with pytest.raises(DecodeError, match="cannot be brought back"):
        found.slots[0].tensor.numpy()


def test_an_empty_shape_with_bytes_is_flat(tmp_path: Path) -> None:
    payload = np.arange(4, dtype=np.float32).tobytes()
    found = read(tmp_path, assemble(one(1, (), payload), payload))
    assert found.slots[0].tensor.numpy().tolist() == [0, 1, 2, 3]


def test_unknown_fields_are_skipped(tmp_path: Path) -> None:
    payload = np.arange(2, dtype=np.float32).tobytes()
    more = b"\x42\x03abc" + b"\x48\x05" + b"\x9a\x06\x02xy"  # fields 8, 9 and 99
    found = read(tmp_path, assemble(one(1, (2,), payload), payload, more))
    assert found.slots[0].tensor.numpy().tolist() == [0, 1]
    assert (found.version, found.op_name, found.time) == ("1.0", "conv", 17)


@pytest.mark.parametrize("number", [0, 13, 99])
def test_types_without_numbers_give_their_bytes(tmp_path: Path, number: int) -> None:
    found = read(tmp_path, assemble(one(number, (3,), b"abc"), b"abc"))
    assert found.slots[0].tensor.numpy().tobytes() == b"abc"
    assert bool(found.notes) == (number != 13)


def test_an_unknown_format_is_given_as_it_lies(tmp_path: Path) -> None:
    payload = np.arange(2, dtype=np.float32).tobytes()
    found = read(tmp_path, assemble(one(1, (2,), payload, form=77), payload))
    assert found.slots[0].format == "FORMAT_77"
    assert "format 77 is unknown" in str(found.notes[0])
    assert found.slots[0].tensor.numpy().tolist() == [0, 1]


def test_a_shape_larger_than_its_bytes_is_told(tmp_path: Path) -> None:
    payload = bytes(8)
    found = read(tmp_path, assemble(one(1, (2**40, 2**40), payload), payload))
    with pytest.raises(DecodeError, match="8 are there"):
        found.slots[0].tensor.numpy()
    with pytest.raises(DecodeError, match="8 are there"):
        found.slots[0].tensor.flat(0, 1)
    many = one(1, (1,) * 100, payload)
    assert "absurd" in str(read(tmp_path, assemble(many, payload)).notes[0])


def test_every_prefix_gives_what_is_whole(tmp_path: Path) -> None:
    arrays: list[Any] = [np.arange(3, dtype=np.float32), np.arange(4, dtype=np.int16)]
    content = bin_bytes(arrays[:1], arrays[1:], op_name="x")
    start = 8 + struct.unpack_from("<Q", content)[0]
    for length in range(len(content)):
        if length < start:
            with pytest.raises(TruncatedError):
                read(tmp_path, content[:length])
            continue
        found = read(tmp_path, content[:length])
        assert isinstance(found.problem, TruncatedError)
        assert [s.io for s in found.slots] == (["input"] if length >= start + 12 else [])
        for slot in found.slots:
            assert slot.tensor.numpy().tolist() == [0, 1, 2]


CONTENT = bin_bytes([np.arange(3, dtype=np.float32)], [np.ones((2, 2), np.float16)], op_name="x", time=5)


@given(st.integers(0, len(CONTENT) - 1), st.binary(min_size=1, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_damage_gives_an_error_or_tensors(tmp_path: Path, at: int, junk: bytes) -> None:
    with suppress(MsdumpError):
        for slot in read(tmp_path, CONTENT[:at] + junk + CONTENT[at + len(junk) :]).slots:
            with suppress(MsdumpError):
                slot.tensor.numpy()


def test_an_absurd_header_length(tmp_path: Path) -> None:
    with pytest.raises(DecodeError, match="absurd"):
        read(tmp_path, struct.pack("<Q", 1 << 60) + bytes(100))
    with pytest.raises(DecodeError, match="does not follow its schema"):
        read(tmp_path, struct.pack("<Q", 4) + b"\xff\xff\xff\xff")


def test_what_is_written_follows_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "x"
    arrays = [np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 0, 1], bool)]
    write_bin(path, arrays, [np.array([1, 2], np.float16)], op_name="x", time=9)
    content = path.read_bytes()
    length = struct.unpack_from("<Q", content)[0]
    message = DumpData.FromString(content[8 : 8 + length])
    assert [(i.data_type, tuple(i.shape.dim), i.size) for i in message.input] == [(1, (2, 3), 24), (11, (3,), 3)]
    assert [(o.data_type, tuple(o.shape.dim), o.size) for o in message.output] == [(2, (2,), 4)]
    assert content[8 + length :] == arrays[0].tobytes() + arrays[1].tobytes() + np.array([1, 2], np.float16).tobytes()
    assert looks_like_bin(content, len(content))
    assert not looks_like_bin(b"\x93NUMPY\x01\x00", 100)
    with pytest.raises(WriteError, match="none that a dump file has"):
        write_bin(tmp_path / "y", [np.array(["a"])], [])


def test_format_numbers() -> None:
    assert FORMATS[29] == "FRACTAL_NZ"
    assert FORMATS[255] == "MAX"

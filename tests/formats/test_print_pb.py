"""Values of print.pb: every type and spelling, both writers, and what is wrong with one alone."""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import msdump
from msdump import dtype as dtypes
from msdump.dtype import DTYPES, DType
from msdump.formats.packed import plain
from msdump.formats.print_pb.value import ValueReader
from msdump.records import BadValue, PrintMeta
from msdump.source import BytePlace, Note
from tests.conftest import CORPUS, FIXTURES
from tests.formats.print_bytes import call, delimited, string, tensor, tensor_message, varint
from tests.formats.print_faults import FAULTS, Bad, Error

# The fixtures are files of the corpus; where the whole corpus is there it is read instead.
FOLDER = CORPUS / "print" if CORPUS.is_dir() else FIXTURES / "print" / "mindspore"
FILES = sorted(FOLDER.glob("*.pb"))


def values_of(path: Path) -> list[Any]:
    """Every value of a file, and last the error that ended the reading."""
    found: list[Any] = []
    try:
        for record in msdump.read_print(path):
            found.extend(record.values)
    except msdump.DecodeError as error:
        found.append(Error(type(error).__name__, error.where.offset if isinstance(error.where, BytePlace) else -1))
    return found


def read_one(tmp_path: Path, content: bytes) -> Any:
    """The one value of a file; that a neighbour on either side is unharmed is checked too."""
    path = tmp_path / "print.pb"
    path.write_bytes(string("before") + content + string("after"))
    before, record, after = msdump.read_print(path)
    assert (before.values, after.values) == (("before",), ("after",))
    (value,) = record.values
    return value


def described(value: Any) -> Any:
    """A value as the table of faults spells it."""
    if isinstance(value, (str, Error)):
        return value
    if isinstance(value, BadValue):
        return Bad(value.dtype, value.shape, value.what)
    found = dtypes.by_numpy(value.dtype)
    assert found is not None
    return found.name, value.shape, np.asarray(value).ravel().tolist()


def assert_as_parse_print(value: Any, expected: dict[str, Any]) -> None:
    if expected["kind"] == "string":
        assert value == expected["value"]
        return
    array = np.asarray(value)
    found = dtypes.by_numpy(array.dtype)
    assert found is not None
    assert (found.name, array.shape) == (expected["dtype"], tuple(expected["shape"]))
    flat = array.astype(np.float64).ravel()
    parts = [(flat, expected[k]) for k in ("values", "first") if k in expected]
    parts += [(flat[-len(expected["last"]) :], expected["last"])] if "last" in expected else []
    assert parts
    for ours, theirs in parts:
        wanted = np.array([float(v) for v in theirs])
        np.testing.assert_array_equal(ours[: len(wanted)], wanted)
        assert np.signbit(ours[: len(wanted)]).tolist() == np.signbit(wanted).tolist() or np.isnan(wanted).any()
    if "sha256" in expected:
        assert hashlib.sha256(array.tobytes()).hexdigest() == expected["sha256"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_as_mindspore_reads_it_or_as_the_bytes_say(path: Path) -> None:
    found = values_of(path)
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    if path.stem in FAULTS:
        _why, wanted = FAULTS[path.stem]
        assert [described(value) for value in found] == wanted
        return
    assert len(found) == len(expected["items"])
    for value, item in zip(found, expected["items"], strict=True):
        assert_as_parse_print(value, item)


def test_every_fault_in_the_table_is_one_of_a_file() -> None:
    assert FAULTS.keys() <= {path.stem for path in FILES}


# Every type in every spelling, in an array, alone, and unaligned.

PLAIN = [d for d in DTYPES if plain(d)]
SPELLED = [(d, name) for d in PLAIN for name in sorted({d.name, d.name.replace("UInt", "Uint"), d.numpy, *d.aliases})]


def sample(dtype: DType, count: int) -> np.ndarray[Any, Any]:
    """Elements whose bytes all differ, as far as the type goes."""
    if dtype.name == "Bool":
        return np.array([True, False, False] * count)[:count]
    array: np.ndarray[Any, Any] = np.arange(1, 1 + count * dtype.bits // 8, dtype=np.uint8).view(dtype.np)
    return array


@pytest.mark.parametrize(("dtype", "name"), SPELLED, ids=lambda x: x if isinstance(x, str) else "")
@pytest.mark.parametrize("before", range(4))
def test_each_spelling_of_each_type(tmp_path: Path, dtype: DType, name: str, before: int) -> None:
    wanted = sample(dtype, 6).reshape(2, 3)
    content = string("x" * before) + tensor(name, (2, 3), wanted.tobytes())
    path = tmp_path / "print.pb"
    path.write_bytes(content)
    (array,) = list(msdump.read_print(path))[1].values
    assert isinstance(array, np.ndarray)
    assert (array.dtype, array.shape) == (dtype.np, (2, 3))
    assert array.tobytes() == wanted.tobytes()
    assert not array.flags.writeable
    assert not array.flags.owndata


@pytest.mark.parametrize("dtype", PLAIN, ids=lambda d: d.name)
def test_a_tensor_without_dims_is_a_numpy_scalar(tmp_path: Path, dtype: DType) -> None:
    wanted = sample(dtype, 1)
    value = read_one(tmp_path, tensor(dtype.name, (), wanted.tobytes()))
    assert isinstance(value, np.generic)
    assert (value.dtype, value.shape) == (dtype.np, ())
    assert value.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("name", "shape", "content", "wanted"),
    [
        ("Int4", (5,), b"\x21\xf3\x08", [1, 2, 3, -1, -8]),
        ("int4", (2, 2), b"\x10\x7f", [0, 1, -1, 7]),
        ("Int4", (), b"\x0d", [-3]),
        ("Int2", (5,), b"\xe4\x02", [0, 1, -2, -1, -2]),
        ("UInt2", (5,), b"\xe4\x02", [0, 1, 2, 3, 2]),
        ("UInt1", (10,), b"\x81\x02", [1, 0, 0, 0, 0, 0, 0, 1, 0, 1]),
        ("Float4E2M1", (3,), b"\x21\x07", [0.5, 1.0, 6.0]),
        ("Float6E2M3", (4,), b"\x08\x84\x40", [1.0, 2.0, 1.0, 2.0]),
        ("Complex32", (2,), struct.pack("<4e", 1.5, 0, -2, 0), [1.5, -2.0]),
    ],
)
def test_types_numpy_has_no_layout_for_are_unpacked(
    tmp_path: Path, name: str, shape: tuple[int, ...], content: bytes, wanted: list[float]
) -> None:
    value = read_one(tmp_path, tensor(name, shape, content))
    found = dtypes.by_name(name)
    assert found is not None
    assert (value.dtype, value.shape) == (found.np, shape)
    assert np.asarray(value).astype(np.complex128).ravel().tolist() == wanted
    assert isinstance(value, np.generic) or not value.flags.writeable


@pytest.mark.parametrize("host", ["little", "big"])
def test_the_file_is_little_endian_on_every_host(host: Literal["little", "big"]) -> None:
    for dtype in PLAIN:
        message = delimited(2, tensor_message(dtype.name, (3,), sample(dtype, 3).astype(dtype.np).tobytes()))
        value = ValueReader("x", message, host=host).read(0, len(message))
        assert isinstance(value, np.ndarray)
        np.testing.assert_array_equal(value.view(np.uint8), sample(dtype, 3).view(np.uint8))
        # What a host sees is decided by the byte order in the array's type, not by the host's own.
        if not dtype.ml and dtype.bits > 8:
            assert value.dtype.newbyteorder("<") == value.dtype


def test_known_numbers_byte_by_byte(tmp_path: Path) -> None:
    assert read_one(tmp_path, tensor("Int32", (2,), b"\x01\x02\x03\x04\xff\xff\xff\xff")).tolist() == [0x04030201, -1]
    assert read_one(tmp_path, tensor("Float32", (), b"\x00\x00\xc0\x3f")) == 1.5
    assert read_one(tmp_path, tensor("BFloat16", (1,), b"\xc0\x3f")).astype(np.float32).tolist() == [1.5]
    assert read_one(tmp_path, tensor("Complex64", (), struct.pack("<2f", 1.5, -2))) == 1.5 - 2j


@pytest.mark.parametrize(
    "shape", [(0,), (1,), (2, 0, 3), (1,) * 32, (3, 1, 2), (0, 1 << 40)], ids=lambda s: "x".join(map(str, s))[:20]
)
def test_shapes(tmp_path: Path, shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape, dtype=object))
    value = read_one(tmp_path, tensor("Int16", shape, np.arange(count, dtype="<i2").tobytes()))
    assert isinstance(value, np.ndarray)
    assert value.shape == shape
    assert value.ravel().tolist() == list(range(count))


def test_long_values_and_long_strings(tmp_path: Path) -> None:
    # Lengths around what one, two and three bytes of a varint tell, and around a window of reading.
    sizes = [0, 1, 126, 127, 128, 129, 4000, 4096, 16380, 16383, 16384, 16400, 1 << 18, 300_001]
    wanted: list[Any] = []
    parts: list[bytes] = []
    for size in sizes:
        wanted += ["é" + "x" * size, np.arange(size, dtype=np.uint8)]
        parts += [string(wanted[-2]), tensor("UInt8", (size,), wanted[-1].tobytes())]
    path = tmp_path / "print.pb"
    path.write_bytes(b"".join(parts))
    found: list[Any] = [v for r in msdump.read_print(path) for v in r.values]
    assert [described(v) for v in found] == [described(v) for v in wanted]
    assert [r.offset for r in msdump.open_print(path)] == [0, *itertools.accumulate(map(len, parts))][:-1]


def test_the_same_bytes_before_other_elements_are_read_once_and_applied_right(tmp_path: Path) -> None:
    # Two shapes of one length, and content that looks like a header, in every order.
    a = tensor("Float32", (2, 3), struct.pack("<6f", *range(6)))
    b = tensor("Float32", (3, 2), struct.pack("<6f", *range(6)))
    c = tensor("UInt8", (len(a) - 20,), a[: len(a) - 20])
    for order in itertools.product((a, b, c), repeat=3):
        path = tmp_path / "print.pb"
        path.write_bytes(b"".join(order))
        shapes = {a: (2, 3), b: (3, 2), c: (len(a) - 20,)}
        assert [r.values[0].shape for r in msdump.read_print(path)] == [shapes[o] for o in order]  # type: ignore[union-attr]  # arrays


# What is wrong with one value, and with it alone.

F32 = struct.pack("<4f", 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("content", "wanted", "raw"),
    [
        (string(b"\xff\xfe"), Bad("", (), "the string is not UTF-8: byte 0 of it is 0xff"), b"\xff\xfe"),
        (string(b"ok\xed\xa0\x80"), Bad("", (), "the string is not UTF-8: byte 2 of it is 0xed"), b"ok\xed\xa0\x80"),
        (tensor("Float32", (5,), F32), Bad("Float32", (5,), "the content has 16 bytes, Float32[5] needs 20"), F32),
        (tensor("Float32", (), F32), Bad("Float32", (), "the content has 16 bytes, Float32[] needs 4"), F32),
        (tensor("Int4", (3,), F32), Bad("Int4", (3,), "the content has 16 bytes, Int4[3] needs 2"), F32),
        (tensor("Float32", (-4,), F32), Bad("Float32", (-4,), "a dim is negative: [-4]"), F32),
        (tensor("Float32", (-2, -2), F32), Bad("Float32", (-2, -2), "a dim is negative: [-2, -2]"), F32),
        (
            tensor("Float32", (1 << 62, 1 << 62), F32),
            Bad(
                "Float32",
                (1 << 62, 1 << 62),
                f"the content has 16 bytes, Float32[{1 << 62}, {1 << 62}] needs {4 << 124:,}",
            ),
            F32,
        ),
        (
            tensor("Float32", (0, 1 << 62, 1 << 62), b""),
            Bad("Float32", (0, 1 << 62, 1 << 62), f"dims [0, {1 << 62}, {1 << 62}] are more than numpy can hold"),
            b"",
        ),
        (tensor("String", (4,), F32), Bad("String", (4,), 'the type "String" is unknown'), F32),
        (
            # The type's own bytes are not in `dtype`, so that all of the value is kept.
            tensor(b"\xffloat", (4,), F32),
            Bad("\\xffloat", (4,), 'the type "\\xffloat" is unknown'),
            delimited(2, tensor_message(b"\xffloat", (4,), F32)),
        ),
        (
            tensor("", (4,), F32),
            Bad("", (4,), "the type is empty"),
            delimited(2, tensor_message("", (4,), F32)),
        ),
        (tensor(None, (4,), F32), Bad("", (4,), "tensor_type is missing"), F32),
        (
            tensor("Float32", (4,), None),
            Bad("Float32", (4,), "tensor_content is missing"),
            delimited(2, tensor_message("Float32", (4,), None)),
        ),
        (delimited(1, b""), Bad("", (), "neither desc nor tensor is set"), b""),
        (delimited(1, b"\x18\x05"), Bad("", (), "neither desc nor tensor is set"), b"\x18\x05"),
        (delimited(1, delimited(2, b"")), Bad("", (), "tensor_type is missing"), b"\x12\x00"),
    ],
)
def test_a_bad_value_says_what_is_wrong_and_keeps_its_bytes(
    tmp_path: Path, content: bytes, wanted: Bad, raw: bytes
) -> None:
    value = read_one(tmp_path, content)
    assert described(value) == wanted
    assert value.raw == raw


@pytest.mark.parametrize(
    ("inner", "what"),
    [
        (b"\x0a\x05ab", "field 1 has 5 bytes, 2 are there"),
        (b"\x12\x7f\x08\x04", "field 2 has 127 bytes, 2 are there"),
        (b"\x0f", "there is no wire type 7"),
        (b"\x0a" + b"\xff" * 9 + b"\x01", "field 1 has 18,446,744,073,709,551,615 bytes, 0 are there"),
    ],
)
def test_a_value_whose_inside_is_damaged(tmp_path: Path, inner: bytes, what: str) -> None:
    value = read_one(tmp_path, delimited(1, inner))
    assert isinstance(value, BadValue)
    assert value.raw == inner
    assert value.what == f"the value is damaged: {what} (byte 12)"


def test_more_dims_than_numpy_holds(tmp_path: Path) -> None:
    value = read_one(tmp_path, tensor("Float32", (1,) * 10_000, b"\0\0\0\0"))
    assert isinstance(value, BadValue)
    assert value.what == f"there are more than {len(value.shape)} dims"
    assert value.shape == (1,) * len(value.shape)


def test_packed_and_scattered_dims(tmp_path: Path) -> None:
    packed = delimited(1, varint(2) + varint(2)) + delimited(2, b"Float32") + delimited(3, F32)
    assert read_one(tmp_path, delimited(1, delimited(2, packed))).tolist() == [[1, 2], [3, 4]]
    scattered = delimited(3, F32) + b"\x08\x02" + delimited(2, b"Float32") + b"\x08\x02"
    assert read_one(tmp_path, delimited(1, delimited(2, scattered))).tolist() == [[1, 2], [3, 4]]


def test_the_last_of_desc_and_tensor_wins_and_it_is_noted(tmp_path: Path) -> None:
    one = delimited(2, tensor_message("Float32", (1,), b"\x00\x00\x80\x3f"))
    path = tmp_path / "print.pb"
    path.write_bytes(delimited(1, delimited(1, b"text") + one) + delimited(1, one + delimited(1, b"text")))
    notes: list[Note] = []
    tensor_record, string_record = msdump.read_print(path, on_note=notes.append)
    assert tensor_record.values[0].tolist() == [1.0]  # type: ignore[union-attr]  # arrays
    assert string_record.values == ("text",)
    assert [(n.what, n.where) for n in notes] == [
        ("desc and tensor are both set; the last one is kept", BytePlace(str(path), 2)),
        ("desc and tensor are both set; the last one is kept", BytePlace(str(path), string_record.offset + 2)),
    ]


def test_unknown_fields_are_skipped_and_noted(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    group = b"\x1b" + delimited(1, b"not a value") + b"\x1c"
    path.write_bytes(
        delimited(9, b"zzz") + group + string("a") + b"\x38\xac\x02" + string("b") + b"\x0d\x01\x02\x03\x04"
    )
    notes: list[Note] = []
    assert [r.values for r in msdump.read_print(path, on_note=notes.append)] == [("a",), ("b",)]
    assert [n.what for n in notes] == [f"unknown field {n} is skipped" for n in (9, 3, 7, 1)]


# Records of msdump's own writer.


def test_one_call_is_one_record_with_its_metadata(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    first = call(string("loss:") + tensor("Float32", (2,), F32[:8]), 7, step=-1, file="net.py", line=26)
    path.write_bytes(first + string("alone") + call(b"", 8))
    one, two, three = msdump.read_print(path)
    assert one.meta == PrintMeta(7, 1_700_000_000_000_000_007, 0, -1, "net.py", 26)
    assert one.values[0] == "loss:"
    assert one.values[1].tolist() == [1.0, 2.0]  # type: ignore[union-attr]  # arrays
    assert (two.values, two.meta, two.offset) == (("alone",), None, len(first))
    assert (three.values, three.index) == ((), 2)
    assert three.meta is not None
    assert three.meta.call == 8


def test_a_checksum_that_does_not_match_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    damaged = bytearray(call(string("loss"), 0))
    damaged[-1] ^= 0x20
    path.write_bytes(bytes(damaged) + call(string("next"), 1))
    notes: list[Note] = []
    assert [r.values for r in msdump.read_print(path, on_note=notes.append)] == [("losS",), ("next",)]
    assert [(n.what, n.where, n.level) for n in notes] == [
        ("the record is damaged: its checksum does not match", BytePlace(str(path), 0), "warning")
    ]


def test_many_calls_and_damaged_ones_among_them(tmp_path: Path) -> None:
    # Of a few lines of source, with steps and without, numbers of every length, and none of a value.
    path = tmp_path / "print.pb"
    parts: list[bytes] = []
    wanted: list[tuple[Any, ...]] = []
    for n in range(1500):
        step = n if n % 3 else None
        payload = b"".join([string(f"step {n}"), tensor("Float32", (2,), F32[:8])][: n % 4]) + string("x" * n) * (n % 2)
        count = min(n % 4, 2) + n % 2
        part = call(payload, n * n * n, step=step, file=f"net{n % 5}.py", line=n % 7 + 1)
        if n % 100 == 50:
            part = part[:-1] + bytes([part[-1] ^ 1])
        parts.append(part)
        time_ns = 1_700_000_000_000_000_000 + n * n * n
        wanted.append((PrintMeta(n * n * n, time_ns, 0, step, f"net{n % 5}.py", n % 7 + 1), count))
    path.write_bytes(b"".join(parts))
    notes: list[Note] = []
    records = list(msdump.read_print(path, on_note=notes.append))
    assert [(r.meta, len(r.values)) for r in records] == wanted
    offsets = [0, *itertools.accumulate(map(len, parts))]
    assert [r.offset for r in records] == offsets[:-1]
    assert [n.where.offset for n in notes if isinstance(n.where, BytePlace)] == offsets[50:-1:100]
    log = msdump.open_print(path)
    assert [log[i].meta for i in range(len(log))] == [meta for meta, _ in wanted]


def test_damage_inside_a_call_keeps_the_next_call(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    payload = string("one") + b"\x0f" + string("lost")
    path.write_bytes(call(payload, 0) + call(string("next"), 1))
    one, two = msdump.read_print(path)
    assert one.values[0] == "one"
    assert isinstance(one.values[1], BadValue)
    assert one.values[1].raw == payload[len(string("one")) :]
    assert two.values == ("next",)


def test_a_cut_call_is_truncated_even_between_its_values(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    whole = call(string("a"), 0)
    path.write_bytes(whole + call(string("b") + string("c"), 1)[: -len(string("c"))])
    assert values_of(path) == ["a", Error("TruncatedError", len(whole))]

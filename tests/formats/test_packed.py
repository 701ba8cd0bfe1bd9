"""Elements of less than a byte, against a plain reading bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msdump.dtype import DTYPES, DType
from msdump.formats.packed import capacity, pack, packed_bytes, unpack

IN_DUMPS = [d for d in DTYPES if d.dump is not None]
NARROW = [d for d in IN_DUMPS if d.bits < 8]


def codes_of(content: bytes, count: int, bits: int) -> list[int]:
    """Each element's bits, lowest first, as a plain loop finds them."""
    found = []
    for element in range(count):
        code = 0
        for bit in range(bits):
            place = element * bits + bit
            code |= (content[place // 8] >> place % 8 & 1) << bit
        found.append(code)
    return found


def value_of(code: int, dtype: DType) -> Any:
    if dtype.numpy == "bool":
        return bool(code)
    if dtype.numpy.startswith("int"):
        return code - (1 << dtype.bits) if code >> (dtype.bits - 1) else code
    if dtype.numpy.startswith("uint"):
        return code
    return float(np.array([code], np.uint8).view(dtype.np)[0])


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
@given(content=st.binary(min_size=3, max_size=12), cut=st.integers(0, 7))
def test_unpacking_reads_the_lowest_bits_first(dtype: DType, content: bytes, cut: int) -> None:
    count = max(0, len(content) * 8 // dtype.bits - cut)
    if dtype.bits == 6 and count <= len(content):
        return  # a byte each then
    found = unpack(np.frombuffer(content, np.uint8), count, dtype)
    assert found.dtype == dtype.np
    assert found.astype(float).tolist() == [float(value_of(c, dtype)) for c in codes_of(content, count, dtype.bits)]


@pytest.mark.parametrize("dtype", IN_DUMPS, ids=lambda d: d.name)
@pytest.mark.parametrize("count", [0, 1, 3, 8, 13])
def test_what_is_packed_is_unpacked(dtype: DType, count: int) -> None:
    array = (np.arange(count) % 2 + (1 if "E8M0" in dtype.name else 0)).astype(dtype.np)
    content = pack(array, dtype)
    assert len(content) == (count if dtype.bits == 6 else packed_bytes(count, dtype))
    assert capacity(len(content), dtype) >= count
    found = unpack(np.frombuffer(content, np.uint8), count, dtype)
    assert found.tobytes() == array.tobytes()


def test_negative_nibbles() -> None:
    int4 = next(d for d in DTYPES if d.name == "Int4")
    found = unpack(np.frombuffer(b"\x8f\x71", np.uint8), 4, int4)
    assert found.astype(int).tolist() == [-1, -8, 1, 7]


def test_complex32_is_two_halves() -> None:
    complex32 = next(d for d in DTYPES if d.name == "Complex32")
    content = np.array([1, -2, 0.5, 4], np.float16).tobytes()
    assert unpack(np.frombuffer(content, np.uint8), 2, complex32).tolist() == [1 - 2j, 0.5 + 4j]


def test_six_bits_in_a_byte_each() -> None:
    dtype = next(d for d in DTYPES if d.name == "Float6E3M2")
    values = np.array([1, 2, -0.5]).astype(dtype.np)
    assert unpack(np.frombuffer(values.tobytes(), np.uint8), 3, dtype).astype(float).tolist() == [1, 2, -0.5]

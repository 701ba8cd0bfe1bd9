"""CRC-32 by folding against zlib's own."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from msdump.formats import checksum
from msdump.formats.checksum import crc32

_WORDS = checksum._FAR
_POLYNOMIAL = 0x104C11DB7


def _bytes(size: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.random.default_rng(size).integers(0, 256, size, np.uint8)


def test_the_polynomial_divides_the_trinomial() -> None:
    def power(exponent: int) -> int:
        value = 1
        for _ in range(exponent):
            value <<= 1
            value ^= _POLYNOMIAL if value >> 32 else 0
        return value

    assert power(91639) ^ power(41678) ^ 1 == 0


@pytest.mark.parametrize(
    "words",
    [_WORDS, _WORDS + 1, 49961 + _WORDS, 2 * _WORDS - 1, 2 * _WORDS, 2 * _WORDS + 41679, 3 * _WORDS + 5, 5 * _WORDS],
)
@pytest.mark.parametrize("tail", [0, 3])
def test_folded_is_zlibs(monkeypatch: pytest.MonkeyPatch, words: int, tail: int) -> None:
    monkeypatch.setattr(checksum, "_LARGE", _WORDS * 8 + 8)
    data = _bytes(words * 8 + tail + 8)
    for skew in (0, 1, 7):
        view = data[skew : skew + words * 8 + tail + 1].data
        for start in (0, 1, 0xDEADBEEF, 0xFFFFFFFF):
            assert crc32(view, start) == zlib.crc32(view, start)


@pytest.mark.parametrize("size", [0, 1, 999, (1 << 21) - 1, 1 << 21, (1 << 21) + 9])
def test_any_buffer(size: int) -> None:
    data = _bytes(size).tobytes()
    want = zlib.crc32(data, 77)
    assert crc32(data, 77) == want
    assert crc32(bytearray(data), 77) == want
    assert crc32(memoryview(data), 77) == want


def test_each_bit_counts() -> None:
    """A bit turned anywhere, the folded part and the rest, gives another checksum."""
    data = _bytes(1 << 21)
    whole = crc32(data.data)
    for at in (0, 5, 49960 * 8, 49961 * 8 + 1, 91639 * 8 - 1, 91639 * 8, (1 << 21) - 1):
        data[at] ^= 0x10
        assert crc32(data.data) != whole
        assert crc32(data.data) == zlib.crc32(data.data)
        data[at] ^= 0x10

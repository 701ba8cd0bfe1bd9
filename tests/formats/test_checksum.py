"""CRC-32 by several threads against zlib's own."""

from __future__ import annotations

import threading
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msdump.formats import checksum
from msdump.formats.checksum import combined, crc32


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_two_parts_give_the_whole(a: bytes, b: bytes) -> None:
    assert combined(zlib.crc32(a), zlib.crc32(b), len(b)) == zlib.crc32(a + b)


@pytest.mark.parametrize("processors", [1, 2, 3, 64])
@pytest.mark.parametrize("size", [0, 1, 999, 1000, 2001, 12_345])
def test_by_threads_as_by_one(monkeypatch: pytest.MonkeyPatch, processors: int, size: int) -> None:
    monkeypatch.setattr(checksum, "_PART", 1000)
    monkeypatch.setattr(checksum, "_processors", lambda: processors)
    data = np.random.default_rng(size).integers(0, 256, size).astype(np.uint8).data
    for start in (0, 0xDEADBEEF):
        assert crc32(data, start) == zlib.crc32(data, start)


def test_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    class None_(threading.Thread):
        def start(self) -> Any:
            raise RuntimeError("can't start new thread at interpreter shutdown")

    monkeypatch.setattr(checksum, "_PART", 10)
    monkeypatch.setattr(checksum, "_processors", lambda: 4)
    monkeypatch.setattr(threading, "Thread", None_)
    assert crc32(b"x" * 1000, 7) == zlib.crc32(b"x" * 1000, 7)

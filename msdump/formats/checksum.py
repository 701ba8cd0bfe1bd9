"""zlib's CRC-32 of large memory by several threads, so that a record is written at the disk's speed.

The checksums of two parts give that of the whole: with p the CRC's polynomial, the first times x to
the power of the second part's bits modulo p, plus the second (the method of zlib's crc32_combine).
"""

from __future__ import annotations

import functools
import os
import threading
import zlib
from typing import Any

_POLYNOMIAL = 0xEDB88320
_ONE = 1 << 31
"""x to the power 0: the lowest power stands in the highest bit."""
_PART = 4 << 20
"""Bytes from which a part is worth a thread."""
_MOST_THREADS = 4


def crc32(data: Any, start: int = 0) -> int:
    """As zlib.crc32, for a contiguous buffer of bytes; its memory is read where it stands."""
    size = len(data)
    parts = min(size // _PART, _processors(), _MOST_THREADS)
    if parts < 2:
        return zlib.crc32(data, start)
    view = memoryview(data)
    bounds = [size * at // parts for at in range(parts + 1)]
    found = [0] * parts

    def work(at: int) -> None:
        found[at] = zlib.crc32(view[bounds[at] : bounds[at + 1]])

    threads = [threading.Thread(target=work, args=(at,), daemon=True) for at in range(1, parts)]
    try:
        for thread in threads:
            thread.start()
    except RuntimeError:
        # No threads are to be had, as when the interpreter is ending.
        return zlib.crc32(data, start)
    work(0)
    for thread in threads:
        thread.join()
    for at in range(parts):
        start = combined(start, found[at], bounds[at + 1] - bounds[at])
    return start


def combined(first: int, second: int, size: int) -> int:
    """The CRC-32 of two parts joined, from that of each and the size in bytes of the second."""
    return _product(_power(size), first) ^ second


@functools.lru_cache(maxsize=64)
def _power(size: int) -> int:
    """The power of x by the bits of `size` bytes, modulo the polynomial."""
    square, result = _ONE >> 1, _ONE
    bits = size * 8
    while bits:
        if bits & 1:
            result = _product(square, result)
        square = _product(square, square)
        bits >>= 1
    return result


def _product(a: int, b: int) -> int:
    """The product of a and b modulo the polynomial, bits reflected as CRC-32 has them."""
    result = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            result ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return result


@functools.cache
def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""zlib's CRC-32, several times faster than zlib over large memory.

A CRC is the remainder of the data, read as a polynomial over GF(2) whose first bit is the highest
power, divided by the CRC's polynomial P. P divides x^91639 + x^41678 + 1, the trinomial of lowest
degree that it divides; and since squaring over GF(2) squares each power, it divides
x^(91639*64) + x^(41678*64) + 1 as well. So a word of 64 bits may be taken away where it stands and
added (exclusive or) 91639 - 41678 and 91639 words further on, and the remainder stays the same.
Carried on from the first word, all of the data ends up in its last 91639 words, by two passes of
exclusive or that numpy does at the speed of memory; zlib does those words.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

_FAR = 91639
"""Words between a word and the farther of the two that it is added to."""
_NEAR = _FAR - 41678
_AT_ONCE = 1 << 15
"""Words that one step handles: at most 41678, so that what is read and what is written lie apart."""
_LARGE = 1 << 21
"""Bytes from which folding is worth its last 91639 words."""


def crc32(data: Any, start: int = 0) -> int:
    """As zlib.crc32, for a contiguous buffer of bytes; its memory is read where it stands."""
    if len(data) < _LARGE:
        return zlib.crc32(data, start)
    raw = np.frombuffer(data, np.uint8)
    skew = -raw.__array_interface__["data"][0] % 8
    end = skew + (len(raw) - skew) // 8 * 8
    start = zlib.crc32(raw[:skew].data, start)
    ring, first = _folded(raw[skew:end].view(np.uint64), start)
    # The start is in the words already, and zlib takes it inverted: none at all is all ones.
    so_far = zlib.crc32(ring[first:].data, 0xFFFFFFFF)
    return zlib.crc32(raw[end:].data, zlib.crc32(ring[:first].data, so_far))


def _folded(words: np.ndarray[Any, Any], start: int) -> tuple[np.ndarray[Any, Any], int]:
    """91639 words with the remainder of at least as many, the checksum before included: (a ring, its first)."""
    # Word i comes to stand at i modulo _FAR, where what word i - _FAR became has stood until then.
    ring = np.zeros(_FAR, np.uint64)
    ring.view(np.uint8)[:4] = np.frombuffer((~start & 0xFFFFFFFF).to_bytes(4, "little"), np.uint8)
    # Words from `last` on stay where they are, so they are not added _NEAR words further on.
    last = len(words) - _FAR
    at = 0
    while at < len(words):
        slot = at % _FAR
        near = slot - _NEAR if slot >= _NEAR else slot + _FAR - _NEAR
        count = min(_AT_ONCE, _FAR - slot, _FAR - near, (last + _NEAR if at < last + _NEAR else len(words)) - at)
        here = ring[slot : slot + count]
        np.bitwise_xor(here, words[at : at + count], out=here)
        if at < last + _NEAR:
            np.bitwise_xor(here, ring[near : near + count], out=here)
        at += count
    return ring, len(words) % _FAR

"""What the bytes of a text are in: byte-order marks, UTF-16 without one, and GBK among lines of a log."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Marks and codecs, the longer of two that begin alike first."""
_LOOKED_AT = 512
GUESSED = "gb18030"
"""What text that is not UTF-8 is taken for, when it can be: GBK, and all that GB 18030 adds."""


def encoding_of(head: bytes) -> str:
    """The codec of a text that does not begin as UTF-8 does, by its first bytes; "" for all others.

    A byte-order mark tells; without one, UTF-16 is told by the zero in every second byte of ASCII text.
    """
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    part = head[:_LOOKED_AT]
    if len(part) < 8 or b"\0" not in part:
        return ""
    for codec, zeros, others in (("utf-16-le", part[1::2], part[0::2]), ("utf-16-be", part[0::2], part[1::2])):
        if zeros.count(0) * 10 >= len(zeros) * 9 and not others.count(0) and others[:1].isascii():
            return codec
    return ""


class LineDecoder:
    """The lines of a log as text, whatever they are in, one after another.

    Attributes:
        guessed: the number of the first line (from 1) that made the guess GBK, or 0.
    """

    def __init__(self, encoding: str = "") -> None:
        self.guessed = 0
        self._encoding = encoding
        self._seen_utf8 = False

    def lines(self, raw: Iterable[bytes]) -> Iterator[tuple[str, int]]:
        """Each line without its newline, and the byte offset at which it begins."""
        offset = 0
        given = iter(raw)
        first = next(given, b"")
        wide = self._encoding or encoding_of(first)
        if wide.startswith(("utf-16", "utf-32")):
            yield from self._wide(first, given, wide)
            return
        if first.startswith(codecs.BOM_UTF8):
            offset, first = len(codecs.BOM_UTF8), first[len(codecs.BOM_UTF8) :]
        line = first
        number = 1
        while line:
            yield self._text(line, number).rstrip("\r\n"), offset
            offset += len(line)
            line = next(given, b"")
            number += 1

    def _text(self, line: bytes, number: int) -> str:
        if self._encoding:
            return line.decode(self._encoding, "surrogateescape")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            self._seen_utf8 = self._seen_utf8 or not line.isascii()
            return text
        if not self._seen_utf8:
            try:
                text = line.decode(GUESSED)
            except UnicodeDecodeError:
                pass
            else:
                # One line told: short ones after it may be UTF-8 by chance.
                self._encoding, self.guessed = GUESSED, number
                return text
        return line.decode("utf-8", "surrogateescape")

    @staticmethod
    def _wide(first: bytes, rest: Iterator[bytes], codec: str) -> Iterator[tuple[str, int]]:
        """Lines of UTF-16 or UTF-32, whose newline is more than the byte that split them."""
        decoder = codecs.getincrementaldecoder(codec)("replace")
        text, offset, read = "", 0, 0
        for raw in chain([first], rest):
            text += decoder.decode(raw)
            read += len(raw)
            *whole, text = text.split("\n")
            for line in whole:
                yield line.rstrip("\r").removeprefix("\ufeff"), offset
            if whole:
                offset = read
        text += decoder.decode(b"", True)
        if text:
            yield text, offset

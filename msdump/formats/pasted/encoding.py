"""What the bytes of a text are in: byte-order marks, UTF-16 without one, and GBK among lines of a log."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from msdump.errors import MsdumpError
from msdump.source import Note, TextPlace

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Marks and codecs, the longer of two that begin alike first."""
_LOOKED_AT = 512
_LINES_LOOKED_AT = 50
GUESSED = "gb18030"
"""What text that is not UTF-8 is taken for, when it can be: GBK, and all that GB 18030 adds."""


def encoding_of(head: bytes) -> str:
    """The codec of a text that does not begin as UTF-8 does, by its first bytes; "" for all others.

    A byte-order mark tells; without one, UTF-16 is told by the zeros that every second byte of ASCII
    text is, where more than half of it is ASCII.
    """
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    part = head[:_LOOKED_AT]
    if len(part) < 8 or b"\0" not in part:
        return ""
    for codec, zeros, others in (("utf-16-le", part[1::2], part[0::2]), ("utf-16-be", part[0::2], part[1::2])):
        if zeros.count(0) * 2 > len(zeros) and not others.count(0):
            return codec
    return ""


class LineDecoder:
    """The lines of a log as text, whatever they are in, one after another.

    Args:
        encoding: what they are in; "" tells it from them.
        name: what notes call the log.
        on_note: is told of what they turned out to be in.

    Raises:
        MsdumpError: there is no such encoding.
    """

    def __init__(self, encoding: str, name: str, on_note: Callable[[Note], None]) -> None:
        try:
            self._encoding = codecs.lookup(encoding).name if encoding else ""
        except LookupError:
            raise MsdumpError(f"there is no encoding {encoding!r}", hint="for example utf-8, gbk, utf-16") from None
        self._name = name
        self._on_note = on_note
        self._seen_utf8 = False

    def lines(self, raw: Iterable[bytes]) -> Iterator[tuple[str, int]]:
        """Each line without its newline, and the byte offset at which it begins."""
        first = list(islice(raw := iter(raw), _LINES_LOOKED_AT))
        given = chain(first, raw)
        offset = 0
        told = encoding_of(b"".join(first))
        if told and not self._encoding:
            self._tell(f"the text is in {told.upper()}", 1)
        wide = self._encoding or told
        if wide.startswith(("utf-16", "utf-32")):
            yield from self._wide(given, wide)
            return
        line = next(given, b"")
        if line.startswith(codecs.BOM_UTF8):
            offset = len(codecs.BOM_UTF8)
            line = line[offset:] or next(given, b"")
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
                self._encoding = GUESSED
                self._tell("this line is not UTF-8; the log is taken for GBK (--encoding says otherwise)", number)
                return text
        return line.decode("utf-8", "surrogateescape")

    def _wide(self, raw: Iterable[bytes], codec: str) -> Iterator[tuple[str, int]]:
        """Lines of UTF-16 or UTF-32, whose newline is more than the byte that split them."""
        decoder = codecs.getincrementaldecoder(codec)("replace")
        text, offset, read = "", 0, 0
        for part in raw:
            text += decoder.decode(part)
            read += len(part)
            *whole, text = text.split("\n")
            for line in whole:
                yield line.rstrip("\r").removeprefix("\ufeff"), offset
            offset = read if whole else offset
        text += decoder.decode(b"", True)
        if text:
            yield text, offset

    def _tell(self, what: str, number: int) -> None:
        self._on_note(Note(what, TextPlace(self._name, number), "undone"))

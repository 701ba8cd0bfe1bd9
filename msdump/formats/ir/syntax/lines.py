"""A file as lines: read in chunks, each distinct line kept once, joined to the same bytes again."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 20


def read_lines(path: str | Path) -> list[str]:
    """The lines of a file without their newlines; bytes that are not UTF-8 become lone surrogates.

    Lines that occur again (most of a 2.x dump are notes that do) are one string in memory. OSError
    when the file cannot be read.
    """
    with open(path, "rb") as stream:
        return stream_lines(stream)


def split_lines(data: bytes) -> list[str]:
    """As `read_lines`, of bytes in memory."""
    return stream_lines(io.BytesIO(data))


def stream_lines(stream: BinaryIO) -> list[str]:
    """As `read_lines`, of an open binary file."""
    lines: list[str] = []
    known: dict[str, str] = {}
    rest: list[bytes] = []
    while chunk := stream.read(_CHUNK):
        end = chunk.rfind(b"\n")
        if end < 0:
            rest.append(chunk)
            continue
        rest.append(chunk[:end])
        part = b"".join(rest).decode("utf-8", "surrogateescape").split("\n")
        rest = [chunk[end + 1 :]]
        lines.extend(map(known.setdefault, part, part))
    lines.append(b"".join(rest).decode("utf-8", "surrogateescape"))
    return lines


def join_lines(lines: Iterable[str]) -> bytes:
    """The bytes that `lines` were read from."""
    return "\n".join(lines).encode("utf-8", "surrogateescape")

"""A file as a read-only mapping: arrays can be views of it, and pages are let go behind a reader."""

from __future__ import annotations

import mmap
import os
from typing import BinaryIO

from msdump.pipes import STDIN, local

_PAGE = mmap.ALLOCATIONGRANULARITY


class MappedFile:
    """The bytes of a file, by offset.

    Attributes:
        name: what messages call the file.
        buffer: all its bytes, as a mapping (b"" for an empty file). Arrays over it keep it alive.
        size: bytes of the file when it was opened.
    """

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self.size = os.fstat(stream.fileno()).st_size
        self.buffer: mmap.mmap | bytes = b""
        if self.size:
            self.buffer = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            self.size = len(self.buffer)

    def release(self, start: int, stop: int) -> None:
        """Let go of the memory of the pages between two offsets; reading them again fetches them anew.

        Views of them stay valid. Without this the pages a reader has touched stay in its resident
        memory until the whole file is there.
        """
        start = start // _PAGE * _PAGE
        stop = stop // _PAGE * _PAGE
        if not isinstance(self.buffer, bytes) and stop > start and hasattr(mmap, "MADV_DONTNEED"):
            self.buffer.madvise(mmap.MADV_DONTNEED, start, stop - start)


def open_mapped(path: str | os.PathLike[str]) -> MappedFile:
    """Map a file. `-` is standard input; what a pipe gives is first written to a temporary file.

    Raises:
        OSError: the file is not there or cannot be read.
    """
    name = os.fspath(path)
    with open(local(name), "rb") as stream:
        return MappedFile("<stdin>" if name == STDIN else name, stream)

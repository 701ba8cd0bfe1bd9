"""Writing print.pb: one record a call, whole or not there, no copy of large tensors.

A record is msdump's metadata (print_meta) and then the values as MindSpore's own 2.x writer has
them, types in its spelling (`UInt8`, `BFloat16`), dims left out for a 0-d tensor only. Nothing is
held back: each call is one writev(), so a process that is killed loses at most the record being
written. As MindSpore does at the end of a run, `close` takes away the permission to write the file.
"""

from __future__ import annotations

import errno
import os
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from time import time_ns
from typing import Any

from msdump.errors import WriteError
from msdump.formats.framing import encode_varint
from msdump.formats.print_encode import LARGE, Chunk, encode_values
from msdump.formats.print_meta import assemble, assemble_small, encode_place
from msdump.records import PrintValue

_MOST_AT_ONCE = 0x7FFFF000
"""Most bytes Linux takes in one writev(); other systems refuse more than 2 GiB."""
_MOST_CHUNKS = 1000
_CALLS = 1 << 7
"""Calls in a row whose numbers differ in the first byte of their varint alone."""
_LOW = [bytes((0x18, 0x80 | number)) for number in range(_CALLS)]
"""Tag and first byte of the varint of a call's number, by its low seven bits."""
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class PrintPathError(WriteError, OSError):
    """A print file that cannot be made: the path is a folder, or its place cannot be written."""


class PrintWriter:
    """A print.pb that is written call by call.

    The name is reserved when the writer is made: no two writers, in any process, share a file.

    Args:
        path: the file. When it exists, `path.<unix seconds>` is taken, then `path.<unix seconds>.1`
            and so on; missing folders are made.
        rank: the process's rank, noted in each record.
        fsync: wait until each record is on the disk, not only in the system's hands.

    Raises PrintPathError (a WriteError and an OSError) when no file can be made there. Safe to use
    from several threads. A child made by fork gets a file of its own, by the same rule, when it
    first writes.
    """

    def __init__(self, path: str | os.PathLike[str], *, rank: int = 0, fsync: bool = False) -> None:
        self._asked = os.path.abspath(_checked_path(os.fspath(path)))
        self._rank = rank
        self._fsync = fsync
        self._lock = threading.Lock()
        self._size = 0
        self._closed = False
        self._fd, self._path = reserve(self._asked)
        self._call = 0
        self._call_fields = _call_fields(0)
        self._places: dict[tuple[int | None, str, int], bytes] = {}
        _writers.add(self)

    @property
    def path(self) -> str:
        """Absolute path of the file; in a child made by fork, of the child's own."""
        if self._fd < 0 and not self._closed:
            with self._lock:
                self._open_own()
        return self._path

    def is_empty(self) -> bool:
        """True when this process has written nothing to the file."""
        return self._size == 0

    def write(
        self,
        values: Sequence[PrintValue | bool | int | float],
        *,
        step: int | None = None,
        file: str = "",
        line: int = 0,
    ) -> None:
        """Write one call of Print as one record.

        Args:
            values: strings, numpy arrays and scalars, Python numbers; a BadValue is written back
                as it was.
            step: step of training, None when unknown.
            file: source file of the call, "" when unknown.
            line: its line, from 1; 0 when unknown.

        Raises:
            TypeError: a value of a type that MindSpore has no tensors of.
            WriteError: the file is closed, or the system refuses (the disk is full); the file then
                ends after the last whole record.
        """
        chunks = encode_values(values)
        with self._lock:
            if self._fd < 0:
                self._open_own()
            place = self._places.get((step, file, line))
            if place is None:
                place = self._encode_place(step, file, line)
            call = self._call
            if len(chunks) == 1 and len(chunks[0]) < LARGE:
                small = assemble_small(self._call_fields[call % _CALLS], time_ns(), place, chunks[0])
                size = len(small)
                try:
                    written = os.write(self._fd, small)
                    if written != size or self._fsync:
                        self._finish([small], written)
                except BaseException as error:
                    self._take_back(error)
                    raise
            else:
                record = [assemble(call, time_ns(), place, chunks), *chunks]
                size = sum(map(len, record))
                try:
                    self._finish(record, _writev(self._fd, record))
                except BaseException as error:
                    self._take_back(error)
                    raise
            self._size += size
            self._call = call = call + 1
            if not call % _CALLS:
                self._call_fields = _call_fields(call)

    def _take_back(self, error: BaseException) -> None:
        """Cut off half a record, which in the middle of a file would cost the reader what follows."""
        with suppress(OSError):
            os.ftruncate(self._fd, self._size)
            os.lseek(self._fd, self._size, os.SEEK_SET)
        if isinstance(error, OSError):
            raise WriteError(f"{self._path}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """End the file: it becomes read-only; a file that nothing was written to is removed."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._fd < 0:
                return
            os.close(self._fd)
            self._fd = -1
            with suppress(OSError):
                if self._size == 0 and os.path.getsize(self._path) == 0:
                    os.unlink(self._path)
                else:
                    os.chmod(self._path, os.stat(self._path).st_mode & 0o7555)

    def __enter__(self) -> PrintWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_own(self) -> None:
        if self._closed:
            raise WriteError(f"{self._path}: the file is closed")
        self._fd, self._path = reserve(self._asked)

    def _encode_place(self, step: int | None, file: str, line: int) -> bytes:
        if len(self._places) >= 256:
            self._places.clear()
        place = self._places[(step, file, line)] = encode_place(self._rank, step, file, line)
        return place

    def _finish(self, record: Sequence[Chunk], done: int) -> None:
        """Go on where the system cut a write short after `done` bytes, then sync when that is asked for."""
        rest: list[memoryview[Any]] = []
        for chunk in record:
            if done < len(chunk):
                rest.append(memoryview(chunk)[done:])
            done = max(0, done - len(chunk))
        while rest:
            written = _writev(self._fd, rest)
            while rest and written >= len(rest[0]):
                written -= len(rest.pop(0))
            if rest:
                rest[0] = rest[0][written:]
        if self._fsync:
            os.fsync(self._fd)

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
        if self._fd >= 0:
            with suppress(OSError):
                os.close(self._fd)
        self._fd, self._size, self._call, self._call_fields = -1, 0, 0, _call_fields(0)


def _call_fields(call: int) -> list[bytes]:
    """For each of the _CALLS calls from `call` on: its number, with its tag and that of the time after it."""
    above = encode_varint(call >> 7) + b"\x21"
    return [low + above for low in _LOW] if call else [bytes((0x18, number, 0x21)) for number in range(_CALLS)]


_writers: weakref.WeakSet[PrintWriter] = weakref.WeakSet()


def _after_fork() -> None:
    for writer in list(_writers):
        writer._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def open_print_writer(path: str, rank: int = 0) -> PrintWriter:
    """A PrintWriter at `path`: what the context opens when print_file_path is set."""
    return PrintWriter(path, rank=rank)


# --- the name -----------------------------------------------------------------------------------


def reserve(path: str) -> tuple[int, str]:
    """Make a new file at `path`, or beside it when that name is taken: (descriptor, its path).

    Raises PrintPathError when `path` is a folder or nothing can be made there.
    """
    _checked_path(path)
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with suppress(FileExistsError):
            return os.open(path, _FLAGS, 0o666), path
        stamped = f"{path}.{int(time.time())}"
        candidate, again = stamped, 0
        while True:
            with suppress(FileExistsError):
                return os.open(candidate, _FLAGS, 0o666), candidate
            again += 1
            candidate = f"{stamped}.{again}"
    except OSError as error:
        raise PrintPathError(f"{path}: no print file can be made there: {error.strerror}") from error


def _checked_path(path: str) -> str:
    if not path.strip():
        raise PrintPathError("the path of a print file is empty", hint="give the name of a file")
    if path.endswith(("/", os.sep)) or os.path.isdir(path):
        raise PrintPathError(f"{path}: a print file should be a file, but this is a folder")
    return path


# --- system calls ------------------------------------------------------------------------------


def _writev(fd: int, chunks: Sequence[Chunk]) -> int:
    """Write what one system call takes: bytes written, fewer than there are when it was cut short."""
    if len(chunks) == 1 and len(chunks[0]) <= _MOST_AT_ONCE:
        return os.write(fd, chunks[0])
    batch: list[Chunk] = []
    room = _MOST_AT_ONCE
    for chunk in chunks[:_MOST_CHUNKS]:
        if len(chunk) > room:
            batch.append(memoryview(chunk)[:room])
            break
        batch.append(chunk)
        room -= len(chunk)
    if hasattr(os, "writev"):
        return os.writev(fd, batch)
    return sum(_write_whole(fd, chunk) for chunk in batch)


def _write_whole(fd: int, chunk: Chunk) -> int:
    done = 0
    while done < len(chunk):
        written = os.write(fd, memoryview(chunk)[done:])
        if written == 0:
            raise OSError(errno.EIO, "nothing could be written")
        done += written
    return done

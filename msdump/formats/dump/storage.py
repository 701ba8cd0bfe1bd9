"""Where dump files lie: the local disk, or anything fsspec can reach (`msdump[remote]`).

Everything that reads a dump asks here, so that a URL works wherever a path does, and that what goes
wrong is a ReadError with the file's name, whichever library reads.
"""

from __future__ import annotations

import functools
import mmap
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from msdump.errors import MsdumpError, ReadError
from msdump.pipes import is_special
from msdump.source import WHOLE, BytePlace

if TYPE_CHECKING:
    Buffer: TypeAlias = "bytes | memoryview | mmap.mmap"

P = ParamSpec("P")
R = TypeVar("R")

_SMALL = 1 << 18
"""Up to this size a file is read, not mapped: mapping costs more than copying it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory. `known_size` is -1 until asked for by `size()`; `special` is what is
    neither file nor directory: a pipe, a socket, a device."""

    name: str
    path: str
    is_dir: bool
    known_size: int = -1
    special: bool = False

    def size(self) -> int:
        """Bytes of the file."""
        return self.known_size if self.known_size >= 0 else size(self.path)


def is_url(path: str) -> bool:
    """Whether a path is a URL for fsspec ("s3://…", "memory://…")."""
    head = path.partition("://")[0]
    return head != path and head.replace("+", "").isalnum()


def _reading(function: Callable[Concatenate[str, P], R]) -> Callable[Concatenate[str, P], R]:
    """What goes wrong in `function` becomes a ReadError with the path."""

    @functools.wraps(function)
    def read(path: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(path, *args, **kwargs)
        except MsdumpError:
            raise
        except OSError as error:
            said = error.strerror or str(error) or type(error).__name__
            raise ReadError(said[:1].lower() + said[1:], BytePlace(path, WHOLE)) from None
        except Exception as error:
            if not is_url(path):
                raise
            # A file system of fsspec raises what the library below it raises.
            said = " ".join(str(error).split()) or "it cannot be read"
            raise ReadError(f"{said} ({type(error).__name__})", BytePlace(path, WHOLE)) from None

    return read


def file_system(path: str) -> tuple[Any, str]:
    """The fsspec file system of a URL and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise MsdumpError(
            f"{path} is a URL, and fsspec is not installed", hint="install it with: pip install 'msdump[remote]'"
        ) from None
    try:
        fs, inner = fsspec.core.url_to_fs(path)
    except (ValueError, ImportError) as error:
        raise MsdumpError(f"{path}: {error}") from None
    return fs, str(inner)


def _url(path: str) -> tuple[str, str, str]:
    """A URL's scheme with its colon and slashes, the path, and the chain behind it ("::/tmp/x.zip")."""
    scheme, mark, rest = path.partition("://")
    inner, chain, target = rest.partition("::")
    return scheme + mark, inner, chain + target


def join(path: str, *names: str) -> str:
    """Path of a name in a directory; URLs are joined with slashes everywhere."""
    if not is_url(path):
        return os.path.join(path, *names)
    scheme, inner, chain = _url(path)
    return scheme + "/".join([inner.rstrip("/"), *names]) + chain


def parts(path: str) -> tuple[str, ...]:
    """The names on the way to a path, from the root down."""
    inner = _url(path)[1] if is_url(path) else os.path.abspath(path).replace(os.sep, "/")
    return tuple(p for p in inner.split("/") if p)


def parent(path: str) -> str:
    """The directory a file stands in, spelled as the file's path is; "" where it names none."""
    if "::" in path and is_url(path):
        scheme, inner, chain = _url(path)
        return scheme + inner.rpartition("/")[0] + chain
    return path.rpartition("/")[0]


def ancestor(path: str, count: int) -> str:
    """The directory that the first `count` names on the way to a path lead to."""
    names = "/".join(parts(path)[:count])
    if not is_url(path):
        return "/" + names
    scheme, inner, chain = _url(path)
    return scheme + ("/" if inner.startswith("/") else "") + names + chain


def scan(path: str) -> Iterator[Entry]:
    """The names in a directory as they come, unsorted; nothing is opened."""
    if is_url(path):
        for info in _listed(path):
            name = info["name"].rstrip("/").rpartition("/")[2]
            yield Entry(
                name,
                join(path, name),
                info["type"] == "directory",
                -1 if info.get("size") is None else int(info["size"]),
            )
        return
    with _scanned(path) as entries:
        for entry in entries:
            is_dir = entry.is_dir()
            special = not is_dir and not entry.is_file() and is_special(entry.path)
            yield Entry(entry.name, entry.path, is_dir, special=special)


@_reading
def _listed(path: str) -> list[dict[str, Any]]:
    fs, inner = file_system(path)
    return list(fs.ls(inner, detail=True))


@_reading
def _scanned(path: str) -> Any:
    return os.scandir(path)


@_reading
def is_dir(path: str) -> bool:
    """Whether the path is a directory."""
    if is_url(path):
        fs, inner = file_system(path)
        return bool(fs.isdir(inner))
    return os.path.isdir(path)


@_reading
def exists(path: str) -> bool:
    """Whether there is anything at the path."""
    if is_url(path):
        fs, inner = file_system(path)
        return bool(fs.exists(inner))
    return os.path.exists(path)


@_reading
def size(path: str) -> int:
    """Bytes of a file."""
    if is_url(path):
        fs, inner = file_system(path)
        return int(fs.size(inner))
    return os.stat(path).st_size


@_reading
def fingerprint(path: str) -> tuple[int, int]:
    """What changes when a file is written again: size, and time of writing in nanoseconds (0 for a URL)."""
    if is_url(path):
        return size(path), 0
    info = os.stat(path)
    return info.st_size, info.st_mtime_ns


# A pipe among the files has nobody writing: opened so, it is empty instead of never opening.
_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def _opened(path: str) -> int:
    return os.open(path, _OPEN)


@_reading
def read_range(path: str, start: int, length: int) -> bytes:
    """Bytes of a file from `start`; fewer when it ends before."""
    if is_url(path):
        fs, inner = file_system(path)
        content = fs.cat_file(inner, start=start, end=start + length)
        assert isinstance(content, bytes)
        return content
    descriptor = _opened(path)
    try:
        if start:
            os.lseek(descriptor, start, os.SEEK_SET)
        found = os.read(descriptor, length)
        if len(found) == length:
            return found
        pieces = [found]
        missing = length - len(found)
        while found and missing:
            found = os.read(descriptor, min(missing, 1 << 30))
            pieces.append(found)
            missing -= len(found)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


@_reading
def read_head(path: str, length: int) -> bytes:
    """The first bytes of a file, up to `length`, by one system call. Fewer are nearly always the whole
    file; who finds them too few asks `read_range`."""
    if is_url(path):
        return read_range(path, 0, length)
    descriptor = _opened(path)
    try:
        return os.read(descriptor, length)
    finally:
        os.close(descriptor)


@_reading
def read_into(path: str, start: int, room: memoryview) -> int:
    """Bytes of a file from `start` put into `room`; how many, fewer when it ends before."""
    if is_url(path) or not hasattr(os, "preadv"):
        content = read_range(path, start, len(room))
        room[: len(content)] = content
        return len(content)
    descriptor = _opened(path)
    try:
        done = 0
        while done < len(room):
            got = os.preadv(descriptor, [room[done:]], start + done)
            if not got:
                break
            done += got
        return done
    finally:
        os.close(descriptor)


def read_text(path: str) -> str:
    """A small text file; bytes that are no UTF-8 become U+FFFD."""
    return read_range(path, 0, size(path)).decode("utf-8", "replace")


@contextmanager
def local(path: str) -> Iterator[str]:
    """The file as one of the local disk: itself, or a copy with the same suffix while it lasts."""
    if not is_url(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="msdump-") as folder:
        copy = os.path.join(folder, parts(path)[-1])
        with open(copy, "wb") as file:
            file.write(read_range(path, 0, size(path)))
        yield copy


@_reading
def view(path: str) -> memoryview:
    """The whole file: read when small or remote, mapped when large."""
    length = size(path)
    if length <= _SMALL or is_url(path):
        return memoryview(read_range(path, 0, length))
    descriptor = _opened(path)
    try:
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ReadError(f"cannot be mapped: {error}", BytePlace(path, WHOLE)) from None
    finally:
        os.close(descriptor)
    return memoryview(mapped)

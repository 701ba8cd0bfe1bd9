"""Output files appear whole or not at all: written beside their place, then renamed."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from msdump.errors import WriteError


def _beside(path: Path) -> str:
    """How the name of a file that becomes `path` begins; a name has 255 bytes at most."""
    return f".{os.fsdecode(os.fsencode(path.name)[:100])}."


def _refuse(path: Path) -> WriteError:
    return WriteError(
        f"{path}: the file exists already", hint="give another name, or --force (force=True) to replace it"
    )


@contextmanager
def new_file(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[BinaryIO]:
    """A binary file to write that takes its place at `path` when the block ends without an error.

    Until then, and when the block raises, nothing is there (or what was there before). A name that
    is taken is refused, also when it was taken meanwhile, unless `force`. With `force` an existing
    file keeps its permissions. A device or a pipe (/dev/stdout) is written to directly.

    Raises:
        WriteError: the name is taken, or the folder does not allow it.
    """
    place = Path(path)
    if place.is_dir():
        raise WriteError(f"{place}: is a directory", hint="give the name of a file")
    if place.exists() and not place.is_file():
        with open(place, "wb") as stream:
            yield stream
        return
    if place.exists() and not force:
        raise _refuse(place)
    target = place.resolve() if force else place
    try:
        handle, name = tempfile.mkstemp(prefix=_beside(target), suffix=".part", dir=target.parent)
    except OSError as error:
        raise WriteError(f"{place}: {error.strerror or error}") from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        temporary.chmod(_mode(target))
        _take_place(temporary, target, force)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def new_folder(path: str | os.PathLike[str], *, force: bool = False, ours: Callable[[Path], bool]) -> Iterator[Path]:
    """A folder to fill that takes its place at `path` when the block ends without an error.

    With `force` a folder that is there is replaced, if it is empty or `ours` says that nothing else than
    such a folder's files are in it.

    Raises:
        WriteError: the name is taken, and may not be replaced.
    """
    place = Path(path)
    if place.exists():
        if not force:
            raise WriteError(f"{place}: exists already", hint="give another name, or --force to replace it")
        if not place.is_dir() or (any(place.iterdir()) and not ours(place)):
            raise WriteError(f"{place}: is not a folder that msdump made; it is not replaced")
    try:
        made = Path(tempfile.mkdtemp(prefix=_beside(place), suffix=".part", dir=place.parent))
    except OSError as error:
        raise WriteError(f"{place}: {error.strerror or error}") from error
    try:
        yield made
        mask = os.umask(0)
        os.umask(mask)
        made.chmod(0o777 & ~mask)
        if place.exists():
            shutil.rmtree(place)
        made.rename(place)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def write_file(path: str | os.PathLike[str], data: bytes, *, force: bool = False) -> None:
    """Write `data` as the whole file `path`; see `new_file`."""
    with new_file(path, force=force) as stream:
        stream.write(data)


def _mode(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _take_place(temporary: Path, target: Path, force: bool) -> None:
    if force:
        os.replace(temporary, target)
        return
    # A link fails when the name was taken meanwhile, where a rename would replace it.
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _refuse(target) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK):
            raise
        if target.exists():
            raise _refuse(target) from None
        os.replace(temporary, target)
        return
    temporary.unlink()

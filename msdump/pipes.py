"""Standard input and pipes, as files that can be opened more than once."""

from __future__ import annotations

import errno
import functools
import os
import stat
import sys

STDIN = "-"
_COPY = 1 << 20
_NAMES: dict[str, str] = {}


def local(path: str | os.PathLike[str]) -> str:
    """The path of a file that can be opened more than once: the path itself, or, for `-` (standard
    input) and pipes (`<(command)`), a copy of all they give, made once and removed at exit.

    Raises:
        OSError: the pipe cannot be read, or standard input is closed.
    """
    name = os.fspath(path)
    if name == STDIN:
        return _copied(name, (0, 0))
    try:
        info = os.stat(name)
    except (OSError, ValueError):
        return name  # who opens it says what is wrong
    return _copied(name, (info.st_dev, info.st_ino)) if stat.S_ISFIFO(info.st_mode) else name


@functools.cache
def _copied(name: str, _inode: tuple[int, int]) -> str:
    import atexit
    import shutil
    import tempfile

    # A folder of its own: nothing of another file stands beside it.
    folder = tempfile.mkdtemp(prefix="msdump-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = os.path.join(folder, "stdin" if name == STDIN else os.path.basename(name))
    _NAMES[copy] = "<stdin>" if name == STDIN else name
    if name == STDIN and sys.stdin is None:
        raise OSError(errno.EBADF, "is closed", "<stdin>")
    with open(copy, "wb") as file:
        if name == STDIN:
            shutil.copyfileobj(sys.stdin.buffer, file, _COPY)
        else:
            with open(name, "rb") as pipe:
                shutil.copyfileobj(pipe, file, _COPY)
    return copy


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether there is something at the path that is neither file nor directory: a pipe, a socket, a
    device. Met in a folder, no such thing is opened, since it may never end."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def shown(text: str) -> str:
    """A text, a path among others, in which copies that `local` made are called what they are copies of."""
    for copy, name in _NAMES.items():
        text = text.replace(copy, name)
    return text

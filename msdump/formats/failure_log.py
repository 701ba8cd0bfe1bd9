"""The text of a failed compilation in a file: a log, or what somebody copied out of a terminal."""

from __future__ import annotations

import os
from typing import Any

from msdump.errors import UnknownFormatError
from msdump.formats.format import Format, Reading
from msdump.formats.pasted import unpaste_bytes
from msdump.graph.failure_text import FailureText, read_failure_text
from msdump.source import WHOLE, BytePlace


def inspect_failure_log(path: str | os.PathLike[str], **_: Any) -> Reading:
    """The failure that a text file tells of, with notes on what was undone of a pasted text.

    Raises:
        UnknownFormatError: it tells of none.
        OSError: it cannot be read.
    """
    with open(path, "rb") as stream:
        pasted = unpaste_bytes(stream.read(), os.fspath(path))
    found = read_failure_text(pasted.lines)
    if not found:
        raise UnknownFormatError(
            "tells of no failed compilation",
            BytePlace(os.fspath(path), WHOLE),
            "explain reads analyze_fail.ir, analyze_fail.dat, and the text of an error",
        )
    return Reading(found, pasted.notes, format="failure-log", path=os.fspath(path))


def read_failure_log(path: str | os.PathLike[str], **options: Any) -> FailureText:
    """As `inspect_failure_log`, without the notes."""
    content: FailureText = inspect_failure_log(path, **options).content
    return content


FORMATS = (
    Format(
        name="failure-log",
        kind="failure",
        summary="the text of a failed compilation, for `msdump graph explain`",
        read=read_failure_log,
        inspect=inspect_failure_log,
    ),
)

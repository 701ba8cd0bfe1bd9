"""Where in the user's source a node is recorded: the call stack as MindSpore prints it."""

from __future__ import annotations

import functools
import linecache
import sys
from types import CodeType, FrameType

from msdump.graph import Location
from msdump.source import TextPlace

_OWN = "msdump."
_LAYERS = "msdump.runtime.nn"


def locations(codes: frozenset[CodeType] | set[CodeType], depth: int = 1) -> tuple[Location, ...]:
    """The lines that lead to the caller, outermost first: those of the user's functions and of the
    layers they use. It ends where the recording began; `codes` are the functions rewritten so far.
    """
    found: list[Location] = []
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name == "msdump.runtime.tracing.compile":
            break
        if frame.f_code in codes or not name.startswith(_OWN) or name.startswith(_LAYERS):
            found.append(_location(frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return tuple(reversed(found))


@functools.lru_cache(maxsize=4096)  # one object for a line that many nodes come from
def _location(file: str, line: int) -> Location:
    return Location(file, line, code=linecache.getline(file, line).rstrip("\n"))


def user_place(places: tuple[Location, ...]) -> TextPlace | None:
    """The innermost line as a place of an error, or None when nothing is known."""
    if not places:
        return None
    last = places[-1]
    return TextPlace(last.file, last.line, 1 + len(last.code) - len(last.code.lstrip()), last.code)


def failure_place(error: BaseException, codes: set[CodeType]) -> TextPlace | None:
    """The innermost of the user's lines that an error came through, or None."""
    found: TextPlace | None = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            found = user_place((_location(trace.tb_frame.f_code.co_filename, trace.tb_lineno),))
        trace = trace.tb_next
    return found


def is_own(error: BaseException) -> bool:
    """Whether an error was raised by msdump itself, not by the user's code or another library."""
    trace = error.__traceback__
    name = ""
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
    return name.startswith(_OWN)

"""The text of a failed compilation: what MindSpore raised, wherever it was copied from.

A Python traceback, the message, and sections between rulers: the C++ call stack, and the lines of
`construct` that led there, outermost first. 2.x:

    RuntimeError: For 'MatMul' the input dimensions must be equal, …

    ----------------------------------------------------
    - The Traceback of Net Construct Code:
    ----------------------------------------------------
    # 0 In file net.py:21, 15~31
            return self.mm(h, y)
                   ^~~~~~~~~~~~~
     (See file '/run/rank_0/om/analyze_fail.ir' for more details. …)

1.x has `The function call stack:` instead and `In file net.py(21)/   code/`. The head of an
analyze_fail.ir of 2.1 and later has the same sections, with the message under `- Caught exception:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msdump.graph.names import file_label, in_library

_ERROR = re.compile(r"(?:\w+\.)*(\w*(?:Error|Exception|Interrupt|StopIteration))(?::(?: (.*))?)?$")
_PYTHON_FRAME = re.compile(r'\s+File "(?P<file>[^"]+)", line (?P<line>[0-9]{1,9}), in ')
_FRAME = re.compile(r"(?:# ?)?\d* ?In file (?P<file>.+?)[:(](?P<line>[0-9]{1,9})\b[^/]*(?:/(?P<code>.*)/)?$")
_RULE = re.compile(r"(?:# ?)?[=-]{10,}$")
_SECTION = re.compile(r"- (.*?):?(?: \(For framework developers\))?:?$")
_CALL_STACK = ("The function call stack", "No more function graphs")
_BOILERPLATE = re.compile(
    r"# ?(?:The following shows|You can search|Refer to|\d\. ?(?:This file|You can|Refer)|The total of"
    r"|The rest function|num of)"
)
_CPP_PLACE = re.compile(r"mindspore/\S+:\d+ \w+\] ")
_SEE_FILE = re.compile(r"[Ss]ee file ['\"]?([^'\"\n]+?\.(?:ir|dat))\b")
_GRAPH_FILE = re.compile(r"([^\s'\"`(]*/analyze_fail\w*\.(?:ir|dat))\b")


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of code on the way to the failure; lines count from 1, `own` says it is not a library's."""

    file: str
    line: int
    code: str = ""
    own: bool = True

    def __str__(self) -> str:
        return f"{file_label(self.file)}:{self.line}"


@dataclass(frozen=True, slots=True)
class FailureText:
    """What MindSpore said of a failed compilation.

    Attributes:
        error: the exception's name ("TypeError"), or "".
        message: the first paragraph of its message.
        frames: the lines that led there, the innermost first.
        compiled: whether the frames are those of a graph being compiled, not of Python.
        graph_file: the path of the analyze_fail file that the text names, or "".
        text: all of it, for what rules look up in later paragraphs.
    """

    error: str = ""
    message: str = ""
    frames: tuple[Frame, ...] = ()
    graph_file: str = ""
    compiled: bool = False
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.error or self.frames or self.graph_file or self.message.startswith("For "))


def read_failure_text(lines: Iterable[str]) -> FailureText:
    """The failure in a text; one that is false when the text tells of none."""
    found = [line.rstrip() for line in lines]
    text = "\n".join(found)
    end = next((i for i, line in enumerate(found) if _is_section(found, i) or _FRAME.match(line.strip())), len(found))
    start = _error_line(found[:end])
    error = _ERROR.match(found[start]) if start is not None else None
    caught = next((i for i, line in enumerate(found) if line.startswith("- Caught exception")), None)
    if caught is not None:
        said = _paragraph(found[caught + 2 :])
    else:
        said = _paragraph(found if start is None else found[start:])
    if said and (match := _ERROR.match(said[0])):
        error = match
        said[0] = match[2] or ""
        if not any(said) and start is not None:
            said = _paragraph(found[start + 1 :])
    message = "\n".join([_CPP_PLACE.sub("", said[0], count=1), *said[1:]]) if said else ""
    compiled = _construct_frames(found)
    frames = compiled or _python_frames(found[: start or 0])
    named = _SEE_FILE.search(text) or _GRAPH_FILE.search(text)
    return FailureText(error[1] if error else "", message, frames, named[1] if named else "", bool(compiled), text)


def _is_section(lines: Sequence[str], at: int) -> bool:
    """Whether a section begins here: its title after a ruler, or the older words for the call stack."""
    titled = at > 0 and _RULE.match(lines[at - 1]) is not None and _SECTION.match(lines[at]) is not None
    return titled or lines[at].startswith(_CALL_STACK)


def _error_line(lines: Sequence[str]) -> int | None:
    """The line with the exception's name: the first such behind the last Python traceback."""
    after = max((i for i, line in enumerate(lines) if line.startswith("Traceback (most recent")), default=-1)
    return next((i for i in range(after + 1, len(lines)) if _ERROR.match(lines[i])), None)


def _paragraph(lines: Sequence[str]) -> list[str]:
    """The first lines that are neither blank, nor rulers, nor what stands in every such file."""
    said: list[str] = []
    for line in lines:
        stripped = line.strip()
        ends = not stripped or _FRAME.match(stripped) or _SECTION.match(line) or line.startswith(_CALL_STACK)
        if ends and said:
            break
        if not ends and not _RULE.match(line) and not _BOILERPLATE.match(line):
            said.append(line)
    return said


def _construct_frames(lines: Sequence[str]) -> tuple[Frame, ...]:
    found = []
    for i, line in enumerate(lines):
        match = _FRAME.match(line.strip())
        if match is None or line.lstrip().startswith("NodeInfo"):
            continue
        follows = lines[i + 1].strip() if i + 1 < len(lines) else ""
        code = match["code"] or ("" if follows.startswith(("#", "-")) else follows)
        found.append(_frame(match, code.strip()))
    return tuple(reversed(found))


def _python_frames(lines: Sequence[str]) -> tuple[Frame, ...]:
    """The frames of the last Python traceback, where nothing tells of construct."""
    found: list[Frame] = []
    for i, line in enumerate(lines):
        if line.startswith("Traceback (most recent"):
            found = []
        elif match := _PYTHON_FRAME.match(line):
            code = lines[i + 1].strip() if i + 1 < len(lines) else ""
            found.append(_frame(match, "" if code.startswith('File "') else code))
    return tuple(reversed(found))


def _frame(match: re.Match[str], code: str) -> Frame:
    return Frame(match["file"], int(match["line"]), code, not in_library(match["file"]))

"""Lines about a failed compilation that MindSpore writes around its subgraphs: headlines and messages."""

from __future__ import annotations

import re

_RULE = re.compile(r"# ?={10,}")
_DASHES = re.compile(r"-{10,}")
_ALONE = re.compile(r"No more function graphs\.|# num of function graphs in stack: \d.*")


def remarks(lines: list[str]) -> set[int]:
    """Indexes of the lines that say something about the failure.

    These are comment lines in one run with a rule (`# =====`), what stands between a row of dashes
    and the next such run (the message), and a few lines by themselves.
    """
    found: set[int] = set()
    message = False
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("#"):
            end += 1
        if end > at and any(_RULE.fullmatch(line) for line in lines[at:end]):
            found.update(range(at, end))
            message = False
            at = end
            continue
        message = message or _DASHES.fullmatch(lines[at]) is not None
        if message or _ALONE.fullmatch(lines[at]):
            found.add(at)
        at += 1
    return found

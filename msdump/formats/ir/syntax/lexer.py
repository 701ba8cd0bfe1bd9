"""Brackets, quotes and commas: cutting a line of a graph dump into its pieces.

MindSpore escapes nothing, so a quote inside a string looks like one that ends it. Here a quote ends
a string when a comma, a closing bracket or the end follows it.
"""

from __future__ import annotations

import re

_MARK = re.compile(r'[\[\](){}"]|, ')
_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(")]}")
_QUOTE_END = re.compile(r'"(?=, |[)\]}]|$)')
_PLAIN = re.compile(r'[^\[\](){}"]*')


def split_items(text: str, quoted: bool = False) -> list[str]:
    """The pieces of `text` between the ", " that stand outside all brackets (and strings).

    Joined by ", " they are `text` again. Brackets that do not match count as plain text.
    """
    if not text:
        return []
    if _PLAIN.fullmatch(text):
        return text.split(", ")
    pieces: list[str] = []
    start = at = 0
    closers: list[str] = []
    while match := _MARK.search(text, at):
        mark = match[0]
        at = match.end()
        if mark == ", ":
            if not closers:
                pieces.append(text[start : match.start()])
                start = at
        elif mark == '"':
            if quoted:
                end = _QUOTE_END.search(text, at)
                quoted = end is not None  # no quote ends a string from here on
                at = end.end() if end else at
        elif mark in _OPEN:
            closers.append(_OPEN[mark])
        elif closers and closers[-1] == mark:
            closers.pop()
    pieces.append(text[start:])
    return pieces


def closing(text: str, at: int, quoted: bool = False) -> int:
    """Where the bracket that opens at `at` closes, or -1 when it never does."""
    closers: list[str] = []
    while match := _MARK.search(text, at):
        mark = match[0]
        at = match.end()
        if mark in _OPEN:
            closers.append(_OPEN[mark])
        elif mark == '"':
            if quoted:
                end = _QUOTE_END.search(text, at)
                quoted = end is not None  # no quote ends a string from here on
                at = end.end() if end else at
        elif mark in _CLOSE and closers and closers[-1] == mark:
            closers.pop()
            if not closers:
                return match.start()
    return -1

"""Brackets in text that MindSpore printed: where they close, and lists at their commas."""

from __future__ import annotations


def split(text: str) -> list[str]:
    """The parts of a list at its commas, brackets respected."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []


def closing(text: str, at: int) -> int:
    """The offset behind the bracket that closes the one at `at`, or the end of the text."""
    depth = 0
    for end in range(at, len(text)):
        if text[end] in "([{":
            depth += 1
        elif text[end] in ")]}":
            depth -= 1
            if depth == 0:
                return end + 1
    return len(text)

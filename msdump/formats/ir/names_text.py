"""Names that repeat: what is unique in the model when the file writes one name several times."""

from __future__ import annotations

from collections.abc import Container


def unique(name: str, taken: Container[str]) -> str:
    """`name`, or `name#2`, `name#3`, … when it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}#{number}" in taken:
        number += 1
    return f"{name}#{number}"

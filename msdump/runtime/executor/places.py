"""Where a node is, for messages."""

from __future__ import annotations

from msdump.graph import CNode
from msdump.source import TextPlace


def place_of(node: CNode) -> TextPlace | None:
    """The user's source line a node comes from, None when the file tells none."""
    if not node.locations:
        return None
    found = node.locations[-1]
    return TextPlace(found.file, found.line, (found.column or 0) + 1, found.code)


def title_of(node: CNode) -> str:
    """What a message calls a node: its full name with scope, else its name."""
    return node.fullname or node.name

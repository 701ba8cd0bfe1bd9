"""Names that repeat: what is unique in the model when the file writes one name several times."""

from __future__ import annotations


class Unique:
    """Gives each name once: `x`, then `x#2`, `x#3`, …"""

    __slots__ = ("_next", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, name: str) -> str:
        """The name, or one made of it when it is taken."""
        found = name
        while found in self._taken:
            number = self._next.get(name, 2)
            self._next[name] = number + 1
            found = f"{name}#{number}"
        self._taken.add(found)
        return found

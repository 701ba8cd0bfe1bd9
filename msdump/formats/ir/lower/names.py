"""Names that repeat: what is unique in the model when the file writes one name several times."""

from __future__ import annotations


class Unique:
    """Gives each name once; one that repeats is told by its position, so that it hangs on no other's name."""

    __slots__ = ("_taken",)

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str, position: int) -> str:
        """The name, or `x#2` for the third of its kind in the file when `x` is taken."""
        found = name
        while found in self._taken:
            found = f"{name}#{position}" if found == name else f"{found}#"
        self._taken.add(found)
        return found

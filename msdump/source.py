"""Where something is: places in text and in bytes, and notes on odd things found there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A place in a text file. Lines and columns count from 1, columns in characters.

    `text` is the whole line, shown under the message with a caret when it is known.
    """

    file: str
    line: int
    column: int = 1
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def short(self) -> str:
        """The position without the file: `line 56`."""
        return f"line {self.line}" if self.column <= 1 else f"line {self.line}, column {self.column}"

    def caret(self) -> str:
        """The line and a caret under the column; "" when the line's text is not known."""
        if not self.text:
            return ""
        pad = "".join("\t" if c == "\t" else " " for c in self.text[: self.column - 1])
        return f"{self.text}\n{pad}^"


WHOLE = -1
"""The offset of a BytePlace that is a file or folder as a whole."""


@dataclass(frozen=True, slots=True)
class BytePlace:
    """A place in a binary file: byte offset from 0, and the path of schema fields to it.

    WHOLE as the offset is no place in a file, but the file or folder itself.
    """

    file: str
    offset: int
    field: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.short()}" if self.offset != WHOLE else self.file

    def short(self) -> str:
        """The position without the file: `byte 1234 (value.tensor.dims)`; "" for the file itself."""
        if self.offset == WHOLE:
            return ""
        return f"byte {self.offset}" + (f" ({self.field})" if self.field else "")


Place = TextPlace | BytePlace


@dataclass(frozen=True, slots=True)
class Note:
    """Something odd in a file that did not stop the reading.

    Attributes:
        what: one line, e.g. "both desc and tensor are set; the last one is kept".
        where: the place, or None when it is about the file as a whole.
        level: "note" (odd, nothing lost), "warning" (something could not be understood), "undone" (what
            was put around the text by other hands and was taken off).
    """

    what: str
    where: Place | None = None
    level: Literal["note", "warning", "undone"] = "note"

    def __str__(self) -> str:
        return self.what if self.where is None else f"{self.where}: {self.what}"

"""Every exception msdump raises on purpose, and the line a person reads when it does.

The tree (see DESIGN notes in ARCHITECTURE.md)::

    MsdumpError
      ReadError            something in a file, with `.where`
        UnknownFormatError     no reader knows the content
        UnsupportedVersionError
        ParseError             text that does not follow its grammar
        DecodeError            bytes that do not follow their schema
          TruncatedError       the file ends inside a record
      WriteError           a file that cannot be written
        LossError              the target format cannot carry everything
      GraphError           a graph that contradicts itself
      TraceError           a network that cannot be compiled, with the user's own line
      ExecutionError       an operator that cannot be executed, with its node
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from msdump.source import Place


class MsdumpError(Exception):
    """Base of all errors msdump raises on purpose.

    Attributes:
        what: what is wrong, in one line without position.
        where: the place it is wrong at, or None when no file is involved.
        hint: what can be done about it, or "".
    """

    def __init__(self, what: str, where: Place | None = None, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return self.what if self.where is None else f"{self.where}: {self.what}"

    @property
    def line(self) -> str:
        """The error as a line of a report: file, what is wrong, and the position behind it."""
        if self.where is None:
            return self.what
        at = self.where.short()
        return f"{self.where.file}: {self.what}" + (f" ({at})" if at else "")


class ReadError(MsdumpError):
    """Something in a file cannot be read; `where` prints file and position."""


class UnknownFormatError(ReadError):
    """No reader recognises the content."""


class UnsupportedVersionError(ReadError):
    """The format is known, this version of it is not."""


class ParseError(ReadError):
    """Text that does not follow its grammar; `where` is a text place (line, column)."""


class DecodeError(ReadError):
    """Bytes that do not follow their schema; `where` is a byte place (offset, field path)."""


class TruncatedError(DecodeError):
    """The file ends inside a record; everything before it was given."""


class WriteError(MsdumpError):
    """A file that cannot be written."""


class LossError(WriteError):
    """The target format cannot carry everything; `lost` names what.

    Attributes:
        lost: the facts the target cannot carry, one phrase each.
    """

    def __init__(self, what: str, lost: tuple[str, ...] = (), hint: str = "") -> None:
        super().__init__(what, hint=hint)
        self.lost = lost


class GraphError(MsdumpError):
    """A graph that contradicts itself, or an edit that would make it so."""


class TraceError(MsdumpError):
    """A network that cannot be compiled; `where` is the user's own source line."""


class ExecutionError(MsdumpError):
    """An operator that cannot be executed.

    Attributes:
        node: the node's name as the graph has it, or "".
    """

    def __init__(self, what: str, where: Place | None = None, hint: str = "", node: str = "") -> None:
        super().__init__(what, where, hint)
        self.node = node

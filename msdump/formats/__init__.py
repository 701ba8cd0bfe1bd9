"""One module a file format; a format never imports another format.

`signatures` has one table with a row a format: its module and what tells its files. The module has FORMATS,
what it can do, and its heavy imports inside functions; only those that are asked for are imported.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from msdump.formats.format import Format, Kind
from msdump.formats.signatures import SIGNATURES, Signature, by_suffix

SURE = 90
"""From this score on nothing else is asked."""


@functools.cache
def all_formats() -> tuple[Format, ...]:
    """Every format, in the order of the table."""
    return tuple(found for name in dict.fromkeys(row.module for row in SIGNATURES) for found in _formats(name))


def format_of(row: Signature) -> Format:
    """The format that a row of the table names; its module alone is imported."""
    return next(found for found in _formats(row.module) if (found.kind, found.name) == (row.kind, row.name))


def _formats(module: str) -> tuple[Format, ...]:
    found: tuple[Format, ...] = _module(module).FORMATS
    return found


def _module(name: str) -> Any:
    return import_module(f"msdump.formats.{name}")


def told(head: bytes, name: str, rows: Sequence[Signature] = SIGNATURES) -> Signature | None:
    """The row that the first bytes and the name of a file fit best; None when they fit none.

    Args:
        head: the first 64 KiB.
        name: the file's name; only its last part counts.
        rows: those that may be found.
    """
    base = os.path.basename(name.replace("\\", "/"))
    best, found = 0, None
    for row in rows:
        if (score := row.score(head, base)) > best:
            best, found = score, row
    for row in rows:
        if best < SURE and (score := _looked(row, head, name)) > best:
            best, found = score, row
    return found or by_suffix(base, rows)


def _looked(row: Signature, head: bytes, name: str) -> int:
    look = row.look
    if look is None:
        return 0
    if not look.head.search(head) and not (look.name is not None and look.name.search(os.path.basename(name))):
        return 0
    found: int = getattr(_module(row.module), look.function)(head, name)
    return found


__all__ = ["Format", "Kind", "all_formats", "format_of", "told"]

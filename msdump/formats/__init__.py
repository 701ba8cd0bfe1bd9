"""One module a file format; a format never imports another format.

`signatures` has one table with a row a format: its module and what tells its files. The module has FORMATS,
what it can do, and its heavy imports inside functions; only those that are asked for are imported.
"""

from __future__ import annotations

import functools
from importlib import import_module

from msdump.formats.format import Format, Kind
from msdump.formats.signatures import SIGNATURES, Signature


@functools.cache
def all_formats() -> tuple[Format, ...]:
    """Every format, in the order of the table."""
    return tuple(found for name in dict.fromkeys(row.module for row in SIGNATURES) for found in _formats(name))


def format_of(row: Signature) -> Format:
    """The format that a row of the table names; its module alone is imported."""
    return next(found for found in _formats(row.module) if (found.kind, found.name) == (row.kind, row.name))


def _formats(module: str) -> tuple[Format, ...]:
    found: tuple[Format, ...] = import_module(f"msdump.formats.{module}").FORMATS
    return found


__all__ = ["Format", "Kind", "all_formats", "format_of"]

"""Which format a file is of, by its first bytes and its name: see `signatures`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module

from msdump.formats.signatures import SIGNATURES, Signature, by_suffix

SURE = 90
"""From this score on nothing else is asked."""


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
    found: int = getattr(import_module(f"msdump.formats.{row.module}"), look.function)(head, name)
    return found

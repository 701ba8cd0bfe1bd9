"""What a format is to the rest of msdump: how it is told, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["print", "graph", "dump", "tensor", "table", "report"]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Attributes:
        name: what `--to` calls it ("ir", "print.pb").
        kind: what it holds.
        suffixes: file name endings, each with its dot.
        summary: one line for `msdump convert --list`.
        sniff: how sure it is that a file is its own, 0 (no) to 100 (magic bytes), from the first
            64 KiB and the file's name. It never raises. None: never told by content (write-only).
        read: path → content (an iterator of records, a Graph, …). None: write-only.
        write: (content, path, **options) → None; raises LossError when something would be lost and
            `lossy=True` was not given. None: read-only.
        carries: names of the facts it can hold, for conversions ("types", "attrs", "scopes",
            "locations", "weights", "names", …).
        extra: the optional extra it needs ("parquet"), or "".
    """

    name: str
    kind: Kind
    suffixes: tuple[str, ...]
    summary: str
    sniff: Callable[[bytes, str], int] | None = None
    read: Callable[..., Any] | None = None
    write: Callable[..., None] | None = None
    carries: frozenset[str] = frozenset()
    extra: str = ""

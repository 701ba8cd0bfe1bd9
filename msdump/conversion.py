"""Any readable file to any format that holds the same kind of thing, saying what is lost."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from msdump.errors import MsdumpError, ReadError, WriteError
from msdump.formats import Format, all_formats
from msdump.io import source_format
from msdump.pipes import local
from msdump.records import PrintRecord

Path: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True, slots=True)
class Conversion:
    """One way to convert.

    Attributes:
        source, target: names of formats.
        kind: what both hold.
        extra: the optional extra it needs, or "".
    """

    source: str
    target: str
    kind: str
    extra: str = ""


def conversions() -> tuple[Conversion, ...]:
    """Every pair of formats there is a way between, in the order of the formats."""
    readable = [f for f in all_formats() if f.read is not None]
    writable = [f for f in all_formats() if f.write is not None]
    return tuple(
        Conversion(a.name, b.name, a.kind, a.extra or b.extra)
        for a in readable
        for b in writable
        if _fits(a, b) and a != b
    )


def held() -> dict[str, frozenset[str]]:
    """What each format of graphs can hold (msdump.capability), and each dialect of .ir as "ir 2.0"."""
    found: dict[str, frozenset[str]] = {}
    for known in all_formats():
        if known.kind == "graph" and known.capabilities:
            dialects = known.dialects() if known.dialects is not None else {}
            found |= {f"{known.name} {name}": names for name, names in dialects.items()} or {
                known.name: known.capabilities
            }
    return found


def _fits(a: Format, b: Format) -> bool:
    return a.kind == b.kind


def target_format(path: Path, kind: str, to: str = "") -> Format:
    """The format to write: the one `to` names, else the one of the suffix (a "/" at the end: a folder).

    Raises:
        WriteError: there is none that holds this kind.
    """
    name = os.fspath(path)
    able = [f for f in all_formats() if f.write is not None and f.kind == kind]
    ways = "formats that can: " + ", ".join(f"{f.name} ({' '.join(f.suffixes)})" for f in able)
    if to:
        named = [f for f in able if to in (f.name, f.name.removeprefix(f"{kind}."))]
        if not named:
            known = any(f.name == to for f in all_formats())
            what = f"the format {to} cannot hold a {kind}" if known else f"there is no format {to!r}"
            raise WriteError(f"{name}: {what}", hint=ways)
        return named[0]
    ends = [(len(s), f) for f in able for s in f.suffixes if name.lower().endswith(s)]
    if not ends:
        raise WriteError(f"{name}: no format for a {kind} has this suffix", hint=ways)
    return max(ends, key=lambda end: end[0])[1]


def convert(
    a: Path,
    b: Path,
    *,
    to: str = "",
    force: bool = False,
    lossy: bool = False,
    watch: Callable[[Iterator[PrintRecord]], Iterator[PrintRecord]] | None = None,
    **options: Any,
) -> Format:
    """Convert file `a` into file `b`; the format of `a` is told by its content.

    Args:
        a: what to read; `-` is standard input.
        b: the file (or folder) to write: it appears whole or not at all.
        to: the format to write, "" for the suffix of `b` to decide.
        force: replace what stands at `b`.
        lossy: leave out what the format cannot carry, instead of a LossError.
        watch: gives the records of a print log on as they are converted, to see how far it is.
        **options: passed to the format's writer, such as `dialect=` for .ir.

    Returns:
        The format that was written.

    Raises:
        ReadError: `a` does not read to its end; nothing is written.
        WriteError: no way to write it, or `b` is taken and not `force`.
        LossError: the target cannot carry everything, and not `lossy`.
        OSError: a file is not there or cannot be read.
    """
    source = source_format(a)
    target = target_format(b, source.kind, to)
    if _one_file(a, b):
        raise WriteError(f"{os.fspath(b)}: is the file that is read", hint="give another name")
    assert source.read is not None
    assert target.write is not None
    if unknown := options.keys() - inspect.signature(target.write).parameters.keys():
        raise MsdumpError(f"the format {target.name} has no such option: {', '.join(sorted(unknown))}")
    try:
        content = source.read(local(a))
        if watch is not None and source.kind == "print":
            content = watch(content)
        target.write(content, b, force=force, lossy=lossy, **options)
    except ReadError as error:
        if source.kind == "print" and not error.hint:
            error.hint = f"nothing was written; `msdump print recover {os.fspath(a)} -o OUT` saves every whole record"
        raise
    return target


def _one_file(a: Path, b: Path) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


def kinds(pairs: Iterable[Conversion]) -> dict[str, tuple[list[str], list[str]]]:
    """By kind: the formats that can be read, and those that can be written, in order."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for pair in pairs:
        sources, targets = found.setdefault(pair.kind, ([], []))
        if pair.source not in sources:
            sources.append(pair.source)
        if pair.target not in targets:
            targets.append(pair.target)
    return found

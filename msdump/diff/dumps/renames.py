"""Operators that are called otherwise on the other side: a table, or a regular expression.

A table is a mapping of names in A to names in B (YAML or JSON file)::

    Default/net/Conv2D-op0: conv1
    Default/net/MatMul-op0.output.0: fc.output.0
    /layer(\\d+)-Dense/: 'encoder\\1'          # between slashes: a regular expression, and its replacement

On the command line a regular expression is written as sed writes it: s/PATTERN/REPLACEMENT/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from msdump.errors import MsdumpError
from msdump.records import mangle

_SLOT = re.compile(r"(?P<name>.+)\.(?P<io>input|output)\.(?P<slot>[0-9]{1,9})", re.DOTALL)

Target: TypeAlias = "tuple[str, str | None, int | None]"
"""A name, and the io and slot it is limited to or moved to."""


@dataclass(frozen=True, slots=True)
class Renames:
    """Which name in B a name in A stands for.

    Attributes:
        table: name in A (as file names spell it; with io and slot or without) → name in B.
        patterns: regular expressions over names of A, each with its replacement.
    """

    table: Mapping[tuple[str, str | None, int | None], Target]
    patterns: tuple[tuple[re.Pattern[str], str], ...] = ()

    def of(self, op_type: str, op_name: str, full_name: str, io: str, slot: int) -> list[Target]:
        """Every name in B that a tensor of A may stand for, the most exact rule first."""
        found: list[Target] = []
        names = [full_name, f"{op_type}.{op_name}", op_name]
        for name in names:
            for key in ((mangle(name), io, slot), (mangle(name), None, None)):
                if name and key in self.table:
                    found.append(self.table[key])
        for pattern, replacement in self.patterns:
            for name in (n for n in names if n):
                changed, count = pattern.subn(replacement, name)
                if count:
                    found.append((changed, None, None))
        return found


def parse_rule(text: str) -> Renames | None:
    """A rule as sed writes it (`s/a/b/`, any delimiter); None when the text is none.

    Raises:
        MsdumpError: the regular expression is wrong.
    """
    if len(text) < 4 or text[0] != "s" or text[1].isalnum() or text[1].isspace() or text[1] == "\\":
        return None
    pieces = re.split(rf"(?<!\\){re.escape(text[1])}", text[2:])
    if len(pieces) not in (2, 3) or (len(pieces) == 3 and pieces[2] not in ("", "g")):
        return None
    return Renames({}, (_rule(pieces[0], pieces[1]),))


def _rule(pattern: str, replacement: str) -> tuple[re.Pattern[str], str]:
    """A regular expression and what is put in its place, which may name its groups."""
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise MsdumpError(f"the regular expression {pattern!r} is wrong: {error}") from None
    try:
        # An alternative that matches "" shows whether the groups are there; the line's end ends a comment.
        re.compile(f"{pattern}\n|").sub(replacement, "")
    except (re.error, IndexError) as error:
        raise MsdumpError(f"the replacement {replacement!r} of {pattern!r} is wrong: {error}") from None
    return found, replacement


def from_mapping(content: object) -> Renames:
    """Renames from what a YAML or JSON file holds: a mapping of names in A to names in B.

    Raises:
        MsdumpError: it is no such mapping, or a regular expression in it is wrong.
    """
    if not isinstance(content, Mapping):
        raise MsdumpError("a map of names is a mapping: name in A: name in B")
    table: dict[tuple[str, str | None, int | None], Target] = {}
    patterns: list[tuple[re.Pattern[str], str]] = []
    for key, value in content.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise MsdumpError(f"{key!r}: {value!r} is not a pair of names")
        if len(key) > 2 and key[0] == key[-1] == "/":
            patterns.append(_rule(key[1:-1], value))
            continue
        name, io, slot = _split(key)
        table[mangle(name), io, slot] = _split(value)
    return Renames(table, tuple(patterns))


def _split(name: str) -> Target:
    found = _SLOT.fullmatch(name)
    return (found["name"], found["io"], int(found["slot"])) if found else (name, None, None)

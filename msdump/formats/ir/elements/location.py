"""Source lines as text: `# In file net.py:12, 4~9/    y = x * 2/`."""

from __future__ import annotations

import re

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.graph.node import Location

ROLES = {"# Corresponding forward node candidate:": "forward", "# Corresponding code candidate:": "code"}
"""Headings of source lines that are not the node's own."""
HEADINGS = {role: heading for heading, role in ROLES.items()}

PLACES = {"L": "# ", "M": "#  - ", "N": "#    "}
"""What stands before a source line: M starts a call stack among other source lines, N goes on."""

SHARED = "<~~This line of code can be shared by multiple nodes, and may be duplicated./"
PLACE = re.compile(
    r"#(?: |  - |    )(inlined:)?In file (.*?)"
    r"(?:\((\d{1,18})\)|:(\d{1,18})(?:~(\d{1,18}))?(?:, (\d{1,18})~(\d{1,18}))?)"
    r"/(?:(.*?)/(" + re.escape(SHARED) + ")?)?",
    re.DOTALL,
)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def location_of(match: re.Match[str]) -> Location:
    """The place that a match of a source line tells."""
    return Location(
        file=match[2],
        line=int(match[3] or match[4]),
        end_line=_number(match[5]),
        column=_number(match[6]),
        end_column=_number(match[7]),
        code=match[8] or "",
        inlined=match[1] is not None,
        shared=match[9] is not None,
    )


def parse_place(text: str, dialect: Dialect) -> Location | None:
    """The place of a line `# In file f.py:1/code/`, None when it is not one of this dialect."""
    match = PLACE.fullmatch(text)
    found = location_of(match) if match else None
    return found if found is not None and format_place(found, dialect) == text else None


def format_place(place: Location, dialect: Dialect, before: str = "# ") -> str:
    """The text of a source line."""
    if dialect.notes.place == "paren":
        at = f"({place.line})"
    else:
        at = f":{place.line}"
        if dialect.notes.place == "span":
            if place.end_line is not None:
                at += f"~{place.end_line}"
            if place.column is not None and place.end_column is not None:
                at += f", {place.column}~{place.end_column}"
    inlined = "inlined:" if place.inlined else ""
    code = f"{place.code}/{SHARED if place.shared else ''}" if place.code or place.shared else ""
    return f"{before}{inlined}In file {place.file}{at}/{code}"

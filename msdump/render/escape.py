"""Content of files is data: how it is escaped wherever it is shown."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def escape_control(text: str) -> str:
    """`text` with control, escape and direction-changing characters spelled `\\x1b`, `\\u202e`.

    Tab and newline stay: they are layout that people put into their strings.
    """
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}" if ord(m[0]) < 256 else f"\\u{ord(m[0]):04x}", text)

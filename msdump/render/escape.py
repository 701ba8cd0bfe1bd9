"""Content of files is data: how it is escaped wherever it is shown."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def escape_control(text: str) -> str:
    """`text` with control, escape and direction-changing characters spelled `\\x1b`, `\\u202e`.

    Tab and newline stay: they are layout that people put into their strings. Bytes of a file name that
    are no UTF-8, which Python has as half characters, are spelled as the bytes they are.
    """
    return _CONTROL.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

"""A JSON document as text: one door for all that is written as JSON."""

from __future__ import annotations

import json
import re
from typing import Any

# Half characters (of file names that are no UTF-8), and what a terminal would take for a command or turn
# around: JSON has its own spelling for them, and what reads it gets them back.
_HIDDEN = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def json_text(document: Any, indent: int | None = None) -> str:
    """A document as JSON that any encoding of Unicode, and any terminal, can take."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    if text.isascii() and "\x7f" not in text:
        return text
    return _HIDDEN.sub(lambda m: f"\\u{ord(m[0]):04x}", text)

"""JSON documents: one door out, for all that is written as JSON, and one in, for all that is read."""

from __future__ import annotations

import json
import re
from typing import Any

from msdump.errors import ParseError
from msdump.source import TextPlace

# Half characters (of file names that are no UTF-8), and what a terminal would take for a command or turn
# around: JSON has its own spelling for them, and what reads it gets them back.
_HIDDEN = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_LONG = re.compile(r"(?<![\w.\"\\])-?[0-9]{641,}")
"""An integer that Python may refuse: its limit can be set from 640 digits on, 4,300 by default."""
_SHOWN = 200


def json_text(document: Any, indent: int | None = None) -> str:
    """A document as JSON that any encoding of Unicode, and any terminal, can take."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    if text.isascii() and "\x7f" not in text:
        return text
    return _HIDDEN.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def parse_json(text: str | bytes, file: str, line: int = 1) -> Any:
    """What a JSON document holds.

    Args:
        text: the document; bytes are UTF-8 (or UTF-16 or 32, as JSON allows).
        file: what errors call it.
        line: the line of the file that the text begins at.

    Raises:
        ParseError: it is no JSON, is nested too deep, or has an integer of thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _error(f"not JSON: {error.msg}", error.doc, error.pos, file, line) from None
    except UnicodeDecodeError as error:
        before = bytes(error.object[: error.start]).decode("utf-8", "replace")
        raise _error("not JSON: the text is not UTF-8", before, len(before), file, line) from None
    except RecursionError:
        raise ParseError("not JSON that can be read: it is nested too deep", TextPlace(file, line)) from None
    except ValueError:  # of int alone: all else is a JSONDecodeError
        whole = text if isinstance(text, str) else text.decode("utf-8", "replace")
        found = _LONG.search(whole)
        digits, at = (len(found[0].lstrip("-")), found.start()) if found else (0, 0)
        raise _error(f"an integer of {digits:,} digits cannot be read", whole, at, file, line) from None


def _error(what: str, text: str, at: int, file: str, line: int) -> ParseError:
    """An error at an offset of a text whose first line has a number."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    shown = text[start : len(text) if end < 0 else end]
    place = TextPlace(file, line + text.count("\n", 0, at), at - start + 1, shown if len(shown) <= _SHOWN else "")
    return ParseError(what, place)

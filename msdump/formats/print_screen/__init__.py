"""A training log with what MindSpore's Print wrote on the screen: its records, and its numbers of training."""

from __future__ import annotations

import re

from msdump.formats.format import Format
from msdump.formats.print_screen.reader import read_print_log


def _sniff(head: bytes, name: str) -> int:
    if re.search(rb"^(?:Tensor\(shape=\[[-\d, ]*\], dtype=\w+, value=|Tensor shape:\[)", head, re.MULTILINE):
        return 40 if name.endswith((".log", ".txt", ".out")) else 30
    return 0


FORMATS = (
    Format(
        name="print-log",
        kind="print",
        suffixes=(".log",),
        summary="a training log with what MindSpore's Print wrote on the screen",
        sniff=_sniff,
        read=read_print_log,
    ),
)

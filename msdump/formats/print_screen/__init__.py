"""A training log with what MindSpore's Print wrote on the screen: its records, and its numbers of training."""

from __future__ import annotations

from msdump.formats.format import Format
from msdump.formats.print_screen.reader import read_print_log

FORMATS = (
    Format(
        name="print-log",
        kind="print",
        summary="a training log with what MindSpore's Print wrote on the screen",
        read=read_print_log,
    ),
)

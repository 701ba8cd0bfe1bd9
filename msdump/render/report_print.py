"""What a report says about a print log: scalars as curves, a table by label, the records themselves."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from msdump.diff.records import RecordsDiff
from msdump.dtype import name_of
from msdump.ms_text import tensor_text
from msdump.records import BadValue, PrintRecord, PrintValue
from msdump.render.print_diff import diff_lines
from msdump.render.print_stats import LabelStats, collect, stats_table
from msdump.render.report_page import answer, chart, fold, more, pre

RECORDS = 100
"""How many records are shown as text, from the beginning and from the end."""
CURVES = 24
POINTS = 2000
"""How many curves a page has, and how many points a curve; of more values every n-th is kept."""
_ELEMENTS = 200
_LONGEST = 2000


@dataclass(slots=True)
class Curve:
    """Scalars in their order, thinned out so that a long run needs no more room than a short one."""

    values: list[float] = field(default_factory=list)
    every: int = 1
    count: int = 0

    def add(self, value: float) -> None:
        """The next scalar."""
        if self.count % self.every == 0:
            self.values.append(value)
            if len(self.values) > POINTS:
                self.values = self.values[::2]
                self.every *= 2
        self.count += 1


@dataclass(slots=True)
class PrintSummary:
    """What a page needs of a print log, in room that does not grow with the log.

    Attributes:
        count: records in all.
        stats, curves: by label.
        first: texts of the first records.
        last: the last ones.
        problem: what ended the reading early, or "".
    """

    count: int = 0
    stats: dict[str, LabelStats] = field(default_factory=dict)
    curves: dict[str, Curve] = field(default_factory=dict)
    first: list[str] = field(default_factory=list)
    last: deque[PrintRecord] = field(default_factory=lambda: deque(maxlen=RECORDS))
    problem: str = ""

    def add(self, records: Iterable[PrintRecord]) -> None:
        """Go through records; what was read before an error stays."""
        collect(map(self._keep, records), self.stats, self._value)

    def _value(self, label: str, value: PrintValue) -> None:
        if not isinstance(value, (str, BadValue)) and value.size == 1 and value.dtype.kind != "c":
            try:
                number = float(value.reshape(-1)[0])
            except (TypeError, ValueError, OverflowError):
                return
            self.curves.setdefault(label, Curve()).add(number)

    def _keep(self, record: PrintRecord) -> PrintRecord:
        self.count += 1
        if len(self.first) < RECORDS:
            self.first.append(_record_text(record))
        else:
            self.last.append(record)
        return record


def print_parts(summary: PrintSummary) -> list[str]:
    """The parts of a page about one print log."""
    parts = [answer(f"{summary.count:,} record{'s' * (summary.count != 1)}")]
    if summary.problem:
        parts.append(answer(summary.problem, False))
    curves = [(label.strip() or "(no label)", c) for label, c in summary.curves.items() if len(c.values) > 2]
    if curves:
        parts.append('<div class="charts">' + "".join(chart(name, c.values) for name, c in curves[:CURVES]) + "</div>")
        parts.append(more(len(curves) - CURVES))
    if summary.stats:
        parts += ["<h3>by label</h3>", pre(stats_table(summary.stats))]
    if summary.first:
        parts += ["<h3>records</h3>", pre("".join(summary.first).split("\n")[:-1], 2000)]
    last = list(summary.last)
    if last:
        left = summary.count - len(summary.first) - len(last)
        parts.append(more(left))
        lines = "".join(map(_record_text, last)).split("\n")[:-1]
        parts.append(fold(f"the last {len(last)} records", pre(lines, 2000)))
    return parts


def print_diff_parts(result: RecordsDiff) -> list[str]:
    """The parts of a page about two print logs."""
    head, *lines = [line for _, line in diff_lines(result)]
    return [answer(head, result.same), *([pre(lines[1:], 500)] if lines else [])]


def _record_text(record: PrintRecord) -> str:
    return "".join(_value_text(value) for value in record.values)


def _value_text(value: PrintValue) -> str:
    if isinstance(value, str):
        return value[:_LONGEST] + ("…" if len(value) > _LONGEST else "") + "\n"
    if isinstance(value, BadValue):
        return f"BadValue({value.what})\n"
    if value.size > _ELEMENTS:
        return f"Tensor(shape={list(value.shape)}, dtype={name_of(value.dtype)})\n"
    return tensor_text(value) + "\n"

"""What a report says about a tensor dump: where it is from, what is odd in it, its tensors in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msdump.diff.dumps.nan import OddSearch
from msdump.records import DumpRecord
from msdump.render.dump_nan import untold_text, values_text
from msdump.render.dump_text import STATISTICS, bytes_text, place_text, shape_text, statistics_cells, title
from msdump.render.report_page import answer, bar, pre, table

TENSORS = 300
"""How many tensors have a row of statistics."""


@dataclass(slots=True)
class DumpSummary:
    """What a page needs of a dump.

    Attributes:
        records: every tensor, in execution order.
        odd: their NaN and infinities.
        sizes: bytes by operator type.
        rows: the first tensors with their statistics.
        problems: what could not be read, in words.
        metadata: what the dump says of itself.
    """

    records: Sequence[DumpRecord]
    odd: OddSearch
    sizes: Counter[str] = field(default_factory=Counter)
    rows: list[tuple[DumpRecord, Mapping[str, Any]]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)


def dump_parts(summary: DumpSummary) -> list[str]:
    """The parts of a page about one dump."""
    records = summary.records
    places = Counter(place_text(r) for r in records)
    parts = [answer(f"{len(records):,} tensor{'s' * (len(records) != 1)} of {_operators(records):,} operators")]
    config = summary.metadata.get("config")
    if isinstance(config, dict):
        parts.append(pre([", ".join(f"{key} {value}" for key, value in config.items())]))
    parts += _odd_parts(summary)
    if summary.problems:
        parts += [answer(f"{len(summary.problems):,} could not be read", False), pre(summary.problems, 100)]
    most = max(summary.sizes.values(), default=1) or 1
    sizes = [(name or "-", bytes_text(size), bar(size / most)) for name, size in summary.sizes.most_common()]
    parts += ["<h3>space by operator</h3>", table(("type", "bytes", ""), sizes, (1,), 20)]
    if len(places) > 1:
        parts += ["<h3>places</h3>", table(("place", "tensors"), [(p, f"{n:,}") for p, n in places.items()], (1,), 200)]
    if summary.rows:
        head = ("operator", "", "dtype", "shape", *(name for _, name in STATISTICS))
        cells = [
            (
                title(r),
                f"{r.io}\u00a0{r.slot}" + (f", {place_text(r)}" if len(places) > 1 else ""),
                v.get("dtype", ""),
                shape_text(v.get("shape")),
                *statistics_cells(dict(v)),
            )
            for r, v in summary.rows
        ]
        left = len(records) - len(cells)
        parts += ["<h3>tensors in execution order</h3>", table(head, cells, range(4, len(head)))]
        parts.append(f'<p class="dim">… and {left:,} more</p>' if left > 0 else "")
    return parts


def _odd_parts(summary: DumpSummary) -> list[str]:
    """What NaN and infinities there are, and of which tensors it cannot be told."""
    odd = summary.odd
    origin = odd.origin
    if not odd.launches:
        clean = not odd.untold and not summary.problems
        parts = [answer("no NaN or inf" if clean else "no NaN or inf in what can be told", clean)]
    elif origin is not None:
        parts = [answer(f"first NaN or inf: {title(origin.record)}, {place_text(origin.record)}", False)]
    else:
        parts = [answer(f"NaN or inf came in with the inputs of {title(odd.launches[0].record)}", False)]
    if odd.launches:
        rows = [
            (title(x.record), place_text(x.record), "made" if x.origin else "passed on", values_text(x))
            for x in odd.launches
        ]
        parts.append(table(("operator", "where", "", "NaN and inf"), rows, most=TENSORS))
    return parts + ([answer(untold_text(odd), False)] if odd.untold else [])


def _operators(records: Sequence[DumpRecord]) -> int:
    return len({(r.rank, r.graph, r.op_type, r.scope_name or r.op_name) for r in records})

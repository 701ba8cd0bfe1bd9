"""What a report says about a tensor dump: where it is from, what is odd in it, its tensors in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msdump.diff.dumps.nan import OddLaunch, Untold
from msdump.records import DumpRecord
from msdump.render.dump_text import STATISTICS, bytes_text, odd_text, place_text, shape_text, statistics_cells, title
from msdump.render.report_page import answer, bar, pre, table

TENSORS = 300
"""How many tensors have a row of statistics."""


@dataclass(slots=True)
class DumpSummary:
    """What a page needs of a dump.

    Attributes:
        records: every tensor, in execution order.
        sizes: bytes by operator type.
        rows: the first tensors with their statistics.
        odd: launches of operators with NaN or infinities.
        untold: tensors of which it cannot be told whether they have any.
        problems: what could not be read, in words.
        metadata: what the dump says of itself.
    """

    records: Sequence[DumpRecord] = ()
    sizes: Counter[str] = field(default_factory=Counter)
    rows: list[tuple[DumpRecord, Mapping[str, Any]]] = field(default_factory=list)
    odd: list[OddLaunch] = field(default_factory=list)
    untold: list[Untold] = field(default_factory=list)
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
    origin = next((launch for launch in summary.odd if launch.origin), None)
    left = len(summary.untold) + len(summary.problems)
    if not summary.odd and not left:
        parts.append(answer("no NaN or inf", True))
    elif not summary.odd:
        parts.append(answer("no NaN or inf in what can be told", False))
    elif origin is not None:
        parts.append(answer(f"first NaN or inf: {title(origin.record)}, {place_text(origin.record)}", False))
    else:
        parts.append(answer(f"NaN or inf came in with the inputs of {title(summary.odd[0].record)}", False))
    if summary.odd:
        rows = [
            (title(x.record), place_text(x.record), "made" if x.origin else "passed on", _values(x))
            for x in summary.odd
        ]
        parts.append(table(("operator", "where", "", "NaN and inf"), rows, most=TENSORS))
    if summary.untold:
        names = ", ".join(f"{title(x.record)} {x.record.io} {x.record.slot}" for x in summary.untold[:20])
        more = " …" if len(summary.untold) > 20 else ""
        what = f"cannot tell of {len(summary.untold):,} of {len(records):,} tensors whether they have NaN or inf"
        parts.append(answer(f"{what}: {names}{more}", False))
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


def _operators(records: Sequence[DumpRecord]) -> int:
    return len({(r.rank, r.graph, r.op_type, r.scope_name or r.op_name) for r in records})


def _values(launch: OddLaunch) -> str:
    return "; ".join(odd_text(v) for v in (*launch.inputs, *launch.outputs))

"""Two dumps compared, as a person reads it: where they part, how many agree, then the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msdump.diff.dumps.result import Divergence, DumpDiff, TensorResult, Unpaired
from msdump.render.dump_text import shape_text
from msdump.render.escape import escape_control
from msdump.render.table import number_text, one_line, table, value_text

Paint = Callable[[str, str], str]
"""(text, role) → text in the role's colour; roles: "differs", "agrees", "dim", "head"."""

SORTS: dict[str, Callable[[TensorResult], Any]] = {
    "max_abs": lambda t: _high(t.diff.max_abs),
    "max_rel": lambda t: _high(t.diff.max_rel),
    "mean_abs": lambda t: _high(t.diff.mean_abs),
    "rel_l2": lambda t: _high(t.diff.rel_l2),
    "cosine": lambda t: 2.0 if t.diff.cosine is None else t.diff.cosine,
    "ulp": lambda t: _high(t.diff.max_ulp),
    "share": lambda t: -t.diff.share,
    "mismatched": lambda t: -t.diff.mismatched,
}
"""What a table can be sorted by, worst first; execution order is the order they come in."""


def _high(value: float | int | None) -> float:
    # Nothing to compare with (shapes differ) is worse than any distance.
    return -float("inf") if value is None else -float(value)


def plain(text: str, _role: str) -> str:
    """No colour."""
    return text


def verdict_lines(diff: DumpDiff, names: tuple[str, str], paint: Paint = plain) -> list[str]:
    """Where the two part, and how many tensors agree. `names` is what the sides are called."""
    lines: list[str] = []
    first = diff.first
    if first is not None:
        t = first.tensor
        where = [
            paint("first divergence", "differs"),
            one_line(t.which.op_type or t.which.op),
            _full(t),
            f"{t.which.io} {t.which.slot}",
        ]
        where += [one_line(text) for text in (t.spot.source, t.spot.code) if text]
        lines.append("   ".join(where))
        lines.append("  " + "; ".join([inputs_text(first), f"{t.which.io}: {how(t)}"]))
        more = _when(t, diff)
        if more:
            lines.append("  " + more)
    lines.append(summary(diff, names))
    return lines


def _full(t: TensorResult | Unpaired) -> str:
    # The name is what one searches for, so it is not cut.
    name = t.scope or (t.which.op_name if isinstance(t, TensorResult) else t.which.op)
    return escape_control(name).replace("\n", "\\n").replace("\t", "\\t")


def inputs_text(first: Divergence) -> str:
    """What is known of the inputs of the operator that diverges first, in a phrase."""
    if first.inputs == "agree":
        return "its inputs agree"
    if first.inputs == "differ":
        wrong = first.differing_inputs
        return f"its {_slots(wrong)} already differ{'s' * (len(wrong) == 1)}"
    if first.inputs == "unpaired":
        alone = first.unpaired_inputs
        return f"its {_slots(alone)} {'has' if len(alone) == 1 else 'have'} no partner"
    return "its inputs were not dumped"


def _slots(slots: Sequence[int]) -> str:
    return f"input{'s' * (len(slots) > 1)} {', '.join(str(slot) for slot in slots)}"


def how(t: TensorResult) -> str:
    """How one tensor differs, in a phrase."""
    if t.verdict.what == "unreadable":
        return one_line(t.verdict.error, 200)
    if t.verdict.what == "shape":
        return f"shape {shape_text(t.diff.shape[0])} against {shape_text(t.diff.shape[1])}"
    if t.verdict.what == "dtype":
        return f"values agree, dtype {t.diff.dtype[0]} against {t.diff.dtype[1]}"
    if t.verdict.what == "statistics":
        if t.verdict.statistics == ("nan",) and t.diff.nan[0] == t.diff.nan[1]:
            return f"NaN on both sides, {t.diff.nan[0]:,} each (--equal-nan takes them for equal)"
        return t.verdict.error or f"saved statistics differ: {', '.join(t.verdict.statistics)}"
    if t.same:
        return "agrees"
    parts = []
    if t.diff.max_abs is not None:
        parts.append(f"max |a−b| {value_text(t.diff.max_abs)}")
    parts.append(f"{t.diff.mismatched:,} of {t.diff.count:,} out of tolerance")
    if t.diff.worst is not None:
        at = f"worst at {list(t.diff.worst)}"
        if t.diff.worst_values is not None:
            at += f" ({value_text(t.diff.worst_values[0])} against {value_text(t.diff.worst_values[1])})"
        parts.append(at)
    if t.diff.nan != (0, 0):
        parts.append(f"NaN {t.diff.nan[0]:,} against {t.diff.nan[1]:,}")
    return ", ".join(parts)


def _when(t: TensorResult, diff: DumpDiff) -> str:
    said = []
    if len({x.which.rank for x in diff.tensors}) > 1:
        said.append(f"rank {t.which.rank}")
    if len({x.which.iteration for x in diff.tensors}) > 1 and t.which.iteration >= 0:
        said.append(f"iteration {t.which.iteration}")
    if t.which.occurrence:
        said.append(f"launch {t.which.occurrence + 1} of the operator")
    return ", ".join(said)


def summary(diff: DumpDiff, names: tuple[str, str]) -> str:
    """How many tensors agree, in a line."""
    total, wrong = len(diff.tensors), len(diff.different)
    if not wrong:
        said = f"{total:,} tensor{'s' * (total != 1)} compared: all agree"
    else:
        said = f"{total:,} tensors compared: {total - wrong:,} agree, {wrong:,} differ"
    told = sum(t.verdict.by == "statistics" for t in diff.tensors)
    if told:
        said += f"; {'all' if told == total else f'{told:,}'} by their statistics alone"
    for found, name in ((diff.only_a, names[0]), (diff.only_b, names[1])):
        if found:
            said += f"; {len(found):,} only in {escape_control(name)}"
    tolerance = diff.tolerance
    if tolerance.rtol or tolerance.atol:
        said += f"   (rtol {tolerance.rtol:g}, atol {tolerance.atol:g})"
    elif wrong:
        said += "   (exactly; --rtol and --atol allow a distance)"
    return said


def table_lines(tensors: Iterable[TensorResult], diff: DumpDiff) -> list[str]:
    """Tensors as a table."""
    place = places(diff)
    head = ["", "operator", "", "dtype", "shape", "max |a−b|", "max rel", "cosine", "out of tolerance", "source"]
    rows = []
    for t in tensors:
        share = how(t) if t.verdict.what in ("shape", "dtype", "statistics", "unreadable") else _share(t)
        rows.append(
            [
                "=" if t.same else "≠",
                _ending(_full(t)),
                place(t),
                t.diff.dtype[0] if t.diff.dtype[0] == t.diff.dtype[1] else f"{t.diff.dtype[0]}/{t.diff.dtype[1]}",
                shape_text(t.diff.shape[0]),
                number_text(t.diff.max_abs),
                number_text(t.diff.max_rel),
                number_text(t.diff.cosine),
                share,
                t.spot.source,
            ]
        )
    return table(head, rows, right=(5, 6, 7, 8)) if rows else []


def places(diff: DumpDiff) -> Callable[[TensorResult | Unpaired], str]:
    """What tells where a tensor stands: rank and iteration are told where there are several."""
    everything: list[TensorResult | Unpaired] = [*diff.tensors, *diff.only_a, *diff.only_b]
    ranks = len({t.which.rank for t in everything}) > 1
    iterations = len({t.which.iteration for t in everything if t.which.iteration >= 0}) > 1

    def place(t: TensorResult | Unpaired) -> str:
        where = f"{t.which.io} {t.which.slot}"
        if t.which.occurrence:
            where += f" #{t.which.occurrence + 1}"
        if ranks:
            where += f" rank {t.which.rank}"
        if iterations and t.which.iteration >= 0:
            where += f" it {t.which.iteration}"
        return where

    return place


def _ending(name: str, widest: int = 48) -> str:
    # Names of one network begin alike, so their end tells more.
    return name if len(name) <= widest else "…" + name[1 - widest :]


def _share(t: TensorResult) -> str:
    if not t.diff.mismatched:
        return "0"
    return f"{t.diff.mismatched:,} ({t.diff.share:.2%})" if t.diff.share >= 0.0001 else f"{t.diff.mismatched:,}"


def unpaired_lines(diff: DumpDiff, names: tuple[str, str], most: int) -> list[str]:
    """Tensors without a partner, at most `most` of each side."""
    lines: list[str] = []
    place = places(diff)
    for found, name in ((diff.only_a, names[0]), (diff.only_b, names[1])):
        if not found:
            continue
        lines.append(f"only in {escape_control(name)}:")
        lines += [f"  {_full(u)}   {place(u)}" for u in found[:most]]
        if len(found) > most:
            lines.append(f"  … and {len(found) - most:,} more")
    return lines

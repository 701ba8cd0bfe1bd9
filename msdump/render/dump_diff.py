"""Two dumps compared, as a person reads it: where they part, how many agree, then the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msdump.diff.dumps.result import Divergence, DumpDiff, TensorResult, Unpaired
from msdump.json_values import number
from msdump.render.escape import escape_control
from msdump.render.table import number_text, one_line, table, value_text

Paint = Callable[[str, str], str]
"""(text, role) → text in the role's colour; roles: "differs", "agrees", "dim", "head"."""

SCHEMA = "msdump.dump-diff/1"
SORTS: dict[str, Callable[[TensorResult], Any]] = {
    "max_abs": lambda t: _high(t.max_abs),
    "max_rel": lambda t: _high(t.max_rel),
    "mean_abs": lambda t: _high(t.mean_abs),
    "rel_l2": lambda t: _high(t.rel_l2),
    "cosine": lambda t: 2.0 if t.cosine is None else t.cosine,
    "ulp": lambda t: _high(t.max_ulp),
    "share": lambda t: -t.share,
    "mismatched": lambda t: -t.mismatched,
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
        where = [paint("first divergence", "differs"), one_line(t.op_type or t.op), _full(t), f"{t.io} {t.slot}"]
        where += [one_line(text) for text in (t.source, t.code) if text]
        lines.append("   ".join(where))
        lines.append("  " + "; ".join([inputs_text(first), f"{t.io}: {how(t)}"]))
        more = _when(t, diff)
        if more:
            lines.append("  " + more)
    lines.append(summary(diff, names))
    return lines


def _full(t: TensorResult | Unpaired) -> str:
    # The name is what one searches for, so it is not cut.
    name = t.scope or (t.op_name if isinstance(t, TensorResult) else t.op)
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
    if t.what == "unreadable":
        return one_line(t.error, 200)
    if t.what == "shape":
        return f"shape {shape_text(t.shape[0])} against {shape_text(t.shape[1])}"
    if t.what == "dtype":
        return f"values agree, dtype {t.dtype[0]} against {t.dtype[1]}"
    if t.what == "statistics":
        if t.statistics == ("nan",) and t.nan[0] == t.nan[1]:
            return f"NaN on both sides, {t.nan[0]:,} each (--equal-nan takes them for equal)"
        return t.error or f"saved statistics differ: {', '.join(t.statistics)}"
    if t.same:
        return "agrees"
    parts = []
    if t.max_abs is not None:
        parts.append(f"max |a−b| {value_text(t.max_abs)}")
    parts.append(f"{t.mismatched:,} of {t.count:,} out of tolerance")
    if t.worst is not None:
        at = f"worst at {list(t.worst)}"
        if t.worst_values is not None:
            at += f" ({value_text(t.worst_values[0])} against {value_text(t.worst_values[1])})"
        parts.append(at)
    if t.nan != (0, 0):
        parts.append(f"NaN {t.nan[0]:,} against {t.nan[1]:,}")
    return ", ".join(parts)


def _when(t: TensorResult, diff: DumpDiff) -> str:
    said = []
    if len({x.rank for x in diff.tensors}) > 1:
        said.append(f"rank {t.rank}")
    if len({x.iteration for x in diff.tensors}) > 1 and t.iteration >= 0:
        said.append(f"iteration {t.iteration}")
    if t.occurrence:
        said.append(f"launch {t.occurrence + 1} of the operator")
    return ", ".join(said)


def shape_text(shape: tuple[int, ...] | None) -> str:
    """A shape as MindSpore writes it: (2, 3)."""
    return "?" if shape is None else str(tuple(shape)).replace(",)", ")")


def summary(diff: DumpDiff, names: tuple[str, str]) -> str:
    """How many tensors agree, in a line."""
    total, wrong = len(diff.tensors), len(diff.different)
    if not wrong:
        said = f"{total:,} tensor{'s' * (total != 1)} compared: all agree"
    else:
        said = f"{total:,} tensors compared: {total - wrong:,} agree, {wrong:,} differ"
    told = sum(t.by == "statistics" for t in diff.tensors)
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
        share = how(t) if t.what in ("shape", "dtype", "statistics", "unreadable") else _share(t)
        rows.append(
            [
                "=" if t.same else "≠",
                _ending(_full(t)),
                place(t),
                t.dtype[0] if t.dtype[0] == t.dtype[1] else f"{t.dtype[0]}/{t.dtype[1]}",
                shape_text(t.shape[0]),
                number_text(t.max_abs),
                number_text(t.max_rel),
                number_text(t.cosine),
                share,
                t.source,
            ]
        )
    return table(head, rows, right=(5, 6, 7, 8)) if rows else []


def places(diff: DumpDiff) -> Callable[[TensorResult | Unpaired], str]:
    """What tells where a tensor stands: rank and iteration are told where there are several."""
    everything: list[TensorResult | Unpaired] = [*diff.tensors, *diff.only_a, *diff.only_b]
    ranks = len({t.rank for t in everything}) > 1
    iterations = len({t.iteration for t in everything if t.iteration >= 0}) > 1

    def place(t: TensorResult | Unpaired) -> str:
        where = f"{t.io} {t.slot}"
        if t.occurrence:
            where += f" #{t.occurrence + 1}"
        if ranks:
            where += f" rank {t.rank}"
        if iterations and t.iteration >= 0:
            where += f" it {t.iteration}"
        return where

    return place


def _ending(name: str, widest: int = 48) -> str:
    # Names of one network begin alike, so their end tells more.
    return name if len(name) <= widest else "…" + name[1 - widest :]


def _share(t: TensorResult) -> str:
    if not t.mismatched:
        return "0"
    return f"{t.mismatched:,} ({t.share:.2%})" if t.share >= 0.0001 else f"{t.mismatched:,}"


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


def to_json(diff: DumpDiff) -> dict[str, Any]:
    """The comparison as the document that scripts rely on (docs/json.md)."""
    first = diff.first
    return {
        "schema": SCHEMA,
        "same": diff.same,
        "compared": len(diff.tensors),
        "different": len(diff.different),
        "only_a": [u.to_dict() for u in diff.only_a],
        "only_b": [u.to_dict() for u in diff.only_b],
        "first": None
        if first is None
        else {
            "op": first.tensor.op,
            "op_type": first.tensor.op_type,
            "scope": first.tensor.scope or None,
            "source": first.tensor.source or None,
            "code": first.tensor.code or None,
            "io": first.tensor.io,
            "slot": first.tensor.slot,
            "iteration": first.tensor.iteration,
            "rank": first.tensor.rank,
            "graph": first.tensor.graph,
            "occurrence": first.tensor.occurrence,
            "inputs": first.inputs or None,
            "differing_inputs": list(first.differing_inputs),
            "unpaired_inputs": list(first.unpaired_inputs),
        },
        "rtol": number(diff.tolerance.rtol),
        "atol": number(diff.tolerance.atol),
        "equal_nan": diff.tolerance.equal_nan,
        "problems": [{"what": p} for p in diff.problems],
        "notes": list(diff.notes),
        "tensors": [tensor_json(t) for t in diff.tensors],
    }


def tensor_json(t: TensorResult) -> dict[str, Any]:
    """One tensor of that document."""
    found = t.to_dict()
    for key, value in found.items():
        if isinstance(value, float):
            found[key] = number(value)
    found["shape"] = [None if s is None else list(s) for s in t.shape]
    found["worst"] = None if t.worst is None else list(t.worst)
    values = t.worst_values
    found["worst_values"] = None if values is None else [v if isinstance(v, str) else number(v) for v in values]
    for key in ("scope", "source", "code", "what", "error"):
        found[key] = found[key] or None
    return found


COLUMNS: tuple[str, ...] = (
    "op",
    "io",
    "slot",
    "iteration",
    "rank",
    "graph",
    "occurrence",
    "scope",
    "source",
    "same",
    "what",
    "dtype_a",
    "dtype_b",
    "shape_a",
    "shape_b",
    "count",
    "mismatched",
    "share",
    "worst",
    "max_abs",
    "mean_abs",
    "max_rel",
    "cosine",
    "rel_l2",
    "max_ulp",
    "nan_a",
    "nan_b",
    "inf_a",
    "inf_b",
    "path_a",
    "path_b",
    "error",
)


def flat_rows(diff: DumpDiff) -> list[dict[str, Any]]:
    """A row a tensor with plain cells, those without a partner at the end (what: only_a, only_b)."""
    rows: list[dict[str, Any]] = []
    for t in diff.tensors:
        found = t.to_dict()
        for key in ("dtype", "shape", "nan", "inf", "path"):
            found[f"{key}_a"], found[f"{key}_b"] = found[key]
        for key in ("shape_a", "shape_b", "worst"):
            found[key] = None if found[key] is None else str(list(found[key]))
        for key in ("max_abs", "mean_abs", "max_rel", "cosine", "rel_l2", "max_ulp"):
            found[key] = None if found[key] is None else float(found[key])
        rows.append({key: found.get(key) for key in COLUMNS})
    for side, unpaired in (("a", diff.only_a), ("b", diff.only_b)):
        for u in unpaired:
            row: dict[str, Any] = dict.fromkeys(COLUMNS)
            row |= {k: v for k, v in u.to_dict().items() if k in row}
            row |= {"same": False, "what": f"only_{side}", f"path_{side}": u.path}
            rows.append(row)
    return rows

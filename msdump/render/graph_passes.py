"""Compile stages as a person reads them: what each changed, those that changed nothing folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msdump.diff.edits import GraphDiff
from msdump.diff.passes import Parting, Sighting, Stage, stage_label
from msdump.render.escape import escape_control
from msdump.render.graph_diff import Paint, plain, verdict

SHOWN = 4
"""How many operators are named before the rest is an ellipsis."""


def what_changed(diff: GraphDiff) -> str:
    """`+2 Load  -1 Depend  ~3 attributes of Conv2D`, the most first."""
    words: list[str] = []
    for sign, counted in (("+", diff.count("added")), ("-", diff.count("removed"))):
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        words += [f"{sign}{number} {op}" for op, number in ordered[:SHOWN]]
        if len(ordered) > SHOWN:
            words.append(f"{sign}{sum(n for _, n in ordered[SHOWN:])} others")
    changed = [c for c in diff.changes if c.kind == "changed"]
    types = [c for c in changed if c.types_only]
    others = [c for c in changed if not c.types_only]
    if others:
        ops = list(dict.fromkeys(c.op for c in others))
        words.append(f"~{len(others)} {', '.join(ops[:SHOWN])}{' …' if len(ops) > SHOWN else ''}")
    if types:
        words.append(f"~{len(types)} types")
    rewired = sum(1 for c in diff.changes if c.kind == "rewired")
    if rewired:
        words.append(f">{rewired} rewired")
    return "  ".join(words)


def stage_lines(stages: Iterable[Stage], everything: bool = False, paint: Paint = plain) -> list[str]:
    """The table of stages, its sum first."""
    listed = list(stages)
    changed = sum(1 for stage in listed if stage.changed)
    lines = [paint(f"{len(listed)} stages, {changed} changed the graph", "head"), ""]
    names = [stage_label(stage.file) for stage in listed]
    width = min(max((len(n) for n, s in zip(names, listed, strict=True) if s.changed), default=20), 48)
    quiet = 0
    for name, stage in zip(names, listed, strict=True):
        first = stage.diff is None and not stage.error
        if not (stage.changed or stage.error or first or everything):
            quiet += 1
            continue
        lines.extend(_quiet(quiet, paint))
        quiet = 0
        said = (
            f"cannot be read: {stage.error}" if stage.error else "" if stage.diff is None else what_changed(stage.diff)
        )
        line = f" {name:<{width}}  {said}" + (f"   {stage.note}" if stage.note else "")
        lines.append(escape_control(line.rstrip()))
    lines.extend(_quiet(quiet, paint))
    return lines


def _quiet(count: int, paint: Paint) -> list[str]:
    if not count:
        return []
    return [paint(f"    … {count} stage{'s' if count > 1 else ''} changed nothing", "dim")]


def sighting_lines(query: str, sightings: Sequence[Sighting]) -> list[str]:
    """Which stage brought nodes in or took them out."""
    if not sightings:
        return [escape_control(f"{query}: in no stage")]
    lines = [escape_control(f"{query}: the number changes in {len(sightings)} stages"), ""]
    width = min(max(len(stage_label(s.file)) for s in sightings), 48)
    for s in sightings:
        move = f"{s.before} → {s.after}"
        some = "; ".join(s.nodes) + (" …" if s.after > len(s.nodes) else "")
        lines.append(escape_control(f" {stage_label(s.file):<{width}}  {move:>10}   {some}".rstrip()))
    return lines


def parting_lines(parting: Parting | None, same: Sequence[str]) -> list[str]:
    """Where two compilations part."""
    if parting is None:
        return [f"the same in all {len(same)} stages that both have"]
    lines = [
        escape_control(f"the compilations part at {stage_label(parting.a)}: {verdict(parting.diff)}"),
        f"  the same in {len(parting.same)} stages before it",
    ]
    for names, side in ((parting.only_a, "first"), (parting.only_b, "second")):
        if names:
            some = ", ".join(stage_label(n) for n in names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
            lines.append(escape_control(f"  only in the {side}: {some}"))
    return lines

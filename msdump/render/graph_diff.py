"""A graph diff as a person reads it: the answer in a line, then each change with its consequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msdump.diff.edits import Change, ChangeKind, GraphDiff, Pair
from msdump.render.escape import escape_control

Paint = Callable[[str, str], str]
"""(text, role) → text in the role's colour; roles: "added", "removed", "changed", "dim", "head"."""

MARKS: dict[ChangeKind, str] = {"added": "+", "removed": "-", "changed": "~", "rewired": ">", "moved": "="}
FOLDED = 6
"""How many names are listed before the rest is counted."""


def plain(text: str, _role: str) -> str:
    """No colour."""
    return text


@dataclass(slots=True)
class Entry:
    """Root changes that are the same but for where they are, with what follows from them.

    `group` says what the node was split into or fused from, "" when it was not.
    """

    changes: list[Change]
    follow: list[Change]
    group: str = ""


def entries(diff: GraphDiff) -> list[Entry]:
    """The roots in order, equal ones together, each with all that follows from it."""
    follow: dict[int, list[Change]] = {}
    changes = diff.changes
    for change in changes:
        if change.cause is not None and change.kind != "moved":
            follow.setdefault(root_of(diff, change.cause), []).append(change)
    found: dict[object, Entry] = {}
    for number, change in enumerate(changes):
        if change.cause is None and change.kind != "moved":
            group = _group(diff, change)
            key = (change.kind, change.op, tuple(sorted(change.what.items())), change.source, change.signature, group)
            entry = found.setdefault(key, Entry([], [], group))
            entry.changes.append(change)
            entry.follow.extend(follow.get(number, ()))
    return list(found.values())


def _group(diff: GraphDiff, change: Change) -> str:
    if not change.several:
        return ""
    others = [diff.changes[n] for n in change.several]
    split = any(other.kind == "added" for other in others)
    names = [other.op for other in others]
    if "op" in change.what:  # it became one of the several
        names.insert(0, change.what["op"][1 if split else 0] or "")
    return f"{'split into' if split else 'fused from'} {len(names)} operators: {_some(names)}"


def root_of(diff: GraphDiff, number: int) -> int:
    """The change that the change of this index follows from in the end."""
    for _ in range(len(diff.changes)):
        cause = diff.changes[number].cause
        if cause is None:
            break
        number = cause
    return number


def _plural(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def verdict(diff: GraphDiff) -> str:
    """The answer in one line: "same computation", "1 operator added, shapes of 14 follow"."""
    moved = sum(1 for change in diff.changes if change.kind == "moved")
    renamed = f"; {_plural(moved, 'name or scope differs', 'names or scopes differ')}" if moved else ""
    if diff.same:
        return "same computation" + renamed
    counts: Counter[str] = Counter()
    for change in diff.roots:
        counts[_sort(change)] += 1
    words = {
        "added": ("operator added", "operators added"),
        "removed": ("operator removed", "operators removed"),
        "replaced": ("operator replaced", "operators replaced"),
        "attribute": ("attribute changed", "attributes changed"),
        "constant": ("constant changed", "constants changed"),
        "rewired": ("operator rewired", "operators rewired"),
        "input": ("input of another type", "inputs of another type"),
        "type": ("type changed", "types changed"),
    }
    said = [_plural(counts[key], *words[key]) for key in words if counts[key]]
    types = sum(1 for c in diff.changes if c.cause is not None and c.types_only)
    others = sum(1 for c in diff.changes if c.cause is not None and c.kind != "moved") - types
    if types:
        said.append(f"types of {types} follow")
    if others:
        said.append(f"{_plural(others, 'other change follows', 'other changes follow')}")
    end = "; all else is the same computation" if not types and not others else ""
    return ", ".join(said) + end + renamed


def _sort(change: Change) -> str:
    if change.kind in ("added", "removed", "rewired"):
        return change.kind
    if "op" in change.what:
        return "replaced"
    if change.op == "Parameter":
        return "input"
    keys = [key for key in change.what if key not in ("type", "device")]
    if not keys:
        return "type"
    return "constant" if all(key.startswith("input ") for key in keys) else "attribute"


def diff_lines(diff: GraphDiff, paint: Paint = plain, verbose: bool = False) -> list[str]:
    """The whole report, a line an item."""
    lines = [paint(escape_control(verdict(diff)), "head")]
    for entry in entries(diff):
        lines.append("")
        lines.extend(_entry_lines(entry, paint, verbose))
    moved = [change for change in diff.changes if change.kind == "moved"]
    if moved:
        lines.append("")
        lines.extend(_moved_lines(moved, paint, verbose))
    return lines


def _entry_lines(entry: Entry, paint: Paint, verbose: bool) -> list[str]:
    change = entry.changes[0]
    count = len(entry.changes)
    times = f"×{count}: " if count > 1 else ""
    name = " → ".join(_both(change.what["op"])) if "op" in change.what else change.op
    scopes = list(dict.fromkeys(_where(c) for c in entry.changes))
    head = f"{MARKS[change.kind]} {times}{name}"
    place = _some(scopes)
    source = f"{change.source}   {change.code}" if change.source else ""
    line = f"{head:<9}  {place:<44}  {source}" if source else f"{head:<9}  {place}"
    lines = [paint(escape_control(line.rstrip()), change.kind)]
    for key, pair in change.what.items():
        if key == "op" or (key == "type" and len(change.what) > 1):
            continue
        before, after = _both(pair)
        lines.append(escape_control(f"    {key}: {before} → {after}"))
    if change.kind in ("added", "removed") or "op" in change.what:
        feeds = f"   feeds {', '.join(change.feeds)}" if change.feeds else ""
        lines.append(paint(escape_control(f"    {change.signature}{feeds}"), "dim"))
    if entry.group:
        lines.append(escape_control(f"    {entry.group}"))
    if verbose and change.why:
        lines.append(paint(f"    matched: {change.why}", "dim"))
    lines.extend(_follow_lines(entry.follow, paint, verbose))
    return lines


def _follow_lines(follow: Sequence[Change], paint: Paint, verbose: bool) -> list[str]:
    if not follow:
        return []
    types = [c for c in follow if c.types_only]
    others = [c for c in follow if not c.types_only]
    lines = []
    if others:
        counted = Counter((MARKS[c.kind], c.op) for c in others)
        said = [
            f"{mark}{number if number > 1 else ''}{' ' if number > 1 else ''}{op}"
            for (mark, op), number in counted.items()
        ]
        lines.append(paint(escape_control(f"    follows: {_some(said)}"), "dim"))
    if types:
        said = [f"{op} ×{n}" if n > 1 else op for op, n in Counter(c.op for c in types).items()]
        lines.append(paint(escape_control(f"    types of {len(types)} follow: {_some(said)}"), "dim"))
    if verbose:
        for change in follow:
            what = "; ".join(f"{key}: {' → '.join(_both(pair))}" for key, pair in change.what.items())
            tail = f"   [{change.why}]" if change.why else ""
            text = f"      {MARKS[change.kind]} {change.op} {_where(change)}  {what}{tail}"
            lines.append(paint(escape_control(text.rstrip()), "dim"))
    return lines


def _moved_lines(moved: Sequence[Change], paint: Paint, verbose: bool) -> list[str]:
    groups: dict[tuple[str, Pair], list[Change]] = {}
    for change in moved:
        for key, pair in change.what.items():
            groups.setdefault((key, pair), []).append(change)
    lines = [paint("renamed or moved, computing the same:", "dim")]
    shown = list(groups.items())
    for (key, pair), changes in shown if verbose else shown[: 2 * FOLDED]:
        before, after = _both(pair)
        ops = _some(list(dict.fromkeys(c.op for c in changes)))
        times = f"×{len(changes)}: " if len(changes) > 1 else ""
        lines.append(escape_control(f"  = {times}{key} {before} → {after}   {ops}"))
    if not verbose and len(shown) > 2 * FOLDED:
        lines.append(f"    … {len(shown) - 2 * FOLDED} more (-v shows them)")
    return lines


def _where(change: Change) -> str:
    name = change.name[1] if change.name[1] is not None else change.name[0]
    graph = change.graph[1] if change.graph[1] is not None else change.graph[0]
    if change.op == "Parameter":
        return str(name)
    return change.scope or f"@{graph}:{name}"


def _both(pair: Pair) -> tuple[str, str]:
    return ("(none)" if pair[0] is None else pair[0]), ("(none)" if pair[1] is None else pair[1])


def _some(words: Iterable[str]) -> str:
    listed = list(words)
    if len(listed) <= FOLDED:
        return ", ".join(listed)
    return ", ".join(listed[:FOLDED]) + f", … {len(listed) - FOLDED} more"


def stat_lines(diff: GraphDiff) -> list[str]:
    """Counts by scope, as `git diff --stat` counts by file; then the sums."""
    rows: dict[str, Counter[ChangeKind]] = {}
    for change in diff.changes:
        rows.setdefault(change.scope or "(no scope)", Counter())[change.kind] += 1
    width = max((len(scope) for scope in rows), default=0)
    lines = []
    for scope in sorted(rows):
        count = rows[scope]
        bar = "".join(MARKS[kind] * min(count[kind], 20) for kind in MARKS)
        lines.append(escape_control(f" {scope:<{width}} | {sum(count.values()):>4} {bar}"))
    sums: Counter[ChangeKind] = Counter(change.kind for change in diff.changes)
    total = ", ".join(f"{sums[kind]} {kind}" for kind in MARKS if sums[kind])
    lines.append(
        f" {diff.nodes[0]} and {diff.nodes[1]} nodes, {diff.matched} matched" + (f"; {total}" if total else "")
    )
    return lines


def diff_markdown(diff: GraphDiff) -> str:
    """The report as Markdown, for a pull request."""
    lines = [f"**{_md(verdict(diff))}**", ""]
    shown = entries(diff)
    if shown:
        lines += ["| | operator | where | source | what |", "| --- | --- | --- | --- | --- |"]
    for entry in shown:
        change = entry.changes[0]
        times = f" ×{len(entry.changes)}" if len(entry.changes) > 1 else ""
        what = "; ".join(f"{key}: {' → '.join(_both(pair))}" for key, pair in change.what.items()) or change.signature
        if entry.follow:
            what += f" ({_plural(len(entry.follow), 'change follows', 'changes follow')})"
        where = _some(dict.fromkeys(_where(c) for c in entry.changes))
        source = f"{change.source} {change.code}".strip()
        cells = (MARKS[change.kind], change.op + times, where, source, what)
        lines.append("| " + " | ".join(_md(cell) for cell in cells) + " |")
    moved = sum(1 for change in diff.changes if change.kind == "moved")
    if moved:
        lines += ["", f"{_plural(moved, 'node')} renamed or moved, computing the same."]
    return "\n".join(lines) + "\n"


def _md(text: str) -> str:
    text = escape_control(text).replace("\n", " ")
    for mark in "\\`*_|<>[]":
        text = text.replace(mark, "\\" + mark)
    return text

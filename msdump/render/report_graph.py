"""What a report says about graphs: one, a failed compilation, two, and the stages of a compilation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msdump.diff.edits import GraphDiff
from msdump.diff.passes import Parting, Stage, stage_label
from msdump.graph import Graph
from msdump.graph.explain import Explanation
from msdump.graph.names import file_label
from msdump.graph.node import operator_name
from msdump.graph.text import type_text
from msdump.graph.verify import verify
from msdump.render.graph import is_weight, node_line, tree_lines
from msdump.render.graph_diff import verdict
from msdump.render.graph_diff_html import diff_parts
from msdump.render.graph_explain import explanation_lines
from msdump.render.graph_passes import parting_lines, what_changed
from msdump.render.report_page import Markup, answer, bar, fold, more, pre, table, text

ROWS = 100
"""Rows of a table; the rest is counted."""
NODES = 400
CHANGES = 100
DRAWN = 25


def graph_parts(graph: Graph, notes: Sequence[str] = (), error: str = "") -> list[str]:
    """The parts of a page about one graph."""
    nodes = sum(len(func.nodes) for func in graph.funcs.values())
    origin = f"{graph.source.format} {graph.source.dialect}".strip()
    parts = [answer(f"{nodes:,} nodes in {len(graph.funcs):,} subgraph{'s' * (len(graph.funcs) != 1)}")]
    parts.append(f'<p class="dim">entry <code>@{text(graph.entry)}</code>{text(f" ({origin})" if origin else "")}</p>')
    if error:
        parts.append(answer(error, False))
    faults = [fault.what for fault in verify(graph) if fault.level == "error"]
    if faults:
        parts += [answer("the graph contradicts itself", False), pre(faults, 20)]
    operators = Counter(operator_name(node) for _, node in graph.iter_nodes()).most_common()
    operators.sort(key=lambda item: (-item[1], item[0]))
    if operators:
        most = operators[0][1]
        rows = [(name, f"{count:,}", bar(count / most)) for name, count in operators]
        parts += ["<h3>operators</h3>", table(("operator", "count", ""), rows, (1,), 30)]
    entry = graph.funcs.get(graph.entry)
    if entry is not None and entry.parameters:
        told = [(p.name, type_text(p.abstract), "weight" if is_weight(p) else "") for p in entry.parameters]
        told.sort(key=lambda row: row[2])
        parts += ["<h3>parameters</h3>", table(("name", "type", ""), told, most=ROWS)]
    if len(graph.funcs) > 1:
        parts.append(fold(f"{len(graph.funcs):,} subgraphs", _subgraphs(graph)))
    parts.append(fold("scopes", pre(tree_lines(graph), NODES)))
    lines = (node_line(func, node, len(graph.funcs) > 1) for func, node in graph.iter_nodes())
    shown = [line for _, line in zip(range(NODES), lines, strict=False)]
    parts.append(fold(f"{nodes:,} nodes", pre(shown) + more(nodes - len(shown))))
    if notes:
        parts.append(fold(f"{len(notes):,} notes", pre(notes, ROWS)))
    return parts


def _subgraphs(graph: Graph) -> str:
    rows = []
    for func in graph.funcs.values():
        place = f"{file_label(func.location.file)}:{func.location.line}" if func.location else ""
        rows.append((f"@{func.name}", f"{len(func.nodes):,}", place, "entry" if func.name == graph.entry else ""))
    return table(("subgraph", "nodes", "source", ""), rows, (1,), ROWS)


def explanation_parts(explanation: Explanation) -> list[str]:
    """Why a compilation failed, before the graph itself."""
    head, *lines = explanation_lines(explanation)
    return [answer(head, False), pre(lines, ROWS)]


def graph_diff_parts(diff: GraphDiff, a: str, b: str) -> list[str]:
    """The parts of a page about two graphs."""
    return [answer(verdict(diff), diff.same), *diff_parts(diff, a, b, CHANGES, DRAWN)]


def passes_parts(stages: Sequence[Stage], part: int = 0) -> list[str]:
    """The parts of a page about the stages of a compilation: all in a table, then what each changed.

    `part` tells its anchors from those of other folders on the page.
    """
    changed = [stage for stage in stages if stage.changed]
    parts = [answer(f"{len(stages)} stages, {len(changed)} changed the graph")]
    most = max((_size(stage) for stage in changed), default=1)
    rows = []
    for number, stage in enumerate(stages):
        said = f"cannot be read: {stage.error}" if stage.error else what_changed(stage.diff) if stage.diff else ""
        name = text(stage_label(stage.file))
        anchor = f"stage{part}-{number}"
        link = Markup(f'<a href="#{anchor}">{name}</a>' if stage.changed else f'<span class="dim">{name}</span>')
        rows.append((link, bar(_size(stage) / most) if stage.changed else "", said, stage.note))
    parts.append(table(("stage", "changes", "what changed", ""), rows, most=1000))
    for number, stage in enumerate(stages):
        if stage.diff is None or not stage.changed:
            continue
        content = "\n".join(diff_parts(stage.diff, stage.compared_with or "", stage.file, CHANGES // 4, 3))
        said = f"{stage_label(stage.file)}: {verdict(stage.diff)}"
        # Inside of what is folded, so that following the link opens it.
        parts.append(fold(said, f'<div id="stage{part}-{number}">{content}</div>'))
    return parts


def parting_parts(parting: Parting | None, same: Sequence[str]) -> list[str]:
    """The parts of a page about two compilations: the first stage where they part."""
    head, *lines = parting_lines(parting, same)
    parts = [answer(head, parting is None), *([pre(lines)] if lines else [])]
    if parting is not None:
        parts += diff_parts(parting.diff, parting.a, parting.b, CHANGES, DRAWN)
    return parts


def _size(stage: Stage) -> int:
    return sum(1 for change in stage.diff.changes if change.kind != "moved") if stage.diff is not None else 0

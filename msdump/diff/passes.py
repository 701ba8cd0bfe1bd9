"""A sequence of compile stages: what each one changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from msdump.diff.edits import GraphDiff
from msdump.diff.graphs import diff_graphs
from msdump.diff.labels import Ignore
from msdump.errors import MsdumpError
from msdump.graph.abstract import NullType
from msdump.graph.find import Query, select
from msdump.graph.graph import Graph
from msdump.graph.names import graph_label, scope_label
from msdump.graph.node import operator_name

_SUFFIX = re.compile(r"\.(?:ir|dat|dot|pb|mindir)$")
_TRAILING = re.compile(r"_([0-9]{1,18})$")
_LEADING = re.compile(r"^([0-9]{4,18})_")


def stage_number(name: str) -> int | None:
    """The number that says when a stage was written: the trailing one of its file name, the leading
    one in 1.0 ("0020_9_validate.ir"); None when it has neither."""
    leading = _LEADING.match(name)
    if leading:
        return int(leading[1])
    trailing = _TRAILING.search(_SUFFIX.sub("", name))
    return int(trailing[1]) if trailing else None


def stage_label(name: str) -> str:
    """A stage's name without its number and suffix: "opt_pass_2_opt_a_0010.ir" → "opt_pass_2_opt_a"."""
    return _LEADING.sub("", _TRAILING.sub("", _SUFFIX.sub("", name)))


def in_write_order(names: Iterable[str]) -> list[str]:
    """File names in the order they were written; those without a number last, by name."""
    return sorted(names, key=lambda n: ((0, number) if (number := stage_number(n)) is not None else (1, 0), n))


@dataclass(frozen=True, slots=True)
class StageFile:
    """A stage before it is read.

    Attributes:
        name: its file name.
        fingerprint: equal for files of equal text (addresses aside), "" when not known.
        load: reads the graph; MsdumpError when it holds none.
    """

    name: str
    fingerprint: str
    load: Callable[[], Graph]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and what it changed.

    Attributes:
        file: its file name.
        graph: which root graph it shows ("kernel_graph", "construct_wrapper"), numbers aside.
        compared_with: the file it is compared with: the last one of the same root graph, or the one
            before when the root is new; None for the first.
        diff: what changed, None where nothing is compared.
        note: what a person should know: first types, subgraphs inlined, another graph.
        error: why the file could not be read, or "".
    """

    file: str
    graph: str = ""
    compared_with: str | None = None
    diff: GraphDiff | None = None
    note: str = ""
    error: str = ""

    @property
    def changed(self) -> bool:
        """Whether the stage changed the computation it is compared with."""
        return self.diff is not None and not self.diff.same

    def to_json(self) -> dict[str, Any]:
        """One of `stages` of `msdump.graph-passes/1`."""
        empty = {"added": {}, "removed": {}, "changed": 0, "rewired": 0, "moved": 0}
        row: dict[str, Any] = {
            "file": self.file,
            "changed": self.changed,
            "summary": empty if self.diff is None else self.diff.summary(),
            "graph": self.graph,
            "compared_with": self.compared_with,
        }
        if self.note:
            row["note"] = self.note
        if self.error:
            row["error"] = self.error
        return row


@dataclass(slots=True)
class _Seen:
    """The last stage of one root graph."""

    file: StageFile
    label: str
    loaded: Graph | None = field(default=None, repr=False)

    def graph(self) -> Graph:
        if self.loaded is None:
            self.loaded = self.file.load()
        return self.loaded


_NOTHING = GraphDiff(())


def diff_stages(files: Sequence[StageFile], ignore: Iterable[str] | Ignore = ()) -> Iterator[Stage]:
    """Each stage with what it changed, as it is read; two graphs are held at most per root.

    A file whose text is that of the stage it would be compared with is not read at all.
    """
    what = ignore if isinstance(ignore, Ignore) else Ignore.parse(ignore)
    roots: dict[str, _Seen] = {}
    last: _Seen | None = None
    for file in files:
        if last is not None and file.fingerprint and file.fingerprint == last.file.fingerprint:
            yield Stage(file.name, last.label, last.file.name, _NOTHING)
            last.file = file
            continue
        try:
            graph = file.load()
        except MsdumpError as error:
            yield Stage(file.name, error=error.what)
            continue
        label = graph_label(graph.entry)
        before = roots.get(label)
        note = ""
        if before is None and last is not None:
            before = last
            note = f"another graph: @{label}"
        if before is None:
            yield Stage(file.name, label, note="first graph")
        else:
            result = diff_graphs(before.graph(), graph, what)
            renamed = "kernel_graph" not in (label, before.label) and result.matched * 2 > max(result.nodes)
            if note and renamed:
                note = f"entry renamed: @{before.label} → @{label}" if before.label != label else ""
                roots.pop(before.label, None)
            yield Stage(file.name, label, before.file.name, result, note or _note(before.graph(), graph))
        last = roots[label] = _Seen(file, label, graph)


def _note(before: Graph, after: Graph) -> str:
    if _untyped(before) and not _untyped(after):
        return "first graph with types"
    fewer = len(before.funcs) - len(after.funcs)
    if fewer:
        count = abs(fewer)
        return f"{count} subgraph{'s' if count > 1 else ''} {'fewer' if fewer > 0 else 'more'}"
    return ""


def _untyped(graph: Graph) -> bool:
    return all(isinstance(node.abstract, NullType) for _, node in graph.iter_nodes())


@dataclass(frozen=True, slots=True)
class Sighting:
    """How a stage changed the number of nodes that a query finds.

    Attributes:
        file: the stage.
        graph: the root graph it shows.
        before, after: how many there were in the stage before (of the same root), and in this one.
        nodes: the first few of this stage: "op name scope".
    """

    file: str
    graph: str
    before: int
    after: int
    nodes: tuple[str, ...]


def find_in_stages(files: Sequence[StageFile], query: Query) -> Iterator[Sighting]:
    """The stages at which the number of nodes that are all that is asked changes."""
    counts: dict[str, int] = {}
    seen: str = ""
    for file in files:
        if file.fingerprint and file.fingerprint == seen:
            continue
        try:
            graph = file.load()
        except MsdumpError:
            continue
        seen = file.fingerprint
        label = graph_label(graph.entry)
        found = [f"{operator_name(n)} {scope_label(n.scope) or n.name}".strip() for _, n in select(graph, query)]
        before = counts.get(label, 0)
        if len(found) != before:
            yield Sighting(file.name, label, before, len(found), tuple(found[:4]))
        counts[label] = len(found)


@dataclass(frozen=True, slots=True)
class Parting:
    """The first stage where two compilations part.

    Attributes:
        a, b: the file in each folder.
        diff: what differs between them.
        same: names of the stages before it, where both agree.
        only_a, only_b: stages that only one folder has.
    """

    a: str
    b: str
    diff: GraphDiff
    same: tuple[str, ...]
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()


def find_parting(
    a: Sequence[StageFile], b: Sequence[StageFile], ignore: Iterable[str] | Ignore = ()
) -> tuple[Parting | None, tuple[str, ...]]:
    """Where two compilations part, or None and the stages compared, told by name, numbers aside."""
    what = ignore if isinstance(ignore, Ignore) else Ignore.parse(ignore)
    others: dict[str, list[StageFile]] = {}
    for file in b:
        others.setdefault(stage_label(file.name), []).append(file)
    labels = {stage_label(file.name) for file in a}
    only_b = tuple(file.name for file in b if stage_label(file.name) not in labels)
    same: list[str] = []
    only_a: list[str] = []
    for file in a:
        queue = others.get(stage_label(file.name))
        if not queue:
            only_a.append(file.name)
            continue
        other = queue.pop(0)
        if file.fingerprint and file.fingerprint == other.fingerprint:
            same.append(file.name)
            continue
        try:
            result = diff_graphs(file.load(), other.load(), what)
        except MsdumpError:
            continue
        if not result.same:
            return Parting(file.name, other.name, result, tuple(same), tuple(only_a), only_b), tuple(same)
        same.append(file.name)
    return None, tuple(same)

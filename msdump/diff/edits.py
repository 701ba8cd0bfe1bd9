"""What a comparison of two graphs finds: changes as frozen data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from msdump.diff.match import Matching

ChangeKind = Literal["added", "removed", "changed", "rewired", "moved"]
Pair = tuple[str | None, str | None]
"""What stands in the first graph and what in the second; None where there is nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two graphs.

    Attributes:
        kind: "added" and "removed" nodes; "changed" ones (operator, attribute, constant, type);
            "rewired" ones (another operand); "moved" ones (scope, debug name, subgraph), which
            compute the same.
        op: the operator, of the second graph where there is one ("Parameter" for a parameter).
        name: the node in each graph ("%3").
        graph: the subgraph it stands in, in each graph.
        scope: its scope without operator numbers, of the second graph where there is one.
        source: the line of the user's code that it comes from, "net.py:25", or "".
        code: that line's text, or "".
        what: what differs, by attribute name, "op", "type", "input N" (from 0), "scope", "name" or
            "graph": in the first graph and in the second.
        cause: index of the change it follows from, None for a root.
        signature: the node as a call: operand types and the type of its output.
        feeds: names of operators that use its output.
        why: what the two nodes were matched by, or "".
        several: indexes of the changes of the nodes that this one was split into, or fused from.
        part_of: index of the change of the one node that this one was split from, or fused into.
    """

    kind: ChangeKind
    op: str
    name: Pair
    graph: Pair
    scope: str = ""
    source: str = ""
    code: str = ""
    what: Mapping[str, Pair] = field(default_factory=lambda: MappingProxyType({}))
    cause: int | None = None
    signature: str = ""
    feeds: tuple[str, ...] = ()
    why: str = ""
    several: tuple[int, ...] = ()
    part_of: int | None = None

    @property
    def types_only(self) -> bool:
        """Whether nothing but types differs, or how the device holds them."""
        return bool(self.what) and self.what.keys() <= {"type", "device"}

    def to_json(self) -> dict[str, Any]:
        """The change as CLI.md's `changes[]` has it, with more keys beside."""
        row: dict[str, Any] = {
            "kind": self.kind,
            "op": self.op,
            "name": {"a": self.name[0], "b": self.name[1]},
            "graph": {"a": self.graph[0], "b": self.graph[1]},
            "scope": self.scope,
            "source": self.source,
            "what": {key: list(pair) for key, pair in self.what.items()},
            "cause": self.cause,
        }
        if self.code:
            row["code"] = self.code
        if self.signature:
            row["signature"] = self.signature
        if self.feeds:
            row["feeds"] = list(self.feeds)
        if self.why:
            row["why"] = self.why
        if self.several:
            row["several"] = list(self.several)
        if self.part_of is not None:
            row["part_of"] = self.part_of
        return row


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """The difference of two graphs.

    Attributes:
        changes: every difference; those with cause None are roots, the others follow from them.
        nodes: how many nodes each graph has.
        matched: how many nodes of the first graph have a partner in the second.
        matching: the partners themselves, for reports that draw them; no part of equality.
    """

    changes: tuple[Change, ...]
    nodes: tuple[int, int] = (0, 0)
    matched: int = 0
    matching: Matching | None = field(default=None, compare=False, repr=False)

    @property
    def same(self) -> bool:
        """Whether both compute the same: names, numbers, lines, paths and scopes aside."""
        return all(change.kind == "moved" for change in self.changes)

    @property
    def roots(self) -> tuple[Change, ...]:
        """The changes that follow from no other, "moved" ones left out."""
        return tuple(c for c in self.changes if c.cause is None and c.kind != "moved")

    def count(self, kind: ChangeKind) -> Counter[str]:
        """How many changes of a kind there are, by operator."""
        return Counter(change.op for change in self.changes if change.kind == kind)

    def summary(self) -> dict[str, Any]:
        """CLI.md's `summary`: added and removed by operator; changed, rewired and moved in all."""
        return {
            "added": dict(sorted(self.count("added").items())),
            "removed": dict(sorted(self.count("removed").items())),
            "changed": sum(self.count("changed").values()),
            "rewired": sum(self.count("rewired").values()),
            "moved": sum(self.count("moved").values()),
        }

    def to_json(self) -> dict[str, Any]:
        """The `msdump.graph-diff/1` document."""
        return {
            "schema": "msdump.graph-diff/1",
            "same": self.same,
            "summary": self.summary(),
            "nodes": {"a": self.nodes[0], "b": self.nodes[1], "matched": self.matched},
            "changes": [change.to_json() for change in self.changes],
        }

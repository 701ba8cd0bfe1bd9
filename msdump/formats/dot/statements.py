"""The statements of MindSpore's own .dot, by lines: it is not DOT by the book.

Labels are not escaped: quotes, angle brackets and line breaks of names stand in them as they are.
So a statement is told by how its first line begins and goes on until another one begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msdump.numerals import integer

_CLUSTER = re.compile(r"subgraph cluster_(\w+)\{$")
_BEGIN = re.compile(
    r"(?:node\w+_\d+(?:\[|:core->|->)|parameters_\w+\[|subgraph cluster_\w+\{$|id=cluster_|label=\"|fontname=\"|\}$|"
    r"compound=true$|digraph mindspore \{$)"
)
_NODE = re.compile(r"node(\w+)_(\d+)\[")
_EDGE = re.compile(r"node(\w+)_(\d+)(?::core)?->node(\w+)_(\d+)(?::(-?\d+))?\[(.*)\]$", re.S)


@dataclass(slots=True)
class Cluster:
    """One `subgraph`: heap address, label, statements of its nodes, its parameter table."""

    line: int
    address: str
    label: str = ""
    nodes: list[tuple[int, str, str, str]] = field(default_factory=list)
    """Line, address, number within the cluster, the text between the brackets."""
    parameters: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge: node ids (address, number) of producer and user, the user's port (None: the blue
    edge to a subgraph; -1: what it calls, where the operator has no box of its own)."""

    line: int
    source: tuple[str, str]
    target: tuple[str, str]
    port: int | None


def statements(text: str) -> tuple[list[Cluster], list[Edge], list[tuple[int, str]], bool]:
    """Clusters, edges, strange lines (number from 1, text), and whether the file is whole."""
    clusters: list[Cluster] = []
    edges: list[Edge] = []
    strange: list[tuple[int, str]] = []
    whole = False
    for line, statement in _gather(text):
        first = statement[:4]
        if first == "node":
            edge = _EDGE.match(statement)
            if edge:
                port = integer(edge[5]) if edge[5] else None
                edges.append(Edge(line, (edge[1], edge[2]), (edge[3], edge[4]), port))
                continue
            node = _NODE.match(statement)
            if node and clusters:
                clusters[-1].nodes.append((line, node[1], node[2], statement[node.end() :]))
                continue
            strange.append((line, statement))
        elif first == "subg":
            cluster = _CLUSTER.match(statement)
            clusters.append(Cluster(line, cluster[1] if cluster else ""))
        elif first == "labe" and clusters:
            clusters[-1].label = statement[7:].rpartition('"')[0]
        elif first == "para" and clusters:
            clusters[-1].parameters = statement.rpartition("</table>")[0]
            clusters[-1].closed = True
        elif statement == "}":
            whole = True
    return clusters, edges, strange, whole


def _gather(text: str) -> list[tuple[int, str]]:
    """Statements with the line each begins at."""
    found: list[tuple[int, str]] = []
    pending: list[str] = []
    begin = 1
    for number, line in enumerate(text.split("\n"), 1):
        if _BEGIN.match(line):
            if pending:
                found.append((begin, "\n".join(pending)))
            pending, begin = [line], number
        elif pending:
            pending.append(line)
    if pending:
        while len(pending) > 1 and not pending[-1].strip():
            pending.pop()
        found.append((begin, "\n".join(pending)))
    return found

"""What a text of a graph has lost: predicted by the dialect's capabilities, judged by reading it back."""

from __future__ import annotations

import re

from msdump.formats.ir.dialects.capabilities import capabilities
from msdump.formats.ir.lower.lowering import lower
from msdump.formats.ir.print.fit import chosen
from msdump.formats.ir.syntax.document import parse_document
from msdump.formats.ir.syntax.lines import split_lines
from msdump.graph.graph import Graph
from msdump.graph.node import ValueNode
from msdump.graph.positions import by_position
from msdump.graph.project import loss_error, losses, project
from msdump.graph.value import Str

_MARKS = re.compile(r'["\n{}]|, ')
_OTHERWISE = "what the text says otherwise, by nodes"


def refuse_loss(graph: Graph, data: bytes, dialect_name: str = "") -> None:
    """Raises LossError when a graph's text does not hold all of it.

    A graph that goes back into the dialect it was read in, with nothing in it that the dialect
    cannot hold and no string in it that may end another way, is not read again.

    Args:
        graph: what was printed.
        data: its text.
        dialect_name: the dialect that was asked for, or "".
    """
    dialect, layout = chosen(graph, dialect_name)
    held = capabilities(dialect)
    lost = losses(graph, held)
    if graph.source is layout and not lost and not _doubtful(graph):
        return
    again = lower(parse_document(split_lines(data)))
    if again == graph:
        lost = {name: count for name, count in lost.items() if name == "weights"}  # no equality sees them
    else:
        otherwise = _differing(project(graph, held), project(again, held))
        if otherwise or not lost:
            lost[_OTHERWISE] = otherwise or _differing(graph, again)
    if lost:
        raise loss_error(lost, f"ir {dialect.name}")


def _doubtful(graph: Graph) -> bool:
    """Whether a string in a graph has characters that the text of attributes and operands is made of."""
    seen: set[int] = set()
    for _, node in graph.iter_nodes():
        for operand in node.inputs:
            if type(operand) is ValueNode and type(operand.value) is Str and _MARKS.search(operand.value.value):
                return True
        for attrs in (node.primitive_attrs, node.cnode_attrs, node.primal_attrs):
            if attrs and id(attrs) not in seen:
                seen.add(id(attrs))
                if any(type(value) is Str and _MARKS.search(value.value) for value in attrs.values()):
                    return True
    return False


def _differing(a: Graph, b: Graph) -> int:
    """In how many nodes two graphs differ, and one for all that is no node."""
    mine, theirs = by_position(a.funcs), by_position(b.funcs)
    pairs = [(mine[name].nodes, theirs[name].nodes) for name in mine.keys() & theirs.keys()]
    nodes = sum(sum(x != y for x, y in zip(ours, other, strict=False)) for ours, other in pairs)
    return nodes + sum(abs(len(ours) - len(other)) for ours, other in pairs) or int(a != b)

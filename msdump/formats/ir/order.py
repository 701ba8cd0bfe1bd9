"""The execution order after a subgraph: `#   1: @g:CNode_3{[0]: ValueNode<Primitive> Add, …}`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from msdump.formats.ir.dialect import Dialect
    from msdump.formats.ir.labels import FuncNames, Labels
    from msdump.formats.ir.lower import Lowering, RawFunc
    from msdump.graph.graph import FuncGraph


@dataclass(slots=True)
class Order:
    """What a block of execution order tells."""

    names: tuple[str, ...] | None
    comments: list[str] = field(default_factory=list)
    layout: str = ""


def read_order(func: RawFunc, lowering: Lowering) -> Order | None:
    """The execution order of a subgraph, None when the file tells none."""
    block = func.block
    lines = lowering.document.lines[block.close + 1 : block.end]
    rest = [line for line in lines if line]
    if not rest:
        return None
    return Order(None, rest, "".join("C" if line else "B" for line in lines))


def print_order(names: FuncNames, func: FuncGraph, labels: Labels, dialect: Dialect) -> list[str]:
    """The lines of a subgraph's execution order."""
    return []

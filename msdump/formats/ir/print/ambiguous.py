"""References that a file could not tell apart: what a writer refuses to print."""

from __future__ import annotations

from collections.abc import Iterator

from msdump.errors import WriteError
from msdump.formats.ir.print.fit import Fitted
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.node import NodeRef


def refuse_ambiguous(graph: Graph, fitted: Fitted) -> None:
    """WriteError when a reference to a node of another FuncGraph would be read as one to another node.

    1.0 writes such a reference as the node's number, which an earlier node of the same graph may bear;
    later releases write the debug name, which several nodes may bear, or none.
    """
    for func in graph.funcs.values():
        plain = fitted.dialect.nodes.free == "plain"
        found = _same_number(graph, func, fitted) if plain else _same_name(graph, func)
        for node, ref in found:
            raise WriteError(
                f"{node} of @{func.name} uses {ref.name} of @{ref.graph}, "
                f"which .ir of {fitted.dialect.name} cannot tell from another node",
                hint="another dialect can" if plain else "give the nodes debug names of their own",
            )


def _free(graph: Graph, func: FuncGraph) -> Iterator[tuple[int, str, NodeRef]]:
    """The references to nodes of other FuncGraphs: index and name of the user, and the reference."""
    for index, node in enumerate(func.nodes):
        for operand in (node.callee, *node.inputs):
            if (
                isinstance(operand, NodeRef)
                and operand.graph not in (None, "", func.name)
                and operand.graph in graph.funcs
            ):
                yield index, node.name, operand


def _same_number(graph: Graph, func: FuncGraph, fitted: Fitted) -> Iterator[tuple[str, NodeRef]]:
    numbers = fitted.funcs[func.name].numbers
    own: dict[int | None, int] = {}
    for at, name in enumerate(node.name for node in func.nodes):
        own.setdefault(numbers.get(name), at)
    for index, user, ref in _free(graph, func):
        number = fitted.funcs[ref.graph or ""].numbers.get(ref.name)
        if number is not None and own.get(number, index) < index:
            yield user, ref


def _same_name(graph: Graph, func: FuncGraph) -> Iterator[tuple[str, NodeRef]]:
    known: dict[str, dict[str, str]] = {}
    for _, user, ref in _free(graph, func):
        owner = graph.funcs[ref.graph or ""]
        read = known.get(owner.name)
        if read is None:
            first: dict[str, str] = {}
            read = known[owner.name] = {n.name: first.setdefault(n.debug_name, n.name) for n in owner.nodes}
        if read.get(ref.name, ref.name) != ref.name:
            yield user, ref

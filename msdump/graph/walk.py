"""Walks over a graph, its calls, and what is inside of values and types; none of them is a recursion.

A chain of a hundred thousand nodes, or a tuple in a tuple in a tuple, is no deeper for them than any other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from msdump.graph.abstract import Abstract, DictType, KeywordType, RefType, SequenceType
from msdump.graph.node import CNode, GraphRef, NodeRef, Operand
from msdump.graph.value import DictValue, Sequence, Value

T = TypeVar("T", bound=Hashable)
CALLEE = -1
"""The slot of a CNode's callee; its inputs count from 0."""


def postorder(starts: Iterable[T], below: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """All that is reached from `starts`, each once and after what is below it.

    What lies on a cycle comes where the cycle is entered.
    """
    done: set[T] = set()
    for start in starts:
        if start in done:
            continue
        done.add(start)
        stack = [(start, iter(below(start)))]
        while stack:
            thing, rest = stack[-1]
            for lower in rest:
                if lower not in done:
                    done.add(lower)
                    stack.append((lower, iter(below(lower))))
                    break
            else:
                yield thing
                stack.pop()


def preorder(starts: Iterable[T], below: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """All that is reached from `starts`, each once and before what is below it."""
    done: set[T] = set()
    for start in starts:
        stack = [start]
        while stack:
            thing = stack.pop()
            if thing not in done:
                done.add(thing)
                yield thing
                stack.extend(reversed([*below(thing)]))


def back_edges(starts: Iterable[T], below: Callable[[T], Iterable[T]]) -> Iterator[tuple[T, T]]:
    """The pairs (upper, lower) that close a cycle: `lower` is still open where `upper` has it below."""
    state: dict[T, bool] = {}
    for start in starts:
        if start in state:
            continue
        state[start] = True
        stack = [(start, iter(below(start)))]
        while stack:
            thing, rest = stack[-1]
            for lower in rest:
                if lower not in state:
                    state[lower] = True
                    stack.append((lower, iter(below(lower))))
                    break
                if state[lower]:
                    yield thing, lower
            else:
                state[thing] = False
                stack.pop()


def operands(node: CNode) -> Iterator[tuple[int, Operand]]:
    """The operands of a node with their slots, the callee (slot -1) first."""
    if node.callee is not None:
        yield CALLEE, node.callee
    yield from enumerate(node.inputs)


def operands_within(func: str, nodes: Mapping[str, CNode]) -> Callable[[str], Iterator[str]]:
    """For a node's name: the names of its operands that are nodes of the same FuncGraph.

    Args:
        func: name of the FuncGraph.
        nodes: its nodes by name.
    """
    own = (None, func)

    def below(name: str) -> Iterator[str]:
        for _, operand in operands(nodes[name]):
            if isinstance(operand, NodeRef) and operand.graph in own and operand.name in nodes:
                yield operand.name

    return below


def called(nodes: Iterable[CNode]) -> Iterator[str]:
    """Names of the FuncGraphs that nodes call or pass on, in order."""
    for node in nodes:
        for _, operand in operands(node):
            if isinstance(operand, GraphRef):
                yield operand.name


def iter_values(value: Value) -> Iterator[Value]:
    """A value and all values inside of it, each before those inside of it."""
    stack = [value]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, Sequence):
            stack.extend(reversed(part.items))
        elif isinstance(part, DictValue):
            stack.extend(item for pair in reversed(part.items) for item in reversed(pair))


def iter_types(abstract: Abstract) -> Iterator[Abstract]:
    """A type and all types inside of it, each before those inside of it."""
    stack = [abstract]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, RefType):
            stack.append(part.tensor)
        elif isinstance(part, (SequenceType, DictType)):
            stack.extend(reversed(part.elements or ()))
        elif isinstance(part, KeywordType):
            stack.append(part.element)

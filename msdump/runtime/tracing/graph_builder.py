"""A Graph being recorded: its FuncGraphs, open and finished, the names in it, and where it failed."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from msdump.errors import TraceError
from msdump.graph import CALL_VAR, NULL_TYPE, Abstract, FuncGraph, Graph, Location, Operand
from msdump.graph.graph import undeclared
from msdump.graph.node import own_label
from msdump.runtime.tracing.builder import FuncBuilder
from msdump.runtime.tracing.places import locations
from msdump.source import TextPlace


class GraphBuilder:
    """Collects the nodes of a Graph, FuncGraph by FuncGraph.

    Attributes:
        entry: the FuncGraph it begins with.
        func: the one that nodes are added to now.
        finished: those that have their Return, by name.
        failed: those that an error left open, innermost first.
        fault: the FuncGraph and the node at which the recording stopped.
        scopes: of the cells around, innermost last.
        codes: code of the functions rewritten so far; their lines are the user's own.
    """

    def __init__(self, entry: str) -> None:
        self._graphs = 0
        self._nodes = 0
        self._op_counts: dict[str, int] = {}
        self.entry = FuncBuilder(self.fresh_name(entry), namer=self.debug_name)
        self.func = self.entry
        self.finished: dict[str, FuncGraph] = {}
        self.failed: list[FuncBuilder] = []
        self.fault: tuple[str, str] | None = None
        self.scopes: list[str] = ["Default"]
        self.codes: set[types.CodeType] = set()

    # names

    def fresh_name(self, stem: str) -> str:
        """A FuncGraph's name that no other has: "1_construct", "2_construct", …."""
        self._graphs += 1
        return f"{self._graphs}_{stem}"

    def op_number(self, op: str) -> int:
        """The number in the full name of the next operator of a type."""
        number = self._op_counts.get(op, 0)
        self._op_counts[op] = number + 1
        return number

    def debug_name(self) -> str:
        """`CNode_1`, `CNode_2`, … through the whole graph."""
        self._nodes += 1
        return f"CNode_{self._nodes}"

    def here(self) -> tuple[Location, ...]:
        """The user's lines that lead to the operator being recorded."""
        return locations(self.codes, 2)

    def state(self) -> Callable[[], None]:
        """Remember how far the recording has come; calling the result goes back to there."""
        finished, graphs = dict(self.finished), self._graphs
        counts, nodes = dict(self._op_counts), self._nodes
        chain: list[Callable[[], None]] = []
        func: FuncBuilder | None = self.func
        while func is not None:
            chain.append(func.state())
            func = func.parent

        def restore() -> None:
            self.finished, self._graphs = finished, graphs
            self._op_counts, self._nodes = counts, nodes
            for back in chain:
                back()

        return restore

    # nodes and graphs

    def add(self, op: str, inputs: tuple[Operand, ...], abstract: Abstract = NULL_TYPE, **fields: Any) -> str:
        """A CNode of the current scope and place; gives its name."""
        fields.setdefault("locations", self.here())
        label = "Call" if op == CALL_VAR else ""
        number = self.op_number(label or own_label(op, fields.get("callee")))
        return self.func.add(op, inputs, abstract, scope=self.scopes[-1], op_number=number, op_label=label, **fields)

    @contextmanager
    def inside(self, func: FuncBuilder) -> Iterator[FuncBuilder]:
        """While it lasts, nodes are added to `func`."""
        before, self.func = self.func, func
        try:
            yield func
        except BaseException:
            self.failed.append(func)
            raise
        finally:
            self.func = before

    def child(self, name: str) -> FuncBuilder:
        """A FuncGraph inside the current one."""
        return FuncBuilder(name, self.func, namer=self.debug_name, location=(self.here() or (None,))[-1])

    def finish(self, func: FuncBuilder, output: Operand, abstract: Abstract) -> None:
        """Close a FuncGraph with what it returns."""
        self.finished[func.name] = func.finish(output, abstract, self.scopes[-1], self.here())

    def graph(self) -> Graph:
        """What was recorded, the entry first."""
        entry = self.finished[self.entry.name]
        rest = {name: func for name, func in self.finished.items() if name != entry.name}
        return Graph(entry.name, {entry.name: entry, **rest})

    # failures

    def at_fault(self, op: str, inputs: tuple[Operand, ...] = (), **fields: Any) -> None:
        """A node that could not be recorded: it stays, without a type, and is the one at fault."""
        if self.fault is None:
            self.fault = self.func.name, self.add(op, inputs, **fields)

    def stop_at(self, place: TextPlace | None) -> None:
        """Where no node is at fault, have one stand at the user's line, in the FuncGraph that was open."""
        if self.fault is None:
            func = self.failed[0] if self.failed else self.entry
            places = () if place is None else (Location(place.file, place.line, code=place.text),)
            name = func.add("Unsupported", (), scope=self.scopes[-1], locations=places)
            self.fault = func.name, name

    def open_graph(self) -> Graph:
        """What was recorded so far, of a network that could not be compiled: open FuncGraphs too."""
        funcs = {builder.name: builder.unfinished() for builder in [self.entry, *reversed(self.failed)]}
        for name, func in self.finished.items():
            funcs.setdefault(name, func)
        if self.fault is not None:
            name, at = self.fault
            nodes = tuple(replace(node, failure=0) if node.name == at else node for node in funcs[name].nodes)
            funcs[name] = replace(funcs[name], nodes=nodes)
        # A cell that was called wrongly has a name, and no FuncGraph.
        return Graph(self.entry.name, funcs, elsewhere=undeclared(funcs))


def depth_error(depth: int, place: TextPlace | None) -> TraceError:
    """The error of calls that nest too deeply."""
    return TraceError(
        f"the depth of calls exceeds max_call_depth, which is {depth}",
        place,
        hint="end the recursion, or set context.set_context(max_call_depth=…) higher",
    )

"""A FuncGraph as a list of steps over numbered slots, made once and run many times.

Every value of a call has a slot: parameters, captured variables, constants, results. A closure is a
plan with the values of its free variables, taken when it is made, so that no frame outlives its call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msdump.errors import ExecutionError
from msdump.graph import (
    CALL,
    CALL_VAR,
    RETURN,
    CNode,
    FuncGraph,
    Graph,
    GraphRef,
    MonadType,
    NodeRef,
    Operand,
    ValueNode,
)
from msdump.graph.value import Monad
from msdump.runtime.executor.closures import Scopes, Variable
from msdump.runtime.executor.places import place_of, title_of
from msdump.runtime.executor.values import to_python
from msdump.runtime.ops.registry import bind_attrs, find

COMPUTE, CALL_PLAN, CALL_VALUE, CLOSE = range(4)
"""Kinds of steps: a kernel, a call of a known graph, a call of a value, the making of a closure."""
GLUE = frozenset({"MakeTuple", "MakeList", "Depend", "UpdateState", "Load", "Partial", "Switch", "SwitchLayer"})
"""Operators that take tokens of effects and functions as operands like any other."""
PARTIAL, SWITCHES = ("Partial", "partial"), ("Switch", "switch")


@dataclass(slots=True, eq=False)
class Step:
    """One step of a plan.

    Attributes:
        kind: COMPUTE, CALL_PLAN, CALL_VALUE or CLOSE.
        kernel: what computes (COMPUTE).
        args: slots of the operands, or of the captured variables (CLOSE).
        out: slot of the result.
        node: the CNode it comes from.
        plan: what is called or closed over.
        callee: slot of the function (CALL_VALUE).
        captured: slots of the called plan's free variables (CALL_PLAN).
        tail: the call's result is the graph's, so its frame is not needed any more.
        drop: slots that nothing uses after this step.
    """

    kind: int
    kernel: Callable[..., Any] | None
    args: tuple[int, ...]
    out: int
    node: CNode
    plan: Plan | None = None
    callee: int = -1
    captured: tuple[int, ...] = ()
    tail: bool = False
    drop: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Plan:
    """One FuncGraph, ready to run.

    A call starts from a copy of `template` (constants in place), with parameters in slots 0 … and
    captured variables after them.
    """

    func: FuncGraph
    steps: list[Step] = field(default_factory=list)
    template: list[Any] = field(default_factory=list)
    parameters: int = 0
    captured: int = 0
    result: int = -1


@dataclass(slots=True, eq=False)
class Closure:
    """A function as a value: a plan, arguments already given (Partial), and captured variables."""

    plan: Plan
    bound: tuple[Any, ...] = ()
    captured: tuple[Any, ...] = ()


def bind_partial(function: Any, *args: Any) -> Any:
    """Partial: a function with its first arguments given."""
    if not isinstance(function, Closure):
        raise TypeError("Partial's first operand is no graph")
    return Closure(function.plan, function.bound + args, function.captured)


def switch(condition: Any, then: Any, otherwise: Any) -> Any:
    """Switch: one of two values or functions."""
    return then if bool(condition) else otherwise


def switch_layer(index: Any, branches: Any) -> Any:
    """SwitchLayer: one of several functions; a negative index counts from the end."""
    return branches[int(index)]


_GLUE_KERNELS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(PARTIAL, bind_partial),
    **dict.fromkeys(SWITCHES, switch),
    "SwitchLayer": switch_layer,
    "switch_layer": switch_layer,
}


@dataclass(frozen=True, slots=True)
class Missing:
    """An operator, or a subgraph, that cannot be executed.

    Attributes:
        op: its name ("Foo", or "call @g").
        node: the node that needs it; func: the FuncGraph the node is in.
        what: the reason, in one line.
    """

    op: str
    node: CNode
    func: str
    what: str


def is_executable(op: str) -> bool:
    """Whether a node with this operator can be executed."""
    return op in _GLUE_KERNELS or op in (CALL, CALL_VAR, RETURN) or find(op) is not None


def kernel_of(node: CNode, given: int) -> Callable[..., Any]:
    """The function of `given` positional operands that a CNode applies, its attributes bound.

    ExecutionError, with the node's name and line, for an operator that is not known or lacks an attribute.
    """
    glue = _GLUE_KERNELS.get(node.op)
    if glue is not None:
        return glue
    found = find(node.op)
    if found is None:
        raise ExecutionError(
            f"the operator {node.op} of {title_of(node)} is not one that msdump can execute",
            place_of(node),
            "`msdump graph run --list-missing` lists all of them",
            node.name,
        )
    attrs: dict[str, Any] = {name: to_python(value) for name, value in node.primitive_attrs.items()}
    if found.effect == "io" and "place" in found.params:
        where = place_of(node)
        attrs["place"] = None if where is None else (where.file, where.line)
    try:
        bound = bind_attrs(found, given, attrs)
    except ExecutionError as error:
        raise ExecutionError(f"{title_of(node)}: {error.what}", place_of(node), node=node.name) from None
    return functools.partial(found.kernel, **bound) if bound else found.kernel


class Planner:
    """Plans for the FuncGraphs that an entry reaches."""

    def __init__(self, graph: Graph, entry: str) -> None:
        self._graph = graph
        self._scopes = Scopes(graph, entry)
        self.tokens = frozenset(_tokens(graph, self._scopes.nodes))
        self.copies = any(_writes_memory(n) for nodes in self._scopes.nodes.values() for n in nodes)
        self.plans = {name: Plan(graph.funcs[name]) for name in self._scopes.nodes}
        for plan in self.plans.values():
            _Filling(self, plan, self._scopes).fill()

    def free(self, func: str) -> tuple[Variable, ...]:
        """Free variables of a FuncGraph, in the order its plan captures them."""
        return self._scopes.free.get(func, ())


def _tokens(graph: Graph, nodes: Mapping[str, list[CNode]]) -> Iterator[Variable]:
    """The parameters and nodes that only order effects."""
    for name, found in nodes.items():
        for parameter in graph.funcs[name].parameters:
            if isinstance(parameter.abstract, MonadType):
                yield name, parameter.name
        for node in found:
            if node.op == "UpdateState" or isinstance(node.abstract, MonadType):
                yield name, node.name


def _writes_memory(node: CNode) -> bool:
    found = find(node.op)
    return found is not None and found.effect == "memory"


def _copied(*items: Any) -> Any:
    """Load where parameters are written in place: the value of this moment, not the memory."""
    value = items[0]
    return value.copy() if hasattr(value, "copy") and hasattr(value, "dtype") else value


class _Filling:
    """The making of one plan."""

    def __init__(self, planner: Planner, plan: Plan, scopes: Scopes) -> None:
        self._planner, self._plan, self._scopes = planner, plan, scopes
        self._slots: dict[Variable, int] = {}
        self._constants: dict[int, int] = {}
        self._kept: list[Operand] = []

    def fill(self) -> None:
        plan, func = self._plan, self._plan.func
        for parameter in func.parameters:
            self._slots[func.name, parameter.name] = self._new()
        for variable in self._planner.free(func.name):
            self._slots[variable] = self._new()
        plan.parameters, plan.captured = len(func.parameters), len(self._planner.free(func.name))
        nodes = self._scopes.order(func.name)
        last = max(i for i, n in enumerate(nodes) if n.op == RETURN)
        for node in nodes:
            if node is not nodes[last]:
                self._step(node)
        final = nodes[last]
        plan.result = self._slot(final.inputs[0], final)
        self._finish()

    def _new(self, value: Any = None) -> int:
        self._plan.template.append(value)
        return len(self._plan.template) - 1

    def _step(self, node: CNode) -> None:
        func = self._plan.func
        out = self._slots.setdefault((func.name, node.name), len(self._plan.template))
        if out == len(self._plan.template):
            self._new()
        if node.op == CALL and isinstance(node.callee, GraphRef):
            target = self._target(node.callee, node)
            args = tuple(self._slot(o, node) for o in node.inputs)
            captured = self._captures(node.callee.name, node)
            self._plan.steps.append(Step(CALL_PLAN, None, args, out, node, target, captured=captured))
        elif node.op in (CALL, CALL_VAR):
            if node.callee is None:
                raise ExecutionError(f"{title_of(node)} calls nothing", place_of(node), node=node.name)
            callee = self._slot(node.callee, node)
            args = tuple(self._slot(o, node) for o in node.inputs)
            self._plan.steps.append(Step(CALL_VALUE, None, args, out, node, callee=callee))
        else:
            used = node.inputs if node.op in GLUE else tuple(o for o in node.inputs if not self._is_token(o))
            kernel = kernel_of(node, len(used))
            if self._planner.copies and node.op in ("Load", "load"):
                kernel = _copied
            args = tuple(self._slot(o, node) for o in used)
            self._plan.steps.append(Step(COMPUTE, kernel, args, out, node))

    def _is_token(self, operand: Operand) -> bool:
        if isinstance(operand, ValueNode):
            return isinstance(operand.value, Monad)
        if not isinstance(operand, NodeRef):
            return False
        return self._scopes.variable(operand, self._plan.func.name) in self._planner.tokens

    def _target(self, ref: GraphRef, node: CNode) -> Plan:
        found = self._planner.plans.get(ref.name)
        if found is None:
            raise ExecutionError(
                f"{title_of(node)} uses @{ref.name}, which is not in this file", place_of(node), node=node.name
            )
        return found

    def _captures(self, graph: str, node: CNode) -> tuple[int, ...]:
        return tuple(self._variable(v, node) for v in self._planner.free(graph))

    def _variable(self, variable: Variable, node: CNode) -> int:
        slot = self._slots.get(variable)
        if slot is None:
            raise ExecutionError(
                f"{title_of(node)} uses {variable[1]} of @{variable[0]}, which has no value here",
                place_of(node),
                node=node.name,
            )
        return slot

    def _slot(self, operand: Operand, node: CNode) -> int:
        if isinstance(operand, NodeRef):
            return self._variable(self._scopes.variable(operand, self._plan.func.name), node)
        known = self._constants.get(id(operand))
        if known is not None:
            return known
        if isinstance(operand, GraphRef):
            target = self._target(operand, node)
            captured = self._captures(operand.name, node)
            if captured:
                out = self._new()
                self._plan.steps.append(Step(CLOSE, None, captured, out, node, target))
                return out
            slot = self._new(Closure(target))
        else:
            try:
                slot = self._new(to_python(operand.value))
            except ExecutionError as error:
                raise ExecutionError(f"{title_of(node)}: {error.what}", place_of(node), error.hint, node.name) from None
        self._constants[id(operand)] = slot
        self._kept.append(operand)  # an id is only good while its object lives
        return slot

    def _finish(self) -> None:
        """Mark tail calls, and the slots that are not needed after a step."""
        plan = self._plan
        if plan.steps and plan.steps[-1].out == plan.result and plan.steps[-1].kind in (CALL_PLAN, CALL_VALUE):
            plan.steps[-1].tail = True
        constants = {i for i, v in enumerate(plan.template) if v is not None}
        seen = {plan.result} | constants
        for step in reversed(plan.steps):
            used = (*step.args, *step.captured, *((step.callee,) if step.callee >= 0 else ()), step.out)
            step.drop = tuple(dict.fromkeys(s for s in used if s not in seen))
            seen.update(step.drop)


def missing_operators(graph: Graph, entry: str = "") -> list[Missing]:
    """Every node that the entry reaches and that cannot be executed, in the order of the file."""
    scopes = Scopes(graph, entry or graph.entry)
    found: list[Missing] = []
    for name, nodes in scopes.nodes.items():
        for node in nodes:
            found.extend(_missing(graph.funcs, name, node))
    return found


def _missing(funcs: Mapping[str, FuncGraph], func: str, node: CNode) -> list[Missing]:
    found = []
    if not is_executable(node.op):
        found.append(Missing(node.op, node, func, "is not an operator that msdump can execute"))
    for operand in (node.callee, *node.inputs):
        if isinstance(operand, GraphRef) and operand.name not in funcs:
            found.append(Missing(f"call @{operand.name}", node, func, "is not in this file"))
    return found

"""The executor: runs any Graph on numpy, without recursion."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from msdump.errors import ExecutionError
from msdump.graph import CNode, FuncGraph, Graph, MonadType, Parameter
from msdump.runtime.executor.places import place_of, title_of
from msdump.runtime.executor.plan import CALL_PLAN, CALL_VALUE, COMPUTE, Closure, Plan, Planner, Step
from msdump.runtime.promotion import spelled

Observer: TypeAlias = Callable[[FuncGraph, CNode, Sequence[Any], Any, int, int], None]
"""(FuncGraph, CNode, inputs, output, begin, end) after each operator; times from perf_counter_ns."""


class Executor:
    """A Graph made ready to run; one may run many times, in several threads.

    Args:
        graph: any Graph.
        max_call_depth: how deep calls may nest (calls in tail position, as loops are, do not count).
        observer: told of every operator that runs, or None.

    Raises ExecutionError for what cannot be executed at all: an operator that is not known (named,
    with the user's line), a graph that is not there, an attribute that is missing.
    """

    def __init__(self, graph: Graph, *, max_call_depth: int = 1000, observer: Observer | None = None) -> None:
        if graph.entry not in graph.funcs:
            raise ExecutionError(f"the entry @{graph.entry} is not in this file")
        self.graph = graph
        self.max_call_depth = max_call_depth
        self.observer = observer
        self._planner = Planner(graph, graph.entry)
        self._entry = self._planner.plans[graph.entry]
        self._defaults: dict[str, Any] = {}

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The entry's parameters that a run must be given, in order."""
        return tuple(
            p for p in self._entry.func.parameters if not p.has_default and not isinstance(p.abstract, MonadType)
        )

    def run(
        self,
        inputs: Sequence[Any] | Mapping[str, Any],
        weights: Mapping[str, Any] | None = None,
        observer: Observer | None = None,
    ) -> Any:
        """Run the graph.

        Args:
            inputs: numpy arrays or Python values for the parameters without a default, in order; or by
                name, which may give weights a value too.
            weights: arrays by parameter name, written in place by operators that assign to them.
            observer: told of the operators of this run, in place of the executor's own.

        Returns what the entry returns: an array, a Python value, or a tuple of them.

        Raises ExecutionError: with the node and its line when an operator fails; inputs that are
            missing, too many, or of another number than the graph takes.
        """
        arguments = self._arguments(inputs, weights or {})
        with np.errstate(all="ignore"):
            return self._run(self._entry, arguments, observer or self.observer)

    def _arguments(self, inputs: Sequence[Any] | Mapping[str, Any], weights: Mapping[str, Any]) -> list[Any]:
        by_name: dict[str, Any] = dict(weights)
        wanted = self.inputs
        if isinstance(inputs, Mapping):
            by_name.update(inputs)
        else:
            if len(inputs) != len(wanted):
                names = ", ".join(p.name for p in wanted)
                raise ExecutionError(f"the graph takes {len(wanted)} inputs ({names}), but {len(inputs)} were given")
            by_name.update((p.name, value) for p, value in zip(wanted, inputs, strict=True))
        arguments, absent = [], []
        for parameter in self._entry.func.parameters:
            if parameter.name in by_name:
                arguments.append(by_name[parameter.name])
            elif isinstance(parameter.abstract, MonadType):
                arguments.append(None)
            elif parameter.default is not None:
                arguments.append(self._default(parameter))
            else:
                absent.append(parameter.name)
        if absent:
            raise ExecutionError(f"no value is given for the parameter{'s' * (len(absent) > 1)} {', '.join(absent)}")
        return arguments

    def _default(self, parameter: Parameter) -> Any:
        if parameter.name not in self._defaults:
            assert parameter.default is not None  # the caller looked
            value = parameter.default.numpy()
            # What operators assign to must be memory of our own.
            self._defaults[parameter.name] = np.array(value) if self._planner.copies else np.asarray(value)
        return self._defaults[parameter.name]

    def _run(self, plan: Plan, arguments: Sequence[Any], observer: Observer | None) -> Any:
        stack: list[tuple[Plan, list[Any], int]] = []
        values = _frame(plan, arguments, ())
        at = 0
        while True:
            steps = plan.steps
            count = len(steps)
            while at < count:
                step = steps[at]
                at += 1
                kind = step.kind
                if kind == COMPUTE:
                    args = [values[i] for i in step.args]
                    begin = time.perf_counter_ns() if observer is not None else 0
                    try:
                        result = step.kernel(*args)  # type: ignore[misc]  # COMPUTE steps have one
                    except ExecutionError:
                        raise
                    except Exception as error:
                        raise _failed(step, error, args) from error
                    if isinstance(result, np.generic):
                        result = np.asarray(result)
                    values[step.out] = result
                    if observer is not None:
                        observer(plan.func, step.node, args, result, begin, time.perf_counter_ns())
                    for i in step.drop:
                        values[i] = None
                elif kind in (CALL_PLAN, CALL_VALUE):
                    called, given, captured = self._callee(step, values)
                    frame = _frame(called, given, captured, step)
                    for i in step.drop:
                        values[i] = None
                    if not step.tail:
                        stack.append((plan, values, at))
                        if len(stack) > self.max_call_depth:
                            raise ExecutionError(
                                f"calls nest deeper than max_call_depth, {self.max_call_depth}, "
                                f"at {title_of(step.node)}",
                                place_of(step.node),
                                "context.set_context(max_call_depth=…) raises the limit",
                                step.node.name,
                            )
                    plan, values, at = called, frame, 0
                    steps = plan.steps
                    count = len(steps)
                else:
                    assert step.plan is not None  # CLOSE steps have one
                    values[step.out] = Closure(step.plan, (), tuple([values[i] for i in step.args]))
            result = values[plan.result]
            if not stack:
                return result
            plan, values, at = stack.pop()
            values[plan.steps[at - 1].out] = result

    def _callee(self, step: Step, values: list[Any]) -> tuple[Plan, Sequence[Any], tuple[Any, ...]]:
        args = [values[i] for i in step.args]
        if step.kind == CALL_PLAN:
            assert step.plan is not None  # CALL_PLAN steps have one
            return step.plan, args, tuple([values[i] for i in step.captured])
        function = values[step.callee]
        if not isinstance(function, Closure):
            raise ExecutionError(
                f"{title_of(step.node)} calls a value of type {type(function).__name__}, which is no graph",
                place_of(step.node),
                node=step.node.name,
            )
        return function.plan, [*function.bound, *args], function.captured


def _frame(plan: Plan, args: Sequence[Any], captured: tuple[Any, ...], step: Step | None = None) -> list[Any]:
    """The values a call starts with."""
    if len(args) != plan.parameters:
        if len(args) > plan.parameters or not all(
            isinstance(p.abstract, MonadType) for p in plan.func.parameters[len(args) :]
        ):
            raise ExecutionError(
                f"@{plan.func.name} takes {plan.parameters} arguments, but {len(args)} were given",
                None if step is None else place_of(step.node),
                node="" if step is None else step.node.name,
            )
        args = [*args, *[None] * (plan.parameters - len(args))]
    values = plan.template.copy()
    values[: plan.parameters] = args
    values[plan.parameters : plan.parameters + plan.captured] = captured
    return values


def describe(value: Any) -> str:
    """A value's type for a message: `Tensor[Float32] (2, 3)`, `int`, `(…, …)`."""
    if isinstance(value, np.ndarray | np.generic):
        return f"Tensor[{spelled(value.dtype)}] {value.shape}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(describe(v) for v in value) + ")"
    return type(value).__name__ if value is None or isinstance(value, Closure) else repr(value)


def _failed(step: Step, error: Exception, args: Sequence[Any]) -> ExecutionError:
    node = step.node
    inputs = ", ".join(describe(a) for a in args)
    return ExecutionError(f"{node.op} {title_of(node)} of {inputs}: {error}", place_of(node), node=node.name)

"""A `while` over tensors as a FuncGraph that calls itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msdump.errors import TraceError
from msdump.graph import CALL, CALL_VAR, FuncType, GraphRef, NodeRef
from msdump.runtime.ops.registry import TensorSpec
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.branches import Branch, condition, is_same
from msdump.runtime.tracing.builder import MONAD_TYPES
from msdump.runtime.tracing.constants import abstract_of
from msdump.runtime.tracing.numbers import is_number_like
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.recorder import Recorder, active
from msdump.runtime.tracing.results import abstract_of_output, as_tensor, described, is_number, pack, unpack
from msdump.runtime.tracing.signals import Undefined
from msdump.runtime.tracing.structure import flatten
from msdump.runtime.tracing.traced import Traced

Values = tuple[Any, ...]
RunBody = Callable[[Callable[[Values], Any], Values], Any]
RunExit = Callable[[Values], Any]
_ATTEMPTS = 6


@dataclass(slots=True)
class _Retry(Exception):
    """The loop has to be recorded once more, with what was learned."""

    types: dict[int, np.dtype[Any]] = field(default_factory=dict)
    acts: frozenset[str] = frozenset()


def record_while(
    test: Callable[..., Any], run_body: RunBody, values: Values, names: tuple[str, ...], run_exit: RunExit | None
) -> Values:
    """Record a loop and a call of it.

    Args:
        test: the condition, of the loop's variables.
        run_body: (again, variables) → the function's value; `again(variables)` is the next round.
        values: the variables before the loop. Tensors and numbers become its parameters; all else
            must not change.
        names: of the variables, for errors.
        run_exit: variables → the function's value where the loop ends; None: the variables are.

    Returns the variables after the loop, or with run_exit one value, the function's.

    TraceError when a variable changes its shape or type from one round to the next.
    """
    recorder = active()
    types: dict[int, np.dtype[Any]] = {}
    acts: frozenset[str] = frozenset()
    for _ in range(_ATTEMPTS):
        restore = recorder.state()
        try:
            return _Loop(recorder, values, names, types, acts).record(test, run_body, run_exit)
        except _Retry as retry:
            # A number that becomes another type in the body has that type from the beginning; a
            # loop that acts on the world hands the token from round to round.
            restore()
            types, acts = {**types, **retry.types}, acts | retry.acts
    raise TraceError("the types of the loop's variables do not settle; give them their final type before the loop")


class _Loop:
    """One attempt at a loop."""

    def __init__(
        self,
        recorder: Recorder,
        values: Values,
        names: tuple[str, ...],
        types: dict[int, np.dtype[Any]],
        acts: frozenset[str],
    ) -> None:
        self.recorder = recorder
        self.variables, self.values = names, values
        self.leaves, self.rebuild, _ = flatten(values)
        self.names = [name for name, value in zip(names, values, strict=True) for _ in flatten(value)[0]]
        self.carried = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, Tensor) or is_number(leaf)]
        self.first = {i: as_tensor(self.leaves[i], types.get(i)) for i in self.carried}
        self.numbers = {i for i in self.carried if is_number_like(self.leaves[i])}
        self.acts = acts

    def record(self, test: Callable[..., Any], run_body: RunBody, run_exit: RunExit | None) -> Values:
        recorder = self.recorder
        loop = recorder.child(recorder.fresh_name(f"⥁{recorder.func.name.split('_', 1)[-1]}"))
        inner = list(self.leaves)
        for i in self.carried:
            array = self.first[i]._data
            spec = TensorSpec(array.shape, array.dtype)
            name = loop.add_parameter(self.names[i], abstract_of(spec))
            inner[i] = Traced.of(spec, loop, name, i in self.numbers)
        for kind in sorted(self.acts):
            loop.monads[kind] = loop.add_parameter(kind.lower(), MONAD_TYPES[kind])
        variables = self.rebuild(iter(inner))
        with recorder.inside(loop):
            chosen = test(*variables)
            if not isinstance(chosen, Traced):
                raise TraceError("the condition of the loop is a tensor at first and a Python value later")
            result = self._branches(loop.name, chosen, variables, inner, run_body, run_exit)
            if not loop.acts <= self.acts:
                raise _Retry(acts=frozenset(loop.acts))
        node = self._call(loop.name, [self.first[i] for i in self.carried], result.specs)
        for kind in sorted(self.acts):
            recorder.acted(kind, node)
        outputs = iter(unpack(recorder, node, result.specs))
        if run_exit is not None:
            return (
                result.rebuild(
                    iter([next(outputs) if i in result.tensors else leaf for i, leaf in enumerate(result.leaves)])
                ),
            )
        after = list(self.leaves)
        for i in self.carried:
            after[i] = next(outputs)
            after[i].number = i in self.numbers
        found: Values = self.rebuild(iter(after))
        return found

    def _branches(
        self,
        name: str,
        chosen: Traced,
        variables: Values,
        inner: list[Any],
        run_body: RunBody,
        run_exit: RunExit | None,
    ) -> _Result:
        recorder = self.recorder
        body, leave = Branch("↻"), Branch("↓")
        with leave:
            if run_exit is None:
                result = _Result.of([inner[i] for i in self.carried])
            else:
                result = _Result.of(run_exit(variables))
            output, abstract, result.specs = pack(recorder, result.outputs() or [as_tensor(True)])
            recorder.finish(leave.func, output, abstract)

        def again(new: Values) -> Any:
            node = self._call(name, self._next(new), result.specs)
            # The next round waits for what this one did, since it takes its token.
            recorder.func.effects.clear()
            outputs = iter(unpack(recorder, node, result.specs)) if result.tensors else iter(())
            return result.rebuild(
                iter([next(outputs) if i in result.tensors else v for i, v in enumerate(result.leaves)])
            )

        with body:
            value = run_body(again, variables)
            output, abstract, specs = pack(recorder, result.like(value) or [as_tensor(True)])
            if specs != result.specs:
                raise TraceError(
                    f"the loop returns {described(value)} in one place and another type in another",
                    user_place(recorder.here()),
                )
            recorder.finish(body.func, output, abstract)
        targets = (GraphRef(body.func.name), GraphRef(leave.func.name))
        switch = recorder.add("Switch", (condition(recorder, chosen), *targets), FuncType())
        node = recorder.add(CALL_VAR, (), abstract_of_output(result.specs), callee=NodeRef(switch), targets=targets)
        recorder.func.acts |= body.func.acts | leave.func.acts
        recorder.finish(recorder.func, NodeRef(node), abstract_of_output(result.specs))
        return result

    def _call(self, name: str, arguments: list[Tensor], specs: tuple[TensorSpec, ...]) -> str:
        recorder = self.recorder
        operands = [recorder.operand(argument)[0] for argument in arguments]
        operands += [recorder.monad(kind) for kind in sorted(self.acts)]
        return recorder.add(CALL, tuple(operands), abstract_of_output(specs), callee=GraphRef(name))

    def _next(self, new: Values) -> list[Tensor]:
        """The next round's arguments; they must be what this round's were."""
        made: list[Tensor] = []
        i = -1
        for name, before, value in zip(self.variables, self.values, new, strict=True):
            leaves, _, form = flatten(before)
            if isinstance(before, Undefined):
                i += 1  # assigned in each round before it is used: of no concern to the next round
                continue
            new_leaves, _, new_form = flatten(value)
            if new_form != form:
                raise self._changed(name, before, value)
            for old, leaf in zip(leaves, new_leaves, strict=True):
                i += 1
                if i in self.first:
                    made.append(self._argument(i, leaf))
                elif not is_same(old, leaf):
                    raise self._changed(name, old, leaf)
        return made

    def _argument(self, i: int, leaf: Any) -> Tensor:
        before = self.first[i]
        if is_number(leaf):
            leaf = as_tensor(leaf, before._data.dtype)
        if not isinstance(leaf, Tensor) or leaf.shape != before.shape:
            raise self._changed(self.names[i], before, leaf)
        if leaf._data.dtype != before._data.dtype:
            if i in self.numbers:
                raise _Retry({i: leaf._data.dtype})
            raise self._changed(self.names[i], before, leaf)
        return leaf

    def _changed(self, name: str, before: Any, leaf: Any) -> TraceError:
        return TraceError(
            f"{name} changes in the loop from {described(before)} to {described(leaf)}",
            user_place(self.recorder.here()),
            hint="a loop over tensors keeps the shape and type of its variables; give them those before the loop",
        )


@dataclass(slots=True)
class _Result:
    """The form of the value that a loop ends in, and which of its leaves are tensors."""

    leaves: list[Any]
    rebuild: Any
    form: Any
    tensors: set[int]
    specs: tuple[TensorSpec, ...] = ()

    @staticmethod
    def of(value: Any) -> _Result:
        leaves, rebuild, form = flatten(value)
        tensors = {i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor) or is_number(leaf)}
        return _Result(leaves, rebuild, form, tensors)

    def outputs(self) -> list[Tensor]:
        return [as_tensor(leaf) for i, leaf in enumerate(self.leaves) if i in self.tensors]

    def like(self, value: Any) -> list[Tensor]:
        """The tensors of another value of the same form. TraceError when it has another one."""
        leaves, _, form = flatten(value)
        if form != self.form:
            raise TraceError(
                f"the loop returns {described(self.rebuild(iter(self.leaves)))} in one place and "
                f"{described(value)} in another",
                user_place(active().here()),
            )
        return [as_tensor(leaf) for i, leaf in enumerate(leaves) if i in self.tensors]

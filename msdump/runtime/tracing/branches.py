"""Two branches of a condition as two FuncGraphs, and the Switch that chooses between them."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from msdump.errors import TraceError
from msdump.graph import CALL_VAR, FuncType, GraphRef, NodeRef, Operand
from msdump.runtime.primitive import Primitive
from msdump.runtime.promotion import BOOL
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.numbers import is_number_like
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.recorder import Recorder, active
from msdump.runtime.tracing.results import ambiguous, as_tensor, described, is_number, pack, unpack
from msdump.runtime.tracing.signals import Undefined
from msdump.runtime.tracing.structure import flatten

Values = tuple[Any, ...]


class Branch:
    """A FuncGraph being recorded; entered again, it is recorded on."""

    def __init__(self, mark: str) -> None:
        self.recorder = active()
        self.func = self.recorder.child(self.recorder.fresh_name(f"{mark}{_stem(self.recorder.func.name)}"))
        self.func.conditional = True
        self._before = self.func

    def __enter__(self) -> Branch:
        self._before, self.recorder.func = self.recorder.func, self.func
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.recorder.failed.append(self.func)
        self.recorder.func = self._before


def _stem(name: str) -> str:
    return name.split("_", 1)[1]


def join(test: Any, left: Branch, left_values: Values, right: Branch, right_values: Values, names: Values) -> Values:
    """The variables after an `if`: those on which the branches agree as they are, the others as
    outputs of a Switch. TraceError when the branches give one variable different types.
    """
    recorder = active()
    results: list[Any] = []
    slots: list[tuple[Any, Any, bool]] = []
    try:
        for name, a, b in zip(names, left_values, right_values, strict=True):
            results.append(_matched(name, a, b, slots))
    except TraceError:
        _stop(recorder, test, left, left_values, right, right_values)
        raise
    acts = left.func.acts | right.func.acts
    if not slots and not acts:
        return _filled(results, [])
    outputs = _close(recorder, left, right, slots)
    switch = recorder.add(
        "Switch", (condition(recorder, test), GraphRef(left.func.name), GraphRef(right.func.name)), FuncType()
    )
    targets = (GraphRef(left.func.name), GraphRef(right.func.name))
    node = recorder.add(CALL_VAR, (), outputs[1], callee=NodeRef(switch), targets=targets)
    for kind in sorted(acts):
        recorder.acted(kind, node)
    found = unpack(recorder, node, outputs[0]) if slots else []
    for leaf, (_, _, number) in zip(found, slots, strict=True):
        leaf.number = number
    return _filled(results, found)


def _stop(
    recorder: Recorder, test: Any, left: Branch, left_values: Values, right: Branch, right_values: Values
) -> None:
    """The branches as they are, and the call of one of them as the node at fault."""
    for branch, values in ((left, left_values), (right, right_values)):
        with branch:
            leaves = [leaf for leaf in flatten(values)[0] if _can_be_tensor(leaf)]
            output, abstract, _ = pack(recorder, [as_tensor(leaf) for leaf in leaves] or [as_tensor(True)])
            recorder.finish(branch.func, output, abstract)
    targets = (GraphRef(left.func.name), GraphRef(right.func.name))
    switch = recorder.add("Switch", (condition(recorder, test), *targets), FuncType())
    recorder.at_fault(CALL_VAR, callee=NodeRef(switch), targets=targets)


def _filled(results: list[Any], outputs: list[Any]) -> Values:
    leaves = iter(outputs)
    return tuple(result.value if isinstance(result, _Kept) else result(leaves) for result in results)


class _Kept:
    """A variable that needs no output."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _matched(name: str, a: Any, b: Any, slots: list[tuple[Any, Any, bool]]) -> Any:
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return _Kept(a if isinstance(a, Undefined) else b)
    if is_same(a, b):
        return _Kept(a)
    a_leaves, rebuild, a_form = flatten(a)
    b_leaves, _, b_form = flatten(b)
    if a_form != b_form:
        raise _differ(name, a, b)
    made: list[Any] = []
    for x, y in zip(a_leaves, b_leaves, strict=True):
        if is_same(x, y):
            made.append(_Kept(x))
        elif _can_be_tensor(x) and _can_be_tensor(y):
            number = is_number_like(x) and is_number_like(y)
            x, y = _alike(x, y)
            if x.shape != y.shape or x._data.dtype != y._data.dtype:
                raise _differ(name, x, y)
            slots.append((x, y, number))
            made.append(None)
        else:
            raise _differ(name, x, y)

    def build(leaves: Any) -> Any:
        return rebuild(iter([m.value if isinstance(m, _Kept) else next(leaves) for m in made]))

    return build


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are one, or equal and of one kind; tensors only when they are one."""
    if a is b:
        return True
    if isinstance(a, Tensor) or isinstance(b, Tensor) or type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(is_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(is_same(a[key], b[key]) for key in a)
    if isinstance(a, float):
        return bool(a.hex() == b.hex())  # -0.0 is not 0.0, and NaN is NaN
    if isinstance(a, (bool, int, complex, str, bytes, set, frozenset, range, slice)):
        return bool(a == b)
    return False


def _can_be_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or is_number(value)


def _alike(a: Any, b: Any) -> tuple[Tensor, Tensor]:
    # A number beside a 0-d tensor takes its type, as a constant would in arithmetic.
    if is_number(a) and isinstance(b, Tensor):
        return as_tensor(a, b._data.dtype), b
    if is_number(b) and isinstance(a, Tensor):
        return a, as_tensor(b, a._data.dtype)
    x, y = as_tensor(a), as_tensor(b)
    if x._data.dtype != y._data.dtype and is_number(a) and is_number(b):
        wide = as_tensor(a + b)._data.dtype
        return as_tensor(a, wide), as_tensor(b, wide)
    return x, y


def _differ(name: str, a: Any, b: Any) -> TraceError:
    place = user_place(active().here())
    return TraceError(
        f"the branches of the if give {name} different types: {described(a)} and {described(b)}",
        place,
        hint="make both branches give the same shape and type, for instance with astype or reshape",
    )


def _close(recorder: Recorder, left: Branch, right: Branch, slots: list[tuple[Any, Any, bool]]) -> Any:
    outputs: Any = None
    for side, branch in enumerate((left, right)):
        with branch:
            leaves = [slot[side] for slot in slots] or [as_tensor(True)]
            output, abstract, specs = pack(recorder, leaves)
            recorder.finish(branch.func, output, abstract)
            outputs = (specs, abstract)
    return outputs


def condition(recorder: Recorder, test: Any) -> Operand:
    """A tensor as a Switch takes it: one Bool. TraceError for one of more elements."""
    if test._data.size != 1:
        raise ambiguous(test)
    if test._data.dtype != BOOL:
        test = recorder.record(Primitive("NotEqual"), (test, 0))
    return recorder.operand(test)[0]

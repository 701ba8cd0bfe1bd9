"""The one table of primitives: name → kernel, how its arguments bind, and how its output is typed.

A kernel is a plain function over numpy arrays and Python values. Its parameters are, in order, the
operands (`inputs` of them) and then the attributes, under MindSpore's names. One signature serves
every way MindSpore writes a call: `ops.Softmax(axis=-1)(x)`, the 1.x node `Softmax(%0) {axis: -1}`
and the 2.x node `PrimFunc_Softmax(%0, (-1))`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from msdump.errors import ExecutionError

Array = np.ndarray[Any, Any]
Kernel = Callable[..., Any]


class TensorSpec(NamedTuple):
    """What is known of a tensor before it is computed: `shape` and numpy `dtype`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One primitive.

    Attributes:
        name: MindSpore's name ("MatMul").
        kernel: (operands…, attributes…) → array, Python value, or tuple of them. It never changes
            an operand, unless `effect` is "memory".
        params: names of the kernel's parameters, in order.
        inputs: how many of them are operands; the rest are attributes. -1: any number of operands.
        defaults: attribute (or trailing operand) → value when it is not given.
        infer: like `kernel`, with TensorSpec in place of arrays; None: by running the kernel on
            zeros. One that is registered may name just the parameters that it needs.
        spelling: attribute → other names it has in graph files ("pad" → ("pad_list",)).
        effect: "" (pure), "memory" (writes its first operands in place), "io", or "draw" (of random
            numbers: no two calls are one).
        prim_func: a primitive function of 2.x: its attributes print as operands there.
    """

    name: str
    kernel: Kernel
    params: tuple[str, ...]
    inputs: int
    defaults: Mapping[str, Any]
    infer: Kernel | None = None
    spelling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    effect: str = ""
    prim_func: bool = True

    @property
    def attrs(self) -> tuple[str, ...]:
        """Names of the attributes, in the order a constructor takes them."""
        return () if self.inputs < 0 else self.params[self.inputs :]


OPERATORS: dict[str, Operator] = {}
"""Every operator by each of its names."""


def operator(
    *names: str,
    inputs: int = 1,
    infer: Kernel | None = None,
    spelling: Mapping[str, tuple[str, ...]] | None = None,
    effect: str = "",
    prim_func: bool = True,
) -> Callable[[Kernel], Kernel]:
    """Register a kernel under its name and the other names MindSpore has for the same thing."""

    def register(kernel: Kernel) -> Kernel:
        signature = inspect.signature(kernel)
        parameters = signature.parameters.values()
        plain = [p for p in parameters if p.kind is not p.VAR_POSITIONAL]
        made = Operator(
            names[0],
            kernel,
            tuple(p.name for p in plain),
            -1 if len(plain) < len(parameters) else inputs,
            MappingProxyType({p.name: p.default for p in plain if p.default is not p.empty}),
            infer and _by_name(infer, signature),
            MappingProxyType(dict(spelling or {})),
            effect,
            prim_func,
        )
        for name in names:
            if name in OPERATORS:
                raise ValueError(f"the operator {name} is registered twice")
            OPERATORS[name] = made
        return kernel

    return register


def _by_name(infer: Kernel, kernel: inspect.Signature) -> Kernel:
    """An `infer` that names some of its kernel's parameters, as one that is called like the kernel."""
    wanted = inspect.signature(infer).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in wanted.values()) or not wanted.keys() <= kernel.parameters.keys():
        return infer

    def bound(*args: Any, **attrs: Any) -> Any:
        given = kernel.bind(*args, **attrs)
        given.apply_defaults()
        return infer(**{name: given.arguments[name] for name in wanted})

    return bound


def find(name: str) -> Operator | None:
    """The operator a graph's or a user's name means, or None. `S-Prim-Add`, `PrimFunc_Add` and
    `S_Prim_Add` are Add."""
    found = OPERATORS.get(name)
    if found is None:
        for prefix in ("PrimFunc_", "S-Prim-", "S_Prim_"):
            if name.startswith(prefix):
                return OPERATORS.get(name[len(prefix) :])
    return found


def bind_attrs(found: Operator, given: int, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments for the parameters that `given` positional operands leave open.

    Raises ExecutionError when one has neither an attribute nor a default.
    """
    if found.inputs < 0:
        return {name: attrs[name] for name in found.params if name in attrs}
    bound: dict[str, Any] = {}
    for name in found.params[given:]:
        for spelled in (name, *found.spelling.get(name, ())):
            if spelled in attrs:
                bound[name] = attrs[spelled]
                break
        else:
            if name not in found.defaults:
                raise ExecutionError(f"{found.name} has no {name}: neither an input nor an attribute")
    return bound


def infer(found: Operator, args: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """The types of an operator's outputs: TensorSpec, Python value, or a tuple of them.

    `args` holds TensorSpec for tensors whose values are not known, arrays for those that are, and
    Python values for the rest. A dimension that only the values tell is -1. Raises what the kernel
    raises for shapes and types that do not fit (ValueError, TypeError), and DependsOnValues.
    """
    if found.infer is not None:
        return found.infer(*[spec_of(a) if isinstance(a, np.ndarray) else a for a in args], **attrs)
    zeros, error = _run_on(found, args, attrs, 0)
    if next(_iter_specs(args), None) is not None:
        # Operands may be places, counts or masks: what two sets of values agree on is certain.
        ones, other = _run_on(found, args, attrs, 1)
        if error is not None and other is None:
            raise DependsOnValues(found.name) from error
        if error is None and other is None:
            return _agreed(found.name, zeros, ones)
    if error is not None:
        raise error
    return zeros


def trial(found: Operator, args: Sequence[Any], attrs: Mapping[str, Any]) -> Exception | None:
    """What the kernel raises where every unknown element is zero; None when it computes."""
    return _run_on(found, args, attrs, 0)[1]


class DependsOnValues(ValueError):
    """What an operator gives is a Python value, or has a rank, that only its operands' values tell."""

    def __init__(self, name: str) -> None:
        super().__init__(f"For '{name}', what it gives depends on the values of its tensors, not on their types alone.")


def _run_on(
    found: Operator, args: Sequence[Any], attrs: Mapping[str, Any], number: int
) -> tuple[Any, Exception | None]:
    """What the kernel gives where every unknown element is a number, or the error that it raises."""
    stand_ins = [_stand_in(a, number) for a in args]
    if found.effect == "memory":
        stand_ins = [np.array(a) if isinstance(a, np.ndarray) else a for a in stand_ins]
    try:
        with np.errstate(all="ignore"):
            return spec_of(found.kernel(*stand_ins, **attrs)), None
    except (ValueError, IndexError, ZeroDivisionError) as error:
        return None, error


def _iter_specs(args: Any) -> Iterator[TensorSpec]:
    for arg in args:
        if isinstance(arg, TensorSpec):
            yield arg
        elif isinstance(arg, tuple | list):
            yield from _iter_specs(arg)


def _agreed(name: str, a: Any, b: Any) -> Any:
    if isinstance(a, TensorSpec) and isinstance(b, TensorSpec):
        if a.dtype != b.dtype or len(a.shape) != len(b.shape):
            raise DependsOnValues(name)
        return TensorSpec(tuple(x if x == y else -1 for x, y in zip(a.shape, b.shape, strict=True)), a.dtype)
    if isinstance(a, tuple | list) and type(a) is type(b) and len(a) == len(b):
        return type(a)(_agreed(name, x, y) for x, y in zip(a, b, strict=True))
    if type(a) is not type(b) or a != b:
        raise DependsOnValues(name)
    return a


def spec_of(value: Any) -> Any:
    """A value's TensorSpec; tuples elementwise, Python values as they are."""
    if isinstance(value, np.ndarray | np.generic):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, tuple | list):
        return type(value)(spec_of(v) for v in value)
    return value


def _stand_in(arg: Any, number: int) -> Any:
    # Zero strides: an array of any shape in the memory of one element.
    if isinstance(arg, TensorSpec):
        return np.broadcast_to(np.full((), number, arg.dtype), arg.shape)
    if isinstance(arg, tuple | list):
        return type(arg)(_stand_in(a, number) for a in arg)
    return arg


def same(x: Any, *_: Any, **__: Any) -> Any:
    """Infer: the output is like the first operand."""
    return x

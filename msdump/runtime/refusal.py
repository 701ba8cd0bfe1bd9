"""Why an operator refuses operands: the executor's own checks, asked with types instead of values."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from msdump.errors import MsdumpError
from msdump.graph.failure import Argument
from msdump.graph.reason import Kind, Reason
from msdump.graph.value import Attrs
from msdump.runtime.executor.values import to_python
from msdump.runtime.misfit import Misfit
from msdump.runtime.ops import registry
from msdump.runtime.ops.registry import DependsOnValues, Operator, TensorSpec
from msdump.runtime.passes.types import spec_of
from msdump.runtime.tracing.checks import check_types

_MOST_ELEMENTS = 1 << 22


def refusal(name: str, arguments: Sequence[Argument], attrs: Attrs) -> Reason | None:
    """The reason for which an operator of MindSpore refuses its operands.

    Args:
        name: as a graph or a source line spells it: "BiasAdd", "PrimFunc_BiasAdd", "bias_add_op".
        arguments: its operands, with their types and the values that are known.
        attrs: its attributes, as far as they are known; the others have their defaults.

    Returns None when the operator is not known, when too little is known of the operands, and when
    nothing is wrong with them.
    """
    found = find_spelled(name)
    if found is None:
        return None
    miscounted = _miscounted(found, arguments)
    if miscounted is not None:
        return miscounted if registry.find(name) else replace(miscounted, certain=False, op="")
    try:
        given = {key: to_python(value) for key, value in attrs.items()}
        args = [_known(argument) for argument in arguments]
        bound = registry.bind_attrs(found, len(args), given)
    except MsdumpError:
        return None  # too little is known
    error = _raised(found, args, bound)
    if error is None:
        return None
    assumed = tuple(key for key in found.params[len(args) :] if key not in bound)
    if isinstance(error, Misfit):
        return Reason(error.kind, error.why, advice=error.advice, op=found.name, assumed=assumed)
    kind, why = plain_error(error)
    return Reason(kind, why, op=found.name, certain=False, assumed=assumed)


def _raised(found: Operator, args: list[Any], attrs: dict[str, Any]) -> Exception | None:
    """What the operator's checks raise, and then what its kernel does where it may be run on stand-ins."""
    small = _elements(args) <= _MOST_ELEMENTS
    try:
        if found.infer is not None or small:
            check_types(found, args, attrs, registry.infer(found, args, attrs))
    except DependsOnValues:
        return None
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
        return error
    return registry.trial(found, args, attrs) if small and found.effect in ("", "memory") else None


def plain_error(error: Exception) -> tuple[Kind, str]:
    """Numpy's own words for what does not fit, in those of the rules; (kind, reason)."""
    said = str(error)
    for wording, kind, why in _NUMPY:
        if match := re.search(wording, said):
            return kind, match.expand(why)
    return "dtype" if isinstance(error, TypeError) else "value", said


_SHAPE = r"\(([\d, ]*?),?\)"
_NUMPY: tuple[tuple[str, Kind, str], ...] = (
    (rf"could not be broadcast .*?{_SHAPE} {_SHAPE}", "shape", r"shapes (\1) and (\2) do not broadcast"),
    (rf"input array from shape {_SHAPE} into shape {_SHAPE}", "shape", r"shape (\1) does not fit (\2)"),
    (rf"cannot reshape array of size (\d+) into shape {_SHAPE}", "shape", r"\1 elements do not fit into (\2)"),
    (r"axis (-?\d+) is out of bounds .* dimension (\d+)", "value", r"axis \1 is out of range for \2 dimensions"),
    (r"index (-?\d+) is out of bounds .* size (\d+)", "value", r"index \1 is out of range for \2 elements"),
    (r"same number of dimensions|dimension mismatch", "shape", "the operands have different ranks"),
)


def find_spelled(name: str) -> Operator | None:
    """An operator by its name, or by the name of a variable that holds it (`bias_add_op`, `reshape_`)."""
    return registry.find(name) or _by_word().get(_word(name.removesuffix("_").removesuffix("_op")))


@functools.cache
def _by_word() -> dict[str, Operator]:
    return {_word(name): found for name, found in reversed(registry.OPERATORS.items())}


def _word(name: str) -> str:
    return name.replace("_", "").lower()


def _known(argument: Argument) -> Any:
    return spec_of(argument.abstract) if argument.value is None else to_python(argument.value)


def _elements(args: Any) -> int:
    return sum(
        prod(arg.shape) if isinstance(arg, TensorSpec) else _elements(arg)
        for arg in args
        if isinstance(arg, TensorSpec | tuple | list)
    )


def _miscounted(found: Operator, arguments: Sequence[Argument]) -> Reason | None:
    """Too many operands, or too few: those without a default must be given."""
    if found.inputs < 0:
        return None
    given = len(arguments)
    names = found.params[: found.inputs]
    least = sum(name not in found.defaults for name in names)
    if least <= given <= len(found.params):
        return None
    wanted = f"{len(names)} operand{'s' * (len(names) != 1)} ({', '.join(names)})"
    return Reason(
        "arguments", f"{found.name} takes {wanted}, {given} {'is' if given == 1 else 'are'} given", op=found.name
    )

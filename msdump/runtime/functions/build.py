"""How the functions of `msdump.ops` get their primitives: made once, kept by their attributes."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

from msdump.dtype import by_name
from msdump.runtime.ops.registry import OPERATORS
from msdump.runtime.primitive import Primitive, shared
from msdump.runtime.tensor import Tensor

Op = Callable[..., Tensor]


@functools.lru_cache(maxsize=4096)
def _kept(name: str, items: tuple[tuple[str, Any], ...], types: tuple[type, ...]) -> Any:
    return Primitive(name, **dict(items))


def prim(name: str, **attrs: Any) -> Op:
    """The primitive with these attributes, made once; attributes that cannot be hashed make a new one."""
    try:
        # 1, 1.0 and True hash alike and mean different things.
        kept: Op = _kept(name, tuple(attrs.items()), tuple(map(type, attrs.values())))
        return kept
    except TypeError:
        return Primitive(name, **attrs)


many = cast("Callable[..., Callable[..., tuple[Tensor, ...]]]", prim)
"""`prim` for a primitive of several outputs."""


def op(name: str) -> Op:
    """A primitive without attributes as a function."""
    return shared(name)


def function(name: str, operands: str, **attrs: Any) -> Op:
    """A function of a primitive's operands and then its attributes.

    Args:
        name: the primitive.
        operands: names of the operands; "bias=None" has a default.
        **attrs: attribute → its default, `...` where it must be given.

    Raises TypeError, when called, for arguments that do not fit this signature.
    """
    names = [operand.partition("=")[0] for operand in operands.split()]
    defaults = {n: ast.literal_eval(d) for n, _, d in (o.partition("=") for o in operands.split()) if d}
    defaults |= {attr: default for attr, default in attrs.items() if default is not ...}
    order = (*names, *attrs)
    kind, required = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    signature = inspect.Signature([inspect.Parameter(n, kind, default=defaults.get(n, required)) for n in order])
    all_names = frozenset(order)
    # How many arguments make a call that leaves every attribute as it is.
    plain = -1 if ... in attrs.values() else len(names)

    def call(*args: Any, **named: Any) -> Any:
        if len(args) == plain and not named:
            return prim(name, **attrs)(*args)
        given = {**defaults, **dict(zip(order, args, strict=False)), **named}
        if given.keys() != all_names or len(args) > len(order) or not named.keys().isdisjoint(order[: len(args)]):
            signature.bind(*args, **named)  # raises, in Python's own words
        return prim(name, **{attr: given[attr] for attr in attrs})(*[given[operand] for operand in names])

    call.__doc__ = OPERATORS[name].kernel.__doc__
    call.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect.signature
    return call


def _type(name: str) -> Any:
    found = by_name(name)
    assert found is not None  # the table has these
    return found


BOOL, INT32, INT64 = _type("Bool"), _type("Int32"), _type("Int64")
FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = _type("Float16"), _type("BFloat16"), _type("Float32"), _type("Float64")

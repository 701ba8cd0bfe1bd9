"""The glue of graphs: tuples, dependencies, effects, and arithmetic on Python numbers.

Calls, Partial and Switch over subgraphs are the executor's; here stands what is a plain function of
its operands.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any

import numpy as np

from msdump.runtime.misfit import IndexMisfit
from msdump.runtime.ops.registry import operator


@operator("MakeTuple", "make_tuple", "S-Prim-MakeTuple")
def make_tuple(*items: Any) -> Any:
    """Its operands as a tuple."""
    return items


@operator("MakeList", "make_list")
def make_list(*items: Any) -> Any:
    """Its operands as a list."""
    return list(items)


@operator(
    "TupleGetItem",
    "tuple_getitem",
    "ListGetItem",
    "list_getitem",
    "RealTupleGetItem",
    inputs=2,
    infer=lambda items, index: _item(items, index),
)
def tuple_get_item(items: Any, index: Any) -> Any:
    """One element of a tuple."""
    return _item(items, index)


def _item(items: Any, index: Any) -> Any:
    if isinstance(items, tuple | list) and not -len(items) <= int(index) < len(items):
        raise IndexMisfit(
            f"TupleGetItem evaluator index should be in range[-{len(items)}, {len(items)}), but got {int(index)}.",
            f"index {int(index)} is out of range for {len(items)} elements",
        )
    return items[int(index)]


@operator("TupleSetItem", "tuple_setitem", "ListSetItem", "list_setitem", inputs=3, infer=lambda x, i, v: _set(x, i, v))
def tuple_set_item(items: Any, index: Any, value: Any) -> Any:
    """A tuple with one element replaced."""
    return _set(items, index, value)


def _set(items: Any, index: Any, value: Any) -> Any:
    copy = list(items)
    copy[int(index)] = value
    return type(items)(copy)


@operator("make_dict", "MakeDict", inputs=2)
def make_dict(keys: Any, values: Any) -> Any:
    """A dictionary of keys and values."""
    return dict(zip(keys, values, strict=True))


@operator("dict_getitem", "DictGetItem", inputs=2)
def dict_get_item(items: Any, key: Any) -> Any:
    """A dictionary's value at a key."""
    return items[key]


@operator("Depend", "depend", infer=lambda x, *_: x)
def depend(*items: Any) -> Any:
    """Its first operand, once the others are computed."""
    return items[0]


@operator("UpdateState")
def update_state(*items: Any) -> Any:
    """The token that orders effects: nothing to compute."""
    return None


@operator("ControlDepend")
def control_depend(*items: Any) -> Any:
    """An order of 1.0 and 1.1, which the order of nodes already holds."""
    return None


@operator("Load", "load", infer=lambda x, *_: x)
def load(*items: Any) -> Any:
    """A parameter's value at this moment."""
    return items[0]


@operator("RefToEmbed", "embed")
def embed(x: Any) -> Any:
    """A key that stands for a parameter."""
    return x


@operator("TupleAdd", "sequence_add", "SequenceAdd", inputs=2)
def tuple_add(x: Any, y: Any) -> Any:
    """Two tuples, one after the other."""
    return x + y


@operator("sequence_len", "tuple_len", "list_len", "array_len", "len", "sequence_length")
def length(x: Any) -> Any:
    """How many elements a tuple, or rows a tensor, has."""
    return len(x)


@operator("SequenceSlice", "sequence_slice", inputs=4)
def sequence_slice(x: Any, start: Any, stop: Any, step: Any) -> Any:
    """x[start:stop:step] of a tuple."""
    return x[start:stop:step]


@operator("bool_not", "BoolNot")
def bool_not(x: Any) -> Any:
    """Not x."""
    return not bool(x)


@operator("bool_and", inputs=2)
def bool_and(x: Any, y: Any) -> Any:
    """The input and y."""
    return bool(x) and bool(y)


@operator("bool_or", inputs=2)
def bool_or(x: Any, y: Any) -> Any:
    """The input or y."""
    return bool(x) or bool(y)


def _number(x: Any) -> Any:
    return x.item() if isinstance(x, np.ndarray | np.generic) else x


def _scalar(*names: str, function: Callable[..., Any], inputs: int = 2) -> None:
    def kernel(x: Any, y: Any = None) -> Any:
        return function(_number(x)) if inputs == 1 else function(_number(x), _number(y))

    operator(*names, inputs=inputs)(kernel)


def _floor_mod(x: Any, y: Any) -> Any:
    return x % y


def _divide(x: Any, y: Any) -> Any:
    # A device gives infinity or NaN where Python raises.
    return x / y if y else float(np.divide(np.float64(x), np.float64(y)))


_scalar("ScalarAdd", "scalar_add", function=python.add)
_scalar("ScalarSub", "scalar_sub", function=python.sub)
_scalar("ScalarMul", "scalar_mul", function=python.mul)
_scalar("ScalarDiv", "scalar_div", function=_divide)
_scalar("ScalarFloorDiv", "scalar_floordiv", function=python.floordiv)
_scalar("ScalarMod", "scalar_mod", function=_floor_mod)
_scalar("ScalarPow", "scalar_pow", function=python.pow)
_scalar("ScalarUsub", "scalar_usub", function=python.neg, inputs=1)
_scalar("ScalarUadd", "scalar_uadd", function=python.pos, inputs=1)
_scalar("scalar_eq", "ScalarEq", "string_eq", function=python.eq)
_scalar("scalar_ne", "ScalarNe", function=python.ne)
_scalar("scalar_lt", "ScalarLt", function=python.lt)
_scalar("scalar_le", "ScalarLe", function=python.le)
_scalar("scalar_gt", "ScalarGt", function=python.gt)
_scalar("scalar_ge", "ScalarGe", function=python.ge)
_scalar("ScalarBool", "scalar_bool", function=bool, inputs=1)
_scalar("bool_eq", function=python.eq)


@operator("Cond", inputs=2)
def cond(x: Any, flag: Any = True) -> Any:
    """A condition as a Python bool."""
    return bool(np.asarray(x).reshape(-1)[0]) if hasattr(x, "dtype") else bool(x)


@operator("Assert", effect="io", infer=lambda condition, *_, **__: condition)
def assert_of(condition: Any, *data: Any) -> Any:
    """The condition; a false one stops the run with the data in the message."""
    if not bool(np.all(condition)):
        raise ValueError(f"Assert failed: {data[0] if data else ''}")
    return condition

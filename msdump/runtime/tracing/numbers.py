"""Numbers of Python's that a tensor decided on: tensors in the graph, and numbers in arithmetic.

After `k = 1.5 if t else 2.5` the graph has a Float32 tensor, but k times a Float16 tensor is Float16,
as it is when the code runs operator by operator and k is a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msdump.runtime.ops.registry import Operator
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.traced import Traced

_ARITHMETIC = frozenset(
    (
        *("Abs", "Add", "AddExt", "Div", "DivMod", "FloorDiv", "FloorMod", "Maximum", "Minimum", "Mod", "Mul"),
        *("Neg", "Pow", "RealDiv", "Sub", "SubExt"),
    )
)
"""What gives a number when it is given numbers."""


def is_number_like(value: Any) -> bool:
    """A number of Python or numpy, or a tensor that stands for one of Python's."""
    if isinstance(value, Traced):
        return value.number
    return isinstance(value, (bool, int, float, complex, np.number, np.bool_))


def weighed(found: Operator, arguments: Sequence[Any]) -> tuple[list[Any], bool]:
    """An operator's arguments with numbers in the types that numbers take there, and whether it gives
    a number.
    """
    # numpy's numbers are arrays of no dimension, whose type counts
    given: list[Any] = [
        np.asarray(a) if isinstance(a, np.generic) and i < found.inputs else a for i, a in enumerate(arguments)
    ]
    numbers = [i for i, a in enumerate(given) if isinstance(a, Traced) and a.number]
    if not numbers:
        return given, False
    if found.name in _ARITHMETIC and all(map(is_number_like, arguments)):
        return given, True
    if found.inputs == 2 and len(given) >= 2 and numbers in ([0], [1]):
        other = given[1 - numbers[0]]
        number = given[numbers[0]]
        if isinstance(other, Tensor) and _rank(number) <= _rank(other) and number._data.dtype != other._data.dtype:
            given[numbers[0]] = number.astype(other.dtype)
    return given, False


def _rank(value: Tensor) -> int:
    # types of ml_dtypes are of numpy's kind V, and floating
    kind = value._data.dtype.kind
    return {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}.get(kind, 2)

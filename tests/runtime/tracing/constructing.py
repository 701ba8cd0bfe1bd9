"""A cell around a function, and how what it gave in two modes is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from msdump import Parameter, Tensor, nn


class Pair(NamedTuple):
    first: Tensor
    second: int


class Net(nn.Cell):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.factor = 3
        self.items = [1, 2]
        self.weight = Parameter(Tensor(np.array([1.0, -1.0], np.float32)), name="weight")
        self.dense = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")

    def construct(self, x: Tensor, *args: Any, **kwargs: Any) -> Any:
        return self.function(self, x, *args, **kwargs)


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.dtype.name, value.asnumpy().tolist()
    if isinstance(value, (tuple, list)):
        return type(value)(*map(plain, value)) if hasattr(value, "_fields") else type(value)(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def same(compiled: Any, eager: Any) -> bool:
    """Whether they are equal; a number that a tensor decided on is a tensor of no dimension in a graph."""
    if isinstance(eager, (int, float)) and isinstance(compiled, tuple):
        return bool(compiled[1] == eager)
    if isinstance(eager, (tuple, list)):
        return type(eager) is type(compiled) and len(eager) == len(compiled) and all(map(same, compiled, eager))
    if isinstance(eager, dict):
        return list(eager) == list(compiled) and all(same(compiled[k], eager[k]) for k in eager)
    return bool(compiled == eager)

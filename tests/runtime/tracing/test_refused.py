"""What a graph cannot do is refused at the user's own line."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump import Tensor, context, ops
from msdump.errors import TraceError
from tests.runtime.tracing.constructing import Net

TABLE = {"a": 1, "b": 2}
KEPT: list[Any] = []


pytestmark = pytest.mark.usefixtures("apart")


def numpy_call(net: Any, x: Any) -> Any:
    return np.sum(x)


def as_numpy(net: Any, x: Any) -> Any:
    return Tensor(x.asnumpy() * 2)


def to_int(net: Any, x: Any) -> Any:
    return x * int(x.sum())


def math_call(net: Any, x: Any) -> Any:
    return x * math.sqrt(x.sum())


def formatted(net: Any, x: Any) -> Any:
    return x, f"{x.sum()}"


def as_text(net: Any, x: Any) -> Any:
    return x, str(x)


def append_of_helper(net: Any, x: Any) -> Any:
    items = [x]

    def add(v: Tensor) -> None:
        items.append(v)

    if x.sum() > 0:
        add(x)
    return items


def append_differs(net: Any, x: Any) -> Any:
    items = [x]
    if x.sum() > 0:
        items.append(x)
    return items


def append_in_loop(net: Any, x: Any) -> Any:
    items = [x]
    while x.sum() < 10:
        x = x + 1
        items.append(x)
    return items


def append_to_self(net: Any, x: Any) -> Any:
    net.items.append(x)
    return x


def append_to_global(net: Any, x: Any) -> Any:
    KEPT.append(x)
    return x


def item_of_global(net: Any, x: Any) -> Any:
    TABLE["c"] = 1
    return x


def sets_attribute(net: Any, x: Any) -> Any:
    net.cache = x
    return x


def counts_attribute(net: Any, x: Any) -> Any:
    net.factor += 1
    return x * net.factor


def raises(net: Any, x: Any) -> Any:
    if x.sum() > 0:
        raise ValueError("positive")
    return x


def asserts(net: Any, x: Any) -> Any:
    assert x.sum() > 0
    return x


def catches(net: Any, x: Any) -> Any:
    try:
        return x * 2
    except ValueError:
        return x


def matches(net: Any, x: Any) -> Any:
    match net.factor:
        case 3:
            return x
    return x * 2


def condition_of_many(net: Any, x: Any) -> Any:
    return x if x > 0 else -x


def logic_of_many(net: Any, x: Any) -> Any:
    return (x > 0) and (x < 5)


def membership(net: Any, x: Any) -> Any:
    return x if 3 in x else -x


def list_by_tensor(net: Any, x: Any) -> Any:
    return [x, x * 2][x.argmax()]


def unknown_shape(net: Any, x: Any) -> Any:
    chosen = x[x > 0]
    return chosen.sum()


def unknown_length(net: Any, x: Any) -> Any:
    return x * ops.nonzero(x).shape[0]


def reads_parameter(net: Any, x: Any) -> Any:
    return x * float(net.weight.sum().asnumpy())


def parameter_to_numpy(net: Any, x: Any) -> Any:
    return x * net.weight.asnumpy()[0]


def generator(net: Any, x: Any) -> Any:
    yield x


def sort_of_python(net: Any, x: Any) -> Any:
    return sorted([x.sum(), x.max()])


def unequal_types(net: Any, x: Any) -> Any:
    y = x if x.sum() > 0 else "none"
    return x, y


def inside_outside(net: Any, x: Any) -> Any:
    found: list[Any] = []
    note = functools.partial(found.append)
    if x.sum() > 0:
        note(x * 2)
    return found[0] + 1 if found else x


def endless(net: Any, x: Any) -> Any:
    return endless(net, x + 1)


def wrong_arguments(net: Any, x: Any) -> Any:
    return net.dense(x, x)


def no_such_method(net: Any, x: Any) -> Any:
    return x.no_such_method()


def wrong_index(net: Any, x: Any) -> Any:
    return x[0, 0, 0]


def wrong_type(net: Any, x: Any) -> Any:
    return ops.matmul(x, "text")


REFUSED: list[tuple[Callable[..., Any], int, str]] = [
    (numpy_call, 1, "a numpy function of a tensor needs the tensor's values"),
    (as_numpy, 1, "asnumpy() needs the tensor's values"),
    (to_int, 1, "int(tensor) needs the tensor's values"),
    (math_call, 1, "float(tensor) needs the tensor's values"),
    (formatted, 1, "a tensor in a formatted string needs the tensor's values"),
    (as_text, 1, "str(tensor) needs the tensor's values"),
    (append_of_helper, 4, "a list made outside of a branch or loop that a tensor decides cannot be changed in it"),
    (append_differs, 2, "the branches of the if give items different types"),
    (append_in_loop, 2, "items changes in the loop"),
    (append_to_self, 1, "a list that outlives construct cannot be changed by a graph"),
    (append_to_global, 1, "a list that outlives construct cannot be changed by a graph"),
    (item_of_global, 1, "a dict that outlives construct cannot be changed by a graph"),
    (sets_attribute, 1, "cache of a Net cannot be assigned by a graph"),
    (counts_attribute, 1, "factor of a Net cannot be assigned by a graph"),
    (raises, 2, "raise under a condition that a tensor decides cannot be compiled"),
    (asserts, 1, "assert on a tensor cannot be compiled"),
    (catches, 1, "try has no meaning in a graph"),
    (matches, 1, "match cannot be compiled"),
    (condition_of_many, 1, "the truth of a tensor of 2 elements is ambiguous"),
    (logic_of_many, 1, "the truth of a tensor of 2 elements is ambiguous"),
    (membership, 1, "value in tensor needs the tensor's values"),
    (list_by_tensor, 1, "a tensor as an index into Python's own list or tuple needs the tensor's values"),
    (unknown_shape, 2, "For 'SumExt', a tensor whose shape only a run tells cannot be computed with"),
    (unknown_length, 1, "the shape of this tensor is known only when the graph runs"),
    (reads_parameter, 1, "asnumpy() needs the tensor's values"),
    (parameter_to_numpy, 1, "the values of the parameter weight are not known while a graph is compiled"),
    (generator, 1, "a generator cannot be compiled"),
    (sort_of_python, 1, "a tensor as a condition here needs the tensor's values"),
    (unequal_types, 1, "the branches of the if give the value different types"),
    (inside_outside, 5, "a tensor of one branch or loop is used outside of it"),
    (endless, 1, "the depth of calls exceeds max_call_depth"),
    (wrong_arguments, 1, "construct of Dense: too many positional arguments"),
    (no_such_method, 1, "'Tensor' object has no attribute 'no_such_method'"),
    (wrong_index, 1, "too many indices for a tensor of 1 dimensions"),
    (wrong_type, 1, "For 'MatMulExt', it does not take operands of these types"),
]


@pytest.mark.parametrize(("function", "line", "message"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
def test_it_is_refused_at_the_users_line(function: Callable[..., Any], line: int, message: str) -> None:
    context.set_context(mode=context.GRAPH_MODE)
    net = Net(function)
    with pytest.raises(TraceError) as caught:
        net(Tensor(np.array([1, 2], np.float32)))
    assert caught.value.what.startswith(message)
    assert str(caught.value.where).startswith(f"{__file__}:{function.__code__.co_firstlineno + line}:")
    assert not KEPT
    assert net.items == [1, 2]
    assert Path("rank_0/om/analyze_fail.ir").is_file()
    # and the network is as it was: operator by operator it runs
    context.set_context(mode=context.PYNATIVE_MODE)
    assert net.dense(Tensor(np.ones((1, 2), np.float32))).asnumpy().tolist() == [[2.0, 2.0]]

"""What people write in construct, and that it does the same in a graph."""

from __future__ import annotations

import functools
import gc
import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from msdump import Tensor, context, nn, ops
from tests.runtime.tracing.constructing import Net, Pair, plain, same

TABLE = {"a": 1, "b": 2}
WEIGHT = Tensor(np.array([1.0, 2.0], np.float32))


pytestmark = pytest.mark.usefixtures("apart")


def f_string(net: Any, x: Any) -> Any:
    name = f"{x.shape}-{net.factor:03d}-{x.dtype}"
    return x if name.startswith("(2,)") else x * 2


def arguments(net: Any, x: Any, *args: Any, scale: Any = 2, **kwargs: Any) -> Any:
    y = x * scale
    for a in args:
        y = y + a
    more = kwargs.pop("more", 1)
    return y * more, sorted(kwargs)


def nested_functions(net: Any, x: Any) -> Any:
    offset = x.sum()

    def shifted(t: Tensor, k: int = 2) -> Any:
        if offset > 0:
            return t + offset * k
        return t - offset

    return shifted(x), shifted(x, k=3), (lambda t: t * net.factor)(x)


def comprehensions(net: Any, x: Any) -> Any:
    parts = [x * i for i in range(3) if i != 1]
    named = {key: x + value for key, value in TABLE.items()}
    return sum(parts), named, tuple(p.sum() for p in parts), {i % 2 for i in range(3)}


def ternary(net: Any, x: Any) -> Any:
    return (x if x.sum() > 0 else -x) * (2 if net.factor == 3 else 5)


def chained(net: Any, x: Any) -> Any:
    y = x * 2 if 0 < x.sum() < 5 else x
    return y, 1 < net.factor <= 3


def logic_of_values(net: Any, x: Any) -> Any:
    a, b = x.sum() > 0, x.max() < 10
    return (a and b), (a or b), (x.sum() and x.max()), (net.factor and x), (None or x)


def checks(net: Any, x: Any) -> Any:
    assert x.shape[0] == 2, "two, please"
    assert isinstance(x, Tensor)
    if type(x) is Tensor and not isinstance(x, (list, int)) and x is not None:
        return x + 1
    return x


def raises_not(net: Any, x: Any) -> Any:
    if x.shape[0] != 2:
        raise ValueError("two, please")
    return x


def early(net: Any, x: Any) -> Any:
    if x.sum() > 10:
        return x
    y = x + 1
    if y.sum() > 5:
        y = y * 2
        if y.max() > 9:
            return y - 1
    return y * 10


def nested_loops(net: Any, x: Any) -> Any:
    total = x.sum() * 0
    for i in range(3):
        j = 0
        while j < x.max():
            j = j + 1
            if (total + j) % 2 == 0:
                continue
            total = total + j
            if total > 7:
                break
        if total > 20:
            return total, i
        total = total + i
    return total, 9


def items_of_locals(net: Any, x: Any) -> Any:
    held: dict[str, Any] = {"k": [x, x * 2], "t": (x, [x])}
    held["k"][0] = x + 5
    held["k"].append(x - 1)
    held["t"][1].append(x * 3)
    held["k"][1][0] = 7.0
    a, held["z"] = x, x * 4
    b = held["y"] = a + 1
    held["y"] += b
    return held


def list_in_branch(net: Any, x: Any) -> Any:
    items = [x, x]
    alias = items
    if x.sum() > 0:
        items[0] = x * 2
        items.append(x)
        items.pop()
    else:
        items[1] = x * 3
    return items, alias, alias is items


def list_made_in_branch(net: Any, x: Any) -> Any:
    if x.sum() > 0:
        found = []
        for i in range(2):
            found.append(x * i)
    else:
        found = [x, x + 1]
    return found


def parameters(net: Any, x: Any) -> Any:
    before = net.weight * 1
    net.weight = net.weight + x
    net.weight += 1
    if x.sum() > 0:
        net.weight[0] = 5.0
    return before, net.weight * 1


def named_tuple(net: Any, x: Any) -> Any:
    pair = Pair(x, 2)
    if x.sum() > 0:
        pair = pair._replace(first=pair.first * 2)
    return pair, pair.first * pair.second


def unpacking(net: Any, x: Any) -> Any:
    first, *rest = [x, x + 1, x + 2]
    (a, b), c = (first, rest[0]), rest[1]
    return a, b, c, {**TABLE, "x": x}, [*rest, a]


def constants(net: Any, x: Any) -> Any:
    return x * WEIGHT + ops.ones_like(WEIGHT) * math.sqrt(4) + int(WEIGHT.asnumpy()[0]) + float(np.sum([1, 2]))


def half(net: Any, x: Any) -> Any:
    return x.astype("float16") * 1.5 + np.float32(2)


def builtins_of_python(net: Any, x: Any) -> Any:
    pairs = list(zip([x, x + 1], range(2), strict=True))
    return len(x), abs(x), max(1, 2), pairs, list(map(abs, [x])), x.ndim, functools.reduce(ops.add, [x, x])


def recursion(net: Any, x: Any, depth: int = 3) -> Any:
    return x if depth == 0 else recursion(net, x * 2, depth - 1)


def with_statement(net: Any, x: Any) -> Any:
    with np.errstate(all="ignore"):
        y = x / 0
    return y * 0 + 1 if x.sum() > 100 else x


def walrus(net: Any, x: Any) -> Any:
    if (y := x.sum()) > 2:
        return y
    return y - 1


def loop_keeps_outer(net: Any, x: Any) -> Any:
    i = x.sum() * 0
    kept = None
    while i < 3:
        kept = x * i if kept is None else kept
        i = i + 1
    return i


def float_counter(net: Any, x: Any) -> Any:
    t: Any = 0
    while t < 2:
        t = t + x.max() * 0 + 0.5
    return t * x


WORKS = [
    *(f_string, nested_functions, comprehensions, ternary, chained, checks, raises_not, early, nested_loops),
    *(items_of_locals, list_in_branch, list_made_in_branch, parameters, named_tuple, unpacking, constants, half),
    *(builtins_of_python, recursion, with_statement, walrus, float_counter, logic_of_values),
]


@pytest.mark.parametrize("values", [[1, 2], [-4, 3], [9, 8], [0, 0]], ids=str)
@pytest.mark.parametrize("function", WORKS, ids=lambda f: f.__name__)
def test_it_does_the_same_in_a_graph(function: Callable[..., Any], values: list[float]) -> None:
    x = Tensor(np.array(values, np.float32))
    context.set_context(mode=context.PYNATIVE_MODE)
    eager = plain(Net(function)(x))
    context.set_context(mode=context.GRAPH_MODE)
    net = Net(function)
    assert same(plain(net(x)), eager)
    context.set_context(mode=context.PYNATIVE_MODE)


def test_arguments_of_all_kinds() -> None:
    x = Tensor(np.array([1.0, 2.0], np.float32))
    found = []
    for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=mode)
        net = Net(arguments)
        found.append([plain(net(x)), plain(net(x, x, 2.5, scale=x)), plain(net(x, more=4, other=1))])
    assert found[0] == found[1]


def test_the_users_own_errors_stay_their_own() -> None:
    def construct(net: Any, x: Any) -> Any:
        if x.shape[0] == 2:
            raise KeyError("mine")
        return x

    context.set_context(mode=context.GRAPH_MODE)
    with pytest.raises(KeyError, match="mine"):
        Net(construct)(Tensor(np.array([1, 2], np.float32)))


def test_attributes_changed_between_calls_are_seen() -> None:
    def construct(net: Any, x: Any) -> Any:
        return x * net.factor

    context.set_context(mode=context.GRAPH_MODE)
    net = Net(construct)
    x = Tensor(np.array([1, 2], np.float32))
    assert net(x).asnumpy().tolist() == [3, 6]
    net.factor = 5
    assert net(x).asnumpy().tolist() == [5, 10]


def test_tensors_and_lists_replaced_between_calls_are_seen() -> None:
    class Holder(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.held: Any = None
            self.items = [1, 2]
            self.table = {"a": 1}

        def construct(self, x: Any) -> Any:
            return x + self.held + self.items[0] + self.table["a"]

    context.set_context(mode=context.GRAPH_MODE)
    net, x = Holder(), Tensor(np.array([1, 2], np.float32))
    for i in range(40):
        net.held = None  # what it held is gone, and the next one may stand where it stood
        net.held = Tensor(np.array([i, i], np.float32))
        assert net(x).asnumpy().tolist() == [i + 3, i + 4]
    net.items = [5, 2]
    assert net(x).asnumpy().tolist() == [39 + 7, 39 + 8]
    net.table = {"a": 10}
    assert net(x).asnumpy().tolist() == [39 + 16, 39 + 17]


def test_arrays_given_anew_are_seen() -> None:
    def construct(net: Any, x: Any, table: Any) -> Any:
        return x * int(table[0])

    context.set_context(mode=context.GRAPH_MODE)
    net, x = Net(construct), Tensor(np.array([1, 2], np.float32))
    table = np.array([2])
    assert net(x, table).asnumpy().tolist() == [2, 4]
    table[0] = 3
    assert net(x, table).asnumpy().tolist() == [3, 6]


def test_a_network_that_its_cells_know_is_not_held() -> None:
    context.set_context(mode=context.GRAPH_MODE)
    net = Net(lambda net, x: x + 1)
    net.dense.__dict__["outer"] = net  # not a cell of it, or scopes would go in circles
    net.again = net.construct
    net.endless = []
    net.endless.append(net.endless)
    net(Tensor(np.array([1, 2], np.float32)))
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None


def test_numbers_of_branches_promote_as_numbers_do() -> None:
    def construct(net: Any, x: Any) -> Any:
        k = 1.5 if x.sum() > 0 else 2.5
        return x.astype("float16") * k

    found = []
    for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=mode)
        found.append(plain(Net(construct)(Tensor(np.array([1, 2], np.float32)))))
    assert found[0] == found[1]


def test_cells_added_between_calls_are_seen() -> None:
    context.set_context(mode=context.GRAPH_MODE)
    net = nn.SequentialCell(nn.ReLU())
    x = Tensor(np.array([-1, 2], np.float32))
    assert net(x).asnumpy().tolist() == [0, 2]
    net.append(Net(lambda net, x: x * net.factor))
    assert net(x).asnumpy().tolist() == [0, 6]

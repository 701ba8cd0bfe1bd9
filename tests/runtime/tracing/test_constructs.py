"""What people write in construct: it does the same in a graph, or is refused at their own line."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from msdump import Parameter, Tensor, context, nn, ops
from msdump.errors import TraceError

TABLE = {"a": 1, "b": 2}
WEIGHT = Tensor(np.array([1.0, 2.0], np.float32))
KEPT: list[Any] = []


@pytest.fixture(autouse=True)
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    context.set_context(mode=context.PYNATIVE_MODE)


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

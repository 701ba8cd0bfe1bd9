"""GRAPH_MODE gives what PYNATIVE_MODE gives, whatever control flow a network has."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump.nn as nn
from msdump import Parameter, Tensor, context, ops
from msdump.errors import TraceError


@pytest.fixture(autouse=True)
def modes(tmp_path: Path) -> Iterator[None]:
    context.set_context(mode=context.PYNATIVE_MODE, save_graphs=False, save_graphs_path=str(tmp_path))
    yield
    context.set_context(mode=context.PYNATIVE_MODE, save_graphs=False, save_graphs_path=".")


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return np.asarray(value.asnumpy()).tolist()
    if isinstance(value, (tuple, list)):
        return type(value)(plain(v) for v in value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def both(net: nn.Cell, *args: Any) -> tuple[Any, Any]:
    context.set_context(mode=context.PYNATIVE_MODE)
    eager = plain(net(*args))
    context.set_context(mode=context.GRAPH_MODE)
    compiled = plain(net(*args))
    context.set_context(mode=context.PYNATIVE_MODE)
    return eager, compiled


class Made(nn.Cell):
    """A network whose construct is a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def construct(self, *args: Any) -> Any:
        return self.function(*args)


def f32(*values: Any) -> Tensor:
    return Tensor(np.array(values[0] if len(values) == 1 else values, np.float32))


def if_assigns(x: Tensor) -> Any:
    y = x * 2
    if x.sum() > 0:
        y = y + 1
        z = y * 3
    else:
        z = -y
    return y, z


def if_returns(x: Tensor) -> Any:
    if x.sum() > 10:
        return x
    y = x + 1
    if y.sum() > 0:
        return y * 2
    return y * 3


def elif_chain(x: Tensor) -> Any:
    s = x.sum()
    if s > 10:
        r = x
    elif s > 0:
        r = x * 2
    elif s > -10:
        r = x * 3
    else:
        r = x * 4
    return r


def nested_ifs(x: Tensor) -> Any:
    if x.sum() > 0:
        if x.max() > 5:
            return x - 5
        x = x * 10
    else:
        if x.min() < -5:
            x = x + 5
    return x + 100


def while_counts(x: Tensor) -> Any:
    n = 0
    while x.sum() < 50:
        x = x * 2
        n = n + 1
    return x, n * 1.0 + x.sum() * 0


def while_breaks(x: Tensor) -> Any:
    i = 0
    while i < x.sum():
        if i > 4:
            break
        i = i + 1
        if i == 2:
            continue
        x = x + 1
    return x


def while_returns(x: Tensor) -> Any:
    while x.sum() < 100:
        x = x * 3
        if x.max() > 20:
            return x, x.max()
    return x + 1, x.sum()


def for_rows(x: Tensor) -> Any:
    total = x[0] * 0
    for row in x:
        if row.sum() > 3:
            total = total + row
        else:
            total = total - row
    return total


def for_python(x: Tensor) -> Any:
    for i in range(5):
        if x.sum() > 30:
            break
        x = x * (i + 1)
    return x


def for_early_return(x: Tensor) -> Any:
    for i in range(4):
        x = x + i
        if x.sum() > 10:
            return x * 100
    return x


def range_of_tensor(x: Tensor) -> Any:
    total = x.sum() * 0
    for i in range(x.max().astype("int64")):
        total = total + i
    return total


def logical(x: Tensor) -> Any:
    a = x.sum() > 0
    b = x.max() > 3
    c = (a and b) or not a
    return x * 2 if c else x


def structures(x: Tensor) -> Any:
    d = {"a": x, "b": [x + 1, (x + 2, 7)]}
    if x.sum() > 0:
        d["a"] = x * 5
        pair = (x, 1)
    else:
        pair = (x * 2, 1)
    return d, pair, "text", None


def assigns_items(x: Tensor) -> Any:
    y = x * 1
    y[0] = 10.0
    y[1:2] = y[1:2] * 3
    return y, x


def helper(x: Tensor, k: int) -> Tensor:
    if x.sum() > k:
        return x - k
    return x + k


def calls_helpers(x: Tensor) -> Any:
    return helper(helper(x, 1), 3)


def comprehension(x: Tensor) -> Any:
    return ops.stack([row * i for i, row in enumerate(x)])


CASES: list[tuple[Callable[..., Any], list[Any]]] = [
    (if_assigns, [[1, 2], [-3, 1]]),
    (if_returns, [[20, 1], [1, 1], [-20, 1]]),
    (elif_chain, [[20], [5], [-5], [-50]]),
    (nested_ifs, [[1, 9], [1, 2], [-9, 1], [-1, 0]]),
    (while_counts, [[1, 2], [100, 1]]),
    (while_breaks, [[1, 2], [0, 0], [9, 9]]),
    (while_returns, [[1, 2], [200, 1], [10, 40]]),
    (for_rows, [[[1, 2], [3, 4]], [[0, 0], [0, 9]]]),
    (for_python, [[1, 2], [100, 1]]),
    (for_early_return, [[1, 2], [-10, -20], [5, 6]]),
    (range_of_tensor, [[4, 2], [0, 0]]),
    (logical, [[1, 9], [1, 1], [-1, -1]]),
    (structures, [[1, 2], [-1, -2]]),
    (assigns_items, [[1, 2, 3]]),
    (calls_helpers, [[1, 2], [5, 9], [-9, 1]]),
    (comprehension, [[[1, 2], [3, 4]]]),
]


@pytest.mark.parametrize(
    ("function", "values"),
    [(f, v) for f, inputs in CASES for v in inputs],
    ids=lambda p: getattr(p, "__name__", str(p)),
)
def test_both_modes_agree(function: Callable[..., Any], values: Any) -> None:
    eager, compiled = both(Made(function), f32(values))
    assert compiled == eager


class Twice(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 3)
        self.act = nn.ReLU()

    def construct(self, x: Tensor) -> Any:
        y = self.act(self.dense(x))
        if y.sum() > 0.5:
            y = self.dense(y)
        return self.act(y)


def test_a_cell_called_twice_has_its_weights_once() -> None:
    net = Twice()
    eager, compiled = both(net, f32([[1, 2, 3]]))
    np.testing.assert_allclose(compiled, eager, rtol=1e-6)


class Counter(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.count = Parameter(Tensor(np.zeros(1, np.float32)), name="count")
        self.assign = ops.Assign()

    def construct(self, x: Tensor) -> Any:
        before = self.count + 0
        self.assign(self.count, self.count + x.sum())
        after = self.count + 0
        if x.sum() > 5:
            self.assign(self.count, self.count * 10)
        return before, after, self.count + 0


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_what_is_written_is_read_in_program_order(mode: int) -> None:
    net = Counter()
    context.set_context(mode=mode)
    assert plain(net(f32([1, 2]))) == ([0.0], [3.0], [3.0])
    assert plain(net(f32([4, 3]))) == ([3.0], [10.0], [100.0])
    assert net.count.asnumpy().tolist() == [100.0]


class Talks(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.print = ops.Print()

    def construct(self, x: Tensor) -> Tensor:
        self.print("begin", x.sum())
        i = 0
        while i < x.sum():
            self.print("round", i)
            i = i + 1
        if x.sum() > 2:
            self.print("large")
        else:
            self.print("small")
        print("end")
        return x * 2


@pytest.mark.parametrize("value", [1, 3])
def test_prints_come_in_program_order(value: int, capfd: pytest.CaptureFixture[str]) -> None:
    context.set_context(mode=context.GRAPH_MODE)
    Talks()(f32([value]))
    rounds = [line for i in range(value) for line in ("round", str(i))]
    assert capfd.readouterr().out.splitlines() == [
        "begin",
        str(value),
        *rounds,
        "large" if value > 2 else "small",
        "end",
    ]


def test_one_compilation_serves_one_signature() -> None:
    seen: list[tuple[int, ...]] = []
    note = functools.partial(seen.append)

    def construct(x: Tensor) -> Tensor:
        note(x.shape)
        return x * 2

    net = Made(construct)
    context.set_context(mode=context.GRAPH_MODE)
    net(f32([1, 2]))
    net(f32([3, 4]))
    assert seen == [(2,)]
    net(f32([3, 4, 5]))
    assert seen == [(2,), (3,)]


def branches_differ(x: Tensor) -> Any:
    if x.sum() > 0:
        y = x
    else:
        y = x.sum()
    return y


def shapes_do_not_fit(x: Tensor) -> Any:
    return ops.matmul(x.reshape(1, 2), x.reshape(1, 2))


def asks_for_numpy(x: Tensor) -> Any:
    return x * float(x.sum())


def grows(x: Tensor) -> Any:
    while x.sum() < 10:
        x = ops.concat((x, x))
    return x


def undefined(x: Tensor) -> Any:
    if x.sum() > 0:
        y = x * 2
    return y + 1


FAILURES = [
    (
        branches_differ,
        1,
        "the branches of the if give y different types: Tensor[Float32] (2,) and Tensor[Float32] ()",
    ),
    (shapes_do_not_fit, 1, "For 'MatMulExt' the input dimensions must be equal"),
    (
        asks_for_numpy,
        1,
        "float(tensor) needs the tensor's values, which a graph does not have yet; use tensor.astype(msdump.float32)",
    ),
    (grows, 1, "x changes in the loop from Tensor[Float32] (2,) to Tensor[Float32] (4,)"),
    (undefined, 3, "y is used before it is assigned on every path; give it a value before the if"),
]


@pytest.mark.parametrize(("function", "line", "message"), FAILURES, ids=lambda p: getattr(p, "__name__", ""))
def test_what_cannot_be_compiled_is_told_at_the_users_line(
    function: Callable[..., Any], line: int, message: str, tmp_path: Path
) -> None:
    context.set_context(mode=context.GRAPH_MODE)
    with pytest.raises(TraceError) as caught:
        Made(function)(f32([1, 2]))
    assert caught.value.what.startswith(message)
    place = caught.value.where
    assert place is not None
    assert str(place).startswith(f"{__file__}:{function.__code__.co_firstlineno + line}:")
    assert (tmp_path / "rank_0" / "om" / "analyze_fail.ir").is_file()

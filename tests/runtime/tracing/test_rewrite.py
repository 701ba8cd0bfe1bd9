"""Rewritten functions do what the originals do, wherever every condition is Python's own."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from msdump.errors import TraceError
from msdump.runtime.tracing import flow
from msdump.runtime.tracing.recorder import Recorder
from msdump.runtime.tracing.rewrite import rewrite

THREE = 3


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    assert isinstance(function, types.FunctionType)
    made = rewrite(function, flow)
    assert made is not None
    return made


@pytest.fixture(autouse=True)
def recording() -> Iterator[None]:
    # rewritten code asks the recorder at work how to call functions
    with Recorder("test", flow).recording():
        yield


def loops(x: int, ys: list[int], z: int = 2) -> Any:
    acc = []
    for i, y in enumerate(ys):
        if y < 0:
            continue
        if y > 100:
            break
        t = y if y % 2 else -y
        acc.append(t + i)
    total = 0
    n = 0
    while n < x:
        n += 1
        if n == 7:
            return ("seven", acc, n)
        if n > 5 and not n == 6:  # noqa: SIM201 - `not` is what is tested
            total += n
    if x > 2:
        w = 1
        if z == 9:
            return w, acc
        x = x + 1
    elif x == 1:
        acc[0] = 5
        return acc
    chosen = [a for a in acc if a > 0 or a < -50]
    held = {}
    held["k"] = x

    def inner(p: bool) -> int:
        if p:
            return 1
        return 2

    return x, chosen, total, n, inner(x == 0), held, sum(a for a in acc), THREE


@pytest.mark.parametrize(
    "arguments",
    [
        (0, [1, 2, -1, 3]),
        (1, [4]),
        (3, [5, 200, 6]),
        (5, []),
        (6, [-4, 60, -62]),
        (9, [1]),
        (3, [1], 9),
    ],
)
def test_loops_branches_and_returns(arguments: tuple[Any, ...]) -> None:
    assert rewritten(loops)(*arguments) == loops(*arguments)


def nested(rows: list[list[int]], limit: int) -> Any:
    found = None
    for row in rows:
        for item in row:
            if item == limit:
                found = item
                break
            if item > limit:
                return ("over", item)
        if found is not None:
            break
    return found


@pytest.mark.parametrize(
    ("rows", "limit"), [([[1, 2], [3, 4]], 3), ([[1, 9], [3]], 5), ([], 1), ([[1], [2]], 7), ([[5]], 5)]
)
def test_breaks_of_nested_loops(rows: list[list[int]], limit: int) -> None:
    assert rewritten(nested)(rows, limit) == nested(rows, limit)


def short_circuit(calls: list[str], a: bool, b: bool) -> Any:
    def say(name: str, value: bool) -> bool:
        calls.append(name)
        return value

    return (say("a", a) and say("b", b)) or (say("c", a) if not b else "end")


@pytest.mark.parametrize("a", [True, False])
@pytest.mark.parametrize("b", [True, False])
def test_and_or_evaluate_no_more_than_python_does(a: bool, b: bool) -> None:
    mine: list[str] = []
    pythons: list[str] = []
    assert rewritten(short_circuit)(mine, a, b) == short_circuit(pythons, a, b)
    assert mine == pythons


def test_closures_defaults_and_keywords_are_kept() -> None:
    offset = 10

    def function(x: int, /, y: int = 2, *more: int, k: int = 5, **named: int) -> Any:
        if x > 0:
            y = y + offset
        return x, y, more, k, named

    made = rewritten(function)
    assert made(1) == (1, 12, (), 5, {})
    assert made(1, 3, 4, k=6, z=7) == (1, 13, (4,), 6, {"z": 7})
    offset = 20  # the closure's cell is shared, not copied
    assert made(1) == (1, 22, (), 5, {})


class Base:
    def name(self) -> str:
        return "base"


class Derived(Base):
    def name(self) -> str:
        if True:
            prefix = "derived of "
        return prefix + super().name()


def test_super_finds_its_class() -> None:
    assert rewritten(Derived.name)(Derived()) == "derived of base"


def test_lines_stay_the_users() -> None:
    def function(x: int) -> int:
        if x:
            return 1 // 0
        return 2

    with pytest.raises(ZeroDivisionError) as caught:
        rewritten(function)(1)
    first = function.__code__.co_firstlineno
    innermost = caught.traceback[-1]
    assert (innermost.lineno + 1, innermost.frame.code.path) == (first + 2, caught.traceback[0].frame.code.path)


def refused_try(x: int) -> int:
    try:
        return x
    finally:
        pass


def refused_yield(x: int) -> Any:
    yield x


def refused_else(x: int) -> int:
    for _ in range(x):
        pass
    else:
        return 1
    return 2


def refused_global() -> None:
    global THREE
    THREE = 4


@pytest.mark.parametrize(
    ("function", "message", "line"),
    [
        (refused_try, "try has no meaning in a graph; check the condition with if", 1),
        (refused_yield, "a generator cannot be compiled; build a list or a tuple", 1),
        (refused_else, "else after a loop cannot be compiled; set a flag in the loop and test it", 1),
        (refused_global, "a global cannot be changed by a graph; return the value", 1),
    ],
)
def test_what_no_graph_can_express_is_told_at_its_line(function: Any, message: str, line: int) -> None:
    with pytest.raises(TraceError) as caught:
        rewrite(function, flow)
    assert caught.value.what == message
    assert str(caught.value.where) == f"{__file__}:{function.__code__.co_firstlineno + line}:5"


def test_a_function_without_source_is_left_alone() -> None:
    namespace: dict[str, Any] = {}
    exec("def hidden(x):\n    return x", namespace)
    assert rewrite(namespace["hidden"], flow) is None

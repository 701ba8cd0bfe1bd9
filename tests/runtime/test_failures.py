"""analyze_fail.ir of networks that cannot be compiled, and what `msdump graph explain` makes of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Tensor, context, nn, ops
from msdump.errors import TraceError


class ArgumentCount(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 3)

    def construct(self, x: Tensor) -> Any:
        y = x + 1
        return self.dense(y, x)


class Product(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.mm = ops.MatMul()

    def construct(self, x: Tensor) -> Any:
        h = x * 2
        return self.mm(h, x)


class Inside(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.product = Product()

    def construct(self, x: Tensor) -> Any:
        return self.product(x) + 1


class Types(nn.Cell):
    def construct(self, x: Tensor) -> Any:
        return ops.BitwiseAnd()(x, x)


class Branches(nn.Cell):
    def construct(self, x: Tensor) -> Any:
        if x.sum() > 0:
            y = x
        else:
            y = x.sum()
        return y


class Unsupported(nn.Cell):
    def construct(self, x: Tensor) -> Any:
        y = x + 1
        return np.sum(y)


class Missing(nn.Cell):
    def construct(self, x: Tensor) -> Any:
        return x.not_a_method()  # type: ignore[attr-defined]  # that is what is tested


CASES: list[tuple[type[nn.Cell], str, tuple[str, ...]]] = [
    (ArgumentCount, "return self.dense(y, x)", ("construct of Dense: too many positional arguments",)),
    (
        Product,
        "return self.mm(h, x)",
        ("MatMul( Mul: Tensor[Float32] (2, 3),  x: Tensor[Float32] (2, 3)", "inner dimensions differ: 3 and 2"),
    ),
    (Inside, "return self.mm(h, x)", ("inner dimensions differ: 3 and 2",)),
    (
        Types,
        "return ops.BitwiseAnd()(x, x)",
        ("BitwiseAnd( x: Tensor[Float32] (2, 3)", "it does not take operands of these types"),
    ),
    (
        Branches,
        "if x.sum() > 0:",
        ("the branches of the if give y different types: Tensor[Float32] (2, 3) and Tensor[Float32] ()",),
    ),
    (Unsupported, "return np.sum(y)", ("numpy.sum( Add: Tensor[Float32] (2, 3) )", "use the function of that name")),
    (Missing, "return x.not_a_method()", ("'Tensor' object has no attribute 'not_a_method'",)),
]


@pytest.fixture(autouse=True)
def graph_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    context.set_context(mode=context.GRAPH_MODE, save_graphs_path="out")


@pytest.mark.parametrize("dialect", ["2.10", "2.0", "1.1"])
@pytest.mark.parametrize(("network", "line", "told"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_explain_understands_what_is_left(
    network: type[nn.Cell], line: str, told: tuple[str, ...], dialect: str
) -> None:
    context.set_context(save_graphs_dialect=dialect)
    with pytest.raises(TraceError) as caught:
        network()(Tensor(np.ones((2, 3), np.float32)))
    path = Path("out/rank_0/om/analyze_fail.ir")
    graph = msdump.read_graph(path)
    (failed,) = [node for _, node in graph.iter_nodes() if node.failure is not None]
    assert line in failed.locations[-1].code
    assert f":{failed.locations[-1].line}:" in str(caught.value.where)
    done = subprocess.run(
        [sys.executable, "-m", "msdump", "graph", "explain", "out"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"compilation stopped at test_failures.py:{failed.locations[-1].line} ")
    assert line in first
    for part in told:
        assert part in done.stdout
    if network is Inside and dialect == "2.10":
        assert "reached from" in done.stdout
        assert "return self.product(x) + 1" in done.stdout

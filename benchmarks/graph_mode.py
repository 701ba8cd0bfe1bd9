"""GRAPH_MODE: what compiling costs by the number of operators, and running beside PYNATIVE_MODE.

python benchmarks/graph_mode.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import warnings
from time import perf_counter
from typing import Any

import numpy as np

import msdump.nn as nn
from msdump import Tensor, context

SIZES = (1_000, 2_000, 5_000, 10_000)


class Chain(nn.Cell):
    """`operators` operators in a row on a small tensor, no two of them equal."""

    def __init__(self, operators: int) -> None:
        super().__init__()
        self.pairs = operators // 2

    def construct(self, x: Any) -> Any:
        for i in range(self.pairs):
            x = x + (i + 1)
            x = x * 0.5
        return x


def compile_seconds(operators: int) -> float:
    """Seconds that the first call takes more than the second."""
    context.set_context(mode=context.GRAPH_MODE)
    net, x = Chain(operators), Tensor(np.ones((4, 4), np.float32))
    begin = perf_counter()
    net(x)
    middle = perf_counter()
    net(x)
    return (middle - begin) - (perf_counter() - middle)


def run_seconds(mode: int, net: Chain, x: Tensor) -> float:
    """Seconds of one call."""
    context.set_context(mode=mode)
    net(x)
    begin = perf_counter()
    net(x)
    return perf_counter() - begin


def main() -> None:
    """Print both tables."""
    warnings.simplefilter("ignore")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    compile_seconds(100)
    print("| operators | compiling | an operator | beside 1,000 |\n| --- | --- | --- | --- |")
    first = 0.0
    for size in SIZES:
        seconds = min(compile_seconds(size) for _ in range(max(2, rounds // 2)))
        first = first or seconds / size
        print(f"| {size:,} | {seconds:.2f} s | {seconds / size * 1e6:.0f} µs | {seconds / size / first:.2f} times |")
    print("\n| shape | PYNATIVE_MODE | GRAPH_MODE | ratio |\n| --- | --- | --- | --- |")
    for shape in ((4, 4), (64, 64), (512, 512)):
        x = Tensor(np.ones(shape, np.float32))
        net = Chain(1_000)
        pairs = [
            (run_seconds(context.PYNATIVE_MODE, net, x), run_seconds(context.GRAPH_MODE, net, x)) for _ in range(rounds)
        ]
        eager, compiled = (min(side) for side in zip(*pairs, strict=True))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"| {shape[0]}×{shape[1]} | {eager * 1e3:.2f} ms | {compiled * 1e3:.2f} ms | {ratio:.2f} |")


if __name__ == "__main__":
    main()

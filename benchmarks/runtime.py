"""The runtime side by side with what it stands on: bare numpy calls, and torch on the CPU.

    python benchmarks/runtime.py [THREADS]

Both sides use THREADS threads, 1 unless told. With one thread the clock is the processor time of
this process, which other programs on the machine do not stretch; with more it is the wall. torch is
needed for the networks alone (`pip install torch`); without it they are left out. Every figure is
the best of several rounds that take turns, so that a busy machine harms both sides alike.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

THREADS = sys.argv[1] if len(sys.argv) > 1 else "1"
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = THREADS  # read when numpy and torch load

import numpy as np  # noqa: E402 - after the number of threads is set

from msdump import Tensor, nn, ops  # noqa: E402 - after the number of threads is set

clock = time.process_time if THREADS == "1" else time.perf_counter
ROUNDS = 7


def best(*runs: Callable[[], Any], seconds: float = 0.15) -> list[float]:
    """Seconds one call of each takes: the best of ROUNDS rounds that take turns."""
    counts = []
    for run in runs:
        run()
        start = clock()
        run()
        counts.append(max(1, int(seconds / max(clock() - start, 1e-7))))
    found = [float("inf")] * len(runs)
    for _ in range(ROUNDS):
        for i, (run, count) in enumerate(zip(runs, counts, strict=True)):
            start = clock()
            for _ in range(count):
                run()
            found[i] = min(found[i], (clock() - start) / count)
    return found


def dispatch() -> None:
    """What an operator costs over the numpy calls it makes, in microseconds."""
    a, b, m = np.ones(4, np.float32), np.ones(4, np.float32), np.ones((4, 4), np.float32)
    x, y, w = Tensor(a), Tensor(b), Tensor(m)
    zero, perm = np.float32(0), (1, 0)
    soft = nn.Softmax().softmax
    matmul = ops.MatMul()

    def bare_softmax() -> Any:
        out = m - np.max(m, axis=-1, keepdims=True)
        np.exp(out, out=out)
        out /= np.sum(out, axis=-1, keepdims=True)
        return out

    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "x + y": (lambda: np.add(a, b), lambda: x + y),
        "x * 2.0": (lambda: np.multiply(a, np.float32(2)), lambda: x * 2.0),
        "ops.add": (lambda: np.add(a, b), lambda: ops.add(x, y)),
        "ops.relu": (lambda: np.maximum(a, zero), lambda: ops.relu(x)),
        "ops.exp": (lambda: np.exp(a), lambda: ops.exp(x)),
        "ops.MatMul": (lambda: np.matmul(m, m), lambda: matmul(w, w)),
        "ops.reshape": (lambda: m.reshape((16,)), lambda: ops.reshape(w, (16,))),
        "ops.transpose": (lambda: m.transpose(perm), lambda: ops.transpose(w, perm)),
        "ops.sum": (lambda: np.sum(m, axis=1), lambda: ops.sum(w, 1)),
        "Softmax": (bare_softmax, lambda: soft(w)),
        "w[1]": (lambda: m[1], lambda: w[1]),
    }
    print(f"{'operator':<16}{'numpy µs':>10}{'msdump µs':>11}{'over µs':>9}")
    for name, (bare, ours) in pairs.items():
        lower, upper = best(bare, ours, seconds=0.03)
        print(f"{name:<16}{lower * 1e6:>10.2f}{upper * 1e6:>11.2f}{(upper - lower) * 1e6:>9.2f}")


class LeNet(nn.Cell):
    """LeNet-5 for one channel of 32 by 32."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()

    def construct(self, x: Tensor) -> Any:
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


def networks() -> None:
    """Forward passes, and how many times as long as torch's they take."""
    try:
        import torch
    except ImportError:
        print("torch is not installed: networks are left out")
        return
    torch.set_grad_enabled(False)
    torch.set_num_threads(int(THREADS))

    def lenet(batch: int) -> tuple[Any, Any, Any]:
        theirs = torch.nn.Sequential(
            torch.nn.Conv2d(1, 6, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(6, 16, 5),
            torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(400, 120), torch.nn.ReLU(),
            torch.nn.Linear(120, 84), torch.nn.ReLU(), torch.nn.Linear(84, 10),
        ).eval()  # fmt: skip
        return LeNet(), theirs, np.random.default_rng(0).random((batch, 1, 32, 32), np.float32)

    def encoder(batch: int, length: int, width: int) -> tuple[Any, Any, Any]:
        ours = nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, activation="gelu")
        theirs = torch.nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, activation="gelu").eval()
        return ours, theirs, np.random.default_rng(0).random((batch, length, width), np.float32)

    def conv(channels: int, size: int) -> tuple[Any, Any, Any]:
        ours = nn.Conv2d(channels, channels, 3, pad_mode="pad", padding=1)
        theirs = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False).eval()
        return ours, theirs, np.random.default_rng(0).random((8, channels, size, size), np.float32)

    def lstm(length: int) -> tuple[Any, Any, Any]:
        x = np.random.default_rng(0).random((length, 16, 64), np.float32)
        return nn.LSTM(64, 128), torch.nn.LSTM(64, 128).eval(), x

    cases = {
        "LeNet, batch 1": lenet(1),
        "LeNet, batch 32": lenet(32),
        "LeNet, batch 256": lenet(256),
        "encoder layer 8×64×256": encoder(8, 64, 256),
        "encoder layer 4×128×512": encoder(4, 128, 512),
        "conv 3×3, 32 channels, 32²": conv(32, 32),
        "conv 3×3, 64 channels, 28²": conv(64, 28),
        "LSTM 64 → 128, 50 steps": lstm(50),
    }
    print(f"\n{'network':<30}{'torch ms':>10}{'msdump ms':>11}{'ratio':>7}")
    for name, (ours, theirs, x) in cases.items():
        mine, other = Tensor(x), torch.from_numpy(x)
        lower, upper = best(lambda f=theirs, v=other: f(v), lambda f=ours, v=mine: f(v))
        print(f"{name:<30}{lower * 1e3:>10.3f}{upper * 1e3:>11.3f}{upper / lower:>7.2f}")


if __name__ == "__main__":
    dispatch()
    networks()

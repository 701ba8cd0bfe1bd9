"""Networks of the kinds people train, small: each with seeded weights and inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import msdump
from msdump import Tensor, nn, ops
from tests.runtime.case import parameter_value, values, whole


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(400, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, 10)

    def construct(self, x: Tensor) -> Any:
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class Block(nn.Cell):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride=stride)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3)
        self.bn2 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU()
        self.down = None
        if stride != 1 or inside != outside:
            self.down = nn.SequentialCell(nn.Conv2d(inside, outside, 1, stride=stride), nn.BatchNorm2d(outside))

    def construct(self, x: Tensor) -> Any:
        kept = x
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        if self.down is not None:
            kept = self.down(x)
        return self.relu(y + kept)


class Residual(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, pad_mode="pad", padding=1)
        self.blocks = nn.CellList([Block(4, 4, 1), Block(4, 8, 2)])
        self.head = nn.Dense(8, 5)

    def construct(self, x: Tensor) -> Any:
        x = ops.relu(self.stem(x))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))


class Encoder(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.positions = msdump.Parameter(Tensor(values(5, 8, seed="pos").astype(np.float32)), name="positions")
        self.layers = nn.CellList([nn.TransformerEncoderLayer(8, 2, 16, batch_first=True) for _ in range(2)])
        self.norm = nn.LayerNorm((8,))

    def construct(self, ids: Tensor, lengths: Tensor) -> Any:
        x = self.embedding(ids) * 2.0 + self.positions
        hidden = ops.arange(5).reshape(1, 5) >= lengths.reshape(-1, 1)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hidden)
        return self.norm(x)


class Recurrent(nn.Cell):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.rnn = kind(input_size=3, hidden_size=4, num_layers=2, bidirectional=True, batch_first=True)
        self.dense = nn.Dense(8, 2)

    def construct(self, x: Tensor) -> Any:
        y, state = self.rnn(x)
        return self.dense(y[:, -1]), state


class Losses(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Dense(4, 5)
        self.cross = nn.CrossEntropyLoss()
        self.mse = nn.MSELoss()
        self.smooth = nn.SmoothL1Loss()

    def construct(self, x: Tensor, labels: Tensor) -> Any:
        y = self.net(x)
        target = ops.one_hot(labels, 5, Tensor(1.0), Tensor(0.0))
        return self.cross(y, labels), self.mse(y, target), self.smooth(y, target)


class Refines(nn.Cell):
    """Control flow that tensors decide, weights in the loop."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 3)
        self.steps = msdump.Parameter(Tensor(np.zeros((), np.float32)), name="steps")

    def construct(self, x: Tensor) -> Any:
        i = 0
        while i < 4 and ops.abs(x).sum() < 50:
            x = self.dense(x) + x
            self.steps += 1  # type: ignore[assignment]  # a Parameter takes the value of a Tensor
            if x.sum() < 0:
                x = -x
            i = i + 1
        return x, i, self.steps + 0


@dataclass(frozen=True)
class Network:
    """How a network is made, and what it is called with."""

    make: Callable[[], nn.Cell]
    inputs: Callable[[], tuple[Tensor, ...]]

    def build(self) -> nn.Cell:
        """The network with seeded weights."""
        made = self.make()
        for path, parameter in made.parameters_and_names():
            parameter.set_data(parameter_value(path, parameter.shape))
        return made


def _f32(*shape: int) -> Tensor:
    return Tensor(values(*shape, seed="net").astype(np.float32))


def _ids(*shape: int, high: int) -> Tensor:
    return Tensor(whole(*shape, low=0, high=high).astype(np.int32))


NETWORKS: dict[str, Network] = {
    "lenet": Network(LeNet, lambda: (_f32(2, 1, 32, 32),)),
    "residual": Network(Residual, lambda: (_f32(2, 3, 8, 8),)),
    "encoder": Network(Encoder, lambda: (_ids(2, 5, high=11), Tensor(np.array([5, 3], np.int32)))),
    "lstm": Network(lambda: Recurrent(nn.LSTM), lambda: (_f32(2, 5, 3),)),
    "gru": Network(lambda: Recurrent(nn.GRU), lambda: (_f32(2, 5, 3),)),
    "losses": Network(Losses, lambda: (_f32(3, 4), _ids(3, high=5))),
    "refines": Network(Refines, lambda: (_f32(2, 3),)),
}

"""Networks written once and built twice: with MindSpore's nn and ops, and with msdump's.

Each builder takes the two modules and gives a cell; parameters get their values by name (case.py).
"""

from __future__ import annotations

from typing import Any


def lenet(nn: Any, ops: Any) -> Any:
    class LeNet(nn.Cell):  # type: ignore[misc]  # either library's Cell
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
            self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
            self.fc1 = nn.Dense(400, 120, activation="relu")
            self.fc2 = nn.Dense(120, 10)
            self.pool = nn.MaxPool2d(2, 2)

        def construct(self, x: Any) -> Any:
            x = self.pool(ops.relu(self.conv1(x)))
            x = self.pool(ops.relu(self.conv2(x)))
            return self.fc2(self.fc1(ops.flatten(x) / 50))

    return LeNet()


def residual(nn: Any, ops: Any) -> Any:
    class Block(nn.Cell):  # type: ignore[misc]  # either library's Cell
        def __init__(self, before: int, after: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(before, after, 3, stride)
            self.bn1 = nn.BatchNorm2d(after)
            self.conv2 = nn.Conv2d(after, after, 3)
            self.bn2 = nn.BatchNorm2d(after)
            self.down = nn.Conv2d(before, after, 1, stride)

        def construct(self, x: Any) -> Any:
            out = ops.relu(self.bn1(self.conv1(x)))
            return ops.relu(self.bn2(self.conv2(out)) + self.down(x))

    class Residual(nn.Cell):  # type: ignore[misc]  # either library's Cell
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
            self.layers = nn.SequentialCell([Block(4, 4, 1), Block(4, 8, 2)])
            self.head = nn.Dense(8, 5)

        def construct(self, x: Any) -> Any:
            return self.head(self.layers(self.stem(x)).mean((2, 3)))

    return Residual()


def transformer(nn: Any, ops: Any) -> Any:
    class Classifier(nn.Cell):  # type: ignore[misc]  # either library's Cell
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(20, 8)
            layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu")
            self.encoder = nn.TransformerEncoder(layer, 2)
            self.norm = nn.LayerNorm((8,))
            self.head = nn.Dense(8, 3)

        def construct(self, ids: Any) -> Any:
            x = self.norm(self.encoder(self.embedding(ids)))
            return ops.softmax(self.head(x[:, 0]), axis=-1)

    return Classifier()


def recurrent(nn: Any, ops: Any) -> Any:
    class Tagger(nn.Cell):  # type: ignore[misc]  # either library's Cell
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(20, 6)
            self.lstm = nn.LSTM(6, 5, num_layers=2, batch_first=True, bidirectional=True)
            self.gru = nn.GRU(10, 4, batch_first=True)
            self.head = nn.Dense(4, 3)

        def construct(self, ids: Any) -> Any:
            x, _ = self.lstm(self.embedding(ids))
            x, last = self.gru(x)
            return self.head(x), last

    return Tagger()

"""Cells: names of parameters, scopes, containers, training, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Parameter, Tensor, context, load_param_into_net, nn, ops
from msdump.runtime.initializer import HeUniform, Normal, XavierUniform
from msdump.runtime.session import Session
from msdump.runtime.tensor import initializer


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
        self.relu, self.max_pool2d, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()

    def construct(self, x: Any) -> Any:
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.flatten(self.max_pool2d(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class Block(nn.Cell):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3)
        self.bn = nn.BatchNorm2d(channels)

    def construct(self, x: Any) -> Any:
        return ops.relu(x + self.bn(self.conv(x)))


class Residual(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.SequentialCell([Block(3), Block(3)])
        self.head = nn.Dense(3, 2)
        self.scale = Parameter(Tensor([2.0]))

    def construct(self, x: Any) -> Any:
        return self.head(self.layers(x).mean((2, 3))) * self.scale


def test_parameters_are_named_by_the_way_to_them() -> None:
    assert [p.name for p in Residual().get_parameters()] == [
        "scale",
        "layers.0.conv.weight",
        "layers.0.bn.moving_mean",
        "layers.0.bn.moving_variance",
        "layers.0.bn.gamma",
        "layers.0.bn.beta",
        "layers.1.conv.weight",
        "layers.1.bn.moving_mean",
        "layers.1.bn.moving_variance",
        "layers.1.bn.gamma",
        "layers.1.bn.beta",
        "head.weight",
        "head.bias",
    ]
    assert [p.name for p in Residual().untrainable_params()][:2] == [
        "layers.0.bn.moving_mean",
        "layers.0.bn.moving_variance",
    ]


def test_scopes_are_mindspores() -> None:
    net = Residual()
    net.generate_scope()
    found = {path: cell.get_scope() for path, cell in net.cells_and_names()}
    assert found["layers.0.conv"] == "Default/layers-SequentialCell/0-Block/conv-Conv2d"
    assert found["head"] == "Default/head-Dense"
    assert found[""] is None
    other = Residual()
    context.set_context(reserve_class_name_in_scope=False)
    try:
        other.generate_scope()
    finally:
        context.set_context(reserve_class_name_in_scope=True)
    assert other.layers[0].conv.get_scope() == "Default/layers/0/conv"


def test_lenet_with_mindspores_weights_gives_mindspores_output(corpus: Path) -> None:
    model = corpus / "run" / "2.10.0" / "lenet.mindir"
    weights = {p.name: p.default.numpy() for p in msdump.read_graph(model).root.parameters if p.default is not None}
    net = LeNet()
    # The exported network names its own attributes; shapes and order tell which is which.
    own = list(net.parameters_dict().values())
    assert len(own) == len(weights)
    for parameter, value in zip(own, weights.values(), strict=True):
        parameter.set_data(value)
    with np.load(f"{model}"[:-7] + ".inputs.npz") as inputs, np.load(f"{model}"[:-7] + ".outputs.npz") as outputs:
        found = net(Tensor(inputs["in0"])).asnumpy()
        np.testing.assert_allclose(found, outputs["out0"], rtol=1e-4, atol=1e-5)


def test_values_are_loaded_by_name() -> None:
    net, other = Residual(), Residual()
    values = {name: p.asnumpy() for name, p in other.parameters_dict().items()}
    missing, unused = load_param_into_net(net, {**values, "more": np.zeros(1)})
    assert (missing, unused) == ([], ["more"])
    x = Tensor(np.ones((1, 3, 4, 4), np.float32))
    np.testing.assert_array_equal(net(x).asnumpy(), other(x).asnumpy())


def test_training_moves_the_statistics_of_batch_norm_and_drops_out() -> None:
    net = nn.SequentialCell(nn.BatchNorm2d(2, momentum=0.5), nn.Dropout(p=0.5))
    x = Tensor(np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2))
    net(x)
    assert net[0].moving_mean.tolist() == [0, 0]
    msdump.set_seed(1)
    out = net.set_train()(x)
    assert net[0].moving_mean.tolist() == [2.75, 4.75]
    assert (out == 0.0).asnumpy().any()
    assert not (net.set_train(False)(x) == 0.0).asnumpy().all()


def test_lists_of_cells_are_numbered() -> None:
    row = nn.CellList([nn.Dense(1, 1), nn.Dense(1, 1)])
    row.append(nn.Dense(1, 1, has_bias=False))
    row.insert(0, nn.Dense(2, 2, has_bias=False))
    assert len(row) == 4
    assert [p.name for p in row.get_parameters()] == [
        "0.weight", "1.weight", "1.bias", "2.weight", "2.bias", "3.weight",
    ]  # fmt: skip
    del row[0]
    assert [n for n, _ in row.parameters_and_names()][:1] == ["0.weight"]
    with pytest.raises(IndexError, match="must be a number in range"):
        row[7]
    named = nn.CellDict({"a": nn.ReLU(), "b": nn.Dense(1, 1)})
    assert list(named) == ["a", "b"]
    assert [p.name for p in named.get_parameters()] == ["b.weight", "b.bias"]


def test_the_text_of_a_cell_shows_its_cells() -> None:
    assert repr(nn.SequentialCell(nn.Dense(3, 4), nn.ReLU())) == (
        "SequentialCell(\n  (0): Dense(input_channels=3, output_channels=4, has_bias=True)\n  (1): ReLU()\n)"
    )


def test_who_watches_sees_every_cell_and_primitive(session: Session) -> None:
    seen: list[str] = []

    def on_cell(cell: Any, args: Any, kwargs: Any) -> Any:
        seen.append(type(cell).__name__)
        return cell.run(args, kwargs)

    def on_primitive(made: Any, args: Any) -> Any:
        seen.append(made.name)
        return made.run(args)

    net = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())
    session.watch(on_cell, on_primitive)
    net(Tensor(np.ones((1, 2), np.float32)))
    session.watch(None, None)
    net(Tensor(np.ones((1, 2), np.float32)))
    assert seen == ["SequentialCell", "Dense", "MatMul", "BiasAdd", "ReLU", "ReLU"]


def test_inputs_are_cast_where_to_float_says_so() -> None:
    net = nn.ReLU().to_float(msdump.float16)
    assert net(Tensor([1.0])).dtype is msdump.float16


class NoSuper(nn.Cell):
    def __init__(self) -> None:
        self.dense = nn.Dense(1, 1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.Cell()(1), AttributeError, "For 'Cell', the method 'construct' is not defined."),
        (lambda: nn.ReLU().nonsense, AttributeError, "The 'ReLU' object has no attribute 'nonsense'."),
        (NoSuper, AttributeError, r"call super\(\).__init__\(\) before"),
        (lambda: nn.Dense(0, 4), ValueError, "the 'in_channels' must be int and must > 0, but got '0' with type 'int'"),
        (lambda: nn.Conv2d(3, 4, 3, pad_mode="x"), ValueError, "the 'pad_mode' must be str and must be in"),
        (lambda: nn.Conv2d(3, 4, 3, padding=1), ValueError, "'padding' must be zero when 'pad_mode' is not 'pad'"),
        (lambda: nn.Conv2d(3, 4, 0), ValueError, "the 'kernel_size' must be 2 positive integers"),
        (lambda: nn.Dense(1, 1, weight_init="huge"), ValueError, "the initializer 'huge' is not known; there are"),
        (lambda: nn.Dropout(p=1.5), ValueError, r"the 'p' must be a number in range \[0, 1\), but got 1.5"),
        (lambda: nn.LSTM(2, 0), ValueError, "the 'hidden_size' must be int"),
        (lambda: nn.MultiheadAttention(5, 2), ValueError, "'embed_dim' must be divisible by 'num_heads'"),
        (lambda: nn.L1Loss("most"), ValueError, "the 'reduction' must be in"),
        (lambda: nn.CellList([1]), TypeError, "each element must be a Cell, but got int"),
        (lambda: nn.BatchNorm2d(3)(Tensor(np.ones((2, 3)))), ValueError, "the in_shape must have 4 dims, but got 2"),
    ],
)
def test_what_does_not_fit_is_said(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("init", "bound"),
    [(HeUniform(), np.sqrt(6 / 12)), (XavierUniform(), np.sqrt(6 / 20)), ("uniform", 0.07)],
)
def test_uniform_initializers_stay_in_their_bounds(init: Any, bound: float) -> None:
    msdump.set_seed(3)
    values = initializer(init, (8, 12), msdump.float32).asnumpy()
    assert np.abs(values).max() <= bound
    assert np.abs(values).max() > 0.8 * bound


def test_the_same_seed_gives_the_same_parameters() -> None:
    for _ in range(2):
        msdump.set_seed(5)
        first = initializer(Normal(), (3,)).tolist()
        msdump.set_seed(5)
        assert initializer(Normal(), (3,)).tolist() == first

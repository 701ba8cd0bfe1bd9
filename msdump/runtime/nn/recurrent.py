"""Recurrent layers: LSTM, GRU, RNN."""

from __future__ import annotations

import math
from typing import Any

from msdump.runtime import functions as ops
from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.initializer import Uniform
from msdump.runtime.nn.basic import Dropout
from msdump.runtime.nn.checks import boolean, positive
from msdump.runtime.parameter import Parameter, ParameterTuple
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor, initializer


class _Recurrent(Cell):
    """Layers and directions of one kind of recurrence.

    Parameters weight_ih_l0 (gates · hidden, input), weight_hh_l0 (gates · hidden, hidden), bias_ih_l0
    and bias_hh_l0 (gates · hidden), then l1 …, with `_reverse` for the backward direction.
    """

    mode, gates = "", 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = FLOAT32,
    ) -> None:
        super().__init__()
        name = self.cls_name
        self.input_size = positive(input_size, "input_size", name)
        self.hidden_size = positive(hidden_size, "hidden_size", name)
        self.num_layers = positive(num_layers, "num_layers", name)
        self.has_bias = boolean(has_bias, "has_bias", name)
        self.batch_first = boolean(batch_first, "batch_first", name)
        self.bidirectional = boolean(bidirectional, "bidirectional", name)
        if not 0 <= dropout < 1:
            raise ValueError(
                f"For '{name}', the 'dropout' must be a number in range [0, 1) representing the probability of an "
                f"element being zeroed, but got {dropout}."
            )
        self.dropout = dropout
        self.dropout_op = Dropout(p=float(dropout))
        self.directions = 2 if bidirectional else 1
        self._make_parameters(dtype)
        self.reverse = Primitive("ReverseV2", axis=(0,))
        self.reverse_sequence = Primitive("ReverseSequence", seq_dim=0, batch_dim=1)

    def _make_parameters(self, dtype: Any) -> None:
        scale = Uniform(1 / math.sqrt(self.hidden_size))
        rows = type(self).gates * self.hidden_size
        lists: dict[str, list[Parameter]] = {"w_ih": [], "w_hh": [], "b_ih": [], "b_hh": []}
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * self.directions
            for suffix in ("", "_reverse")[: self.directions]:
                shapes: dict[str, tuple[str, tuple[int, ...]]] = {
                    "w_ih": ("weight_ih", (rows, width)),
                    "w_hh": ("weight_hh", (rows, self.hidden_size)),
                }
                if self.has_bias:
                    shapes["b_ih"], shapes["b_hh"] = ("bias_ih", (rows,)), ("bias_hh", (rows,))
                for kind, (stem, shape) in shapes.items():
                    lists[kind].append(Parameter(initializer(scale, shape, dtype), name=f"{stem}_l{layer}{suffix}"))
        self.w_ih_list, self.w_hh_list = ParameterTuple(lists["w_ih"]), ParameterTuple(lists["w_hh"])
        self.b_ih_list, self.b_hh_list = ParameterTuple(lists["b_ih"]), ParameterTuple(lists["b_hh"])

    def _weights(self, place: int) -> tuple[Any, Any, Any, Any]:
        biases = (self.b_ih_list[place], self.b_hh_list[place]) if self.has_bias else (None, None)
        return self.w_ih_list[place], self.w_hh_list[place], *biases

    def _layer(self, x: Tensor, state: Any, place: int) -> tuple[Tensor, Any]:
        """One direction of one layer: outputs (T, N, H) and the last state."""
        raise NotImplementedError

    def _first_state(self, x: Tensor) -> Any:
        return ops.zeros((self.num_layers * self.directions, x.shape[1], self.hidden_size), x.dtype)

    def _state_at(self, state: Any, place: int) -> Any:
        return state[place]

    def _joined(self, states: list[Any]) -> Any:
        return ops.stack(states)

    def construct(self, x: Tensor, hx: Any = None, seq_length: Tensor | None = None) -> tuple[Tensor, Any]:
        """(outputs, last states) of x (T, N, input), or (N, T, input) with batch_first.

        hx: the first states (layers · directions, N, hidden), for LSTM a pair of them; zeros without.
        seq_length: how many steps of each sample count; outputs after them are zeros.
        """
        if self.batch_first:
            x = x.transpose((1, 0, 2))
        state = self._first_state(x) if hx is None else hx
        last = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(self.directions):
                place = layer * self.directions + direction
                seen = self._turned(x, seq_length) if direction else x
                if seq_length is None:
                    out, final = self._layer(seen, self._state_at(state, place), place)
                else:
                    out, final = self._by_length(seen, self._state_at(state, place), place, seq_length)
                outputs.append(self._turned(out, seq_length) if direction else out)
                last.append(final)
            x = ops.concat(outputs, 2) if self.bidirectional else outputs[0]
            if self.dropout and layer < self.num_layers - 1:
                x = self.dropout_op(x)
        if self.batch_first:
            x = x.transpose((1, 0, 2))
        return x, self._joined(last)

    def _turned(self, x: Tensor, seq_length: Tensor | None) -> Any:
        return self.reverse(x) if seq_length is None else self.reverse_sequence(x, seq_length)

    def _by_length(self, x: Tensor, state: Any, place: int, seq_length: Tensor) -> tuple[Tensor, Any]:
        """Step by step: a sample whose steps are over keeps its state and gives zeros."""
        outputs = []
        for t in range(x.shape[0]):
            counts = (seq_length > t).reshape((-1, 1))
            out, after = self._layer(x[t : t + 1], state, place)
            outputs.append(ops.where(counts, out[0], ops.zeros_like(out[0])))
            state = self._kept(counts, after, state)
        return ops.stack(outputs), state

    def _kept(self, counts: Tensor, after: Any, before: Any) -> Any:
        return ops.where(counts, after, before)


class LSTM(_Recurrent):
    """Long short-term memory; gates input, forget, cell, output."""

    mode, gates = "LSTM", 4

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = [(self.w_ih_list[i].shape[1]) for i in range(self.num_layers * self.directions)]
        self.cells_of = [Primitive("LSTM", input_size=n, hidden_size=self.hidden_size, num_layers=1,
                                   has_bias=self.has_bias, bidirectional=False) for n in rows]  # fmt: skip

    def _layer(self, x: Tensor, state: Any, place: int) -> tuple[Tensor, Any]:
        w_ih, w_hh, b_ih, b_hh = self._weights(place)
        parts = [w_ih.reshape((-1, 1, 1)), w_hh.reshape((-1, 1, 1))]
        if b_ih is not None:
            parts.append((b_ih + b_hh).reshape((-1, 1, 1)))
        h, c = state
        flat = ops.concat(parts).astype(x.dtype)
        out, h_n, c_n, _, _ = self.cells_of[place](x, h.expand_dims(0), c.expand_dims(0), flat)
        return out, (h_n[0], c_n[0])

    def _first_state(self, x: Tensor) -> Any:
        zeros = super()._first_state(x)
        return zeros, zeros

    def _state_at(self, state: Any, place: int) -> Any:
        return state[0][place], state[1][place]

    def _joined(self, states: list[Any]) -> Any:
        return ops.stack([h for h, _ in states]), ops.stack([c for _, c in states])

    def _kept(self, counts: Tensor, after: Any, before: Any) -> Any:
        return tuple(ops.where(counts, a, b) for a, b in zip(after, before, strict=True))


class _Simple(_Recurrent):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.recurrent = Primitive("DynamicRecurrent", mode=self._kind())

    def _kind(self) -> str:
        return type(self).mode

    def _layer(self, x: Tensor, state: Any, place: int) -> tuple[Tensor, Any]:
        weights = [w if w is None or w.dtype == x.dtype else w.astype(x.dtype) for w in self._weights(place)]
        out, last = self.recurrent(x, state, *weights)
        return out, last


class GRU(_Simple):
    """Gated recurrent unit; gates reset, update, new."""

    mode, gates = "GRU", 3


class RNN(_Simple):
    """Plain recurrence with tanh or ReLU (nonlinearity="relu")."""

    mode, gates = "RNN_TANH", 1

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"For 'RNN', the nonlinearity must be 'tanh' or 'relu', but got {nonlinearity}.")
        self.__dict__["nonlinearity"] = nonlinearity
        super().__init__(*args, **kwargs)

    def _kind(self) -> str:
        return "RNN_RELU" if self.nonlinearity == "relu" else "RNN_TANH"

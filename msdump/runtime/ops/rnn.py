"""Recurrent layers. The input's product with its weights is one matrix product for all steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.ops.elementwise import quiet
from msdump.runtime.ops.registry import Array, TensorSpec, operator
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32

_HALF = (FLOAT16, BFLOAT16)


def _half_sigmoid(rows: Array, half: int) -> Array:
    """A copy of gate rows with the first `half` of them halved: sigmoid(x) is ½ + ½·tanh(x/2)."""
    out: Array = rows.copy()
    out[:half] *= rows.dtype.type(0.5)
    return out


def _finish_sigmoid(gates: Array) -> None:
    gates *= gates.dtype.type(0.5)
    gates += gates.dtype.type(0.5)


def lstm_layer(
    x: Array, h: Array, c: Array, w_ih: Array, w_hh: Array, bias: Array | None
) -> tuple[Array, Array, Array]:
    """One direction of one layer over x (T, N, I): outputs (T, N, H), last h and c (N, H).

    Gates in the order input, forget, cell, output. They are worked on as input, forget, output, cell,
    with one tanh for all four.
    """
    size = h.shape[-1]
    order = np.r_[0 : 2 * size, 3 * size : 4 * size, 2 * size : 3 * size]
    w_ih, w_hh = (_half_sigmoid(w[order], 3 * size) for w in (w_ih, w_hh))
    gates_x = np.matmul(x.reshape(-1, x.shape[2]), w_ih.T).reshape(x.shape[0], x.shape[1], -1)
    if bias is not None:
        gates_x += _half_sigmoid(bias[order], 3 * size)
    out = np.empty((x.shape[0], *h.shape), x.dtype)
    recurrent = np.ascontiguousarray(w_hh.T)
    gates, kept, c = np.empty_like(gates_x[0]), np.empty_like(c), c.copy()
    soft = gates[:, : 3 * size]
    gate_in, forget, gate_out = soft[:, :size], soft[:, size : 2 * size], soft[:, 2 * size :]
    cell = gates[:, 3 * size :]
    for t in range(x.shape[0]):
        np.matmul(h, recurrent, out=gates)
        gates += gates_x[t]
        np.tanh(gates, out=gates)
        _finish_sigmoid(soft)
        np.multiply(gate_in, cell, out=kept)
        c *= forget
        c += kept
        np.tanh(c, out=kept)
        h = np.multiply(gate_out, kept, out=out[t])
    return out, h, c


def gru_layer(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
) -> tuple[Array, Array]:
    """One direction of one layer over x (T, N, I): outputs (T, N, H) and the last h (N, H).

    Gates in the order reset, update, new.
    """
    size = h.shape[-1]
    w_ih, w_hh = (_half_sigmoid(w, 2 * size) for w in (w_ih, w_hh))
    gates_x = np.matmul(x.reshape(-1, x.shape[2]), w_ih.T).reshape(x.shape[0], x.shape[1], -1)
    if b_ih is not None:
        gates_x += _half_sigmoid(b_ih, 2 * size)
    bias = None if b_hh is None else _half_sigmoid(b_hh, 2 * size)
    out = np.empty((x.shape[0], *h.shape), x.dtype)
    recurrent = np.ascontiguousarray(w_hh.T)
    gates = np.empty_like(gates_x[0])
    both, new = gates[:, : 2 * size], gates[:, 2 * size :]
    reset, update = both[:, :size], both[:, size:]
    for t in range(x.shape[0]):
        np.matmul(h, recurrent, out=gates)
        if bias is not None:
            gates += bias
        both += gates_x[t, :, : 2 * size]
        np.tanh(both, out=both)
        _finish_sigmoid(both)
        new *= reset
        new += gates_x[t, :, 2 * size :]
        np.tanh(new, out=new)
        step = np.subtract(h, new, out=out[t])
        step *= update
        step += new
        h = step
    return out, h


def simple_layer(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None, relu: bool
) -> tuple[Array, Array]:
    """One direction of one plain recurrent layer over x (T, N, I), with tanh or ReLU."""
    gates_x = np.matmul(x.reshape(-1, x.shape[2]), w_ih.T).reshape(x.shape[0], x.shape[1], -1)
    for bias in (b_ih, b_hh):
        if bias is not None:
            gates_x += bias
    out = np.empty((x.shape[0], *h.shape), x.dtype)
    recurrent = np.ascontiguousarray(w_hh.T)
    for t in range(x.shape[0]):
        total = gates_x[t] + np.matmul(h, recurrent)
        h = np.maximum(total, 0) if relu else np.tanh(total)
        out[t] = h
    return out, h


def _infer_lstm(x: Any, h: Any, c: Any, hidden_size: int, bidirectional: bool) -> Any:
    out = TensorSpec((*x.shape[:2], hidden_size * (2 if bidirectional else 1)), x.dtype)
    return out, TensorSpec(h.shape, x.dtype), TensorSpec(c.shape, x.dtype), *(TensorSpec((1,), x.dtype),) * 2


@operator("LSTM", inputs=4, infer=_infer_lstm, prim_func=False)
@quiet
def lstm(
    x: Array,
    h: Array,
    c: Array,
    w: Array,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float = 0.0,
    proj_size: int = 0,
) -> Any:
    """(output, h, c, two placeholders) of x (T, N, I) with all weights in one flat tensor.

    `w` holds, a layer and direction after the other: input weights, recurrent weights, and then the
    sum of both biases for all of them, as MindSpore's CPU kernel lays it out.
    """
    dtype = x.dtype
    if dtype in _HALF:
        x, h, c, w = (a.astype(FLOAT32) for a in (x, h, c, w))
    directions = 2 if bidirectional else 1
    flat, place = w.reshape(-1), 0
    weights = []
    for layer in range(num_layers):
        width = input_size if layer == 0 else hidden_size * directions
        for _ in range(directions):
            cut = [4 * hidden_size * width, 4 * hidden_size * hidden_size]
            w_ih = flat[place : place + cut[0]].reshape(4 * hidden_size, width)
            w_hh = flat[place + cut[0] : place + sum(cut)].reshape(4 * hidden_size, hidden_size)
            place += sum(cut)
            bias = None
            if has_bias:
                bias = flat[place : place + 4 * hidden_size]
                place += 4 * hidden_size
            weights.append((w_ih, w_hh, bias))
    last_h, last_c = [], []
    for layer in range(num_layers):
        outs = []
        for direction in range(directions):
            i = layer * directions + direction
            seen = x[::-1] if direction else x
            out, h_n, c_n = lstm_layer(seen, h[i], c[i], *weights[i])
            outs.append(out[::-1] if direction else out)
            last_h.append(h_n)
            last_c.append(c_n)
        x = np.concatenate(outs, axis=2) if directions == 2 else outs[0]
    blank = np.zeros(1, dtype)
    return x.astype(dtype, copy=False), np.stack(last_h).astype(dtype), np.stack(last_c).astype(dtype), blank, blank


@operator("DynamicRecurrent", inputs=6, prim_func=False)
@quiet
def dynamic_recurrent(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Any = None, b_hh: Any = None, mode: str = "GRU"
) -> Any:
    """(outputs (T, N, H), last h (N, H)) of one direction of one layer; mode GRU, RNN_TANH or RNN_RELU.

    msdump's own primitive: MindSpore spells these layers out step by step.
    """
    dtype = x.dtype
    if dtype in _HALF:
        x, h, w_ih, w_hh = (a.astype(FLOAT32) for a in (x, h, w_ih, w_hh))
        b_ih, b_hh = (None if b is None else b.astype(FLOAT32) for b in (b_ih, b_hh))
    if mode == "GRU":
        out, last = gru_layer(x, h, w_ih, w_hh, b_ih, b_hh)
    else:
        out, last = simple_layer(x, h, w_ih, w_hh, b_ih, b_hh, mode == "RNN_RELU")
    return out.astype(dtype, copy=False), last.astype(dtype, copy=False)

"""Attention, and the layers of a transformer."""

from __future__ import annotations

import copy
import math
from typing import Any

from msdump.runtime import functions as ops
from msdump.runtime.cell import Cell
from msdump.runtime.containers import CellList
from msdump.runtime.functions.build import BOOL, FLOAT32
from msdump.runtime.initializer import HeUniform, Uniform, XavierUniform
from msdump.runtime.nn.activation import activation_function
from msdump.runtime.nn.basic import Dense, Dropout
from msdump.runtime.nn.normalization import LayerNorm
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor, initializer


def _dense(width: int, out: int, dtype: Any, has_bias: bool = True) -> Dense:
    bias = Uniform(1 / math.sqrt(width))
    return Dense(width, out, weight_init=HeUniform(math.sqrt(5)), bias_init=bias, has_bias=has_bias, dtype=dtype)


class MultiheadAttention(Cell):
    """Attention in num_heads heads.

    Parameters in_proj_weight (3 · embed_dim, embed_dim) and in_proj_bias, or q_proj_weight,
    k_proj_weight, v_proj_weight when kdim or vdim differ; out_proj.weight and out_proj.bias.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Any = FLOAT32,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("The init argument 'embed_dim' must be divisible by 'num_heads'.")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.dropout, self.batch_first = dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.packed = self.kdim == embed_dim and self.vdim == embed_dim
        weight = XavierUniform()
        if self.packed:
            self.in_proj_weight = Parameter(initializer(weight, (3 * embed_dim, embed_dim), dtype), "in_proj_weight")
        else:
            for letter, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
                name = f"{letter}_proj_weight"
                setattr(self, name, Parameter(initializer(weight, (embed_dim, width), dtype), name))
        self.in_proj_bias = None
        if has_bias:
            self.in_proj_bias = Parameter(initializer("zeros", (3 * embed_dim,), dtype), "in_proj_bias")
        self.out_proj = _dense(embed_dim, embed_dim, dtype, has_bias)
        self.matmul = Primitive("MatMul", transpose_b=True)
        self.scores = Primitive("BatchMatMul", transpose_b=True)
        self.mix = Primitive("BatchMatMul")
        self.softmax = Primitive("Softmax", axis=-1)
        self.attn_dropout = Dropout(p=dropout)

    def _project(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
        length, batch, width = x.shape
        out = self.matmul(x.reshape((length * batch, width)), weight)
        if bias is not None:
            out = out + bias
        return out.reshape((length, batch, -1))

    def _projections(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        e, bias = self.embed_dim, self.in_proj_bias
        if self.packed and query is key and key is value:
            q, k, v = self._project(query, self.in_proj_weight, bias).chunk(3, 2)
            return q, k, v
        if self.packed:
            weights = [self.in_proj_weight[i * e : (i + 1) * e] for i in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases = [None if bias is None else bias[i * e : (i + 1) * e] for i in range(3)]
        q, k, v = (self._project(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
        return q, k, v

    def _heads(self, x: Tensor) -> Any:
        """(L, N, E) as (N · heads, L, E / heads)."""
        length, batch, _ = x.shape
        return x.reshape((length, batch * self.num_heads, self.head_dim)).swapaxes(0, 1)

    def _mask(self, attn_mask: Any, padding_mask: Any, batch: int, source: int, dtype: Any) -> Tensor | None:
        """Both masks as one to add: −inf where a bool mask holds."""
        mask = attn_mask
        if mask is not None and mask.ndim == 2:
            mask = mask.expand_dims(0)
        if padding_mask is not None:
            if padding_mask.shape != (batch, source):
                raise ValueError(
                    f"The shape of `key_padding_mask` should be {(batch, source)}, but got {padding_mask.shape}."
                )
            spread = padding_mask.reshape((batch, 1, 1, source)).tile((1, self.num_heads, 1, 1))
            spread = spread.reshape((batch * self.num_heads, 1, source))
            if mask is None:
                mask = spread
            elif mask.dtype == BOOL and spread.dtype == BOOL:
                mask = mask.logical_or(spread)
            else:
                mask = self._additive(mask, dtype) + self._additive(spread, dtype)
        return None if mask is None else self._additive(mask, dtype)

    def _additive(self, mask: Tensor, dtype: Any) -> Any:
        if mask.dtype != BOOL:
            return mask
        return ops.zeros(mask.shape, dtype).masked_fill(mask, float("-inf"))

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        """(attention, weights): of query (L, N, E) over key and value (S, N, E), N first with batch_first.

        Weights (N, L, S) averaged over heads, or (N, heads, L, S); without need_weights attention alone.
        """
        batched = query.ndim == 3
        if not batched:
            query, key, value = self._each(lambda x: x.expand_dims(1), query, key, value)
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.expand_dims(0)
        elif self.batch_first:
            query, key, value = self._each(lambda x: x.swapaxes(0, 1), query, key, value)
        length, batch, width = query.shape
        if width != self.embed_dim:
            raise ValueError(f"The `embed_dim` should be {self.embed_dim}, but got {width}.")
        q, k, v = self._projections(query, key, value)
        q, k, v = self._heads(q), self._heads(k), self._heads(v)
        mask = self._mask(attn_mask, key_padding_mask, batch, k.shape[1], q.dtype)
        weights = self.scores(q * (1.0 / math.sqrt(self.head_dim)), k)
        if mask is not None:
            weights = weights + mask
        weights = self.softmax(weights)
        mixed = self.mix(self.attn_dropout(weights), v)
        out = mixed.swapaxes(0, 1).reshape((length * batch, self.embed_dim))
        out = self.out_proj(out).reshape((length, batch, self.embed_dim))
        if not batched:
            out = out.squeeze(1)
        elif self.batch_first:
            out = out.swapaxes(0, 1)
        if not need_weights:
            return (out,)
        weights = weights.reshape((batch, self.num_heads, length, k.shape[1]))
        if average_attn_weights:
            weights = weights.sum(1) / self.num_heads
        return out, weights if batched else weights.squeeze(0)

    def _each(self, change: Any, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The change applied to all three, once where they are one tensor."""
        q = change(query)
        k = q if key is query else change(key)
        v = k if value is key else q if value is query else change(value)
        return q, k, v


class TransformerEncoderLayer(Cell):
    """Self-attention and a feed-forward network, each with a residual and a normalisation."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = FLOAT32,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype)
        self.dense1 = _dense(d_model, dim_feedforward, dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = _dense(dim_feedforward, d_model, dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(p=dropout)
        self.dropout2 = Dropout(p=dropout)
        self.activation = activation_function(activation) if isinstance(activation, str) else activation

    def _attend(self, x: Tensor, mask: Any, padding: Any) -> Any:
        out = self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False)[0]
        return self.dropout1(out)

    def _feed(self, x: Tensor) -> Any:
        return self.dropout2(self.dense2(self.dropout(self.activation(self.dense1(x)))))

    def construct(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None) -> Any:
        """Apply the layer to (L, N, d_model), or (N, L, d_model) with batch_first."""
        x = src
        if self.norm_first:
            x = x + self._attend(self.norm1(x), src_mask, src_key_padding_mask)
            return x + self._feed(self.norm2(x))
        x = self.norm1(x + self._attend(x, src_mask, src_key_padding_mask))
        return self.norm2(x + self._feed(x))


class TransformerEncoder(Cell):
    """num_layers encoder layers, and a normalisation at the end where one is given."""

    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.layers = CellList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def construct(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None) -> Any:
        """Apply the layers in order."""
        x = src
        for layer in self.layers:
            x = layer(x, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return x if self.norm is None else self.norm(x)

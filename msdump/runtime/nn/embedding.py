"""Embedding layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.nn.checks import positive
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor, initializer


class Embedding(Cell):
    """Rows of `embedding_table` (vocab_size, embedding_size) at indices.

    Args:
        use_one_hot: multiply one-hot vectors with the table instead of picking rows.
        embedding_table: how the table is initialised.
        padding_idx: the row that is zeros.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: Any = FLOAT32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = positive(vocab_size, "vocab_size", self.cls_name)
        self.embedding_size = positive(embedding_size, "embedding_size", self.cls_name)
        self.use_one_hot, self.dtype, self.padding_idx = use_one_hot, dtype, padding_idx
        table = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        if padding_idx is not None:
            if not 0 <= padding_idx < vocab_size:
                raise ValueError(
                    f"For '{self.cls_name}', the 'padding_idx' must be in [0, {vocab_size}), but got {padding_idx}."
                )
            table[padding_idx] = np.zeros(embedding_size)
        self.embedding_table = Parameter(table, name="embedding_table")
        self.gather = Primitive("Gather")
        self.one_hot = Primitive("OneHot")
        self.matmul = Primitive("MatMul")
        self.reshape = Primitive("Reshape")
        self.on_value, self.off_value = Tensor(1.0, dtype), Tensor(0.0, dtype)

    def construct(self, ids: Tensor) -> Any:
        """The rows at ids (…): (…, embedding_size)."""
        flat = self.reshape(ids, (-1,))
        if self.use_one_hot:
            out = self.matmul(self.one_hot(flat, self.vocab_size, self.on_value, self.off_value), self.embedding_table)
        else:
            out = self.gather(self.embedding_table, flat, 0)
        return self.reshape(out, (*ids.shape, self.embedding_size))

    def extend_repr(self) -> str:
        """Sizes."""
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.embedding_table}, dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


class EmbeddingLookup(Cell):
    """Rows of `embedding_table` at indices; zeros where an index is out of range."""

    def __init__(
        self, vocab_size: int, embedding_size: int, param_init: Any = "normal", target: str = "CPU", **_: Any
    ) -> None:
        super().__init__()
        table = initializer(param_init, (vocab_size, embedding_size))
        self.embedding_table = Parameter(table, name="embedding_table")
        self.embeddinglookup = Primitive("EmbeddingLookup")

    def construct(self, indices: Tensor) -> Any:
        """The rows at indices."""
        return self.embeddinglookup(self.embedding_table, indices, 0)

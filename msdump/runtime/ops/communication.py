"""Operators that exchange tensors between processes. `group` is kept: all processes are one group."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime import communication
from msdump.runtime.communication import get_group_size, get_rank
from msdump.runtime.ops.registry import Array, TensorSpec, operator, same

GROUP = "hccl_world_group"


def _gathered(x: Any, *_: Any, **__: Any) -> TensorSpec:
    return TensorSpec((_rows(x, "AllGather") * get_group_size(), *x.shape[1:]), x.dtype)


def _scattered(x: Any, *_: Any, **__: Any) -> TensorSpec:
    return TensorSpec((_share(x, "ReduceScatter"), *x.shape[1:]), x.dtype)


def _rows(x: Any, name: str) -> int:
    if not x.shape:
        raise ValueError(f"For '{name}', the input should have at least one dimension")
    rows: int = x.shape[0]
    return rows


def _share(x: Any, name: str) -> int:
    rows, size = _rows(x, name), get_group_size()
    if rows % size:
        raise ValueError(
            f"For '{name}', the first dimension of the input should be divisible by the number of processes {size}, "
            f"but got {rows}"
        )
    return rows // size


@operator("AllReduce", infer=same, effect="io", prim_func=False)
def all_reduce(x: Array, op: str = "sum", group: str = GROUP) -> Any:
    """The sum (max, min, prod) of a tensor over all processes."""
    return communication.all_reduce(x, op)


@operator("AllGather", infer=_gathered, effect="io", prim_func=False)
def all_gather(x: Array, group: str = GROUP) -> Any:
    """The tensors of all processes, one after the other along the first dimension."""
    _rows(x, "AllGather")
    return np.concatenate(communication.all_gather(x))


@operator("ReduceScatter", infer=_scattered, effect="io", prim_func=False)
def reduce_scatter(x: Array, op: str = "sum", group: str = GROUP) -> Any:
    """This process's part, along the first dimension, of the sum over all processes."""
    rows = _share(x, "ReduceScatter")
    return communication.all_reduce(x, op, "ReduceScatter")[get_rank() * rows :][:rows]


@operator("Broadcast", infer=lambda x, *_, **__: x, effect="io", prim_func=False)
def broadcast(x: Any, root_rank: int = 0, group: str = GROUP) -> Any:
    """The tensors of one process, on all; `x` is a tuple of tensors."""
    return tuple(communication.broadcast(item, root_rank) for item in x)


@operator(
    "Barrier", infer=lambda *_, **__: TensorSpec((1,), np.dtype(np.int32)), effect="io", inputs=0, prim_func=False
)
def barrier(group: str = GROUP) -> Any:
    """Wait until all processes are here; gives an Int32 tensor of shape (1,)."""
    communication.barrier()
    return np.zeros(1, np.int32)


@operator("AlltoAll", infer=lambda x, *a, **k: _exchanged(x, *a, **k), effect="io", prim_func=False)
def all_to_all(x: Array, split_count: int, split_dim: int, concat_dim: int, group: str = GROUP) -> Any:
    """Parts of a tensor along one dimension sent to each process, those received joined along another."""
    _exchanged(x, split_count, split_dim, concat_dim)
    parts = [np.split(part, split_count, split_dim)[get_rank()] for part in communication.all_gather(x, "AlltoAll")]
    return np.concatenate(parts, concat_dim)


def _exchanged(x: Any, split_count: int, split_dim: int, concat_dim: int, group: str = GROUP) -> TensorSpec:
    if split_count != get_group_size():
        raise ValueError(
            f"For 'AlltoAll', 'split_count' should be the number of processes {get_group_size()}, but got {split_count}"
        )
    shape = list(x.shape)
    if shape[split_dim] % split_count:
        raise ValueError(
            f"For 'AlltoAll', the dimension {split_dim} of size {shape[split_dim]} cannot be divided by {split_count}"
        )
    shape[split_dim] //= split_count
    shape[concat_dim] *= split_count
    return TensorSpec(tuple(shape), x.dtype)

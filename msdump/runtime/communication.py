"""Processes that compute together: ranks, and what they exchange, by way of MPI (the extra `mpi`).

One process needs none of it: alone, every exchange gives back what it was given. mpi4py is imported
when more than one process is to exchange something, or `init` is called under mpirun.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from msdump.errors import ExecutionError
from msdump.runtime.context import get_auto_parallel_context, set_auto_parallel_context
from msdump.runtime.parallel_context import rank

Array = np.ndarray[Any, Any]
_LAUNCHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS")
"""Variables of the environment that mpirun (Open MPI, MPICH, Intel) sets."""


def init(backend_name: str = "") -> None:
    """Join the processes that mpirun started; sets device_num and global_rank where nobody has.

    Args:
        backend_name: "hccl", "nccl" or "mccl", as MindSpore's; all go by way of MPI here.

    ExecutionError when mpi4py is not there; ValueError for another backend.
    """
    if backend_name not in ("", "hccl", "nccl", "mccl"):
        raise ValueError(f"'backend_name' should be 'hccl', 'nccl' or 'mccl', but got {backend_name!r}")
    if not any(name in os.environ for name in _LAUNCHERS):
        return
    world = _joined("init")
    if get_auto_parallel_context("device_num") == 1:
        set_auto_parallel_context(device_num=world.Get_size(), global_rank=world.Get_rank())


def release() -> None:
    """Leave the processes; MPI itself ends with the process."""
    _world.cache_clear()


def get_rank(group: str = "") -> int:
    """Rank of this process, from 0."""
    return rank()[0]


def get_group_size(group: str = "") -> int:
    """How many processes compute together."""
    return rank()[1]


def _joined(what: str) -> Any:
    """MPI's communicator of all processes. ExecutionError when it cannot be had."""
    try:
        return _world()
    except ImportError as error:
        raise ExecutionError(
            f"{what} between processes needs mpi4py, which is not installed or finds no MPI ({error})",
            hint="pip install 'msdump[mpi]', and an MPI such as Open MPI",
        ) from None


@functools.cache
def _world() -> Any:
    from mpi4py import MPI

    return MPI.COMM_WORLD


def _world_of(what: str) -> Any:
    here, processes = rank()
    world = _joined(what)
    if (world.Get_rank(), world.Get_size()) != (here, processes):
        raise ExecutionError(
            f"{what}: the context has rank {here} of {processes}, but this is process {world.Get_rank()} "
            f"of {world.Get_size()} that MPI started",
            hint=f"start the script with mpirun -n {processes}, and call init() for the ranks",
        )
    return world


def all_gather(x: Array, what: str = "AllGather") -> list[Array]:
    """The arrays of all processes, in the order of ranks; all have one shape and type."""
    processes = rank()[1]
    if processes == 1:
        return [x]
    world = _world_of(what)
    sent = np.ascontiguousarray(x)
    found = np.empty((processes, sent.nbytes), np.uint8)
    # as bytes: MPI has no bfloat16
    world.Allgather(sent.reshape(-1).view(np.uint8), found)
    return [row.view(sent.dtype).reshape(sent.shape) for row in found]


_REDUCERS: dict[str, Any] = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}


def all_reduce(x: Array, op: str = "sum", what: str = "AllReduce") -> Array:
    """The elementwise sum (max, min, prod) over all processes: in the order of ranks, so the same on each."""
    reducer = _REDUCERS.get(op)
    if reducer is None:
        raise ValueError(f"For '{what}', 'op' should be one of {', '.join(_REDUCERS)}, but got {op!r}")
    parts = all_gather(x, what)
    total = parts[0].copy()
    for part in parts[1:]:
        total = np.asarray(reducer(total, part), x.dtype)
    return total


def broadcast(x: Array, root: int, what: str = "Broadcast") -> Array:
    """The array of the process `root`, on all."""
    processes = rank()[1]
    if not 0 <= root < processes:
        raise ValueError(f"For '{what}', 'root_rank' should be in the range [0, {processes - 1}], but got {root}")
    if processes == 1:
        return x
    sent = np.array(x, order="C")
    _world_of(what).Bcast(sent.reshape(-1).view(np.uint8), root)
    return sent


def barrier(what: str = "Barrier") -> None:
    """Wait until all processes are here."""
    if rank()[1] > 1:
        _world_of(what).Barrier()

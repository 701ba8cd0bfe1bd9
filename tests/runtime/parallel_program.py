"""What test_parallel.py runs under mpirun: data-parallel steps in both modes, with every file there is."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import msdump.nn as nn
import msdump.ops as ops
from msdump import Parameter, Tensor, context
from msdump.communication import get_group_size, get_rank, init


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(np.full((2, 2), float(get_rank() + 1), np.float32)), name="weight")
        self.all_reduce = ops.AllReduce()
        self.largest = ops.AllReduce("max")
        self.all_gather = ops.AllGather()
        self.scatter = ops.ReduceScatter()
        self.broadcast = ops.Broadcast(1)
        self.exchange = ops.AlltoAll(2, 0, 1)
        self.barrier = ops.Barrier()
        self.print = ops.Print()

    def construct(self, x: Tensor) -> Any:
        y = ops.matmul(x, self.weight)
        self.print("sum of", y)
        total = self.all_reduce(y)
        half = self.all_reduce(y.astype("bfloat16"))
        self.barrier()
        return (
            *(total, self.largest(y), self.all_gather(y), self.scatter(y), self.broadcast((y, x))),
            *(self.exchange(y), half.astype("float32")),
        )


def main() -> None:
    """Run in the folder given; each rank leaves result_<rank>.json."""
    warnings.simplefilter("ignore")
    out = Path(sys.argv[1])
    init()
    rank = get_rank()
    results: dict[str, Any] = {"rank": rank, "size": get_group_size()}
    context.set_auto_parallel_context(parallel_mode="data_parallel", parameter_broadcast=True)
    context.set_context(
        save_graphs=True,
        save_graphs_path=str(out / "graphs"),
        print_file_path=str(out / "print.pb"),
        enable_dump=True,
        save_dump_path=str(out / "dump"),
        enable_profiling=True,
        profiling_options=json.dumps({"result_path": str(out), "training_trace": "on", "task_trace": "on"}),
        device_target="Ascend",
    )
    x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2) + 10 * rank)
    for name, mode in (("graph", context.GRAPH_MODE), ("pynative", context.PYNATIVE_MODE)):
        context.set_context(mode=mode)
        net = Net()
        if name == "pynative":
            net.weight.set_data(Tensor(np.ones((2, 2), np.float32)))
        results[name] = [
            [t.asnumpy().tolist() for t in item] if isinstance(item, tuple) else item.asnumpy().tolist()
            for item in net(x)
        ]
    context.set_context(enable_profiling=False, enable_dump=False, print_file_path=None)
    (out / f"result_{rank}.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()

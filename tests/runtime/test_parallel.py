"""Processes side by side: folders of ranks, exchanges, parallel modes that are refused."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Tensor, context, nn, ops
from msdump.communication import get_group_size, get_rank, init
from msdump.errors import ExecutionError, TraceError
from msdump.runtime import communication

PROGRAM = Path(__file__).with_name("parallel_program.py")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def f32(values: Any) -> Tensor:
    return Tensor(np.array(values, np.float32))


def test_one_process_alone_exchanges_with_itself() -> None:
    x = f32([[1, 2], [3, 4]])
    assert (get_rank(), get_group_size()) == (0, 1)
    init()
    for name in ("AllReduce", "AllGather", "ReduceScatter"):
        assert getattr(ops, name)()(x).asnumpy().tolist() == [[1, 2], [3, 4]]
    (found,) = ops.Broadcast(0)((x,))
    assert found.asnumpy().tolist() == [[1, 2], [3, 4]]
    assert ops.Barrier()().shape == (1,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ops.AllReduce("mean")(x), "'op' should be one of sum, max, min, prod, but got 'mean'"),
        (lambda x: ops.Broadcast(3)((x,)), "'root_rank' should be in the range [0, 0], but got 3"),
        (lambda x: ops.AlltoAll(2, 0, 0)(x), "'split_count' should be the number of processes 1, but got 2"),
        (lambda x: ops.AllGather()(x.sum()), "the input should have at least one dimension"),
    ],
)
def test_wrong_attributes_are_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call(f32([1, 2]))


def test_ranks_without_processes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class World:
        def Get_rank(self) -> int:
            return 0

        def Get_size(self) -> int:
            return 1

    monkeypatch.setattr(communication, "_world", World)
    context.set_auto_parallel_context(device_num=2, global_rank=1)
    with pytest.raises(ExecutionError) as caught:
        ops.AllReduce()(f32([1, 2]))
    assert "the context has rank 1 of 2, but this is process 0 of 1 that MPI started" in str(caught.value)
    assert "mpirun -n 2" in caught.value.hint


def test_mpi4py_is_asked_for_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    communication.release()
    context.set_auto_parallel_context(device_num=2, global_rank=0)
    with pytest.raises(ExecutionError) as caught:
        ops.AllReduce()(f32([1, 2]))
    assert "needs mpi4py" in caught.value.what
    assert "pip install 'msdump[mpi]'" in caught.value.hint


class Adds(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.all_reduce = ops.AllReduce()
        self.print = ops.Print()

    def construct(self, x: Tensor) -> Any:
        self.print("x", x)
        return self.all_reduce(x) + 1


@pytest.mark.parametrize("mode", ["hybrid_parallel", "semi_auto_parallel", "auto_parallel"])
def test_other_modes_are_noted_in_the_graph_and_refused(mode: str) -> None:
    context.set_auto_parallel_context(parallel_mode=mode)
    context.set_context(mode=context.GRAPH_MODE, save_graphs=1, save_graphs_path="g")
    with pytest.raises(TraceError) as caught:
        Adds()(f32([1, 2]))
    assert caught.value.what == f"parallel_mode {mode} is noted in the graph, and cannot be compiled on the host"
    (path,) = Path("g").glob("*.ir")
    assert f"parallel_mode: {mode}\n" in path.read_text()
    assert "device_num: 1\n" in path.read_text()


def test_data_parallel_compiles_and_is_noted() -> None:
    context.set_auto_parallel_context(parallel_mode="data_parallel")
    context.set_context(mode=context.GRAPH_MODE, save_graphs=1, save_graphs_path="g")
    assert Adds()(f32([1, 2])).asnumpy().tolist() == [2, 3]
    for path in Path("g").glob("*.ir"):
        assert "parallel_mode: data_parallel\n" in path.read_text()


def test_the_auto_parallel_context_is_frozen_while_a_compiled_network_lives() -> None:
    context.set_context(mode=context.GRAPH_MODE)
    net = Adds()
    net(f32([1, 2]))
    with pytest.raises(context.ContextError, match="Adds was compiled with it and is still alive"):
        context.set_auto_parallel_context(device_num=2)
    context.reset_auto_parallel_context()
    context.set_auto_parallel_context(device_num=2, global_rank=1)
    assert context.get_auto_parallel_context("device_num") == 2
    context.reset_auto_parallel_context()
    net(f32([1, 2, 3]))
    del net
    context.set_auto_parallel_context(device_num=4)


def test_every_file_goes_under_the_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK_ID", "3")
    monkeypatch.setenv("RANK_SIZE", "8")
    context.set_context(
        mode=context.GRAPH_MODE,
        save_graphs=True,
        save_graphs_path="g",
        print_file_path="print.pb",
        enable_dump=True,
        save_dump_path="dump",
        enable_profiling=True,
        profiling_options='{"result_path": ".", "training_trace": "on"}',
        device_target="Ascend",
    )

    class Net(nn.Cell):
        def construct(self, x: Tensor) -> Any:
            print("x", x)
            return x * 2

    Net()(f32([1, 2]))
    context.set_context(enable_profiling=False, enable_dump=False, print_file_path=None, device_target="CPU")
    files = {str(p) for p in Path().rglob("*") if p.is_file()}
    assert {p for p in files if "rank_3" not in p} == set()
    assert {
        "g/rank_3/00_parse_0000.ir",
        "rank_3/print.pb",
        "rank_3/timeline_3.json",
        "rank_3/step_trace_3.csv",
    } <= files
    assert any(p.startswith("dump/rank_3/") and p.endswith(".npy") for p in files)


@pytest.mark.integration
def test_two_processes_under_mpirun(tmp_path: Path) -> None:
    if not shutil.which("mpirun") or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpirun or mpi4py is not installed")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, str(PROGRAM), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    x = [np.arange(4.0).reshape(2, 2) + 10 * rank for rank in range(2)]
    # all weights are rank 0's: ones
    y = [a @ np.ones((2, 2)) for a in x]
    for rank in range(2):
        found = json.loads((tmp_path / f"result_{rank}.json").read_text())
        assert (found["rank"], found["size"]) == (rank, 2)
        total, largest, gathered, scattered, sent, exchanged, half = found["graph"]
        assert total == (y[0] + y[1]).tolist()
        assert largest == y[1].tolist()
        assert gathered == np.concatenate(y).tolist()
        assert scattered == (y[0] + y[1])[rank : rank + 1].tolist()
        assert sent == [y[1].tolist(), x[1].tolist()]
        assert exchanged == np.concatenate([y[0][rank : rank + 1], y[1][rank : rank + 1]], 1).tolist()
        assert half == total
        assert found["pynative"] == found["graph"]
        (label, value), _ = (record.values for record in msdump.read_print(tmp_path / f"rank_{rank}/print.pb"))
        assert label == "sum of"
        np.testing.assert_array_equal(value, y[rank])
        assert (tmp_path / f"graphs/rank_{rank}/00_parse_0000.ir").is_file()
        assert list((tmp_path / f"dump/rank_{rank}").rglob("AllReduce.*.npy"))
        assert (tmp_path / f"rank_{rank}/operator_summary_{rank}.csv").is_file()

"""Settings that concern compiled networks: printing to a file, precompile_only, depth, scopes, dumps."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Parameter, Tensor, context, nn, ops
from msdump.errors import TraceError
from msdump.runtime.context import set_step

MODES = [context.PYNATIVE_MODE, context.GRAPH_MODE]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def f32(values: Any) -> Tensor:
    return Tensor(np.array(values, np.float32))


class Talks(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.print = ops.Print()
        self.count = Parameter(f32([0.0]), name="count")

    def construct(self, x: Tensor) -> Any:
        self.print("begin", x)
        self.count += 1  # type: ignore[assignment]  # a Parameter takes the value of a Tensor
        self.print("count", self.count)
        i = 0
        while i < x.sum():
            if i == 1:
                self.print("one")
            else:
                self.print("other", i)
            i = i + 1
        self.count += 10  # type: ignore[assignment]  # a Parameter takes the value of a Tensor
        self.print("count", self.count + 0)
        return x * 2


def line_of(text: str, number: int = 0) -> int:
    lines = Path(__file__).read_text().splitlines()
    return [i for i, line in enumerate(lines, 1) if text in line and "line_of" not in line][number]


@pytest.mark.parametrize("mode", MODES)
def test_a_print_file_holds_the_calls_in_program_order(mode: int) -> None:
    context.set_context(mode=mode, print_file_path="print.pb")
    net = Talks()
    for step in (5, 6):
        set_step(step)
        net(f32([1, 2]))
    context.set_context(print_file_path=None)
    records = list(msdump.read_print("print.pb"))
    told = [tuple(v if isinstance(v, str) else np.asarray(v).tolist() for v in r.values) for r in records]

    def one(count: float) -> list[Any]:
        return [
            *(("begin", [1.0, 2.0]), ("count", [count + 1])),
            *(("other", 0), ("one",), ("other", 2)),
            ("count", [count + 11]),
        ]

    assert told == [*one(0), *one(11)]


@pytest.mark.parametrize("mode", MODES)
def test_step_and_line_stand_beside_each_call(mode: int) -> None:
    context.set_context(mode=mode, print_file_path="print.pb")
    net = Talks()
    for step in (5, 6):
        set_step(step)
        net(f32([1, 2]))
    context.set_context(print_file_path=None)
    noted = [record.meta for record in msdump.read_print("print.pb")]
    assert [n.step for n in noted if n] == [5] * 6 + [6] * 6
    lines = [line_of('self.print("begin", x)'), line_of('self.print("count", self.count)')]
    assert [n.line for n in noted[:2] if n] == lines
    assert {n.file for n in noted if n} == {__file__}


def test_precompile_only_compiles_and_runs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    context.set_context(mode=context.GRAPH_MODE, precompile_only=True, save_graphs=1, save_graphs_path="g")
    net = Talks()
    assert net(f32([1, 2])) is None
    assert capfd.readouterr().out == ""
    assert net.count.asnumpy().tolist() == [0]
    assert list(Path("g").glob("*_execute_*.ir"))
    context.set_context(precompile_only=False)
    assert net(f32([1, 2])).asnumpy().tolist() == [2, 4]
    assert len(list(Path("g").glob("*_execute_*.ir"))) == 1  # it was compiled before


def deep(x: Tensor, depth: int) -> Tensor:
    return x if depth == 0 else deep(x + 1, depth - 1)


class Deep(nn.Cell):
    def construct(self, x: Tensor) -> Any:
        return deep(x, 20)


class Long(nn.Cell):
    def construct(self, x: Tensor) -> Any:
        while x.sum() < 100:
            x = x + 1
        return x


def test_max_call_depth_limits_compiling_and_running() -> None:
    context.set_context(mode=context.GRAPH_MODE, max_call_depth=10)
    with pytest.raises(TraceError, match="the depth of calls exceeds max_call_depth, which is 10"):
        Deep()(f32([1.0]))
    context.set_context(max_call_depth=30)
    assert Deep()(f32([1.0])).asnumpy().tolist() == [21]
    context.set_context(max_call_depth=1000)
    assert Long()(f32([1.0])).asnumpy().tolist() == [100]


class Named(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(2, 2)

    def construct(self, x: Tensor) -> Any:
        return self.dense(x)


@pytest.mark.parametrize(("kept", "scope"), [(True, "Default/dense-Dense"), (False, "Default/dense")])
def test_class_names_in_scopes(kept: bool, scope: str) -> None:
    context.set_context(mode=context.GRAPH_MODE, reserve_class_name_in_scope=kept, save_graphs=1, save_graphs_path="g")
    Named()(f32([[1, 2]]))
    (path,) = Path("g").glob("*_validate_*.ir")
    graph = msdump.read_graph(path)
    assert {n.scope for _, n in graph.iter_nodes() if n.op == "MatMul"} == {scope}


@pytest.mark.parametrize("saved", ["tensor", "statistic", "full"])
@pytest.mark.parametrize("mode", MODES)
def test_dumps_by_configuration_are_read_by_the_commands(
    mode: int, saved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {
        "common_dump_settings": {
            "op_debug_mode": 0,
            "dump_mode": 0,
            "path": str(tmp_path / "dump"),
            "net_name": "Net",
            "iteration": "0|2-3",
            "saved_data": saved,
            "input_output": 0,
            "kernels": [],
            "support_device": [0, 1, 2, 3, 4, 5, 6, 7],
        },
        "e2e_dump_settings": {"enable": True, "trans_flag": True},
    }
    Path("config.json").write_text(json.dumps(config))
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(tmp_path / "config.json"))
    context.set_context(mode=mode)
    net = Named()
    for _ in range(5):
        net(f32([[1, 2]]))
    monkeypatch.delenv("MINDSPORE_DUMP_CONFIG")
    context.set_context(mode=mode)
    graph = tmp_path / "dump/rank_0/Net/0"
    assert sorted(p.name for p in graph.iterdir() if p.name.isdigit()) == ["0", "2", "3"]
    assert bool(list(graph.rglob("0/*.npy"))) == (saved != "statistic")
    assert bool(list(graph.rglob("0/statistic.csv"))) == (saved != "tensor")
    for command in (["ls"], ["stats"], ["check"]):
        done = subprocess.run(
            [sys.executable, "-m", "msdump", "dump", *command, "dump", "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        text = json.dumps(json.loads(done.stdout))
        if command != ["check"]:
            assert "MatMul" in text


def test_a_loop_is_no_recursion() -> None:
    class Counts(nn.Cell):
        def construct(self, x: Tensor) -> Any:
            i = x.sum() * 0
            while i < 5000:
                i = i + 1
            return i

    context.set_context(mode=context.GRAPH_MODE, max_call_depth=50)
    assert Counts()(f32([1.0])).asnumpy().tolist() == 5000

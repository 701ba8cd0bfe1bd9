"""Dumps that networks write: layout, names, what the settings leave out, and what is in the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
import msdump.nn as nn
from msdump import Tensor, context, ops
from msdump.errors import ParseError
from msdump.runtime import modes
from msdump.runtime.dumping import is_marked, set_dump
from msdump.runtime.session import Session

MODES = [context.PYNATIVE_MODE, context.GRAPH_MODE]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Dense(3, 4, has_bias=False)
        self.b = nn.Dense(4, 2, has_bias=False)

    def construct(self, x: Tensor) -> Tensor:
        return ops.exp(self.b(ops.relu(self.a(x))))


def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **common: Any) -> None:
    """Runs from now on are dumped into out/, as the common settings say."""
    file = tmp_path / "dump.json"
    content = {"common_dump_settings": {"path": str(tmp_path / "out"), **common}, "e2e_dump_settings": {"enable": True}}
    file.write_text(json.dumps(content))
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(file))


def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, runs: int = 1, **common: Any) -> Path:
    configure(tmp_path, monkeypatch, **common)
    context.set_context(mode=mode)
    net = Net()
    for run in range(runs):
        net(Tensor(np.full((2, 3), run + 1, np.float32)))
    return tmp_path / "out"


def names(root: Path) -> list[str]:
    """Files below a folder, their timestamps replaced by T."""
    found = []
    for path in sorted(root.rglob("*")):
        if path.is_file():
            parts = path.name.split(".")
            if len(parts) > 5 and parts[4].isdigit():
                parts[4] = "T"
            found.append(f"{path.parent.relative_to(root)}/{'.'.join(parts)}")
    return sorted(found)


OPERATORS = [
    ("Exp", "Default_Exp-op0", 1),
    ("MatMul", "Default_a-Dense_MatMul-op0", 2),
    ("MatMul", "Default_b-Dense_MatMul-op1", 2),
    ("ReLU", "Default_ReLU-op0", 1),
]


@pytest.mark.parametrize("mode", MODES)
def test_the_layout_of_a_dump(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = dump(tmp_path, monkeypatch, mode)
    tensors = [
        f"rank_0/Net/0/0/{op}.{name}.0.0.T.{io}.{slot}.DefaultFormat.Float32.npy"
        for op, name, inputs in OPERATORS
        for io, slots in (("input", inputs), ("output", 1))
        for slot in range(slots)
    ]
    beside = [
        "rank_0/.dump_metadata/config.json",
        "rank_0/.dump_metadata/data_dump.json",
        "rank_0/execution_order/ms_execution_order_graph_0.csv",
        "rank_0/execution_order/ms_global_execution_order_graph_0.csv",
    ]
    graphs = ["rank_0/graphs/ms_output_trace_code_graph_0.ir"] if mode == context.GRAPH_MODE else []
    assert names(out) == sorted([*tensors, *beside, *graphs])
    order = (out / "rank_0/execution_order/ms_execution_order_graph_0.csv").read_text().splitlines()
    assert order == [
        "NodeExecutionOrder-FullNameWithScope",
        "Default/a-Dense/MatMul-op0",
        "Default/ReLU-op0",
        "Default/b-Dense/MatMul-op1",
        "Default/Exp-op0",
    ]


@pytest.mark.parametrize("mode", MODES)
def test_tensors_are_those_of_the_run(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = dump(tmp_path, monkeypatch, mode)
    folder = out / "rank_0/Net/0/0"
    (relu,) = folder.glob("ReLU.*.output.0.*")
    (exp,) = folder.glob("Exp.*.output.0.*")
    (weight,) = folder.glob("MatMul.Default_b-Dense_MatMul-op1.*.input.1.*")
    with np.errstate(all="ignore"):
        expected = np.exp(np.load(relu) @ np.load(weight).T)
    np.testing.assert_allclose(np.load(exp), expected, rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_the_projects_own_reader_reads_it(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = dump(tmp_path, monkeypatch, mode, runs=2)
    records = [r for r in msdump.read_dump(str(out)) if r.op_type != "Parameter"]
    assert {(r.op_type, r.io, r.slot, r.iteration) for r in records} == {
        (op, io, slot, iteration)
        for op, _, inputs in OPERATORS
        for io, slots in (("input", inputs), ("output", 1))
        for slot in range(slots)
        for iteration in (0, 1)
    }
    assert {r.scope_name for r in records} == {
        "Default/a-Dense/MatMul-op0",
        "Default/ReLU-op0",
        "Default/b-Dense/MatMul-op1",
        "Default/Exp-op0",
    }


def kinds(out: Path) -> set[str]:
    return {p.name.split(".")[0] for p in out.rglob("*.npy")}


@pytest.mark.parametrize("mode", MODES)
def test_iterations_operators_and_sides_are_chosen(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = ["Default/ReLU-op0", "name-regex(b-Dense)"]
    out = dump(tmp_path, monkeypatch, mode, runs=5, iteration="1|3-4", dump_mode=1, kernels=kernels, input_output=2)
    assert sorted(p.name for p in (out / "rank_0/Net/0").iterdir() if p.name.isdigit()) == ["1", "3", "4"]
    assert kinds(out) == {"ReLU", "MatMul"}
    assert not list(out.rglob("*.input.*"))
    assert len(list(out.rglob("*.output.*"))) == 3 * 2
    assert not list(out.rglob("*a-Dense*"))


@pytest.mark.parametrize("mode", MODES)
def test_statistics_instead_of_tensors(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = dump(
        tmp_path, monkeypatch, mode, saved_data="statistic", statistic_category=["max", "min", "count", "zero count"]
    )
    assert not list((out / "rank_0/Net/0/0").glob("*.npy"))
    lines = (out / "rank_0/Net/0/0/statistic.csv").read_text().splitlines()
    assert lines[0] == (
        "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
        "Max Value,Min Value,Count,Zero Count"
    )
    (first,) = [line for line in lines if line.startswith("MatMul,Default_a-Dense_MatMul-op0,") and ",input,0," in line]
    assert first.split(",", 5)[5] == 'input,0,24,Float32,"(2,3)",1.0,1.0,6,0'


@pytest.mark.parametrize("mode", MODES)
def test_bin_files_hold_an_operator_each(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = dump(tmp_path, monkeypatch, mode, file_format="bin")
    files = sorted(p.name.split(".")[0] for p in (out / "rank_0/Net/0/0").iterdir())
    assert files == ["Exp", "MatMul", "MatMul", "ReLU"]
    records = [r for r in msdump.read_dump(str(out)) if r.op_type == "ReLU"]
    assert [(r.io, r.slot) for r in sorted(records, key=lambda r: r.io)] == [("input", 0), ("output", 0)]
    values = {r.io: r.tensor.numpy() for r in records if r.tensor is not None}
    np.testing.assert_array_equal(values["output"], np.maximum(values["input"], 0))


@pytest.mark.parametrize("mode", MODES)
def test_cells_marked_by_set_dump(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(tmp_path, monkeypatch, dump_mode=2)
    net = Net()
    set_dump(net.b)
    context.set_context(mode=mode)
    net(Tensor(np.ones((2, 3), np.float32)))
    files = list((tmp_path / "out/rank_0/Net").rglob("*.npy"))
    assert {p.name.split(".")[1] for p in files} == {"Default_b-Dense_MatMul-op1"}
    with pytest.raises(TypeError, match="set_dump takes a Cell, but got int"):
        set_dump(3)  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("mode", MODES)
def test_a_mark_is_of_one_network_alone(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(tmp_path, monkeypatch, dump_mode=2)
    context.set_context(mode=mode)
    x = Tensor(np.ones((2, 3), np.float32))
    marked, other, gone = Net(), Net(), Net()
    set_dump(marked.a)
    set_dump(gone)
    del gone
    for cell in (Net() for _ in range(50)):  # some of them stand where the one that is gone stood
        assert not any(is_marked(inner) for _, inner in cell.cells_and_names())
    other(x)
    assert not list((tmp_path / "out").rglob("*.npy"))
    marked(x)
    other(x)
    files = list((tmp_path / "out").rglob("*.npy"))
    assert {p.name.split(".")[1] for p in files} == {"Default_a-Dense_MatMul-op0"}
    assert len({p.parent for p in files}) == 1
    set_dump(marked.a, enabled=False)
    assert not is_marked(marked.a)


@pytest.mark.parametrize("mode", MODES)
def test_only_operators_that_overflow(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(tmp_path, monkeypatch, op_debug_mode=3)
    net = Net()
    net.b.weight.set_data(np.full((2, 4), 1e5, np.float32))
    net.a.weight.set_data(np.full((4, 3), 1.0, np.float32))
    context.set_context(mode=mode)
    net(Tensor(np.ones((2, 3), np.float32)))
    assert kinds(tmp_path / "out") == {"Exp"}


@pytest.mark.parametrize("mode", MODES)
def test_enable_dump_needs_no_configuration(mode: int, tmp_path: Path) -> None:
    context.set_context(mode=mode, enable_dump=True, save_dump_path=str(tmp_path / "plain"))
    Net()(Tensor(np.ones((2, 3), np.float32)))
    assert kinds(tmp_path / "plain/rank_0/Net") >= {"Exp", "MatMul", "ReLU"}


def test_calls_go_nowhere_else_when_nothing_is_watched(session: Session) -> None:
    modes.apply_context()
    assert (session.on_cell, session.on_primitive) == (None, None)


def test_a_bad_configuration_names_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "dump.json"
    file.write_text('{"common_dump_settings": {"path": "/d", "saved_data": "all"}}')
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(file))
    with pytest.raises(ParseError, match=r"common_dump_settings\.saved_data"):
        context.set_context(mode=context.GRAPH_MODE)

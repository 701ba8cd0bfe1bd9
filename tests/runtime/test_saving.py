"""save_graphs: what is written reads back as the graph it was, in each dialect, and draws."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Parameter, Tensor, context, nn, ops
from msdump.formats import ir
from msdump.graph import Graph
from msdump.graph.project import project
from msdump.runtime.session import Session
from tests.runtime import networks
from tests.runtime.networks import NETWORKS

DIALECTS = ("2.10", "2.0", "1.1")


class Works(nn.Cell):
    """Gives every pass something to do."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU()
        self.print = ops.Print()
        self.count = Parameter(Tensor(np.zeros(2, np.float32)), name="count")

    def construct(self, x: Tensor) -> Any:
        k = ops.add(Tensor(np.array([1.0, 2.0], np.float32)), Tensor(np.array([3.0, 4.0], np.float32)))
        y = self.relu(x) + self.relu(x * 1)
        a, b = ops.exp(y), ops.exp(y)
        ops.sin(y)
        self.print("sum:", y.sum(), "quotes \" and ' {} [1, 2], %0")
        self.count = self.count + x  # type: ignore[assignment]  # a Parameter takes the value of a Tensor
        if y.sum() > 0:
            a = a * k
        while a.sum() < 100:
            a = a * 2 + b
        return a, b


@pytest.fixture(autouse=True)
def graph_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    context.set_context(mode=context.GRAPH_MODE)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Graph, Path, str]]:
    """What is handed to the writer of graphs, beside being written."""
    found: list[tuple[Graph, Path, str]] = []
    writers = Session.writers
    assert writers is not None

    def keep(graph: Graph, path: str, kind: str, dialect: str) -> None:
        found.append((graph, Path(path), kind))
        writers.graph(graph, path, kind, dialect)

    monkeypatch.setattr(Session, "writers", replace(writers, graph=keep))
    return found


def x() -> Tensor:
    return Tensor(np.array([1.0, 2.0], np.float32))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["works", *NETWORKS])
def test_each_file_reads_back_and_prints_again(name: str, dialect: str, written: list[tuple[Graph, Path, str]]) -> None:
    context.set_context(save_graphs=2, save_graphs_path="g", save_graphs_dialect=dialect)
    network, inputs = (Works(), (x(),)) if name == "works" else (NETWORKS[name].build(), NETWORKS[name].inputs())
    network(*inputs)
    assert len(written) >= 10
    for graph, path, _ in written:
        data = path.read_bytes()
        back = msdump.read_graph(path)
        assert ir.to_bytes(back) == data
        assert back == project(graph, ir.dialects()[dialect]), path.name


def test_files_are_numbered_as_mindspore_numbers_them() -> None:
    context.set_context(save_graphs=True, save_graphs_path="g")
    Works()(x())
    names = sorted(p.name for p in Path("g").iterdir())
    main_stages = [n for n in names if re.match(r"\d\d_\w+_\d{4}\.ir$", n)]
    assert [re.sub(r"_\d{4}\.ir", "", n) for n in main_stages] == [
        "00_parse",
        "01_type_inference",
        "02_inline",
        "03_optimize",
        "04_validate",
        "05_execute",
    ]
    numbers = sorted(int(re.search(r"_(\d{4})\.", n)[1]) for n in names)  # type: ignore[index]  # every name has one
    assert numbers == list(range(len(names)))
    assert len([n for n in names if n.endswith(".dot")]) == len(names) / 2
    assert any(n.startswith("opt_pass_1_fold_constants_") for n in names)


def test_release_1_1_gives_pictures_no_number() -> None:
    context.set_context(save_graphs=True, save_graphs_path="g", save_graphs_dialect="1.1")
    Works()(x())
    assert {p.name for p in Path("g").iterdir()} >= {"00_parse_0000.ir", "00_parse.dot", "01_type_inference_0001.ir"}


@pytest.mark.parametrize(("level", "steps", "pictures"), [(1, False, False), (2, True, False), (3, True, True)])
def test_levels(level: int, steps: bool, pictures: bool) -> None:
    context.set_context(save_graphs=level, save_graphs_path="g")
    Works()(x())
    names = [p.name for p in Path("g").iterdir()]
    assert any(n.startswith("opt_pass") for n in names) == steps
    assert any(n.endswith(".dot") for n in names) == pictures
    assert sum(bool(re.match(r"\d\d_\w+\.ir$", n)) for n in names) == 6


def test_nothing_is_written_unasked() -> None:
    Works()(x())
    assert not list(Path().iterdir())


@pytest.mark.parametrize("name", ["works", "lenet", "refines"])
def test_pictures_are_drawn_and_read(name: str) -> None:
    context.set_context(save_graphs=True, save_graphs_path="g")
    network, inputs = (Works(), (x(),)) if name == "works" else (NETWORKS[name].build(), NETWORKS[name].inputs())
    network(*inputs)
    for path in Path("g").glob("0[145]_*.dot"):
        assert msdump.read_graph(path).funcs
        if shutil.which("dot"):
            done = subprocess.run(["dot", "-Tsvg", str(path)], capture_output=True, check=False)
            assert done.returncode == 0, done.stderr
            assert b"<svg" in done.stdout


def test_each_stage_that_changed_something_shows_in_graph_passes() -> None:
    context.set_context(save_graphs=True, save_graphs_path="g")
    Works()(x())
    done = subprocess.run(
        [sys.executable, "-m", "msdump", "graph", "passes", "g", "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    stages = {re.sub(r"_\d{4}\.ir", "", s["file"].rsplit("/", 1)[-1]): s for s in json.loads(done.stdout)["stages"]}
    changed = {name for name, stage in stages.items() if stage["changed"]}
    assert changed >= {
        "01_type_inference",
        "02_inline",
        "opt_pass_1_fold_constants",
        "opt_pass_2_remove_identities",
        "opt_pass_3_merge_equal",
        "opt_pass_0_drop_dead",
        "05_execute",
    }
    assert stages["02_inline"]["summary"]["removed"]["call"] == 2
    assert stages["opt_pass_1_fold_constants"]["summary"]["removed"] == {"Add": 1}
    assert stages["opt_pass_2_remove_identities"]["summary"]["removed"] == {"Mul": 1}
    assert stages["opt_pass_3_merge_equal"]["summary"]["removed"] == {"Exp": 1, "ReLU": 1, "SumExt": 1}
    assert stages["opt_pass_0_drop_dead"]["summary"]["removed"] == {"Sin": 1}


def test_no_line_shows_the_inside_of_msdump_but_its_layers() -> None:
    context.set_context(save_graphs=2, save_graphs_path="g")
    NETWORKS["refines"].build()(*NETWORKS["refines"].inputs())
    for path in Path("g").glob("*.ir"):
        for file in re.findall(r"# In file (.*?):\d+", path.read_text()):
            assert file == networks.__file__ or "/msdump/runtime/nn/" in file

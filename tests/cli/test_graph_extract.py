"""`msdump graph extract`: the part around an operator, runnable, and reduced by a command."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from msdump.formats import ir
from msdump.graph import TensorType
from msdump.io import read_graph
from tests.cli.conftest import Run
from tests.conftest import FIXTURES

PRINT_NET = FIXTURES / "ir" / "2.5.0_print_net_validate.ir"
CONV = FIXTURES / "ir" / "1.6.1_conv_relu_graph_build.ir"


def ops(path: Path) -> list[str]:
    return [node.op for node in read_graph(path).root.nodes]


def test_the_operator_alone_is_a_graph_that_runs(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "part.ir"
    done = run("graph", "extract", str(PRINT_NET), "--node", "Add", "--depth", "0", "-o", str(out))
    assert (done.status, done.out) == (0, f"2 nodes of 13 nodes: {out}\n")
    graph = ir.read(out)
    assert ops(out) == ["Add", "Return"]
    assert [(p.name, p.abstract) for p in graph.root.parameters] == [
        ("x", TensorType("Float32", (2, 3), symbols=None)),
        ("y", TensorType("Float32", (2, 3), symbols=None)),
    ]
    assert graph.root.nodes[0].locations[-1].line == 14
    x, y = np.ones((2, 3), np.float32), np.full((2, 3), 2, np.float32)
    np.savez(tmp_path / "in.npz", in0=x, in1=y)
    ran = run("graph", "run", str(out), "--inputs", str(tmp_path / "in.npz"), "-o", str(tmp_path / "out.npz"))
    assert ran.status == 0, ran.err
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["out0"], x + y)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--upstream"], ["Load", "Conv2D", "Load", "BiasAdd", "ReLU", "Return"]),
        (["--upstream", "--depth", "0"], ["ReLU", "Return"]),
        (["--downstream", "--depth", "1"], ["ReLU", "Depend", "Return"]),
        ([], ["BiasAdd", "ReLU", "Depend", "Return"]),
    ],
)
def test_how_far_it_goes(run: Run, tmp_path: Path, words: list[str], found: list[str]) -> None:
    out = tmp_path / "part.json"
    first = next(node.debug_name for node in ir.read(CONV).root.nodes if node.op == "ReLU")
    done = run("graph", "extract", str(CONV), "--node", first, *words, "-o", str(out))
    assert done.status == 0, done.err
    assert ops(out) == found


def test_a_command_says_what_is_interesting(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "small.ir"
    program = 'import sys; sys.exit("StopGradient(" not in open(sys.argv[1]).read())'
    test = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)} {{}}"
    whole = tmp_path / "whole.ir"
    whole.write_bytes(PRINT_NET.read_bytes().replace(b"PrimFunc_Add(", b"StopGradient("))
    done = run("graph", "extract", str(whole), "--reduce", test, "-o", str(out))
    assert done.status == 0, done.err
    assert ops(out) == ["StopGradient", "Return"]
    assert [p.name for p in read_graph(out).root.parameters] == ["x", "y"]
    assert {node.locations for node in read_graph(out).root.nodes} == {()}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--node NAME says what to cut out, --reduce CMD what to reduce"),
        (["--node", "Conv3D"], "there is no operator Conv3D"),
        (["--node", "Print"], "5 operators are Print"),
        (["--node", "Add", "--graph", "other"], "there is no operator Add in @other"),
        (["--reduce", "exit 3 #"], "the graph itself is not interesting: there is nothing to reduce"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, tmp_path: Path, words: list[str], told: str) -> None:
    done = run("graph", "extract", str(PRINT_NET), *words, "-o", str(tmp_path / "out.ir"))
    assert done.status == 2
    assert told in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out.ir").exists()


def test_an_existing_file_is_kept(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.ir"
    out.write_text("mine", encoding="utf-8")
    assert run("graph", "extract", str(PRINT_NET), "--node", "Add", "-o", str(out)).status == 2
    assert out.read_text(encoding="utf-8") == "mine"
    assert run("graph", "extract", str(PRINT_NET), "--node", "Add", "-o", str(out), "--force").status == 0

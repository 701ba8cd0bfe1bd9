from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import pytest_plugin, testing
from tests.conftest import FIXTURES

PAIRS = FIXTURES / "pairs"
msdump_artifacts = pytest_plugin.msdump_artifacts  # also where the entry point is not installed


def log(path: Path, *values: str | np.ndarray[Any, Any]) -> Path:
    with msdump.PrintWriter(path) as writer:
        writer.write(values)
    return path


def test_prints_close(tmp_path: Path) -> None:
    a = log(tmp_path / "a.pb", "loss:", np.array([1.0, 2.0], np.float32))
    b = log(tmp_path / "b.pb", "loss:", np.array([1.0, 2.000001], np.float32))
    c = log(tmp_path / "c.pb", "loss:", np.array([1.0, 2.5], np.float32))
    testing.assert_prints_close(a, b)
    testing.assert_prints_close(list(msdump.read_print(a)), b)
    with pytest.raises(AssertionError, match=r"print logs differ: 1 of 2 values differ[\s\S]*first divergence"):
        testing.assert_prints_close(a, c)
    testing.assert_prints_close(a, c, atol=0.6)
    with pytest.raises(ValueError, match="'label' or 'index'"):
        testing.assert_prints_close(a, b, align="time")


def test_graphs_equal() -> None:
    base, edited = (PAIRS / "2.10.0_conv_op_added_mul_const" / f"{s}.ir" for s in ("base", "edited"))
    testing.assert_graphs_equal(base, msdump.read_graph(base))
    with pytest.raises(AssertionError, match=r"1 operator added[\s\S]*\+ Muls[\s\S]*net\.py:26"):
        testing.assert_graphs_equal(edited, base)
    renamed = PAIRS / "2.10.0_conv_layer_renamed"
    testing.assert_graphs_equal(renamed / "edited.ir", renamed / "base.ir")


def test_a_graph_as_expected_and_sound() -> None:
    path = PAIRS / "2.10.0_conv_cast_added" / "edited.ir"
    testing.assert_graph_matches(path, "CHECK-COUNT-2: Cast")
    testing.assert_graph_sound(path)
    with pytest.raises(AssertionError, match=r"line 1: CHECK-COUNT-3: Cast\n    2 nodes match, not 3"):
        testing.assert_graph_matches(path, "CHECK-COUNT-3: Cast")


def test_the_plugin_gives_artifacts(msdump_artifacts: testing.Artifacts) -> None:
    log(msdump_artifacts.folder / "print.pb", "hello")
    assert [record.values for record in msdump_artifacts.prints()] == [("hello",)]
    source = PAIRS / "2.10.0_conv_cast_added" / "edited.ir"
    (msdump_artifacts.folder / "21_validate_0100.ir").write_bytes(source.read_bytes())
    assert len(msdump_artifacts.graph("*validate*.ir").find(op="Cast")) == 2
    with pytest.raises(
        AssertionError, match=r"no file '\*\.mindir' was written; there is 21_validate_0100\.ir, print\.pb"
    ):
        msdump_artifacts.path("*.mindir")

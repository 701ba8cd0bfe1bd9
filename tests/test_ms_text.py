"""The text form against what MindSpore 2.7 wrote for the same values (fixtures/print/screen)."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from msdump.ms_text import tensor_text, value_text
from tests.integration.screen_values import SCREEN, decode, graph_prints

TENSORS: list[dict[str, Any]] = json.loads((SCREEN / "tensors.json").read_text(encoding="utf-8"))
CALLS: list[dict[str, Any]] = json.loads((SCREEN / "calls.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", TENSORS, ids=lambda row: row["name"])
def test_a_tensor_reads_as_in_pynative_mode(row: dict[str, Any]) -> None:
    assert tensor_text(decode(row)) + "\n" == row["pynative"]


@pytest.mark.parametrize("row", [row for row in TENSORS if row["graph"] is not None], ids=lambda row: row["name"])
def test_a_tensor_reads_as_in_graph_mode(row: dict[str, Any]) -> None:
    assert tensor_text(decode(row), "graph") + "\n" == row["graph"]


def test_the_recorded_set_is_wide() -> None:
    arrays = [decode(row) for row in TENSORS]
    assert {array.dtype.name for array in arrays} >= {
        *("bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "bfloat16")
    }
    assert {array.ndim for array in arrays} == {0, 1, 2, 3, 4, 5}
    assert any(array.size > 1000 and array.ndim == 1 for array in arrays)
    assert sum(row["graph"] is not None for row in TENSORS) == sum(map(graph_prints, arrays)) > 100


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row["call"])
@pytest.mark.parametrize("style", ["pynative", "graph"])
def test_a_call_reads_as_in_mindspore(row: dict[str, Any], style: Any) -> None:
    x, y = np.array([1.5, -2.0], np.float32), np.int32(7)
    arguments = eval(f"({row['call']},)", {"x": x, "y": y, "list": list, "range": range})  # the fixture's own text
    assert "".join(value_text(value, style) + "\n" for value in arguments) == row[style]


def test_only_shown_elements_are_touched() -> None:
    huge = np.broadcast_to(np.float32(2), (1 << 20, 1 << 20))
    assert tensor_text(huge).startswith("Tensor(shape=[1048576, 1048576], dtype=Float32, value=\n[[ 2.00000000e+00,")
    assert tensor_text(huge).count("2.00000000e+00") == 36


def test_types_that_mindspore_prints_nowhere_are_shown_by_value() -> None:
    import ml_dtypes

    assert tensor_text(np.array([-8, 7], ml_dtypes.int4)) == "Tensor(shape=[2], dtype=Int4, value= [-8,  7])"
    eight = np.array([1.5, -2.0], ml_dtypes.float8_e5m2)
    assert tensor_text(eight) == "Tensor(shape=[2], dtype=Float8E5M2, value= [1.5,  -2])"


def test_big_endian_arrays_have_the_same_text() -> None:
    assert tensor_text(np.array([1, 256], ">i4")) == tensor_text(np.array([1, 256], "<i4"))
    assert tensor_text(np.array([1.5], ">f2")) == tensor_text(np.array([1.5], "<f2"))

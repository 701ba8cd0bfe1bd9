"""What a real MindSpore writes on the screen now, against msdump's text and against what was recorded."""

from __future__ import annotations

import json
import os

import pytest

from msdump.ms_text import Style, tensor_text
from tests.integration.screen_values import (
    CALLS,
    SCREEN,
    Arrays,
    ask,
    ask_calls,
    curated,
    encode,
    graph_prints,
    scattered,
)

pytestmark = pytest.mark.integration
STYLES: dict[int, Style] = {0: "graph", 1: "pynative"}
COUNT = int(os.environ.get("MSDUMP_SCREEN_COUNT", "300"))


def differing(python: str, arrays: Arrays, mode: int) -> list[str]:
    asked = {k: v for k, v in arrays.items() if mode == 1 or graph_prints(v)}
    real = ask(python, asked, mode)
    assert len(real) == len(asked) > 0
    return [name for name, array in asked.items() if tensor_text(array, STYLES[mode]) + "\n" != real[name]]


@pytest.mark.parametrize("mode", [0, 1])
def test_random_tensors_read_the_same(mindspore_python: str, mode: int) -> None:
    assert differing(mindspore_python, scattered(mode, COUNT), mode) == []


@pytest.mark.parametrize("mode", [0, 1])
def test_the_recorded_tensors_are_still_what_it_writes(mindspore_python: str, mode: int) -> None:
    arrays = curated()
    rows = json.loads((SCREEN / "tensors.json").read_text(encoding="utf-8"))
    assert {row["name"]: row["content"] for row in rows} == {k: encode(v)["content"] for k, v in arrays.items()}
    asked = {k: v for k, v in arrays.items() if mode == 1 or graph_prints(v)}
    recorded = {row["name"]: row[STYLES[mode]] for row in rows if row[STYLES[mode]] is not None}
    assert ask(mindspore_python, asked, mode) == recorded


@pytest.mark.parametrize("mode", [0, 1])
def test_the_recorded_calls_are_still_what_it_writes(mindspore_python: str, mode: int) -> None:
    recorded = {row["call"]: row[STYLES[mode]] for row in json.loads((SCREEN / "calls.json").read_text("utf-8"))}
    assert ask_calls(mindspore_python, CALLS, mode) == recorded

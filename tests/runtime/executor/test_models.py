"""Models and graph files that MindSpore wrote, run and compared with what it gave."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import msdump
from msdump.errors import MsdumpError
from msdump.runtime.executor import Executor, missing_operators
from tests.conftest import CORPUS

MODELS = sorted(CORPUS.glob("run/*/*.mindir"))


@pytest.mark.parametrize("model", MODELS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_model_gives_mindspores_outputs(model: Path) -> None:
    executor = Executor(msdump.read_graph(model))
    with np.load(f"{model}"[:-7] + ".inputs.npz") as inputs, np.load(f"{model}"[:-7] + ".outputs.npz") as outputs:
        found = executor.run([inputs[f"in{i}"] for i in range(len(inputs.files))])
        leaves = found if isinstance(found, tuple) else (found,)
        assert len(leaves) == len(outputs.files)
        for i, leaf in enumerate(leaves):
            np.testing.assert_allclose(leaf, outputs[f"out{i}"], rtol=1e-5, atol=1e-5)


IR = sorted(CORPUS.glob("ir/*/*/*validate*.ir"))


@pytest.mark.parametrize("path", IR, ids=lambda p: "-".join(p.parts[-3:]))
def test_compiled_graphs_can_be_executed_or_say_why_not(path: Path) -> None:
    graph = msdump.read_graph(path)
    missing = {m.op for m in missing_operators(graph)}
    # PyExecute is Python text in a file: data, which msdump does not run.
    assert missing <= {"PyExecute"}
    if missing:
        return
    why = ""
    try:
        Executor(graph)
    except MsdumpError as error:
        why = error.what
    # The one reason there is: text leaves out the numbers of larger constants.
    assert not why or "are not in the file" in why

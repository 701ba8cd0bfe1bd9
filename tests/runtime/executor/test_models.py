"""Models and graph files that MindSpore wrote, run and compared with what it gave."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import msdump
from msdump.errors import MsdumpError
from msdump.runtime.executor import Executor, missing_operators
from tests.conftest import CORPUS, FIXTURES, real

MODELS = sorted(CORPUS.glob("run/*/*.mindir")) or [
    path for path in sorted((FIXTURES / "mindir").glob("*.mindir")) if path.with_suffix(".inputs.npz").exists()
]


@pytest.mark.parametrize("model", MODELS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_model_gives_mindspores_outputs(model: Path) -> None:
    executor = Executor(msdump.read_graph(model))
    with np.load(f"{model}"[:-7] + ".inputs.npz") as inputs, np.load(f"{model}"[:-7] + ".outputs.npz") as outputs:
        found = executor.run([inputs[f"in{i}"] for i in range(len(inputs.files))])
        leaves = found if isinstance(found, tuple) else (found,)
        assert len(leaves) == len(outputs.files)
        for i, leaf in enumerate(leaves):
            np.testing.assert_allclose(leaf, outputs[f"out{i}"], rtol=1e-5, atol=1e-5)


# Files whose text leaves out the numbers of a constant → its shape.
LEFT_OUT = {
    "1.0.0/attention/0020_9_validate.ir": "[12, 32]",
    "1.1.1/attention/10_validate_0021.ir": "[12, 32]",
    "1.1.1/containers_consts/10_validate_0021.ir": "[20, 100]",
    "1.3.0/attention/13_validate_0076.ir": "[12, 32]",
    "1.6.1/attention/13_validate_0081.ir": "[12, 32]",
    "1.10.0/attention/14_validate_0090.ir": "[12, 32]",
    "2.0.0/attention/13_validate_0608.ir": "[2, 6, 32]",
    "2.5.0/attention/18_validate_0694.ir": "[12, 32]",
    "2.10.0/attention/21_validate_0732.ir": "[12, 32]",
}
IR = real("ir/*/*/*validate*.ir")


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
    shape = LEFT_OUT.get("/".join(path.parts[-3:]))
    want = f"the numbers of a constant tensor {shape} of Float32 are not in the file" if shape else ""
    assert why.partition(": ")[2] == want

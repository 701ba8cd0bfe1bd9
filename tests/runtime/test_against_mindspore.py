"""Every recorded call of real MindSpore, made again with msdump: values, shapes and types."""

from __future__ import annotations

import json
import operator
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Tensor, nn, ops
from msdump.runtime import functions
from tests.conftest import FIXTURES
from tests.runtime import nets
from tests.runtime.case import Case, T, parameter_value
from tests.runtime.cases import GROUPS

CASES = [pytest.param(group, case, id=case.key) for group, cases in GROUPS.items() for case in cases]


def given(value: Any) -> Any:
    if isinstance(value, T):
        return Tensor(np.asarray(value.values), getattr(msdump, value.dtype))
    if isinstance(value, tuple):
        return tuple(given(v) for v in value)
    return getattr(msdump, value) if isinstance(value, str) and hasattr(msdump, value) else value


def run(case: Case) -> Any:
    args = [given(a) for a in case.args]
    if case.kind in ("op", "grad"):
        return getattr(ops, case.name)(**case.attrs)(*args)
    if case.kind == "fn":
        return getattr(functions, case.name)(*args, **case.attrs)
    if case.kind == "method":
        return getattr(args[0], case.name)(*args[1:], **case.attrs)
    if case.kind == "operator":
        return getattr(operator, case.name)(*args)
    layer = getattr(nets, case.name)(nn, ops) if case.kind == "net" else getattr(nn, case.name)(**case.attrs)
    for path, parameter in layer.parameters_and_names():
        parameter.set_data(parameter_value(path, parameter.shape))
    layer.set_train(case.train)
    out = layer(*args)
    if case.train:
        return out, *(p for _, p in sorted(layer.parameters_and_names()) if not p.requires_grad)
    return out


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


# Places the recorded kernels leave undefined, or give as memory that holds nothing.
OUTPUTS_COMPARED = {"op.LayerNorm": 1}


def compare(case: Case, recorded: Any) -> None:
    types = json.loads(str(recorded["types"]))["types"].get(case.key)
    if types is None:
        pytest.fail(f"{case.key} is not recorded: run tests/runtime/record_ops.py")
    leaves = flat(run(case))
    assert isinstance(types, dict) == (case.instead is not None), types
    if isinstance(types, dict):
        (leaf,) = leaves
        want = Tensor(np.asarray(case.instead, np.float32)).astype(leaf.dtype)
        assert leaf.dtype.name == ("BFloat16" if "bfloat16" in case.label else "Float32")
        np.testing.assert_array_equal(leaf.asnumpy(), want.asnumpy())
        return
    assert len(leaves) == len(types)
    for i, (leaf, dtype) in enumerate(zip(leaves, types, strict=True)):
        if i >= OUTPUTS_COMPARED.get(case.key, len(types)):
            break
        want = recorded[f"{case.key}/{i}"]
        got = leaf.asnumpy() if isinstance(leaf, Tensor) else np.asarray(leaf)
        if dtype:
            assert isinstance(leaf, Tensor)
            assert leaf.dtype.name == dtype
        assert got.shape == want.shape
        half = {"Float16": 1e-3, "BFloat16": 8e-3}.get(dtype)
        rtol, atol = (half, half) if half else (case.rtol, case.atol)
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=atol)


@pytest.mark.parametrize(("group", "case"), CASES)
def test_a_call_gives_what_mindspore_gave(group: str, case: Case) -> None:
    with np.load(FIXTURES / "ops" / f"{group}.npz") as recorded:
        compare(case, recorded)


@pytest.mark.integration
def test_a_live_mindspore_still_gives_what_is_recorded(tmp_path: Path) -> None:
    python = os.environ.get("MSDUMP_MINDSPORE_PYTHON")
    if not python:
        pytest.skip("MSDUMP_MINDSPORE_PYTHON names no Python with MindSpore")
    script = Path(__file__).with_name("record_ops.py")
    subprocess.run([python, str(script), str(tmp_path)], check=True, capture_output=True)
    for group, cases in GROUPS.items():
        with np.load(tmp_path / f"{group}.npz") as recorded:
            for case in cases:
                compare(case, recorded)

"""Run the calls of cases.py with the MindSpore of this interpreter and keep what they give.

    python tests/runtime/record_ops.py fixtures/ops [KEY …]

One .npz a group: `KEY/0`, `KEY/1`, … the outputs (BFloat16 as Float32), and `types`, a JSON text of
the element types MindSpore gave. A call that fails is noted there as an error, which only a case that says
what msdump gives `instead` may have.
"""

from __future__ import annotations

import json
import operator
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.ops import auto_generate
from mindspore.ops.operations import _grad_ops

from tests.runtime import nets
from tests.runtime.case import Case, T, parameter_value
from tests.runtime.cases import GROUPS


def given(value: Any) -> Any:
    """An argument as MindSpore takes it."""
    if isinstance(value, T):
        return Tensor(
            np.asarray(value.values).astype(np.float64 if value.dtype != "bool_" else bool), getattr(ms, value.dtype)
        )
    if isinstance(value, tuple):
        return tuple(given(v) for v in value)
    return getattr(ms, value) if isinstance(value, str) and hasattr(ms, value) else value


def run(case: Case) -> Any:
    """What one call gives."""
    args = [given(a) for a in case.args]
    if case.kind in ("op", "grad"):
        room = next(room for room in (ops, _grad_ops, auto_generate) if hasattr(room, case.name))
        return getattr(room, case.name)(**case.attrs)(*args)
    if case.kind == "fn":
        return getattr(ops, case.name)(*args, **case.attrs)
    if case.kind == "method":
        return getattr(args[0], case.name)(*args[1:], **case.attrs)
    if case.kind == "operator":
        return getattr(operator, case.name)(*args)
    layer = getattr(nets, case.name)(nn, ops) if case.kind == "net" else getattr(nn, case.name)(**case.attrs)
    for path, parameter in layer.parameters_and_names():
        parameter.set_data(Tensor(parameter_value(path, parameter.shape), parameter.dtype))
    layer.set_train(case.train)
    out = layer(*args)
    if case.train:
        after = [p for _, p in sorted(layer.parameters_and_names()) if not p.requires_grad]
        out = (out, *after)
    return out


def numbers(leaf: Any) -> Any:
    """One output's values in a type that every numpy knows."""
    if not hasattr(leaf, "asnumpy"):
        return np.asarray(leaf)
    return (leaf.astype(ms.float32) if leaf.dtype == ms.bfloat16 else leaf).asnumpy()


def flat(value: Any) -> list[Any]:
    """Outputs in order."""
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def main(folder: Path, only: list[str]) -> None:
    """Record every group, or the calls named."""
    # Without waiting, an operator that is refused raises in one of the calls after it.
    ms.context.set_context(device_target="CPU", pynative_synchronize=True)
    for name, group in GROUPS.items():
        arrays: dict[str, Any] = {}
        types: dict[str, Any] = {}
        for case in group:
            if only and case.key not in only:
                continue
            try:
                leaves = flat(run(case))
                for i, leaf in enumerate(leaves):
                    arrays[f"{case.key}/{i}"] = numbers(leaf)
                types[case.key] = [str(leaf.dtype) if hasattr(leaf, "asnumpy") else "" for leaf in leaves]
            except Exception as error:  # what MindSpore refuses is a result too
                types[case.key] = {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
        arrays["types"] = np.array(json.dumps({"mindspore": ms.__version__, "types": types}))
        np.savez_compressed(folder / f"{name}.npz", **arrays)
        failed = [f"{k}: {v['error'][:150]}" for k, v in types.items() if isinstance(v, dict)]
        print(name, len(types), "calls", f"{len(failed)} refused", *failed, sep="\n  ", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

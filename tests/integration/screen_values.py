"""Values whose screen text is compared with MindSpore's, and the script that records its answers.

    python -m tests.integration.screen_values PYTHON_WITH_MINDSPORE

writes fixtures/print/screen/*.json anew. Tests of the text form read those files, and need no
MindSpore; tests/integration/test_screen.py asks a real one again, for these and for random values.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from tests.conftest import FIXTURES

SCREEN = FIXTURES / "print" / "screen"
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")
TYPES = ("bool", *INTEGERS, *FLOATS, "complex64", "complex128", "bfloat16")
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
Arrays = dict[str, np.ndarray[Any, Any]]

CALLS = (
    "'loss:', x",
    "x, y, 'between', x",
    "'only a string'",
    "''",
    "'two\\nlines', 'café \\x1b[31m'",
    "1, 'a', x, 2.5",
    "123456789, 1234567.5, 1e-7, -0.0, False, True",
    "3.14159265358979, 1 / 3, 2**40, -7",
    "None, x",
    "(1.5, 2.5)",
    "(1,)",
    "[1, 2, 3], (x, y)",
    "[1.0] * 30",
    "list(range(30))",
    "(-1, 22, 333)",
    "((1, 2), (3, 4))",
    "[[1.5, 2.5], [3.5, 4.5]]",
    "('a', 'b')",
    "('', )",
    "(x, (1, 2), [3.5, 4.5])",
    "(1, (2, 3))",
    "(None, 1)",
    "{'a': x}",
    "{'a': (x, 1), 'b': 2.5}",
    "{'a': 's', 'b': {'c': 1}}",
    "(x, y, 3)",
    "(x, 's')",
)
"""Arguments of Print, x being a Float32 tensor of shape [2] and y an Int32 tensor of shape []."""


def curated() -> Arrays:
    """A wide set: every type, 0-d to 5-d, special values, the edges of every rule of layout."""
    found: Arrays = {}
    special = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-7, 6e4, 1 / 3, -2.5, 6e-8, 1.0, 100.125]
    for name in FLOATS:
        values = np.array(special, name)
        found[f"{name} special"] = values
        found[f"{name} full line"] = values[:12]
        found[f"{name} 2-d"] = values[:12].reshape(3, 4)
        for at in (0, 1, 2, 3, 5, 8):
            found[f"{name} 0-d {at}"] = values[at]
        found[f"{name} 3-d"] = np.arange(8 * 7 * 9).reshape(8, 7, 9).astype(name)
        found[f"{name} 24"] = np.arange(24).astype(name)
    found["float32 0-d large"] = np.array(123456789, np.float32)
    found["float32 0-d subnormal"] = np.array(1e-42, np.float32)
    found["float32 magnitudes"] = np.array([1e38, 1e-38, -3e38, 1e-45, 9.9999999e9], np.float32)
    found["float64 magnitudes"] = np.array([1e308, 1e-308, 5e-324, -1e100, 1e-100], np.float64)
    found["float32 1000"] = np.arange(1000).astype(np.float32)
    found["float32 1001"] = np.arange(1001).astype(np.float32)
    for name in INTEGERS:
        info = np.iinfo(name)
        found[f"{name} 0-d"] = np.array(65, name)
        found[f"{name} [1]"] = np.array([65], name)
        found[f"{name} ends"] = np.array([[info.min, 1], [info.max, 100]], name)
        found[f"{name} 30"] = np.arange(30).astype(name)
        found[f"{name} 48"] = np.arange(48).astype(name)
        found[f"{name} 1500"] = np.arange(1500).astype(name)
    even = np.arange(1100) % 2 == 0
    found |= {"bool 0-d": np.array(True), "bool [1]": even[1:2], "bool 2-d": even[:6].reshape(2, 3)}
    found |= {"bool 30": even[:30], "bool 24": even[:24], "bool 1100": even, "bool 12": even[:12]}
    found |= {"empty [0]": np.zeros(0, np.float32), "empty [0, 3]": np.zeros((0, 3), np.int32)}
    found["empty [2, 0, 3]"] = np.zeros((2, 0, 3), np.bool_)
    found["int64 4-d"] = np.arange(7 * 2 * 8 * 3).reshape(7, 2, 8, 3)
    found["float32 5-d"] = np.ones((1, 2, 1, 1, 7), np.float32)
    found["int32 7 rows"] = np.arange(7 * 1).reshape(7, 1).astype(np.int32)
    found["int32 6 rows"] = np.arange(6 * 6).reshape(6, 6).astype(np.int32)
    for name in ("complex64", "complex128"):
        found[f"{name} 0-d"] = np.array(1 + 2j, name)
        found[f"{name} 2-d"] = np.array([[1 + 2j, 1e-10 - 1e20j], [complex(np.nan, np.inf), complex(-0.0, -0.0)]], name)
        found[f"{name} 30"] = (np.arange(30) / 3 + 1j).astype(name)
        found[f"{name} 1200"] = (np.arange(1200) - 1j).astype(name)
    for count in (1, 13, 24, 30, 1100):
        found[f"bfloat16 {count}"] = (np.arange(count) / 3).astype(BFLOAT16)
    found["bfloat16 special"] = _unsigned_nan(np.array(special, np.float32).astype(BFLOAT16))
    found["bfloat16 0-d"] = np.array(1.5, BFLOAT16)
    found["bfloat16 2-d"] = np.array([[1, 2], [3, -0.0]], BFLOAT16)
    return found


def scattered(seed: int, count: int) -> Arrays:
    """Random arrays: any type, 0 to 5 dimensions, bits of any pattern or values of any magnitude."""
    rng = np.random.default_rng(seed)
    return {f"{at} {(array := _random(rng)).dtype.name}": array for at in range(count)}


def _random(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    name = str(rng.choice(TYPES))
    dtype = BFLOAT16 if name == "bfloat16" else np.dtype(name)
    dims = int(rng.integers(0, 6))
    if dims == 1:
        shape: tuple[int, ...] = (int(rng.choice([1, 2, 3, 4, 11, 12, 13, 23, 24, 25, 36, 48, 100, 999, 1000, 1001])),)
    else:
        shape = tuple(int(n) for n in rng.integers(1, 10, dims))
    size = int(np.prod(shape))
    if name == "bool":
        return (rng.random(size) < 0.5).reshape(shape)
    if rng.random() < 0.5:
        flat = np.frombuffer(rng.bytes(size * dtype.itemsize), dtype)
    elif dtype.kind in "iu":
        flat = rng.integers(0, 120, size).astype(dtype)
    else:
        scale = 10.0 ** rng.integers(-8, 8, size)
        with np.errstate(over="ignore"):
            flat = (rng.standard_normal(size) * scale).astype(dtype)
    return _unsigned_nan(flat).reshape(shape) if name == "bfloat16" else flat.reshape(shape)


def _unsigned_nan(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """BFloat16 with one NaN only: MindSpore's Tensor makes every other into it when it takes the values."""
    return np.where(np.isnan(array), np.array(np.nan, BFLOAT16), array)


def subnormal(array: np.ndarray[Any, Any]) -> bool:
    """True when a Float32 or Float64 is too small for its full precision: compiled CPU kernels flush those to 0."""
    if array.dtype.kind == "c":
        flat = array.reshape(-1)
        return subnormal(flat.real) or subnormal(flat.imag)
    if array.dtype.name not in ("float32", "float64"):
        return False
    return bool(np.any((array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny)))


def graph_prints(array: np.ndarray[Any, Any]) -> bool:
    """Whether MindSpore 2.7's CPU kernel prints it as it is: no BFloat16, nothing empty, no subnormals."""
    return array.dtype != BFLOAT16 and array.size > 0 and not subnormal(array)


def ask(python: str, arrays: Arrays, mode: int) -> dict[str, str]:
    """What a real MindSpore writes for each array, in a process of its own; mode 0 graph, 1 pynative."""
    stored = {
        f"{at}.bf16" if array.dtype == BFLOAT16 else str(at): array.view(np.uint16)
        if array.dtype == BFLOAT16
        else array
        for at, array in enumerate(arrays.values())
    }
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.npz"), Path(folder, "out.json")
        np.savez(source, **stored)  # type: ignore[arg-type]  # numpy's stub takes keyword arrays for its own options
        _run(python, "screen_oracle.py", source, target, mode)
        texts: dict[str, str] = json.loads(target.read_text(encoding="utf-8"))
    return dict(zip(arrays, texts.values(), strict=True))


def ask_calls(python: str, calls: tuple[str, ...], mode: int) -> dict[str, str]:
    """What a real MindSpore writes for whole calls of Print."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "calls.json"), Path(folder, "out.json")
        source.write_text(json.dumps(calls), encoding="utf-8")
        _run(python, "screen_oracle.py", source, target, mode)
        texts: dict[str, str] = json.loads(target.read_text(encoding="utf-8"))
    return texts


def _run(python: str, script: str, *arguments: object) -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COVERAGE"))}
    command = [python, str(Path(__file__).with_name(script)), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, env=env, timeout=900, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-2000:])


def encode(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    content = base64.b64encode(array.tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "content": content}


def decode(found: dict[str, Any]) -> np.ndarray[Any, Any]:
    dtype = BFLOAT16 if found["dtype"] == "bfloat16" else np.dtype(found["dtype"])
    return np.frombuffer(base64.b64decode(found["content"]), dtype).reshape(found["shape"])


def record(python: str) -> None:
    arrays = curated()
    pynative = ask(python, arrays, 1)
    graph = ask(python, {k: v for k, v in arrays.items() if graph_prints(v)}, 0)
    tensors = [
        {"name": name, **encode(array), "pynative": pynative[name], "graph": graph.get(name)}
        for name, array in arrays.items()
    ]
    texts = [ask_calls(python, CALLS, mode) for mode in (0, 1)]
    calls = [{"call": call, "pynative": texts[1][call], "graph": texts[0][call]} for call in CALLS]
    SCREEN.mkdir(parents=True, exist_ok=True)
    for name, rows in (("tensors", tensors), ("calls", calls)):
        lines = ",\n".join(json.dumps(row) for row in rows)
        (SCREEN / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1])

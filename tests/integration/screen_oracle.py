"""Run by a Python that has MindSpore 2.7: what its Print writes on the screen.

    python screen_oracle.py IN.npz  OUT.json MODE      (MODE: 0 graph, 1 pynative)
    python screen_oracle.py IN.json OUT.json MODE

IN.npz holds one array a key; a key that ends in ".bf16" holds uint16 bit patterns of bfloat16. IN.json
is a list of argument lists as Python source, x and y being tensors. OUT.json maps each key or
argument list to the text. Nothing of msdump is imported here.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile

import mindspore as ms
import numpy as np
from mindspore import nn, ops

MARK = "@@@@\n"


class Show(nn.Cell):  # type: ignore[misc]  # the framework carries no types
    """Prints each of its inputs after a marker line."""

    def __init__(self) -> None:
        super().__init__()
        self.print = ops.Print()

    def construct(self, *xs):  # type: ignore[no-untyped-def]  # compiled by the framework, which reads this source
        for x in xs:
            self.print("@@@@")
            self.print(x)
        return xs[0]


def tensor(key: str, array: np.ndarray) -> ms.Tensor:
    if key.endswith(".bf16"):
        wide = (np.atleast_1d(array).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)
        return ms.Tensor(wide, ms.bfloat16)
    return ms.Tensor(array)


def captured(run) -> str:  # type: ignore[no-untyped-def]  # a callable, either Python's print or C++ streams write
    with tempfile.TemporaryFile() as screen:
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(screen.fileno(), 1)
        try:
            run()
            sys.stdout.flush()
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        screen.seek(0)
        return screen.read().decode("utf-8", "surrogateescape")


def arrays(source: str) -> dict[str, str]:
    loaded = np.load(source)
    keys = list(loaded.files)
    found: dict[str, str] = {}
    for start in range(0, len(keys), 50):
        part = keys[start : start + 50]
        inputs = [tensor(key, loaded[key]) for key in part]
        texts = captured(lambda: Show()(*inputs)).split(MARK)[1:]  # noqa: B023  # run at once
        if len(texts) != len(part):
            raise SystemExit(f"{len(part)} arrays, {len(texts)} texts")
        found.update(zip(part, texts))  # noqa: B905  # Python 3.9 has no strict
    return found


CELL = """
class Call{at}(nn.Cell):
    def __init__(self):
        super().__init__()
        self.print = ops.Print()

    def construct(self, x, y):
        self.print({call})
        return x
"""


def calls(source: str) -> dict[str, str]:
    with open(source, encoding="utf-8") as file:
        wanted = json.load(file)
    x, y = ms.Tensor(np.array([1.5, -2.0], np.float32)), ms.Tensor(np.array(7, np.int32))
    with tempfile.TemporaryDirectory() as folder:
        # The compiler reads the source of construct, so it has to stand in a file.
        with open(os.path.join(folder, "screen_calls.py"), "w", encoding="utf-8") as file:
            file.write("from mindspore import nn, ops\n")
            file.writelines(CELL.format(at=at, call=call) for at, call in enumerate(wanted))
        sys.path.insert(0, folder)
        module = importlib.import_module("screen_calls")
        return {call: captured(lambda at=at: getattr(module, f"Call{at}")()(x, y)) for at, call in enumerate(wanted)}


def main(source: str, target: str, mode: int) -> None:
    ms.set_context(mode=mode)
    found = calls(source) if source.endswith(".json") else arrays(source)
    with open(target, "w", encoding="utf-8") as out:
        json.dump(found, out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

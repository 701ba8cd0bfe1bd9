"""Run by a Python that has MindSpore 2.7: what its Print writes on the screen for arrays it is given.

    python screen_oracle.py IN.npz OUT.json MODE      (MODE: 0 graph, 1 pynative)

IN.npz holds one array a key; a key that ends in ".bf16" holds uint16 bit patterns of bfloat16. OUT.json
maps each key to the text. Nothing of msdump is imported here.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile

import mindspore as ms
import numpy as np
from mindspore import nn, ops


class Show(nn.Cell):  # type: ignore[misc]  # the framework carries no types
    """Prints each of its inputs after a marker line."""

    def __init__(self) -> None:
        super().__init__()
        self.print = ops.Print()

    def construct(self, *xs):  # type: ignore[no-untyped-def]  # compiled by the framework, which reads this source
        for x in xs:
            self.print("@@@@", x)
        return xs[0]


def tensor(key: str, array: np.ndarray) -> ms.Tensor:
    if key.endswith(".bf16"):
        wide = (np.atleast_1d(array).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)
        return ms.Tensor(wide, ms.bfloat16)
    return ms.Tensor(array)


def main(source: str, target: str, mode: int) -> None:
    ms.set_context(mode=mode)
    arrays = np.load(source)
    keys = list(arrays.files)
    found: dict[str, str] = {}
    for start in range(0, len(keys), 50):
        part = keys[start : start + 50]
        with tempfile.TemporaryFile() as captured:
            sys.stdout.flush()
            saved = os.dup(1)
            os.dup2(captured.fileno(), 1)
            try:
                Show()(*[tensor(k, arrays[k]) for k in part])
                sys.stdout.flush()
            finally:
                os.dup2(saved, 1)
                os.close(saved)
            captured.seek(0)
            texts = captured.read().decode("utf-8", "surrogateescape").split("@@@@\n")[1:]
        if len(texts) != len(part):
            raise SystemExit(f"{len(part)} arrays, {len(texts)} texts")
        found.update(zip(part, texts, strict=True))
    with open(target, "w", encoding="utf-8") as out:
        json.dump(found, out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

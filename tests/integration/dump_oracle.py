"""Dumps of a network by MindSpore: `python dump_oracle.py NET FOLDER`, in an environment that has it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def configure(folder: Path) -> None:
    common = {
        "op_debug_mode": 0,
        "dump_mode": 0,
        "path": str(folder / "out"),
        "net_name": "Net",
        "iteration": "0",
        "saved_data": "tensor",
        "input_output": 0,
        "kernels": [],
        "support_device": [0],
    }
    settings = folder / "dump.json"
    content = {"common_dump_settings": common, "e2e_dump_settings": {"enable": True, "trans_flag": True}}
    settings.write_text(json.dumps(content))
    os.environ["MINDSPORE_DUMP_CONFIG"] = str(settings)


def main(net: str, folder: Path) -> None:
    configure(folder)
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn, ops

    rng = np.random.RandomState(0)

    def floats(*shape: int) -> Any:
        return Tensor(rng.randn(*shape).astype(np.float32))

    class Shapes(nn.Cell):  # type: ignore[misc]  # MindSpore has no types
        """Operators of one kind on tensors of many shapes."""

        def construct(self, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
            first = ops.relu(a + a)
            second = ops.relu(b * b + b)
            third = ops.exp(c + c) + c
            fourth = ops.cast(d, ms.float16)
            fifth = ops.cast(e, ms.int32)
            sixth = ops.cast(ops.cast(a, ms.float16), ms.float64)
            seventh = ops.relu(ops.concat((a, a), 0))
            eighth = ops.relu(ops.concat((b, b), 0)) + 1.0
            return eighth, seventh, sixth, fifth, fourth, third, second, first

    class Convolutions(nn.Cell):  # type: ignore[misc]  # the same
        """Two convolutions and two dense layers."""

        def __init__(self) -> None:
            super().__init__()
            self.c1, self.c2 = nn.Conv2d(1, 4, 3), nn.Conv2d(4, 6, 3)
            self.relu, self.flatten = nn.ReLU(), nn.Flatten()
            self.d1, self.d2 = nn.Dense(384, 10), nn.Dense(10, 3)

        def construct(self, x: Any) -> Any:
            x = self.relu(self.c1(x))
            x = self.relu(self.c2(x))
            return self.d2(self.relu(self.d1(self.flatten(x))))

    class Loop(nn.Cell):  # type: ignore[misc]  # the same
        """A loop and a branch over tensors: several graphs."""

        def construct(self, x: Any, y: Any) -> Any:
            while y < 3.0:
                x = x + y
                y = y + 1.0
                if x.sum() > 0:
                    x = ops.relu(x) - 0.1
                else:
                    x = ops.exp(x) + 0.1
            return ops.concat((x, x), 0) + y

    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    if net == "shapes":
        Shapes()(*[floats(k + 2, k + 1) for k in range(5)])
    elif net == "loop":
        Loop()(floats(2, 3), Tensor(0.0, ms.float32))
    elif net == "training":
        network = Convolutions()
        optimizer = nn.Adam(network.trainable_params(), 0.01)
        step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)
        step.set_train()
        step(floats(2, 1, 8, 8), floats(2, 3))
    elif net == "transformer":
        layers = [nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0) for _ in range(2)]
        nn.SequentialCell(layers)(floats(3, 2, 8))
    elif net == "operator":
        ms.set_context(mode=ms.PYNATIVE_MODE)
        os.makedirs(folder / "out", exist_ok=True)
        for array in (np.arange(4, dtype=np.float32), np.arange(6, dtype=np.int64).reshape(2, 3)):
            ops.TensorDump()(str(folder / "out/x"), Tensor(array))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

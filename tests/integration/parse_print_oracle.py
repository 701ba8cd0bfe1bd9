"""Run by a Python that has MindSpore 2.7: what its parse_print makes of a file, as JSON on stdout."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

import mindspore
import numpy as np


def parsed(path: str) -> list[Any]:
    found: list[Any] = []
    for value in mindspore.parse_print(path):
        if isinstance(value, str):
            found.append(value)
            continue
        array = value.float().asnumpy() if value.dtype == mindspore.bfloat16 else value.asnumpy()
        content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        found.append([str(value.dtype), list(value.shape), content])
    return found


if __name__ == "__main__":
    print(json.dumps(parsed(sys.argv[1])))

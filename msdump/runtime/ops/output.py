"""Operators that act on the world outside: Print."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.ops.registry import TensorSpec, operator
from msdump.runtime.print_op import emit_print

_DONE = TensorSpec((1,), np.dtype(np.int32))


@operator("Print", infer=lambda *_items, **_attrs: _DONE, effect="io", prim_func=False)
def print_values(*items: Any, place: tuple[str, int] | None = None) -> Any:
    """Print its operands as a compiled graph does; gives an Int32 tensor of shape (1,), as MindSpore's.

    `place` is the file and line of the call in the user's source.
    """
    emit_print(items, place, "graph")
    return np.zeros(1, np.int32)

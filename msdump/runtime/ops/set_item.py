"""x[index] = v as a value: tensors of a graph are never changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.ops.registry import Array, operator, same


@operator("tensor_setitem", "setitem", "SetItem", inputs=3, infer=same, prim_func=False)
def tensor_set_item(x: Array, index: Any, value: Any) -> Any:
    """A copy of x with the elements at an index (ints, slices, tensors, tuples of them) replaced."""
    out = np.array(x)
    out[_plain(index)] = value
    return out


def _plain(index: Any) -> Any:
    if isinstance(index, (tuple, list)):
        return tuple(_plain(i) for i in index)
    if isinstance(index, np.ndarray) and index.ndim == 0 and index.dtype.kind in "iu":
        return int(index)
    return index

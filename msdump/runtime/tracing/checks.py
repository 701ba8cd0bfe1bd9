"""What is checked of an operator's operands while it is recorded, beside what it infers."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from msdump.runtime.ops.registry import Operator, TensorSpec

UNFIT = "it does not take operands of these types"


def check_known(specs: Sequence[Any]) -> None:
    """ValueError for a tensor whose shape only a run tells."""
    for spec in specs:
        if isinstance(spec, TensorSpec):
            if any(dim < 0 for dim in spec.shape):
                raise ValueError(
                    "a tensor whose shape only a run tells cannot be computed with; return it from construct"
                )
        elif isinstance(spec, (tuple, list)):
            check_known(spec)


def check_types(found: Operator, specs: Sequence[Any], attrs: Mapping[str, Any], result: Any) -> None:
    """TypeError for element types that an elementwise operator cannot compute with.

    Its `infer` tells shapes without computing; the kernel itself, on tensors of one element, tells
    whether it takes the types.
    """
    if found.infer is None or found.effect or not isinstance(result, TensorSpec):
        return
    tensors = [spec for spec in specs if isinstance(spec, (TensorSpec, np.ndarray))]
    if not tensors or len(tensors) != len(specs) or any(spec.shape != result.shape for spec in tensors):
        return
    try:
        dtypes = tuple(spec.dtype for spec in tensors)
        refused = _refuses(found, dtypes, len(result.shape), tuple(sorted(attrs.items())))
    except TypeError:  # attributes that cannot be kept: no check
        return
    if refused:
        raise TypeError(UNFIT)


@functools.lru_cache(maxsize=1024)
def _refuses(found: Operator, dtypes: tuple[np.dtype[Any], ...], rank: int, attrs: tuple[tuple[str, Any], ...]) -> bool:
    try:
        with np.errstate(all="ignore"):
            found.kernel(*[np.zeros((1,) * rank, dtype) for dtype in dtypes], **dict(attrs))
    except TypeError:
        return True
    except Exception:
        return False  # a tensor of one element does not fit it, which tells nothing
    return False

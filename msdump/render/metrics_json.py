"""How two tensors compare, in JSON: what the documents of `dump diff` and `print diff` share."""

from __future__ import annotations

from typing import Any

from msdump.diff.tensor.metrics import TensorDiff
from msdump.json_values import number


def metrics_json(metrics: TensorDiff) -> dict[str, Any]:
    """The metrics of two tensors, by the names of formats of dump diff and print diff alike."""
    return {
        "dtype": list(metrics.dtype),
        "shape": [None if shape is None else list(shape) for shape in metrics.shape],
        "count": metrics.count,
        "mismatched": metrics.mismatched,
        "worst": None if metrics.worst is None else list(metrics.worst),
        "worst_values": None if metrics.worst_values is None else [number(v) for v in metrics.worst_values],
        "max_abs": number(metrics.max_abs),
        "mean_abs": number(metrics.mean_abs),
        "max_rel": number(metrics.max_rel),
        "cosine": number(metrics.cosine),
        "rel_l2": number(metrics.rel_l2),
        "max_ulp": metrics.max_ulp,
        "nan": list(metrics.nan),
        "inf": list(metrics.inf),
    }

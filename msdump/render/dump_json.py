"""Two dumps compared, as the document that scripts rely on, and as rows of a table."""

from __future__ import annotations

from typing import Any

from msdump.diff.dumps.result import Divergence, DumpDiff, TensorResult
from msdump.json_values import number
from msdump.render.metrics_json import metrics_json

SCHEMA = "msdump.dump-diff/1"


def to_json(diff: DumpDiff) -> dict[str, Any]:
    """The comparison as the document that scripts rely on (docs/json.md)."""
    return {
        "schema": SCHEMA,
        "same": diff.same,
        "compared": len(diff.tensors),
        "different": len(diff.different),
        "only_a": [u.to_dict() for u in diff.only_a],
        "only_b": [u.to_dict() for u in diff.only_b],
        "first": None if diff.first is None else _first(diff.first),
        "rtol": number(diff.tolerance.rtol),
        "atol": number(diff.tolerance.atol),
        "equal_nan": diff.tolerance.equal_nan,
        "problems": [{"what": p} for p in diff.problems],
        "notes": list(diff.notes),
        "tensors": [tensor_json(t) for t in diff.tensors],
    }


def _first(first: Divergence) -> dict[str, Any]:
    which, spot = first.tensor.which, first.tensor.spot
    return {
        "op": which.op,
        "op_type": which.op_type,
        "scope": spot.full_name or None,
        "source": spot.source or None,
        "code": spot.code or None,
        "io": which.io,
        "slot": which.slot,
        "iteration": which.iteration,
        "rank": which.rank,
        "graph": which.graph,
        "occurrence": which.occurrence,
        "inputs": first.inputs or None,
        "differing_inputs": list(first.differing_inputs),
        "unpaired_inputs": list(first.unpaired_inputs),
    }


def tensor_json(t: TensorResult) -> dict[str, Any]:
    """One tensor of that document."""
    found = {**t.to_dict(), **metrics_json(t.diff), "share": number(t.diff.share)}
    for key in ("scope", "source", "code", "what", "error"):
        found[key] = found[key] or None
    return found


_WHICH = ("op", "io", "slot", "iteration", "rank", "graph", "occurrence", "scope", "source")
_TYPES = ("dtype_a", "dtype_b", "shape_a", "shape_b")
_VALUES = ("max_abs", "mean_abs", "max_rel", "cosine", "rel_l2", "max_ulp")
_ODD = ("nan_a", "nan_b", "inf_a", "inf_b")
COLUMNS: tuple[str, ...] = (
    *(*_WHICH, "same", "what", *_TYPES, "count", "mismatched", "share", "worst"),
    *(*_VALUES, *_ODD, "path_a", "path_b", "error"),
)


def flat_rows(diff: DumpDiff) -> list[dict[str, Any]]:
    """A row a tensor with plain cells, those without a partner at the end (what: only_a, only_b)."""
    rows: list[dict[str, Any]] = []
    for t in diff.tensors:
        found = t.to_dict()
        for key in ("dtype", "shape", "nan", "inf", "path"):
            found[f"{key}_a"], found[f"{key}_b"] = found[key]
        for key in ("shape_a", "shape_b", "worst"):
            found[key] = None if found[key] is None else str(list(found[key]))
        for key in _VALUES:
            found[key] = None if found[key] is None else float(found[key])
        rows.append({key: found.get(key) for key in COLUMNS})
    for side, unpaired in (("a", diff.only_a), ("b", diff.only_b)):
        for u in unpaired:
            row: dict[str, Any] = dict.fromkeys(COLUMNS)
            row |= {k: v for k, v in u.to_dict().items() if k in row}
            row |= {"same": False, "what": f"only_{side}", f"path_{side}": u.path}
            rows.append(row)
    return rows

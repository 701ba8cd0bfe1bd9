"""What comparing two dumps gives: frozen records, as a list, as JSON, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from msdump.diff.tensor.tolerance import Tolerance

EXACT = Tolerance()


@dataclass(frozen=True, slots=True)
class TensorResult:
    """How one tensor of A compares with its partner in B.

    Attributes:
        op: "op_type.op_name" as A's file names have it.
        op_type, op_name, io, slot, iteration, rank, graph, occurrence: which tensor; iteration -1 where
            the layout tells none, occurrence counts launches of the operator in an iteration, from 0.
        scope: full name with scope, or "".
        source: "net.py:41" of the user's program, or ""; `code` that line's text.
        dtype, shape: of A and of B.
        same: all elements in tolerance and shapes equal (and dtypes, when they were asked to be).
        what: why not, when it is not the values: "shape", "dtype", "statistics", "unreadable", or "".
        count, mismatched: elements, and those out of tolerance.
        worst: index of the worst element, `worst_values` the two values there.
        max_abs, mean_abs, max_rel, cosine, rel_l2, max_ulp: as TensorDiff has them.
        nan, inf: how many in A and in B.
        statistics: names of saved statistics that differ, when there were no tensors to compare.
        path: file of A, file of B.
        error: what could not be read, or "".
        by: what they are compared by, "values" or the "statistics" that were saved of them.
    """

    op: str
    op_type: str
    op_name: str
    io: str
    slot: int
    iteration: int
    rank: int
    graph: str = ""
    occurrence: int = 0
    scope: str = ""
    source: str = ""
    code: str = ""
    dtype: tuple[str, str] = ("", "")
    shape: tuple[tuple[int, ...] | None, tuple[int, ...] | None] = (None, None)
    same: bool = True
    what: str = ""
    count: int = 0
    mismatched: int = 0
    worst: tuple[int, ...] | None = None
    worst_values: tuple[Any, Any] | None = None
    max_abs: float | int | None = None
    mean_abs: float | None = None
    max_rel: float | None = None
    cosine: float | None = None
    rel_l2: float | None = None
    max_ulp: int | None = None
    nan: tuple[int, int] = (0, 0)
    inf: tuple[int, int] = (0, 0)
    statistics: tuple[str, ...] = ()
    path: tuple[str, str] = ("", "")
    error: str = ""
    by: Literal["values", "statistics"] = "values"

    @property
    def share(self) -> float:
        """Share of elements out of tolerance, 0 to 1."""
        return self.mismatched / self.count if self.count else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The record as a dictionary, `share` beside the fields."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**found, "share": self.share}


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A tensor that only one side has."""

    op: str
    io: str
    slot: int
    iteration: int
    rank: int
    graph: str = ""
    occurrence: int = 0
    scope: str = ""
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The record as a dictionary."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first tensor, in execution order, that differs.

    Attributes:
        tensor: its result.
        inputs: "agree", "differ", "unpaired" (those that have a partner agree, and some have none) or ""
            (not dumped): the inputs of the same launch.
        differing_inputs: slots of the inputs that already differ.
        unpaired_inputs: slots of the inputs without a partner.
    """

    tensor: TensorResult
    inputs: str = ""
    differing_inputs: tuple[int, ...] = ()
    unpaired_inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DumpDiff(Sequence[TensorResult]):
    """The comparison of two dumps: a sequence of TensorResults in A's execution order.

    Attributes:
        tensors: one for each pair.
        only_a, only_b: tensors without a partner; they count as different.
        tolerance: the rule that was used.
        problems: what could not be read, one line each.
        notes: odd things, one line each.
    """

    tensors: tuple[TensorResult, ...]
    only_a: tuple[Unpaired, ...] = ()
    only_b: tuple[Unpaired, ...] = ()
    tolerance: Tolerance = EXACT
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.tensors)

    def __getitem__(self, index: Any) -> Any:
        return self.tensors[index]

    def __iter__(self) -> Iterator[TensorResult]:
        return iter(self.tensors)

    @property
    def same(self) -> bool:
        """Whether every tensor has a partner that agrees."""
        return not (self.only_a or self.only_b or self.problems) and all(t.same for t in self.tensors)

    @property
    def different(self) -> tuple[TensorResult, ...]:
        """The pairs that differ, in execution order."""
        return tuple(t for t in self.tensors if not t.same)

    @property
    def first(self) -> Divergence | None:
        """The first divergence, or None when all pairs agree."""
        for index, tensor in enumerate(self.tensors):
            if not tensor.same:
                return self._divergence(index)
        return None

    def _divergence(self, index: int) -> Divergence:
        tensor = self.tensors[index]
        launch = _launch(tensor)
        inputs = [t for t in self.tensors if t.io == "input" and _launch(t) == launch]
        wrong = tuple(sorted(t.slot for t in inputs if not t.same))
        alone = tuple(sorted(u.slot for u in self.only_a if u.io == "input" and _launch(u) == launch))
        state = "differ" if wrong else "unpaired" if alone else "agree" if inputs else ""
        return Divergence(tensor, state, wrong, alone)

    def to_list(self) -> list[TensorResult]:
        """The results as a list."""
        return list(self.tensors)

    def to_pandas(self) -> Any:
        """The results as a pandas.DataFrame, a row a tensor (`msdump[pandas]`)."""
        return table_of([t.to_dict() for t in self.tensors], "pandas")


def _launch(t: TensorResult | Unpaired) -> tuple[Any, ...]:
    return t.rank, t.iteration, t.graph, t.op, t.occurrence


def table_of(rows: list[dict[str, Any]], extra: str) -> Any:
    """Rows as a pandas.DataFrame; `extra` is what a message tells to install when pandas is absent."""
    try:
        import pandas
    except ImportError:
        from msdump.errors import MsdumpError

        raise MsdumpError("pandas is not installed", hint=f"install it with: pip install 'msdump[{extra}]'") from None
    return pandas.DataFrame(rows)

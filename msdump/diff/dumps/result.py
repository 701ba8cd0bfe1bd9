"""What comparing two dumps gives: frozen records, as a list, as JSON, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from msdump.diff.tensor.metrics import TensorDiff
from msdump.diff.tensor.tolerance import Tolerance
from msdump.records import operator_word

EXACT = Tolerance()
What: TypeAlias = Literal["", "values", "shape", "dtype", "statistics", "unreadable"]


@dataclass(frozen=True, slots=True)
class DumpedTensor:
    """Which tensor of a run: operator and slot as file names have them, iteration (-1 where the layout tells none),
    rank, graph; `occurrence` counts launches of the operator in an iteration, from 0."""

    op_type: str
    op_name: str
    io: str
    slot: int
    iteration: int
    rank: int
    graph: str = ""
    occurrence: int = 0

    @property
    def op(self) -> str:
        """The operator in one word."""
        return operator_word(self.op_type, self.op_name)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an operator comes from: full name with scope, "net.py:41" of the user's program, that line's text; ""
    where it is not known."""

    full_name: str = ""
    source: str = ""
    code: str = ""


NOWHERE = Spot()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two tensors are the same, and what that is said by.

    Attributes:
        same: all elements in tolerance and shapes equal (and dtypes, when they were asked to be).
        what: what differs, "" where nothing does; "unreadable" where a side could not be read.
        by: what they are compared by, "values" or the "statistics" that were saved of them.
        statistics: names of saved statistics that differ.
        error: what could not be read or compared, or "".
    """

    same: bool = True
    what: What = ""
    by: Literal["values", "statistics"] = "values"
    statistics: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class TensorResult:
    """How one tensor of A compares with its partner in B.

    Attributes:
        which: the tensor, as A has it.
        verdict: whether the two are the same.
        diff: how they compare; its dtypes are MindSpore's names.
        path: file of A, file of B.
        spot: where its operator comes from.
    """

    which: DumpedTensor
    verdict: Verdict
    diff: TensorDiff
    path: tuple[str, str] = ("", "")
    spot: Spot = NOWHERE

    @property
    def same(self) -> bool:
        """Whether the two are the same."""
        return self.verdict.same

    @property
    def scope(self) -> str:
        """Full name of the operator with its scope, or ""."""
        return self.spot.full_name

    def to_dict(self) -> dict[str, Any]:
        """All of it in one dictionary, `share` beside the fields."""
        verdict, spot = self.verdict, self.spot
        return {
            **_named(self.which),
            "scope": spot.full_name,
            "source": spot.source,
            "code": spot.code,
            "path": self.path,
            **_fields_of(self.diff),
            **_fields_of(verdict),
            "share": self.diff.share,
        }


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A tensor that only one side has."""

    which: DumpedTensor
    scope: str = ""
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All of it in one dictionary."""
        named = _named(self.which)
        del named["op_type"], named["op_name"]
        return {**named, "scope": self.scope, "path": self.path}


def _fields_of(value: Any) -> dict[str, Any]:
    return {f.name: getattr(value, f.name) for f in fields(value)}


def _named(which: DumpedTensor) -> dict[str, Any]:
    return {"op": which.op, **_fields_of(which)}


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
        launch = _launch(tensor.which)
        inputs = [t for t in self.tensors if t.which.io == "input" and _launch(t.which) == launch]
        unpaired = [u.which for u in self.only_a if u.which.io == "input" and _launch(u.which) == launch]
        wrong = tuple(sorted(t.which.slot for t in inputs if not t.same))
        alone = tuple(sorted(which.slot for which in unpaired))
        state = "differ" if wrong else "unpaired" if alone else "agree" if inputs else ""
        return Divergence(tensor, state, wrong, alone)

    def to_list(self) -> list[TensorResult]:
        """The results as a list."""
        return list(self.tensors)

    def to_pandas(self) -> Any:
        """The results as a pandas.DataFrame, a row a tensor (`msdump[pandas]`)."""
        return table_of([t.to_dict() for t in self.tensors], "pandas")


def _launch(which: DumpedTensor) -> tuple[Any, ...]:
    return which.rank, which.iteration, which.graph, which.op_type, which.op_name, which.occurrence


def table_of(rows: list[dict[str, Any]], extra: str) -> Any:
    """Rows as a pandas.DataFrame; `extra` is what a message tells to install when pandas is absent."""
    try:
        import pandas
    except ImportError:
        from msdump.errors import MsdumpError

        raise MsdumpError("pandas is not installed", hint=f"install it with: pip install 'msdump[{extra}]'") from None
    return pandas.DataFrame(rows)

"""Print logs compared: alignment, the first divergence, what counts as a difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from msdump.diff.records import RecordsDiff, diff_records
from msdump.diff.tensor.tolerance import Tolerance
from msdump.records import BadValue, PrintMeta, PrintRecord, PrintValue

F = np.float32


def flat(*values: PrintValue) -> list[PrintRecord]:
    """A log of MindSpore's own: one value a record."""
    return [PrintRecord(i, (v,)) for i, v in enumerate(values)]


def calls(*values: tuple[PrintValue, ...]) -> list[PrintRecord]:
    return [PrintRecord(i, v, meta=PrintMeta(i, 0)) for i, v in enumerate(values)]


def steps(*numbers: float) -> list[PrintValue]:
    return [x for n in numbers for x in ("loss:", F(n))]


def shown(result: RecordsDiff) -> list[tuple[Any, ...]]:
    return [(d.kind, d.label, d.a, d.b, d.what) for d in result.differences]


def test_equal_logs_are_the_same() -> None:
    log = flat("a", F(1), np.arange(6, dtype=F).reshape(2, 3), BadValue(b"x", "Q", (1,), "unknown"))
    result = diff_records(log, log)
    assert (result.same, result.compared, result.first, result.nothing_compared) == (True, 4, None, False)
    assert diff_records([], []).same


def test_the_first_divergence_and_its_metrics() -> None:
    result = diff_records(flat(*steps(1, 2, 3)), flat(*steps(1, 2.5, 4)))
    assert shown(result) == [
        ("changed", "loss:", (3, 0), (3, 0), "values differ"),
        ("changed", "loss:", (5, 0), (5, 0), "values differ"),
    ]
    assert result.first is not None
    assert (result.first.index, result.first.label) == (3, "loss:")
    assert result.first.tensor is not None
    assert result.first.tensor.max_abs == 0.5
    assert (result.compared, result.different) == (6, 2)
    assert diff_records(flat(*steps(1, 2, 3)), flat(*steps(1, 2.5, 4)), Tolerance(0, 1)).same


@pytest.mark.parametrize("missing", range(5))
def test_a_missing_record_shifts_nothing(missing: int) -> None:
    numbers = [1.0, 2.0, 3.0, 4.0, 5.0]
    less = numbers[:missing] + numbers[missing + 1 :]
    result = diff_records(flat(*steps(*numbers)), flat(*steps(*less)))
    assert (result.different, result.only_a, result.only_b) == (0, 2, 0)
    lost = [d.values[0] for d in result.differences if d.values is not None]
    assert lost == ["loss:", F(numbers[missing])]
    back = diff_records(flat(*steps(*less)), flat(*steps(*numbers)))
    assert (back.different, back.only_a, back.only_b) == (0, 0, 2)


def test_two_gaps_among_equal_labels_go_where_the_contents_say() -> None:
    result = diff_records(flat(*steps(1, 2, 3, 4, 5, 6)), flat(*steps(1, 3, 5, 7)))
    assert shown(result) == [
        ("only_a", "loss:", (2, 0), None, "only in a"),
        ("only_a", "loss:", (3, 0), None, "only in a"),
        ("only_a", "loss:", (6, 0), None, "only in a"),
        ("only_a", "loss:", (7, 0), None, "only in a"),
        ("changed", "loss:", (11, 0), (7, 0), "values differ"),
    ]


def test_by_index_a_missing_record_shifts_all() -> None:
    result = diff_records(flat(*steps(1, 2, 3)), flat(*steps(2, 3)), alignment="index")
    assert (result.different, result.only_a, result.compared) == (2, 2, 4)


def test_labels_that_carry_numbers() -> None:
    a = flat("step 1 loss:", F(1), "step 2 loss:", F(2), "step 3 loss:", F(3))
    b = flat("step 1 loss:", F(1), "step 3 loss:", F(3))
    assert [d.a for d in diff_records(a, b).differences] == [(2, 0), (3, 0)]
    timed = diff_records(flat("took 1.25 s", F(1)), flat("took 1.5 s", F(1)))
    assert [(d.what, d.values) for d in timed.differences] == [("strings differ", ("took 1.25 s", "took 1.5 s"))]


def test_a_renamed_label_leaves_its_tensor_compared() -> None:
    result = diff_records(flat("loss:", F(1), "end"), flat("train loss:", F(3), "end"))
    assert shown(result) == [
        ("changed", "loss:", (0, 0), (0, 0), "strings differ"),
        ("changed", "loss:", (1, 0), (1, 0), "values differ"),
    ]


def test_calls_against_single_values() -> None:
    a = calls(("loss:", F(1), F(2)), (F(9),))
    result = diff_records(a, flat("loss:", F(1), F(5), F(9)))
    first = result.first
    assert first is not None
    assert (first.a, first.b) == ((0, 2), (2, 0))


def test_kinds_types_and_shapes() -> None:
    bad = BadValue(b"\x01", "Q", (1,), "unknown type")
    result = diff_records(
        flat("a", F(1), "b", np.zeros(2, F), "c", bad, "d", np.zeros(2, F)),
        flat("a", bad, "b", np.zeros(3, F), "c", BadValue(b"\x02", "Q", (1,), "unknown type"), "d", np.zeros(2)),
    )
    assert [d.what for d in result.differences] == ["tensor against bad value", "shapes differ", "bad values differ"]
    assert result.dtypes == 1


def test_nan_and_infinities() -> None:
    log = flat("x", F(np.nan))
    assert not diff_records(log, log).same
    assert diff_records(log, log, Tolerance(equal_nan=True)).same
    assert not diff_records(flat("x", F(np.inf)), flat("x", F(-np.inf)), Tolerance(1, 1)).same


def test_nothing_to_compare() -> None:
    result = diff_records(flat("a", F(1)), [])
    assert (result.nothing_compared, result.only_a, result.same) == (True, 2, False)

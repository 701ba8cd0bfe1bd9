"""Dumps of which only statistics were saved, on one side or on both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.dumps.comparing import diff_dumps
from tests.formats.dump.making import put

F: Any = np.float32


HEAD = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape"


def saved(root: Path, columns: str, values: str, dtype: str = "float32") -> None:
    folder = root / "rank_0/Net/0/0"
    folder.mkdir(parents=True)
    (folder / "statistic.csv").write_text(f"{HEAD},{columns}\nAdd,a,0,0,17,output,0,12,{dtype},(3),{values}\n")


@pytest.mark.parametrize(
    ("columns", "a", "b", "wrong"),
    [
        ("Max Value,Min Value", "2,1", "2,1", ()),
        ("Max Value,Min Value", "null,null", "5,5", ("max", "min")),
        ("Max Value,Min Value", "5,5", "null,null", ("max", "min")),
        ("Max Value,NaN Count", "null,3", "null,3", ("nan",)),
        ("Max Value,NaN Count", "null,0", "null,0", ()),
        ("Max Value,Positive Inf Count", "inf,1", "4,1", ()),
        ("Max Value", "0", "100", ("max",)),
        ("Max Value", "100", "0", ("max",)),
        ("Max Value", "inf", "-inf", ("max",)),
        ("Max Value", "inf", "inf", ()),
        ("Max Value,L2Norm Value", "1,2", "1,3.8", ("l2norm",)),
        ("L2 Value", "0.0001", "0.0005", ("l2norm",)),
        ("NaN Count", "0", "1", ("nan",)),
        ("MD5", "aa", "bb", ("md5",)),
        ("MD5", "aa", "AA", ()),
    ],
)
def test_statistics(sides: tuple[Path, Path], columns: str, a: str, b: str, wrong: tuple[str, ...]) -> None:
    saved(sides[0], columns, a)
    saved(sides[1], columns, b)
    t = diff_dumps(*sides, rtol=1e-3)[0]
    assert (t.same, t.verdict.statistics) == (not wrong, wrong)
    assert t.verdict.what == ("statistics" if wrong else "")


def test_nan_in_statistics_equals_nan_when_it_is_asked_to(sides: tuple[Path, Path]) -> None:
    for side in sides:
        saved(side, "Max Value,NaN Count", "null,3")
    assert not diff_dumps(*sides).same
    assert diff_dumps(*sides, equal_nan=True).same


def test_fewer_statistics_than_usual(sides: tuple[Path, Path]) -> None:
    saved(sides[0], "Max Value,Min Value,L2Norm Value", "2,1,3")
    saved(sides[1], "Max Value", "2")
    assert diff_dumps(*sides).same


def test_no_statistic_in_common_is_no_agreement(sides: tuple[Path, Path]) -> None:
    saved(sides[0], "Max Value", "2")
    saved(sides[1], "Min Value", "2")
    t = diff_dumps(*sides)[0]
    assert (t.same, t.verdict.what, t.verdict.error) == (
        False,
        "statistics",
        "the two sides have no statistic in common",
    )


def test_a_tensor_against_its_statistics(sides: tuple[Path, Path]) -> None:
    put(sides[0], "Add", F([1, 2, -4]), name="a")
    saved(sides[1], "Max Value,Min Value,Avg Value,Count", "2,-4,-0.33333334,3")
    assert diff_dumps(*sides, rtol=1e-6).same
    t = diff_dumps(*sides)[0]
    assert t.verdict.statistics == ("avg",)


def test_statistics_of_another_dtype(sides: tuple[Path, Path]) -> None:
    saved(sides[0], "Max Value", "2", "Float32")
    saved(sides[1], "Max Value", "2", "float16")
    assert diff_dumps(*sides).same
    assert diff_dumps(*sides, strict_dtype=True)[0].verdict.what == "dtype"

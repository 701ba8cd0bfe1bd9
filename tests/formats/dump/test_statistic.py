"""statistic.csv in its variants, made from the documented columns: no real one is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump.errors import ParseError
from msdump.formats.dump.statistic import format_statistic, looks_like_statistic, read_statistic

HEAD = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape"
FULL = (
    f"{HEAD},Max Value,Min Value,Avg Value,Count,Negative Zero Count,Positive Zero Count,NaN Count,"
    "Negative Inf Count,Positive Inf Count,Zero Count,L2Norm Value,MD5"
)


def test_all_columns(tmp_path: Path) -> None:
    row = 'Add,Default_Add-op0,0,1,1796092485879026,output,0,24,float32,"(2, 3)",2.5,-1,0.5,6,2,3,0,0,0,1,4.5,ABCDEF'
    table = read_statistic(_written(tmp_path, f"{FULL}\n{row}\n"))
    found = table.rows[0]
    assert (found.op_type, found.op_name, found.io, found.slot) == ("Add", "Default_Add-op0", "output", 0)
    assert (found.task, found.stream, found.timestamp, found.size) == (0, 1, 1796092485879026, 24)
    assert (found.dtype, found.shape) == ("float32", (2, 3))
    assert found.values == {
        "max": 2.5,
        "min": -1.0,
        "avg": 0.5,
        "count": 6,
        "negative": 2,
        "positive": 3,
        "nan": 0,
        "negative_inf": 0,
        "positive_inf": 0,
        "zero": 1,
        "l2norm": 4.5,
        "md5": "abcdef",
    }


def _written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "statistic.csv"
    path.write_text(text)
    return str(path)


def test_null_stands_for_no_finite_value(tmp_path: Path) -> None:
    row = "Add,x,0,0,1,output,0,12,float32,(3),null,null,null,3,0,0,3,0,0,0,null,"
    values = read_statistic(_written(tmp_path, f"{FULL}\n{row}\n")).rows[0].values
    assert values["max"] is values["min"] is values["avg"] is values["l2norm"] is None
    assert values["nan"] == 3


@pytest.mark.parametrize(
    ("column", "key"), [("L2 Value", "l2norm"), ("L2Norm Value", "l2norm"), ("max value", "max"), ("MD5", "md5")]
)
def test_fewer_columns_and_other_spellings(tmp_path: Path, column: str, key: str) -> None:
    table = read_statistic(_written(tmp_path, f"{HEAD},{column}\nAdd,x,0,0,1,input,2,4,Float32,(),1\n"))
    assert table.columns == (key,)
    assert set(table.rows[0].values) == {key}
    assert table.rows[0].shape == ()


def test_columns_in_another_order(tmp_path: Path) -> None:
    text = 'Slot,IO,Max Value,Op Name,Op Type,Shape\n1,output,inf,x,Add,"(2,)"\n'
    row = read_statistic(_written(tmp_path, text)).rows[0]
    assert (row.op_type, row.op_name, row.slot, row.shape, row.values) == ("Add", "x", 1, (2,), {"max": float("inf")})


def test_a_file_for_one_operator(tmp_path: Path) -> None:
    text = "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value\noutput,0,4,float32,ND,(1),3\n"
    row = read_statistic(_written(tmp_path, text), op_type="Add", op_name="x").rows[0]
    assert (row.op_type, row.io, row.slot, row.values) == ("Add", "output", 0, {"max": 3.0})


def test_rows_that_do_not_read_are_told(tmp_path: Path) -> None:
    good = "Add,x,0,0,1,output,0,4,float32,(1),1"
    text = f"{HEAD},Max Value\n{good}\nAdd,x,0,0,1,sideways,0,4,float32,(1),1\nAdd,x,0\n\n{good}\n"
    table = read_statistic(_written(tmp_path, text))
    assert len(table.rows) == 2
    assert [p.line for p in table.problems] == [
        f"{table.path}: a row cannot be understood: 'sideways' is neither input nor output (line 3)",
        f"{table.path}: a row cannot be understood: it ends early (line 4)",
    ]


@pytest.mark.parametrize("text", ["", "a,b,c\n1,2,3\n", "Slot,IO,Op Name\n", "\x00\x01"])
def test_what_is_no_statistic(tmp_path: Path, text: str) -> None:
    with pytest.raises(ParseError, match="no header of statistics"):
        read_statistic(_written(tmp_path, text))
    assert not looks_like_statistic(text)


def test_it_is_told_by_its_header() -> None:
    assert looks_like_statistic(FULL + "\n")


TEXT = f"{FULL}\n" + 'Add,x,0,1,17,output,0,24,float32,"(2, 3)",2.5,-1,0.5,6,2,3,0,0,0,1,4.5,abc\n' * 2


@given(st.integers(0, len(TEXT) - 1), st.text(max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_damage_gives_rows_or_an_error(tmp_path: Path, at: int, junk: str) -> None:
    path = tmp_path / "statistic.csv"
    path.write_bytes((TEXT[:at] + junk + TEXT[at + len(junk) :]).encode("utf-8", "surrogatepass"))
    try:
        table = read_statistic(str(path))
    except ParseError:
        return
    assert len(table.rows) + len(table.problems) <= 4


def test_what_is_written_is_read(tmp_path: Path) -> None:
    table = read_statistic(_written(tmp_path, TEXT))
    again = read_statistic(_written(tmp_path, format_statistic(table.rows)))
    assert [(r.op_name, r.shape, r.values) for r in again.rows] == [(r.op_name, r.shape, r.values) for r in table.rows]

"""No verdict on what was not looked at: 'none found', 'all whole' and 'agree' are said of what was read alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.npy import npy_bytes
from tests.cli.conftest import Run
from tests.formats.dump.making import STAMP, put

F: Any = np.float32
HEAD = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape"


def statistics(path: Path, columns: str, *values: str, dtype: str = "float32", shape: str = "(2)") -> Path:
    """A statistic.csv in which operators Op0, Op1, … have an output each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f'Op{i},op{i},0,0,{STAMP + i},output,0,8,{dtype},"{shape}",{v}\n' for i, v in enumerate(values)]
    path.write_text(f"{HEAD},{columns}\n" + "".join(rows))
    return path


# -- nan ------------------------------------------------------------------------------------------


def test_nan_and_inf_are_told_by_the_values_of_statistics(run: Run, tmp_path: Path) -> None:
    path = statistics(
        tmp_path / "statistic.csv", "Max Value,Min Value,L2Norm Value", "3,3,3", "nan,nan,nan", "inf,-inf,inf"
    )
    ran = run("dump", "nan", path)
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.splitlines() == [
        "first NaN or inf   Op1 op1",
        "    output 0: NaN, as its statistics tell: max nan, min nan, l2norm nan",
        "    rank 0, its inputs were not dumped, or could not be read",
        "",
        "1 more with some (--all tells where it came from):",
        "    Op2 op2   output 0: inf, as its statistics tell: max inf, min -inf",
    ]
    (value,) = run("dump", "nan", path, "--json").json()["first"]["values"]
    assert (value["kind"], value["nan"], value["inf"]) == ("NaN", None, None)
    alone = run("dump", "nan", "--no-inf", path).out
    assert "Op1 op1" in alone
    assert "Op2" not in alone


@pytest.mark.parametrize(
    ("columns", "values", "kind"),
    [
        ("NaN Count", "2", "NaN"),
        ("Positive Inf Count,NaN Count", "1,1", "NaN and inf"),
        ("Negative Inf Count", "1", "inf"),
        ("Max Value", "null", "NaN or inf"),
        ("Max Value,NaN Count", "null,0", "inf"),
        ("Max Value,NaN Count,Negative Inf Count,Positive Inf Count", "null,2,0,0", "NaN"),
        ("Avg Value", "nan", "NaN or inf"),
        ("Avg Value,L2Norm Value", "nan,inf", "inf"),
        ("Max Value,Min Value,Avg Value,L2Norm Value", "inf,-inf,nan,inf", "inf"),
        ("L2 Value", "nan", "NaN"),
        ("Min Value", "-inf", "inf"),
    ],
)
def test_what_statistics_tell(run: Run, tmp_path: Path, columns: str, values: str, kind: str) -> None:
    ran = run("dump", "nan", statistics(tmp_path / "statistic.csv", columns, values), "--json")
    assert ran.status == 1
    assert ran.json()["launches"][0]["values"][0]["kind"] == kind


@pytest.mark.parametrize(
    ("columns", "values", "more"),
    [
        ("L2Norm Value", "3", {}),
        ("NaN Count,Negative Inf Count,Positive Inf Count", "0,0,0", {}),
        ("Max Value", "3", {"dtype": "int32"}),
        ("MD5", "ab", {"dtype": "bool"}),
        ("Max Value", "null", {"shape": "(0,3)"}),
    ],
)
def test_statistics_that_tell_there_is_none(
    run: Run, tmp_path: Path, columns: str, values: str, more: dict[str, str]
) -> None:
    ran = run("dump", "nan", statistics(tmp_path / "statistic.csv", columns, values, **more))
    assert (ran.status, ran.out, ran.err) == (0, "no NaN or inf in 1 tensor\n", "")


@pytest.mark.parametrize(
    ("columns", "values"),
    [("MD5", "ab"), ("Max Value,Min Value,Avg Value", "3,1,2"), ("L2Norm Value", "inf"), ("NaN Count", "0")],
)
def test_statistics_that_do_not_tell(run: Run, tmp_path: Path, columns: str, values: str) -> None:
    path = statistics(tmp_path / "statistic.csv", columns, values)
    ran = run("dump", "nan", path)
    assert (ran.status, ran.out) == (2, "cannot tell of any of 1 tensor\n")
    assert ran.err.startswith(f"msdump: {path}: cannot tell of 1 of 1 tensor: Op0 op0 output 0 (")
    document = run("dump", "nan", path, "--json").json()
    assert (document["found"], [x["op"] for x in document["untold"]]) == (False, ["Op0.op0"])


def test_some_of_which_it_can_be_told(run: Run, tmp_path: Path) -> None:
    root = put(tmp_path, "Add", F([1, 2])).parent
    statistics(root / "statistic.csv", "Max Value", "3")
    ran = run("dump", "nan", tmp_path)
    assert (ran.status, ran.out) == (2, "no NaN or inf in 1 of 2 tensors; cannot tell of the others\n")
    put(tmp_path, "Mul", F([np.nan]), at=7)
    ran = run("dump", "nan", "--all", tmp_path)
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.endswith("cannot tell of 1 of 3 tensors: Op0 op0 output 0 (its statistics do not tell)\n")


@pytest.mark.parametrize("command", ["nan", "watch --all-zero"])
def test_bytes_of_an_unknown_type_are_not_called_clean(run: Run, tmp_path: Path, command: str) -> None:
    path = tmp_path / f"Add.add.0.0.{STAMP}.output.0.ND.Strange8"
    path.write_bytes(b"\1\2")
    name, *options = command.split()
    assert run("dump", name, *options, path).status == 2


@pytest.mark.parametrize("command", ["nan", "show", "ls", "stats", "watch --all-zero"])
def test_a_row_that_does_not_read_is_no_clean_one(run: Run, tmp_path: Path, command: str) -> None:
    path = statistics(tmp_path / "statistic.csv", "L2Norm Value", "3", "1e999")
    name, *options = command.split()
    ran = run("dump", name, *options, path)
    assert ran.status == 2
    told = f"msdump: {path}: a row cannot be understood: '1e999' is no number of 64 bits (line 3)"
    assert told in ran.err.splitlines()


# -- check ----------------------------------------------------------------------------------------


def test_check_tells_what_it_did_not_look_at(run: Run, tmp_path: Path) -> None:
    folder = put(tmp_path, "Add", F([1])).parent
    (folder / "notes.txt").write_text("hello")
    assert run("dump", "check", tmp_path).out.splitlines()[:2] == [
        "1 file, 137 B: all whole",
        "1 more not looked at: they are no part of a dump",
    ]
    assert run("dump", "check", tmp_path, "--json").json()["not_looked_at"] == 1


@pytest.mark.parametrize(
    ("name", "size", "kind"),
    [
        ("Default--Add-op1_output_0_shape_2_2_Float32_NCHW.bin", 12, "truncated"),
        ("Default--Add-op1_output_0_shape_2_2_Float32_NCHW.bin", 20, "trailing"),
        (f"Add.add.0.0.{STAMP}.output.0.ND.Strange8", 3, "unreadable"),
        (f"Add.add.0.0.{STAMP}.output.0.ND.Float32", 6, "trailing"),
    ],
)
def test_check_looks_at_bare_bytes_too(run: Run, tmp_path: Path, name: str, size: int, kind: str) -> None:
    (tmp_path / name).write_bytes(bytes(size))
    for path in (tmp_path, tmp_path / name):
        assert [f["kind"] for f in run("dump", "check", path, "--json").json()["findings"]] == [kind]


def test_check_finds_statistics_of_another_type_or_shape(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([1, 2]), name="a")
    row = f'Add,a,0,0,{STAMP},output,0,8,{{}},"{{}}",2\n'
    target = path.parent / "statistic.csv"
    for dtype, shape, expected in (
        ("Float32", "(2)", []),
        ("float16", "(2)", ["statistic.csv says Float16, its header Float32"]),
        ("float32", "(3)", ["statistic.csv says shape (3,), its header (2,)"]),
    ):
        target.write_text(f"{HEAD},Max Value\n" + row.format(dtype, shape))
        assert [f["what"] for f in run("dump", "check", tmp_path, "--json").json()["findings"]] == expected


# -- a name that says another type ----------------------------------------------------------------


def mislabelled(root: Path) -> tuple[Path, str]:
    path = root / f"Add.Default_Add-op0.0.0.{STAMP}.output.0.DefaultFormat.bfloat16.npy"
    root.mkdir(parents=True, exist_ok=True)
    path.write_bytes(npy_bytes(np.array([1.5, 2], np.float16)))
    return path, f"{path}: the file's name says BFloat16, its header Float16, which is read"


@pytest.mark.parametrize("command", ["show", "stats", "nan", "ls -l", "watch --all-zero"])
def test_another_type_in_the_name_is_noted(run: Run, tmp_path: Path, command: str) -> None:
    path, note = mislabelled(tmp_path)
    name, *options = command.split()
    ran = run("dump", name, *options, path)
    assert (ran.status, ran.err) == (0, f"note: {note}\n")


def test_check_and_diff_tell_of_another_type_in_the_name(run: Run, tmp_path: Path) -> None:
    path, note = mislabelled(tmp_path / "a")
    ran = run("dump", "check", path)
    assert (ran.status, ran.out.splitlines()[0]) == (1, f"mismatch   {note.replace(': ', '   ', 1)}")
    other = put(tmp_path / "b", "Add", np.array([1.5, 2], np.float16))
    compared = run("dump", "diff", path, other)
    assert (compared.status, compared.err) == (0, f"note: {note}\n")
    assert run("dump", "check", other).status == 0


# -- diff -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "a", "b", "equal_nan", "status"),
    [
        ("Max Value", "nan", "nan", False, 1),
        ("Max Value", "nan", "nan", True, 0),
        ("Max Value", "null", "null", False, 1),
        ("Max Value", "nan", "null", True, 0),
        ("Max Value", "nan", "3", True, 1),
        ("Count", "2", "2", False, 1),
        ("MD5", "ab", "ab", False, 0),
    ],
)
def test_statistics_agree_where_they_tell(
    run: Run, tmp_path: Path, columns: str, a: str, b: str, equal_nan: bool, status: int
) -> None:
    one = statistics(tmp_path / "a" / "statistic.csv", columns, a)
    two = statistics(tmp_path / "b" / "statistic.csv", columns, b)
    ran = run("dump", "diff", one, two, *(["--equal-nan"] if equal_nan else []))
    assert ran.status == status
    both = "NaN, or no finite value, on both sides (--equal-nan takes them for equal)"
    assert (both in ran.out) == (a == b and a in ("nan", "null") and not equal_nan)
    if status == 0:
        assert ran.out == "1 tensor compared: all agree; all by their statistics alone\n"


def test_digests_of_two_types_tell_nothing(run: Run, tmp_path: Path) -> None:
    one = statistics(tmp_path / "a" / "statistic.csv", "MD5", "ab")
    two = statistics(tmp_path / "b" / "statistic.csv", "MD5", "cd", dtype="float16")
    ran = run("dump", "diff", one, two)
    assert ran.status == 1
    assert "the two sides have no statistic in common" in ran.out


# -- stats, watch, report -------------------------------------------------------------------------


def test_stats_check_counts_what_was_checked(run: Run, tmp_path: Path) -> None:
    folder = put(tmp_path, "Add", F([1, 2]), name="a").parent
    target = folder / "statistic.csv"
    target.write_text(f'{HEAD},SHA1\nAdd,a,0,0,{STAMP},output,0,8,float32,"(2)",ab\n')
    assert run("dump", "stats", "--check", tmp_path).status == 2
    row = f'Add,a,0,0,{STAMP},output,0,8,float32,"(2)",2\n'
    target.write_text(f"{HEAD},Max Value\n{row}{row.replace('Add,a', 'Mul,m')}")
    put(tmp_path, "Sub", F([1, 2]), name="s")
    assert run("dump", "stats", "--check", tmp_path).out == (
        "1 tensors checked against their statistics: 1 agree; 1 without statistics; 1 without data\n"
    )


def test_watch_tells_what_it_did_not_look_at(run: Run, tmp_path: Path) -> None:
    folder = put(tmp_path, "Add", F([1])).parent
    path = statistics(folder / "statistic.csv", "Max Value", "0")
    ran = run("dump", "watch", "--all-zero", tmp_path)
    assert (ran.status, ran.out) == (2, "no condition holds in 1 of 2 tensors\n")
    assert "1 of 2 tensors were not looked at: statistics alone were saved of them" in ran.err
    assert run("dump", "watch", "--all-zero", path).status == 2


def test_a_report_does_not_call_clean_what_it_cannot_tell(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    for values, told in (("3", "no NaN or inf in what can be told"), ("null", "first NaN or inf: Op0 op0")):
        path = statistics(tmp_path / "statistic.csv", "Max Value", values)
        assert run("report", path, "-o", page, "--force").status == 0
        text = page.read_text()
        assert told in text
        assert '<p class="answer good">no NaN' not in text
    assert run("report", statistics(tmp_path / "s.csv", "L2Norm Value", "3"), "-o", page, "--force").status == 0
    assert "no NaN or inf<" in page.read_text()


# -- a statistic.csv by itself --------------------------------------------------------------------

HEADERS = [
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,L2Norm Value",
    "op_type,op_name,task_id,stream_id,timestamp,io,slot,data_size,data_type,shape,max_value,min_value,l2norm_value",
    "OpType,OpName,TaskID,StreamID,Timestamp,IO,Slot,DataSize,DataType,Shape,MaxValue,MinValue,L2NormValue",
    '"OP TYPE","OP NAME","TASK ID","STREAM ID","TIMESTAMP","IO","SLOT","DATA SIZE","DTYPE","SHAPE","MAX","MIN","L2"',
    "\ufeffOp Type,Op Name,Task,Stream,Timestamp,Input/Output,Index,Data Size,Data Type,Shape,Max,Min,L2 Value",
]
LEFT_OUT = ["Task ID", "Task ID,Stream ID", "Timestamp", "Op Type", "Data Size,Data Type,Shape", "Max Value,Min Value"]
READING = [["dump", name] for name in ("ls", "show", "stats", "nan", "check")] + [["show"]]


def spelled(header: str, left_out: str) -> str:
    """A file with this header, or the same without some columns."""
    gone = {HEADERS[0].split(",").index(name) for name in left_out.split(",") if name}
    row = f'Add,a,0,0,{STAMP},output,0,8,float32,"(2, 1)",2,1,3'
    cells = [*row.split(",")[:9], '"(2, 1)"', "2", "1", "3"]
    lines = (header.split(","), cells)
    return "".join(",".join(c for i, c in enumerate(line) if i not in gone) + "\n" for line in lines)


@pytest.mark.parametrize(
    ("header", "left_out"), [*((header, "") for header in HEADERS), *((HEADERS[0], names) for names in LEFT_OUT)]
)
def test_every_command_takes_a_file_for_what_its_header_says(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str, left_out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("statistic.csv", "mine.txt"):
        (tmp_path / name).write_text(spelled(header, left_out))
        for path in (name, str(tmp_path / name)):
            for words in READING:
                ran = run(*words, path)
                assert (ran.status, ran.err) == (0, ""), (words, ran.out)
            assert len(run("dump", "ls", path, "--json").json()["tensors"]) == 1
            for words in (["dump", "diff"], ["diff"]):
                assert run(*words, path, path).out == "1 tensor compared: all agree; all by their statistics alone\n"


def test_a_file_without_any_statistic_tells_the_tensors(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "statistic.csv"
    path.write_text(f'{HEAD}\nOp0,op0,0,0,{STAMP},output,0,8,float32,"(2)"\n')
    assert run("dump", "ls", path).out.splitlines()[-1] == "  Op0 op0   output 0  float32 (statistics)  (2)"
    assert run("dump", "nan", path).status == 2
    assert "no statistic in common" in run("dump", "diff", path, path).out


@pytest.mark.parametrize("command", ["ls", "show", "stats", "nan", "check", "diff", "verify"])
@pytest.mark.parametrize("text", ["a,b,c\n1,2,3\n", "Op Name,Task Duration(us)\nx,1\n", f"{HEAD},Max Value\n"])
def test_every_command_tells_that_there_is_none(run: Run, tmp_path: Path, command: str, text: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    ran = run("dump", command, *[path] * (1 + (command == "diff")))
    empty = command == "check" and "Slot" in text
    assert ran.status == (1 if empty else 2)
    assert ("it has a header and no row" in ran.out) if empty else ("there is no dumped tensor in it" in ran.err)

"""The commands on dumps as users meet them: what is said, and how they end."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.bin import bin_bytes
from msdump.formats.dump.npy import NpyTensor, npy_bytes
from tests.cli.conftest import Run
from tests.conftest import FIXTURES
from tests.formats.dump.making import STAMP, put

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
WHILE = FIXTURES / "dump/2.10.0/while_tensor/out"
F: Any = np.float32


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """The real dump with one output of its Add changed."""
    root = tmp_path / "edited"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    victim.write_bytes(npy_bytes(NpyTensor(str(victim)).numpy() + F([0.5, 0])))
    return root


def test_the_same_dump_twice(run: Run) -> None:
    ran = run("dump", "diff", BF16, BF16)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "13 tensors compared: all agree\n"


def test_the_answer_comes_first(run: Run, edited: Path) -> None:
    ran = run("dump", "diff", BF16, edited)
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("first divergence   Add   Default/Add-op0   output 0   dtypes.py:34")
    assert (
        lines[1]
        == "  its inputs agree; output: max |a−b| 0.5, 1 of 2 out of tolerance, worst at [0] (2.62 against 3.12)"
    )
    assert lines[2] == "13 tensors compared: 12 agree, 1 differ   (exactly; --rtol and --atol allow a distance)"
    assert lines[4].split() == [
        *("operator", "dtype", "shape", "max", "|a−b|", "max", "rel", "cosine", "out", "of", "tolerance", "source")
    ]
    assert lines[5].startswith("≠  Default/Add-op0  output 0  Float32  (2)")


def test_json_that_scripts_rely_on(run: Run, edited: Path) -> None:
    ran = run("dump", "diff", BF16, edited, "--json")
    assert ran.status == 1
    document = ran.json()
    assert document["schema"] == "msdump.dump-diff/1"
    assert (document["same"], document["compared"], document["different"]) == (False, 13, 1)
    assert (document["only_a"], document["only_b"]) == ([], [])
    first = document["first"]
    assert {k: first[k] for k in ("op", "scope", "source", "io", "slot")} == {
        "op": "Add.Default_Add-op0",
        "scope": "Default/Add-op0",
        "source": "dtypes.py:34",
        "io": "output",
        "slot": 0,
    }
    wanted = {"op", "io", "slot", "iteration", "rank", "dtype", "shape", "max_abs", "max_rel", "cosine"}
    wanted |= {"mismatched", "nan", "inf", "same"}
    assert all(wanted <= set(t) for t in document["tensors"])
    wrong = next(t for t in document["tensors"] if not t["same"])
    assert (wrong["dtype"], wrong["shape"], wrong["max_abs"], wrong["mismatched"]) == (
        ["Float32", "Float32"],
        [[2], [2]],
        0.5,
        1,
    )


def test_odd_numbers_in_json(run: Run, tmp_path: Path) -> None:
    put(tmp_path / "a", "Add", F([np.inf, np.nan]))
    put(tmp_path / "b", "Add", F([-np.inf, 1]))
    ran = run("dump", "diff", tmp_path / "a", tmp_path / "b", "--json")
    tensor = json.loads(ran.out, parse_constant=lambda name: pytest.fail(name))["tensors"][0]
    assert (tensor["max_abs"], tensor["worst_values"]) == ("Infinity", ["Infinity", "-Infinity"])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_values_are_shown_whole(run: Run, tmp_path: Path, dtype: Any) -> None:
    put(tmp_path / "a", "FFT", np.array([1, 2 + 3j], dtype))
    put(tmp_path / "b", "FFT", np.array([1, 2 - 3j], dtype))
    ran = run("dump", "diff", tmp_path / "a", tmp_path / "b")
    assert (ran.status, ran.err) == (1, "")
    assert "max |a−b| 6, 1 of 2 out of tolerance, worst at [1] (2+3j against 2-3j)" in ran.out


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--atol", "0.5"], 0),
        (["--atol", "0.4"], 1),
        (["--rtol", "0.161"], 0),
        (["--op", "Cast"], 0),
        (["--exclude", "*.output.*"], 0),
        (["--iteration", "3"], 2),
        (["--rank", "1-4"], 2),
    ],
)
def test_options_that_decide(run: Run, edited: Path, options: list[str], status: int) -> None:
    assert run("dump", "diff", BF16, edited, *options).status == status


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--to", "csv"], "--to csv needs a file to write"),
        (["--journal", "absent/j.jsonl"], "there is no folder absent"),
        (["--journal", "mine.txt"], "mine.txt: is there, and is no journal"),
        (["--journal", "."], ".: Is a directory"),
    ],
)
def test_options_that_are_refused(
    run: Run, edited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("mine\n")
    ran = run("dump", "diff", BF16, edited, *options)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err
    assert (tmp_path / "mine.txt").read_text() == "mine\n"
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize("address", ["bad", "nothing://localhost:8786", "localhost:port"])
def test_a_wrong_scheduler_is_told_at_once(run: Run, edited: Path, address: str) -> None:
    pytest.importorskip("distributed", reason="an extra: msdump[dask]")
    ran = run("dump", "diff", BF16, edited, "--scheduler", address)
    assert (ran.status, len(ran.err.splitlines())) == (2, 2)
    assert ran.err.startswith(f"msdump: {address} is no scheduler: ")


def test_nothing_to_compare_is_trouble(run: Run, tmp_path: Path) -> None:
    put(tmp_path / "a", "Add", F([1]))
    put(tmp_path / "b", "Mul", F([1]))
    ran = run("dump", "diff", tmp_path / "a", tmp_path / "b")
    assert ran.status == 2
    assert ran.out == ""
    assert "nothing to compare" in ran.err
    assert "--map" in ran.err
    assert run("dump", "diff", tmp_path / "a", tmp_path / "absent").status == 2
    assert run("dump", "diff", tmp_path / "a", tmp_path / "b", "--map", "nonsense").status == 2


def test_what_has_no_partner_is_listed(run: Run, tmp_path: Path) -> None:
    put(tmp_path / "a", "Add", F([1]))
    put(tmp_path / "b", "Add", F([1]))
    put(tmp_path / "b", "Evil", F([1]), name="Default_\x1b[31m_Evil-op0")
    ran = run("dump", "diff", tmp_path / "a", tmp_path / "b")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "1 tensor compared: all agree; 1 only in b",
        "",
        "only in b:",
        "  Evil.Default_\\x1b[31m_Evil-op0   output 0",
    ]


def test_a_damaged_file_is_told_and_the_rest_printed(run: Run, edited: Path) -> None:
    victim = next(edited.rglob("Cast.Default_Cast-op0*output*"))
    victim.write_bytes(victim.read_bytes()[:-1])
    ran = run("dump", "diff", BF16, edited, "--json")
    assert ran.status == 2
    assert ran.json()["compared"] == 13
    assert "4 bytes of data are announced, 3 are there" in ran.json()["problems"][0]["what"]
    assert ran.err.startswith("msdump: ")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx", "html", "json"])
def test_reports(run: Run, edited: Path, tmp_path: Path, suffix: str) -> None:
    if suffix in ("parquet", "xlsx"):
        pytest.importorskip({"parquet": "pyarrow", "xlsx": "openpyxl"}[suffix])
    path = tmp_path / f"report.{suffix}"
    assert run("dump", "diff", BF16, edited, "-o", path).status == 1
    content = path.read_bytes()
    if suffix == "csv":
        rows = list(csv.DictReader(io.StringIO(content.decode())))
    elif suffix == "parquet":
        import pyarrow.parquet

        rows = pyarrow.parquet.read_table(path).to_pylist()
    elif suffix == "xlsx":
        import openpyxl

        head, *cells = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
        rows = [dict(zip(head, row, strict=True)) for row in cells]
    elif suffix == "html":
        text = content.decode()
        assert "http" not in text.replace("http-equiv", "")
        assert "dtypes.py:34" in text
        assert text.count('<span class="bad">≠</span>') == 1
        return
    else:
        rows = json.loads(content)["tensors"]
    assert len(rows) == 13
    wrong = [row for row in rows if str(row["same"]) == "False"]
    assert [(row["op"], float(row["max_abs"])) for row in wrong] == [("Add.Default_Add-op0", 0.5)]
    again = run("dump", "diff", BF16, edited, "-o", path)
    assert again.status == 2
    assert "exists already" in again.err
    assert run("dump", "diff", BF16, edited, "-o", path, "--force").status == 1


def test_html_escapes_what_files_say(run: Run, tmp_path: Path) -> None:
    for side, value in (("a", 1), ("b", 2)):
        put(tmp_path / side, "Add", F([value]), name="<script>alert(1)<_script>")
    path = tmp_path / "x.html"
    run("dump", "diff", tmp_path / "a", tmp_path / "b", "-o", path)
    assert "<script>" not in path.read_text()


def test_the_table_is_sorted_and_cut(run: Run, tmp_path: Path) -> None:
    for i, gap in enumerate((1, 3, 2)):
        put(tmp_path / "a", f"Op{i}", F([0]), at=i)
        put(tmp_path / "b", f"Op{i}", F([gap]), at=i)
    ran = run("dump", "diff", tmp_path / "a", tmp_path / "b", "--sort", "max_abs", "--top", "2")
    table = [line for line in ran.out.splitlines() if line.startswith("≠")]
    assert [line.split()[1] for line in table] == ["Default_Op1-op0", "Default_Op2-op0"]
    assert "… and 1 more" in ran.out


def test_dump_commands_by_kind(run: Run) -> None:
    assert run("show", BF16).out == run("dump", "ls", BF16).out
    assert run("diff", BF16, BF16).status == 0


def test_ls(run: Run) -> None:
    lines = run("dump", "ls", BF16).out.splitlines()
    assert lines[0] == "device_target CPU, ms_version 2.10.0"
    assert lines[1].split() == ["rank", "net", "graph", "iteration", "operators", "files", "size"]
    assert lines[2].split()[:6] == ["0", "Net", "0", "0", "7", "13"]
    long = run("dump", "ls", "-l", BF16).out
    assert "Add Default/Add-op0    output 0  Float32   (2)" in long
    document = run("dump", "ls", "--json", "-l", BF16, "--op", "Add").json()
    assert document["schema"] == "msdump.dump-list/1"
    assert {(t["io"], t["slot"], t["dtype"], tuple(t["shape"])) for t in document["tensors"]} == {
        ("input", 0, "Float32", (2,)),
        ("input", 1, "Float32", (2,)),
        ("output", 0, "Float32", (2,)),
    }
    stream = run("dump", "ls", "--format", "jsonl", BF16).out.splitlines()
    assert len([json.loads(line) for line in stream]) == 13


def test_show_a_slice(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "Add", np.arange(24, dtype=F).reshape(2, 3, 4))
    ran = run("dump", "show", path, "[0,:,3]")
    assert ran.status == 0
    assert ran.out.splitlines()[-1] == "[ 3.  7. 11.]"
    document = run("dump", "show", path, "--slice", "[-1, ::2, 0]", "--json").json()
    assert document["tensors"][0]["data"] == [12, 20]
    assert document["tensors"][0]["shape"] == [2, 3, 4]
    assert run("dump", "show", path, "[0,0,0,0]").status == 2
    assert run("dump", "show", path, "[a]").status == 2
    precise = run("dump", "show", put(tmp_path, "Pi", F([3.14159265])), "--precision", "2").out
    assert precise.splitlines()[-1] == "[3.14]"
    counted = run("dump", "show", path, "--histogram", "2", "--json").json()["tensors"][0]["histogram"]
    assert counted == {"edges": [0, 11.5, 23], "counts": [12, 12]}


def test_show_an_async_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / f"Add.add.0.0.{STAMP}"
    path.write_bytes(bin_bytes([F([1, 2])], [F([5])]))
    ran = run("dump", "show", path, "--io", "output")
    assert ran.out.splitlines()[-1] == "[5.]"
    path.write_bytes(path.read_bytes()[:-1])
    cut = run("dump", "show", path)
    assert cut.status == 2
    assert "[1. 2.]" in cut.out
    assert "output[0] has 4 bytes, the file ends after 3 (byte" in cut.err


def test_stats_and_their_check(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "Add", F([1, -3]))
    document = run("dump", "stats", "--json", path).json()
    assert document["tensors"][0]["statistics"]["max"] == 1
    table = run("dump", "stats", "--csv", tmp_path).out
    assert "Max Value,Min Value" in table
    target = path.parent / "statistic.csv"
    target.write_text(table)
    assert run("dump", "stats", "--check", tmp_path).status == 0
    target.write_text(table.replace("-3.0", "-2.0"))
    ran = run("dump", "stats", "--check", tmp_path)
    assert ran.status == 1
    assert "min saved -2.0, is -3.0" in ran.out
    target.unlink()
    assert run("dump", "stats", "--check", tmp_path).status == 2


def test_nan(run: Run, tmp_path: Path) -> None:
    assert run("dump", "nan", BF16).status == 0
    root = tmp_path / "out"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    victim.write_bytes(npy_bytes(F([1, np.nan])))
    ran = run("dump", "nan", root)
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("first NaN or inf   Add Default/Add-op0   dtypes.py:34")
    assert lines[1:] == [
        "    output 0: 1 NaN, 0 inf, the first at [1]",
        "    rank 0, graph 0, iteration 0, its inputs have none",
    ]
    first = run("dump", "nan", root, "--json").json()["first"]
    assert (first["op"], first["source"], first["io"], first["slot"], first["origin"]) == (
        "Add.Default_Add-op0",
        "dtypes.py:34",
        "output",
        0,
        True,
    )
    assert run("dump", "nan", tmp_path / "absent").status == 2


@pytest.mark.parametrize("command", ["ls", "show", "stats", "nan", "watch --all-zero", "verify"])
def test_documents_tell_what_is_unread_and_odd(run: Run, tmp_path: Path, command: str) -> None:
    root = tmp_path / "out"
    shutil.copytree(BF16, root)
    folder = next(root.rglob("Add.Default_Add-op0*output*")).parent
    (folder / "statistic.csv").write_text("none\n")
    order = root / "rank_0/execution_order/ms_execution_order_graph_0.csv"
    order.write_text(order.read_text().replace("NodeExecutionOrder-FullNameWithScope\n", ""))
    name, *options = command.split()
    document = run("dump", name, *options, "--json", root).json()
    assert [p["what"] for p in document["problems"]] == [
        f"{folder / 'statistic.csv'}: the first line is no header of statistics (line 1)"
    ]
    assert any("is taken for a name" in note for note in document["notes"])


def test_inputs_that_could_not_be_read_are_not_called_clean(run: Run, tmp_path: Path) -> None:
    cut = put(tmp_path, "Add", F([1, 2]), "input")
    cut.write_bytes(cut.read_bytes()[:-1])
    put(tmp_path, "Add", F([1, np.nan]))
    ran = run("dump", "nan", tmp_path)
    assert ran.status == 2
    assert ran.out.splitlines()[-1] == (
        "    rank 0, graph 0, iteration 0, its inputs were not dumped, or could not be read"
    )
    put(tmp_path, "Add", F([1, 2]))
    ran = run("dump", "nan", tmp_path)
    assert (ran.status, ran.out) == (2, "no NaN or inf in 1 tensors\n")


def test_where_tensors_without_a_partner_stand(run: Run, tmp_path: Path) -> None:
    for rank in (0, 1):
        for iteration in (0, 1):
            put(tmp_path / "a", "Add", F([1]), rank=rank, iteration=iteration)
            if rank == 0:
                put(tmp_path / "b", "Add", F([1]), rank=rank, iteration=iteration)
    ran = run("dump", "diff", tmp_path / "a", tmp_path / "b")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "2 tensors compared: all agree; 2 only in a",
        "",
        "only in a:",
        "  Add.Default_Add-op0   output 0 rank 1 it 0",
        "  Add.Default_Add-op0   output 0 rank 1 it 1",
    ]


def test_check(run: Run, tmp_path: Path) -> None:
    assert run("dump", "check", BF16).status == 0
    victim = put(tmp_path, "Add", F([1, 2]))
    victim.write_bytes(victim.read_bytes()[:-1])
    ran = run("dump", "check", tmp_path)
    assert ran.status == 1
    assert ran.out.startswith("truncated   ")
    document = run("dump", "check", "--json", tmp_path).json()
    assert [f["kind"] for f in document["findings"]] == ["truncated"]
    assert (document["files"], document["bytes"]) == (1, 135)


def test_watch(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "Zero", F([0, 0]))
    ran = run("dump", "watch", tmp_path, "--all-zero")
    assert (ran.status, ran.out.split()[:3]) == (1, ["tensor_all_zero", "Zero", "Default_Zero-op0"])
    assert run("dump", "watch", tmp_path, "--too-large", "5").status == 0
    assert run("dump", "watch", tmp_path, "-c", "tensor_too_small:max_lt=1", "--json").json()["hits"][0]["why"] == (
        "max 0 is below 1"
    )
    assert run("dump", "watch", tmp_path).status == 2
    assert run("dump", "watch", tmp_path, "-c", "nonsense").status == 2


def test_verify(run: Run, edited: Path) -> None:
    graph = next(BF16.rglob("*.ir"))
    right = run("dump", "verify", BF16, "--graph", graph)
    assert (right.status, right.out) == (0, "5 launches checked: 5 right, 0 wrong\n")
    wrong = run("dump", "verify", edited, "--graph", graph)
    assert wrong.status == 1
    assert wrong.out.splitlines()[0].startswith("wrong   Add Default/Add-op0   dtypes.py:34")
    unchecked = run("dump", "verify", WHILE, "--json").json()
    assert (unchecked["right"], unchecked["wrong"], unchecked["unchecked"]) == (5, 0, 26)
    assert run("dump", "verify", WHILE, "--graph", graph, "--op", "Less").status == 2


@pytest.mark.parametrize("command", ["ls", "show", "stats", "nan", "check", "diff"])
def test_bad_paths_end_in_one_line(run: Run, tmp_path: Path, command: str) -> None:
    words = [tmp_path / "absent"] * (2 if command == "diff" else 1)
    ran = run("dump", command, *words)
    assert ran.status == 2
    assert len(ran.err.splitlines()) == 1
    assert "no such file" in ran.err


def test_single_files_by_kind(run: Run, tmp_path: Path) -> None:
    for name, value in (("a.npy", 1), ("b.npy", 2)):
        np.save(tmp_path / name, F([value]))
    assert run("show", tmp_path / "a.npy").out.splitlines()[-1] == "[1.]"
    assert run("diff", tmp_path / "a.npy", tmp_path / "b.npy").status == 1
    path = tmp_path / f"Add.add.0.0.{STAMP}"
    path.write_bytes(bin_bytes([], [F([5])]))
    assert run("show", path).out.splitlines()[-1] == "[5.]"
    table = tmp_path / "statistic.csv"
    table.write_text(run("dump", "stats", "--csv", path).out)
    assert "max 5.0" in run("show", table).out
    assert run("diff", table, table).status == 0

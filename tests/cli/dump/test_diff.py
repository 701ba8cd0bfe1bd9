"""`msdump dump diff` as users meet it: what comes first, the table, documents, and how it ends."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.conftest import FIXTURES
from tests.formats.dump.making import put

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
F: Any = np.float32


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

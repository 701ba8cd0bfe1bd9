"""`msdump print show | diff | recover | from-log`: what each option gives."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump.formats.print_writer import PrintWriter
from tests.cli.conftest import MINDSPORE, Run

F = np.float32
MIXED = MINDSPORE / "new_mixed.pb"


def write(path: Path, *calls: tuple[Any, ...]) -> Path:
    with PrintWriter(path) as writer:
        for number, values in enumerate(calls):
            writer.write(values, step=number, file="net.py", line=7)
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Five calls: a loss and a gradient at each step, the last loss NaN."""
    losses = [2.0, 1.5, 1.25, 1.0, math.nan]
    return write(tmp_path / "log.pb", *(("loss:", F(x), "grad:", np.full((2, 3), x, F)) for x in losses))


def indexes(run: Run, *words: str | Path) -> list[int]:
    return [json.loads(line)["index"] for line in run(*words, "--format", "jsonl").out.splitlines()]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], [0, 1, 2, 3, 4]),
        (["--head", "2"], [0, 1]),
        (["--head", "0"], []),
        (["--tail", "2"], [3, 4]),
        (["--tail", "0"], []),
        (["--tail", "99"], [0, 1, 2, 3, 4]),
        (["--index", "1:3"], [1, 2]),
        (["--index", "3"], [3]),
        (["--index", "-1"], [4]),
        (["--index", ":-3"], [0, 1]),
        (["--index", "::2"], [0, 2, 4]),
        (["--index", "7:9"], []),
        (["--index", "1:", "--head", "2"], [1, 2]),
        (["--index", ":4", "--tail", "1"], [3]),
        (["--head", "3", "--tail", "1"], [2]),
        (["--grep", "^lo"], [0, 1, 2, 3, 4]),
        (["--grep", "absent"], []),
        (["--grep", "grad", "--tail", "1"], [4]),
        (["--label", "loss", "--head", "1"], [0]),
    ],
)
def test_records_are_chosen(run: Run, log: Path, tmp_path: Path, options: list[str], expected: list[int]) -> None:
    assert indexes(run, log, *options) == expected
    as_json = tmp_path / "log.json"
    assert run("convert", log, "-o", as_json).status == 0
    assert indexes(run, as_json, *options) == expected


def test_label_keeps_only_what_was_printed_under_it(run: Run, log: Path) -> None:
    assert run(log, "--label", "loss", "--head", "2").out == (
        "loss:\nTensor(shape=[], dtype=Float32, value= 2)\nloss:\nTensor(shape=[], dtype=Float32, value= 1.5)\n"
    )


def test_in_mindspores_own_files_a_pattern_keeps_the_tensor_after_its_label(run: Run) -> None:
    assert indexes(run, MIXED, "--grep", "^scal") == [2, 3, 4]


def test_json(run: Run, log: Path) -> None:
    document = run(log, "--json").json()
    assert document["schema"] == "msdump.print/1"
    assert document["problems"] == []
    first, last = document["records"][0], document["records"][-1]
    assert first["values"] == [
        {"kind": "string", "value": "loss:"},
        {"kind": "tensor", "dtype": "Float32", "shape": [], "data": 2.0},
        {"kind": "string", "value": "grad:"},
        {"kind": "tensor", "dtype": "Float32", "shape": [2, 3], "data": [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]},
    ]
    assert (first["meta"]["call"], first["meta"]["step"], first["meta"]["file"], first["meta"]["line"]) == (
        0,
        0,
        "net.py",
        7,
    )
    assert last["values"][1]["data"] == "NaN"


def test_json_of_odd_numbers_and_bad_values(run: Run, tmp_path: Path) -> None:
    values = (
        np.array([1 + 2j, complex(math.inf, -0.0)], np.complex64),
        np.array([-math.inf, math.nan]),
        np.int64(2**62 + 1),
    )
    document = run(write(tmp_path / "a.pb", values), "--json").json()
    assert [v["data"] for v in document["records"][0]["values"]] == [
        [[1.0, 2.0], ["Infinity", -0.0]],
        ["-Infinity", "NaN"],
        2**62 + 1,
    ]
    bad = run(MINDSPORE / "content_short.pb", "--json")
    (value,) = bad.json()["records"][0]["values"]
    assert (bad.status, value["kind"]) == (2, "bad")
    assert bad.json()["problems"][0]["what"] == value["what"]


def test_json_lines_are_the_records_of_the_document(run: Run, log: Path) -> None:
    lines = [json.loads(line) for line in run(log, "--format", "jsonl").out.splitlines()]
    assert lines == run(log, "--format", "json").json()["records"]


def test_csv(run: Run, log: Path) -> None:
    rows = list(csv.reader(io.StringIO(run(log, "--format", "csv").out)))
    assert rows[0] == ["record", "value", "label", "kind", "dtype", "shape", "data"]
    assert rows[1] == ["0", "0", "loss:", "string", "", "", "loss:"]
    assert rows[2] == ["0", "1", "loss:", "tensor", "Float32", "", "2.0"]
    assert rows[4] == ["0", "3", "grad:", "tensor", "Float32", "2x3", "[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]"]
    assert rows[-3][-1] == "NaN"


def test_summarize_and_precision(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.pb", (np.arange(12, dtype=F) / 7,))
    assert run(path, "--precision", "2", "--summarize", "8").out == (
        "Tensor(shape=[12], dtype=Float32, value= [0.00, 0.14, 0.29, ..., 1.29, 1.43, 1.57])\n"
    )
    assert run(path, "--precision", "1").out == (
        "Tensor(shape=[12], dtype=Float32, value= [0.0, 0.1, 0.3, 0.4, 0.6, 0.7, 0.9, 1.0, 1.1, 1.3, 1.4, 1.6])\n"
    )
    (value,) = run(path, "--json", "--summarize", "8").json()["records"][0]["values"]
    assert value == {
        "kind": "tensor",
        "dtype": "Float32",
        "shape": [12],
        "data": None,
        "summary": {"count": 12, "min": 0.0, "max": 1.5714285},
    }


def test_stats(run: Run, log: Path) -> None:
    header, loss, grad = run(log, "--stats").out.splitlines()
    assert header.split() == ["label", "count", "dtype", "shape", "min", "max", "mean", "std", "NaN", "inf"]
    assert loss.split() == [
        "loss:",
        "5",
        "Float32",
        "[]",
        "1",
        "2",
        "1.4375",
        f"{np.std([2, 1.5, 1.25, 1]):.6g}",
        "1",
        "0",
    ]
    assert grad.split() == [
        "grad:",
        "5",
        "Float32",
        "[2,",
        "3]",
        "1",
        "2",
        "1.4375",
        f"{np.std([2, 1.5, 1.25, 1]):.6g}",
        "6",
        "0",
    ]
    document = run(log, "--stats", "--json").json()
    assert document["schema"] == "msdump.print-stats/1"
    assert document["labels"][1]["elements"] == 30
    assert document["labels"][1]["mean"] == pytest.approx(1.4375, rel=1e-15)
    rows = list(csv.reader(io.StringIO(run(log, "--stats", "--format", "csv").out)))
    assert rows[1][:4] == ["loss:", "5", "Float32", "()"]


def test_stats_of_a_damaged_file_are_shown_before_the_error(run: Run) -> None:
    ran = run(MINDSPORE / "trunc_293.pb", "--stats")
    assert ran.status == 2
    assert ran.out.splitlines()[1].split()[:4] == ["tensor:", "1", "Float32", "[8,"]


def test_diff_of_print_logs(run: Run, log: Path, tmp_path: Path) -> None:
    same = run("diff", log, log, "--equal-nan")
    assert (same.status, same.out) == (0, "the same: 20 values compared\n")
    nan = run("print", "diff", log, log)
    assert nan.status == 1
    assert nan.out.startswith("2 of 20 values differ\n\nfirst divergence   record 4   loss:\n")
    other = write(
        tmp_path / "b.pb", *(("loss:", F(x), "grad:", np.full((2, 3), x + d, F)) for x, d in [(2, 0), (1.25, 0.5)])
    )  # without 1.5
    document = run("diff", log, other, "--json").json()
    assert (document["schema"], document["same"]) == ("msdump.print-diff/1", False)
    first = document["first"]
    assert (first["index"], first["label"], first["kind"]) == (1, "loss:", "only_a")
    changed = [d for d in document["differences"] if d["kind"] == "changed"]
    assert [(d["index"], d["label"], d["max_abs"], d["mismatched"], d["worst"]) for d in changed] == [
        (2, "grad:", 0.5, 6, [0, 0])
    ]
    assert document["only_a"] == 12
    loose = run("diff", log, other, "--atol", "0.5", "--json").json()
    assert loose["different"] == 0


def test_diff_by_index(run: Run, log: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "b.pb", ("loss:", F(1.5)))
    document = run("diff", log, other, "--align", "index", "--json").json()
    assert (document["first"]["index"], document["first"]["label"], document["first"]["max_abs"]) == (0, "loss:", 0.5)


def test_diff_with_nothing_to_compare_is_trouble(run: Run, log: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pb"
    empty.write_bytes(b"")
    ran = run("diff", log, empty)
    assert ran.status == 2
    assert "nothing to compare" in ran.err
    assert run("diff", empty, empty).status == 0


def test_diff_of_a_damaged_file_compares_what_is_there(run: Run) -> None:
    ran = run("diff", MINDSPORE / "trunc_293.pb", MINDSPORE / "trunc_whole.pb")
    assert ran.status == 2
    assert ran.out.startswith("0 of ")
    assert "only in b" in ran.out
    assert f"msdump: {MINDSPORE / 'trunc_293.pb'}: the file ends inside a record" in ran.err


def test_diff_across_formats(run: Run, log: Path, tmp_path: Path) -> None:
    for name in ("a.json", "a.npz", "folder/"):
        other = f"{tmp_path}/{name}"
        assert run("convert", log, "-o", other).status == 0
        assert run("diff", log, other, "--equal-nan").status == 0


def test_recover(run: Run, log: Path, tmp_path: Path) -> None:
    data = bytearray(log.read_bytes())
    offsets = [record.offset for record in msdump.read_print(log)]
    data[offsets[1] + 30] ^= 0xFF  # in the second call
    broken = tmp_path / "broken.pb"
    broken.write_bytes(data)
    out = tmp_path / "out.pb"
    ran = run("print", "recover", broken, "-o", out)
    assert ran.status == 0
    assert ran.out.splitlines()[0] == f"4 records written to {out}"
    assert ran.out.splitlines()[1].startswith(f"lost: {offsets[2] - offsets[1]:,} bytes from byte {offsets[1]}: ")
    assert [record.meta.step for record in msdump.read_print(out) if record.meta] == [0, 2, 3, 4]
    assert run("print", "recover", broken, "-o", out).status == 2  # it is there
    document = run("print", "recover", broken, "-o", out, "--force", "--json").json()
    assert (document["records"], document["lost_bytes"]) == (4, offsets[2] - offsets[1])
    whole = run("print", "recover", log, "-o", tmp_path / "whole.pb")
    assert whole.out.splitlines()[1] == "nothing was lost"
    assert (tmp_path / "whole.pb").read_bytes() == log.read_bytes()


def test_from_log(run: Run, log: Path, tmp_path: Path) -> None:
    screen = tmp_path / "train.log"
    screen.write_text("[INFO] begin\n" + run(log, "--head", "2").out + "epoch: 1 step: 1, loss is 2.0\n")
    out = tmp_path / "out.pb"
    ran = run("print", "from-log", screen, "-o", out)
    assert (ran.status, ran.out) == (0, f"4 records written to {out}\n")
    assert run(out).out == run(log, "--head", "2").out
    assert run("print", "from-log", "-", "-o", out, "--force", stdin=screen.read_bytes()).status == 0
    screen.write_text("hello\nloss is Tensor(shape=[], dtype=Float32, value= 0.5)\nepoch: 1 step: 1, loss is 0.5\n")
    assert run("print", "from-log", screen, "-o", out, "--force").err == (
        "msdump: 1 piece of text that may be Print's is in no record (-v lists them)\n"
    )
    ran = run("print", "from-log", screen, "-o", out, "--force", "-v")
    assert ran.err == f"msdump: {screen}:1:1: a line that no tensor follows: 'hello'\n"
    assert run(out).out == "loss is\nTensor(shape=[], dtype=Float32, value= 0.5)\n"
    assert run("print", "from-log", screen, "--stats").out == "epoch  step  loss\n             0.5\n1      1     0.5\n"
    nothing = tmp_path / "nothing.log"
    nothing.write_text("epoch: 1\n")
    ran = run("print", "from-log", nothing, "-o", tmp_path / "none.pb")
    assert (ran.status, ran.err) == (2, f"msdump: {nothing}: nothing that Print wrote is in it\n")


def test_follow_needs_a_print_pb(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    assert run("convert", MIXED, "-o", target).status == 0
    assert run(target, "--follow").status == 2
    shutil.copy(MIXED, tmp_path / "b.pb")
    assert run(tmp_path / "b.pb", "--follow", "--stats").status == 2


def test_a_folder_of_arrays_is_shown_as_the_log_it_was_made_of(run: Run, tmp_path: Path) -> None:
    log, folder = MINDSPORE / "new_mixed.pb", tmp_path / "folder"
    assert run("convert", log, "-o", f"{folder}/").status == 0
    for words in ((), ("--head", "2"), ("--tail", "2"), ("--index", "1:3"), ("--stats",), ("--format", "csv")):
        assert run(folder, *words).out == run(log, *words).out != ""
    assert len(run(folder, "--json").json()["records"]) == 7
    assert len(list(msdump.stream(folder))) == 7

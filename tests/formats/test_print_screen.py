"""What Print wrote on a screen, found again in a log with other lines in it."""

from __future__ import annotations

import io
import json
from ast import literal_eval
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msdump.errors import MsdumpError, ReadError
from msdump.formats.print_screen.reader import iter_print_log, read_print_log
from msdump.formats.print_screen.training import read_training
from msdump.ms_text import Style, tensor_text
from msdump.records import BadValue, PrintRecord
from msdump.source import Note
from tests.integration.screen_values import SCREEN, decode

ROWS: list[dict[str, Any]] = json.loads((SCREEN / "tensors.json").read_text(encoding="utf-8"))


def read(text: str, **options: Any) -> list[PrintRecord]:
    return list(iter_print_log(io.BytesIO(text.encode("utf-8", "surrogateescape")), **options))


def shown_whole(array: np.ndarray[Any, Any]) -> bool:
    return array.size <= 1000 if array.ndim == 1 else all(size <= 6 for size in array.shape)


# A compiled Print writes a 0-d tensor as a bare number, which no log can tell from other output.
TEXTS = [(row, "pynative") for row in ROWS] + [(row, "graph") for row in ROWS if row["graph"] and row["shape"]]


@pytest.mark.parametrize(("row", "style"), TEXTS, ids=lambda part: part if isinstance(part, str) else part["name"])
def test_what_mindspore_wrote_is_read_back(row: dict[str, Any], style: Style) -> None:
    text, array = row[style], decode(row)
    notes: list[Note] = []
    (record,) = read("label:\n" + text, notes=notes)
    label, value = record.values
    assert label == "label:"
    if not shown_whole(array):
        assert isinstance(value, BadValue)
        assert value.what.startswith("the screen shows ")
        assert (value.dtype, value.shape) == (text.split("dtype=")[1].split(",")[0], array.shape)
        return
    assert isinstance(value, (np.ndarray, np.generic))
    assert (value.dtype, value.shape) == (array.dtype, array.shape)
    if not notes:
        wide = np.complex128 if array.dtype.kind == "c" else np.float64 if array.dtype.kind in "fV" else array.dtype
        assert np.array_equal(value.astype(wide), array.astype(wide), equal_nan=wide in (np.float64, np.complex128))
    else:
        assert [note.what for note in notes] == [f"the screen shows {record_dtype(text)} with fewer digits than it has"]
        assert tensor_text(value, style) + "\n" == text


def record_dtype(text: str) -> str:
    return text.split("dtype=")[1].split(",")[0]


LOG = """\
[WARNING] ME(7235:139644949613440,MainProcess):2026-12-01-03:58:12.596.000 [context.py:1412] deprecated
epoch: 1 step: 1, loss is 2.3025
loss:
[INFO] a logger writes between a label and its tensor
Tensor(shape=[], dtype=Float32, value= 3)
Training of LeNet goes on
\x1b[32mgrad:\x1b[0m
Tensor(shape=[2, 3], dtype=Float32, value=
[[ 0.00000000e+00  1.00000000e+00  2.00000000e+00]
[WARNING] ME(123) in the middle of a tensor
Saving a checkpoint
 [ 3.00000000e+00  4.00000000e+00             nan]])
 30%|###       | 3/10 [00:01<00:02]\r 40%|####      | 4/10 [00:01<00:02]
(Tensor(shape=[1], dtype=Int32, value= [1]), Tensor(shape=[2], dtype=Bool, value= [ True, False]))
w: Tensor(shape=[3], dtype=UInt8, value= [  1,   2, 255], name=conv.weight)
epoch time: 1000 ms
"""


def test_a_training_log() -> None:
    notes: list[Note] = []
    records = read(LOG, name="train.log", notes=notes)
    assert [[v if isinstance(v, str) else np.asarray(v).tolist() for v in r.values] for r in records[:1]] == [
        ["loss:", 3.0]
    ]
    assert records[1].values[0] == "grad:"
    grad = records[1].values[1]
    assert isinstance(grad, np.ndarray)
    assert (grad.shape, grad.dtype) == ((2, 3), np.float32)
    assert np.array_equal(grad, np.array([[0, 1, 2], [3, 4, np.nan]], np.float32), equal_nan=True)
    assert [np.asarray(r.values[-1]).tolist() for r in records[2:]] == [[1], [True, False], [1, 2, 255]]
    assert [r.values[0] for r in records[4:]] == ["w:"]
    assert [r.index for r in records] == [0, 1, 2, 3, 4]
    assert LOG.encode()[records[0].offset :].startswith(b"loss:\n")
    assert [str(note) for note in notes] == [
        "train.log:1:1: left out: colour codes of a terminal",
        "train.log:11:1: a line of something else inside a tensor was left out: 'Saving a checkpoint'",
    ]


def test_every_line_as_a_string_when_asked_for() -> None:
    strings = [r.values[0] for r in read(LOG, strings="all") if isinstance(r.values[0], str)]
    assert strings == ["loss:", "Training of LeNet goes on", "grad:", "w:"]
    assert all(not isinstance(v, str) for r in read(LOG, strings="none") for v in r.values[1:])


def test_the_text_of_the_first_releases() -> None:
    text = """\
print Tensor x and Tensor y:
Tensor shape:[[const vector][2, 1]]Int32
val:[[1]
[1]]
Tensor shape:[[const vector][2, 2]]Int32
val:[[1 1]
[1 1]]
Tensor shape:[1] Float32
val:2.5
"""
    values = [v for r in read(text) for v in r.values]
    assert values[0] == "print Tensor x and Tensor y:"
    assert [np.asarray(v).tolist() for v in values[1:]] == [[[1], [1]], [[1, 1], [1, 1]], [2.5]]
    assert [np.asarray(v).dtype.name for v in values[1:]] == ["int32", "int32", "float32"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Tensor(shape=[3], dtype=Int32, value= [1, 2])\n", "2 elements, but the shape [3] has 3"),
        ("Tensor(shape=[2, 1], dtype=Int32, value=\n[1, 2])\n", "the elements are not nested as the shape [2, 1] is"),
        ("Tensor(shape=[1], dtype=Int8, value= [300])\n", "an element is not of the type Int8: out of range"),
        ("Tensor(shape=[1], dtype=Bool, value= [2])\n", "an element is not of the type Bool: neither True nor False"),
        ("Tensor(shape=[1], dtype=Float7, value= [2])\n", "unknown type Float7"),
        ("Tensor(shape=[-1], dtype=Int8, value= [2])\n", "the shape [-1] has a negative size"),
        (
            "Tensor(shape=[99999999, 99999999], dtype=Int8, value= [...])\n",
            "the screen shows 0 of 9999999800000001 elements",
        ),
        ("Tensor(shape=[3], dtype=Int32, value= [1, 2", "not whole: the log ends inside it"),
        (
            "Tensor(shape=[3], dtype=Int32, value= [1,\nTensor(shape=[1], dtype=Int32, value= [1])\n",
            "not whole: another tensor begins inside it",
        ),
    ],
)
def test_what_cannot_be_read_back_is_kept_and_named(text: str, what: str) -> None:
    value = read(text)[0].values[0]
    assert isinstance(value, BadValue)
    assert value.what == what


def test_a_tensor_that_never_ends_takes_no_memory() -> None:
    lines = [b"Tensor(shape=[2], dtype=Int32, value= [1,\n"] + [b" 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,\n"] * 10_000
    (record,) = iter_print_log([*lines, b"end\n"])
    assert isinstance(record.values[0], BadValue)
    assert record.values[0].what == "not whole: it has far more elements than its shape"
    assert len(record.values[0].raw) < 5000


def test_a_file_that_is_not_there(tmp_path: Any) -> None:
    with pytest.raises(ReadError, match="No such file"):
        list(read_print_log(tmp_path / "missing.log"))


PIECES = st.sampled_from(
    [
        *("Tensor(shape=[2], dtype=Int32, value= [1, 2])", "Tensor(shape=[", "dtype=", "value=", "[[", "]", ")", ", "),
        *(
            "\n",
            " ",
            "nan",
            "...",
            "1.5",
            "Tensor shape:[[const vector][2, 1]]Int32\n",
            "val:",
            "True",
            "-",
            "j",
            "\udcff",
        ),
    ]
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_records_and_never_another_error(pieces: list[str]) -> None:
    raw = "".join(pieces).encode("utf-8", "surrogatepass")
    for record in iter_print_log(io.BytesIO(raw), strings="all"):
        assert 1 <= len(record.values) <= 3
        assert 0 <= record.offset <= len(raw)


TENSOR = "Tensor(shape=[2, 2], dtype=Int32, value=\n[[1, 2],\n [3, 4]])"


@given(*[st.text("ab1 ([{,:=)]}.-|>\u5b57", max_size=20)] * 3)
@settings(max_examples=200, deadline=None)
def test_no_character_of_a_line_with_a_tensor_is_lost(before: str, between: str, after: str) -> None:
    left: list[Note] = []
    records = read(f"x\n{before}{TENSOR}{between}{TENSOR}{after}\ny\n", on_left=left.append)
    words = [v for r in records for v in r.values if isinstance(v, str) and v not in "xy"]
    words += [literal_eval(n.what.removeprefix("left out beside a tensor: ")) for n in left if "beside" in n.what]
    kept = Counter("".join("".join(words).split()))
    assert kept == Counter("".join((before + between + after).split()))
    assert [np.asarray(v).tolist() for r in records for v in r.values if not isinstance(v, str)] == [
        [[1, 2], [3, 4]]
    ] * 2


def test_words_beside_a_tensor_are_in_its_record() -> None:
    left: list[Note] = []
    text = (
        "epoch: 12 step: 1, loss is Tensor(shape=[], dtype=Float32, value= 0.25) after all\n"
        "(w, Tensor(shape=[], dtype=Int8, value= 1, name=w))\n"
    )
    records = read(text, name="a.log", on_left=left.append)
    assert [r.values for r in records] == [
        ("epoch: 12 step: 1, loss is", np.float32(0.25), "after all"),
        ("(w,", np.int8(1)),
    ]
    assert [str(n) for n in left] == [
        "a.log:2:1: left out beside a tensor: ')'",
        "a.log:2:1: left out beside a tensor: ', name=w'",
    ]
    alone: list[Any] = [r.values for r in read(text, strings="none")]
    assert alone == [(np.float32(0.25),), (np.int8(1),)]


def test_what_looks_like_a_print_and_is_in_no_record_is_told() -> None:
    left: list[Note] = []
    text = "hello\nTensor(1.5)\n[INFO] Tensor of 3\nloss\n" + TENSOR + "\nParameter (name=w)\n"
    assert len(read(text, name="a.log", on_left=left.append)) == 1
    assert [str(n) for n in left] == [
        "a.log:1:1: a line that no tensor follows: 'hello'",
        "a.log:3:1: a line of a logger or a progress bar: '[INFO] Tensor of 3'",
        "a.log:2:1: a line that no tensor follows: 'Tensor(1.5)'",
        "a.log:8:1: a line that no tensor follows: 'Parameter (name=w)'",
    ]


FRONTS: dict[str, Callable[[int], str]] = {
    "time": lambda n: f"2026-12-07 11:21:{n:02d}.123 ",
    "time in brackets": lambda n: f"[2026-12-07T11:21:{n:02d}Z] ",
    "syslog": lambda n: f"Dec  7 11:21:{n:02d} ",
    "rank": lambda n: "[rank 3] ",
    "rank:": lambda n: "rank3: ",
    "mpirun": lambda n: "[1,0]<stdout>:",
    "ray": lambda n: "(Worker pid=4711) ",
    "compose": lambda n: "trainer-1  | ",
    "both": lambda n: f"[rank0]:2026-12-07 11:21:{n:02d},123 ",
    "logger": lambda n: f"2026-12-07 11:21:{n:02d},123 - train - INFO - ",
    "number": lambda n: f"{n:6}\t",
    "quote": lambda n: "> ",
    "colour": lambda n: "\x1b[1;31m",
    "indent": lambda n: "    ",
}


@pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)
def test_what_stands_in_front_of_each_line_is_taken_off(front: Callable[[int], str]) -> None:
    text = f"start\nloss:\n{TENSOR}\n\nb {TENSOR} c\ndone\n"
    notes: list[Note] = []
    wrapped = "".join(front(n) + line + "\n" for n, line in enumerate(text.splitlines(), 1))
    records = read(wrapped, notes=notes)
    assert [r.values[0] for r in records] == ["loss:", "b"]
    assert [np.asarray(r.values[1]).tolist() for r in records] == [[[1, 2], [3, 4]]] * 2
    assert records[1].values[2] == "c"
    assert [note.level for note in notes] == ["undone"]


def test_ranks_that_are_mixed_are_told_apart() -> None:
    lines = f"loss:\n{TENSOR}".splitlines()
    mixed = "".join(f"[rank{rank}] {line}\n" for line in lines for rank in (0, 1))
    records = read(mixed)
    assert [(r.index, r.values[0], np.asarray(r.values[1]).tolist()) for r in records] == [
        (0, "loss:", [[1, 2], [3, 4]]),
        (1, "loss:", [[1, 2], [3, 4]]),
    ]


@pytest.mark.parametrize("codec", ["gbk", "utf-16", "utf-16-le", "utf-8-sig"])
def test_a_log_in_another_encoding(codec: str) -> None:
    text = f"损失值:\n{TENSOR}\n"
    notes: list[Note] = []
    (record,) = iter_print_log(io.BytesIO(text.encode(codec)), "a.log", notes=notes)
    assert record.values[0] == "损失值:"
    assert np.asarray(record.values[1]).tolist() == [[1, 2], [3, 4]]
    what = {"gbk": "this line is not UTF-8; the log is taken for GBK (--encoding says otherwise)"}
    assert [str(note) for note in notes] == [f"a.log:1:1: {what.get(codec, f'the text is in {codec.upper()}')}"]
    (record,) = iter_print_log(io.BytesIO(text.encode(codec)), encoding=codec)
    assert record.values[0] == "损失值:"


def test_an_encoding_that_there_is_none_of() -> None:
    with pytest.raises(MsdumpError, match="there is no encoding 'gbx'"):
        list(iter_print_log([b"a\n"], encoding="gbx"))


@pytest.mark.parametrize(
    ("shape", "elements"),
    [
        ("[2]", " ['a.jpg' 'b.jpg']"),
        ("[2]", " ['a.jpg', \"it's (b)\"]"),
        ("[2, 2]", "\n[['a)', 'b['],\n ['x\\ny', '字']]"),
        ("[]", " 'a.jpg'"),
    ],
)
def test_a_tensor_of_strings_is_its_text(shape: str, elements: str) -> None:
    text = f"Tensor(shape={shape}, dtype=String, value={elements})"
    (record,) = read(f"names {text} end\n")
    assert record.values == ("names", text, "end")


def test_a_tensor_of_strings_that_is_not_whole() -> None:
    (value,) = read("Tensor(shape=[3], dtype=String, value= ['a', 'b'])\n")[0].values
    assert isinstance(value, BadValue)
    assert value.what == "2 elements, but the shape [3] has 3"


def test_the_numbers_of_training(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "Train epoch time: 101.500 ms, per step time: 50.750 ms\n"
        "epoch: 12 step: 1, loss is Tensor(shape=[], dtype=Float32, value= 0.25)\n"
        "epoch: 12 step: 2, loss is 2e-1\n"
        "another line\n"
        "{ Epoch:[  1/  2], step:[   20/  100], loss: 10.6, per_step_time: 12ms, lr: 1e-05 }\n"
    )
    assert read_training(path) == [
        {"epoch time ms": 101.5, "per step time ms": 50.75, "epoch": 12.0, "step": 1.0, "loss": 0.25},
        {"epoch": 12.0, "step": 2.0, "loss": 0.2},
        {"epoch": 1.0, "step": 20.0, "loss": 10.6, "per step time ms": 12.0, "lr": 1e-05},
    ]
    path.write_text("nothing\n")
    with pytest.raises(ReadError, match="no line tells a loss or a time of training"):
        read_training(path)

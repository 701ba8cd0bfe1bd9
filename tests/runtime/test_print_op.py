"""The Print operator: what it takes, what it refuses, the screen and the file."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import msdump
from msdump import context, ops
from msdump.ms_text import tensor_text
from msdump.runtime.context import set_step
from msdump.runtime.print_op import as_printable, emit_print
from tests.formats.print_values import values_of


class OfMindSpore:
    """Looks as MindSpore's Tensor does."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    def asnumpy(self) -> np.ndarray[Any, Any]:
        return self.array


class WithArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.arange(3, dtype=np.int16)


class WithDlpack:
    """Gives DLPack and nothing else."""

    array = np.arange(4, dtype=np.float64)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class OfTorch:
    """Looks as a tensor of torch that numpy has no type for."""

    dtype = "torch.bfloat16"

    def detach(self) -> OfTorch:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        raise TypeError("Got unsupported ScalarType BFloat16")

    def float(self) -> np.ndarray[Any, Any]:
        return np.array([1.5, -2.0], np.float32)


FOREIGN = [
    (OfMindSpore([[1, 2]]), np.array([[1, 2]])),
    (OfMindSpore(np.float32(3)), np.float32(3)),
    (WithArray(), np.arange(3, dtype=np.int16)),
    (WithDlpack(), np.arange(4, dtype=np.float64)),
    (OfTorch(), np.array([1.5, -2.0], ml_dtypes.bfloat16)),
    (np.ma.masked_array([1, 2], [False, False]), np.array([1, 2])),
]


@pytest.mark.parametrize(("value", "wanted"), FOREIGN, ids=lambda v: type(v).__name__)
def test_tensors_of_other_libraries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: Any, wanted: Any
) -> None:
    ops.Print()("label", [value])
    assert capsys.readouterr().out == f"label\n[{tensor_text(wanted)}]\n"
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    ops.Print()("label", value)
    ((label, found),) = [record.values for record in msdump.read_print(tmp_path / "print.pb")]
    assert label == "label"
    assert isinstance(found, (np.ndarray, np.generic))
    assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_tensors_of_real_libraries(capsys: pytest.CaptureFixture[str], library: str) -> None:
    found = pytest.importorskip(library, reason=f"{library} is not installed")
    make = getattr(found, "tensor", None) or found.array
    ops.Print()(make([1.5, -2.0], dtype=found.float32), make([1.5, -2.0], dtype=found.bfloat16))
    assert capsys.readouterr().out == (
        tensor_text(np.array([1.5, -2.0], np.float32))
        + "\n"
        + tensor_text(np.array([1.5, -2.0], ml_dtypes.bfloat16))
        + "\n"
    )
    if library == "torch":
        ops.Print()(make([1.0], requires_grad=True))
        assert capsys.readouterr().out == "Tensor(shape=[1], dtype=Float32, value= [ 1.00000000e+00])\n"


def test_any_mix_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    values: tuple[Any, ...] = (
        "loss:",
        np.float32(3),
        1,
        2.5,
        True,
        None,
        (1, "s", np.array([1], np.int8)),
        [],
        {"a": np.zeros(0)},
        1j,
    )
    assert ops.Print()(*values) is None
    assert capsys.readouterr().out == (
        "loss:\nTensor(shape=[], dtype=Float32, value= 3)\n1\n2.5\nTrue\nNone\n"
        "(1, 's', Tensor(shape=[1], dtype=Int8, value= [1]))\n[]\n"
        "{'a': Tensor(shape=[0], dtype=Float64, value= )}\n1j\n"
    )


def test_any_mix_in_the_file(tmp_path: Path) -> None:
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    numbers = (1, 2.5, True, None, 1j, -(1 << 63), (1 << 64) - 1, 1 << 64)
    ops.Print()("numbers", *numbers)
    ops.Print()((1, ["s", np.array([1], np.int8)]), (), {})
    ops.Print()({"a": np.float32(1), "b": {"c": 2, "d": {"e": "s"}, "f": {}}, 3: (4, 5)})
    records = list(msdump.read_print(tmp_path / "print.pb"))
    assert values_of(tmp_path / "print.pb") == [
        ["numbers", 1, 2.5, True, "None", 1j, -(1 << 63), (1 << 64) - 1, "18446744073709551616"],
        [1, "s", [1], "()", "{}"],
        ["a", 1.0, "b.c", 2, "b.d.e", "s", "b.f", "{}", "3", 4, 5],
    ]
    kinds = [np.asarray(v).dtype.name for v in records[0].values[1:4] + records[0].values[5:8]]
    assert kinds == ["int64", "float64", "bool", "complex128", "int64", "uint64"]


def test_with_a_file_the_screen_stays_empty(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    ops.Print()("loss:", np.float32(1))
    assert capfd.readouterr() == ("", "")


def test_a_record_knows_where_it_was_printed(tmp_path: Path) -> None:
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    set_step(12)
    msdump.Print()("x")
    emit_print(("y",), ("net.py", 33))
    here, there = [record.meta for record in msdump.read_print(tmp_path / "print.pb")]
    assert here is not None
    assert there is not None
    assert (here.file, here.step) == (__file__, 12)
    assert Path(__file__).read_text(encoding="utf-8").splitlines()[here.line - 1].strip() == 'msdump.Print()("x")'
    assert (there.file, there.line, there.call) == ("net.py", 33, 1)


def test_no_arguments_print_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ops.Print()()
    assert capsys.readouterr().out == ""
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    ops.Print()()
    context.set_context(print_file_path=None)
    assert list(tmp_path.iterdir()) == []


HOLDS_ITSELF: list[Any] = []
HOLDS_ITSELF.append(HOLDS_ITSELF)
TAKEN = "a string, a tensor or array, a number, a bool, None, or a tuple, list or dict of these"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (("a", b"x"), f"Print: argument 2 is of type bytes; it should be {TAKEN}"),
        (({1, 2},), f"Print: argument 1 is of type set; it should be {TAKEN}"),
        (([0, {"k": object()}],), f"Print: argument 1[1]['k'] is of type object; it should be {TAKEN}"),
        ((np.float32,), f"Print: argument 1 is of type type; it should be {TAKEN}"),
        ((np.array(["a"]),), "Print: argument 1 is an array of the type <U1, which MindSpore has no tensors of"),
        ((1, np.array([None])), "Print: argument 2 is an array of the type object, which MindSpore has no tensors of"),
        ((HOLDS_ITSELF,), "Print: argument 1[0] is a list that holds itself"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
@pytest.mark.parametrize("to_file", [False, True])
def test_what_cannot_be_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: Any, text: str, to_file: bool
) -> None:
    if to_file:
        context.set_context(print_file_path=str(tmp_path / "print.pb"))
    with pytest.raises(TypeError) as raised:
        ops.Print()("before", values) if values is HOLDS_ITSELF else ops.Print()(*values)
    assert str(raised.value) == text
    assert capsys.readouterr().out == ""
    context.set_context(print_file_path=None)
    assert not (tmp_path / "print.pb").exists()


def test_arrays_are_not_copied() -> None:
    array = np.ones(1000)
    (value,) = as_printable((array,))
    assert np.shares_memory(value, array)


def test_the_graph_form(capsys: pytest.CaptureFixture[str]) -> None:
    emit_print(("x:", np.array([1, 2], np.float32), np.int32(7), np.int8(65), True, (1, 2)), style="graph")
    assert capsys.readouterr().out == (
        "x:\nTensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.00000000e+00])\n7\nA\n1\n(1, 2)\n"
    )


@pytest.mark.parametrize(
    ("value", "style", "wanted"),
    [
        (np.uint8(200), "graph", b"\xc8\n"),
        ("\x1b[31m café", "pynative", b"\x1b[31m caf\xc3\xa9\n"),
        ("lone \ud800", "pynative", b"lone \\ud800\n"),
    ],
)
def test_bytes_on_the_screen(monkeypatch: pytest.MonkeyPatch, value: Any, style: Any, wanted: bytes) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    emit_print((value,), style=style)
    sys.stdout.flush()
    assert raw.getvalue() == wanted


def test_a_screen_that_has_few_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    ops.Print()("café")
    sys.stdout.flush()
    assert raw.getvalue() == "café\n".encode()


def test_no_foreign_library_is_imported() -> None:
    code = (
        "import sys; from msdump import Print; Print()('a', 1)\n"
        "assert not {'torch', 'jax', 'mindspore', 'google.protobuf'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True)
    assert done.stdout.replace(b"\r", b"") == b"a\n1\n"


def test_one_operator_called_at_several_places_notes_each(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    context.set_context(print_file_path=str(path))
    emit = ops.Print()
    for _ in range(2):
        emit(1.5)
        emit(np.float32(2))
    emit(2)
    context.set_context(print_file_path=None)
    lines = [record.meta.line for record in msdump.read_print(path) if record.meta]
    first = lines[0]
    assert [line - first for line in lines] == [0, 1, 0, 1, 2]
    assert Path(__file__).read_text(encoding="utf-8").splitlines()[first - 1].strip() == "emit(1.5)"
    assert isinstance(pickle.loads(pickle.dumps(emit)), ops.Print)


def test_many_calls_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    context.set_context(print_file_path=str(path))
    emit = ops.Print()
    for n in range(17_000):
        emit(float(n))
    context.set_context(print_file_path=None)
    found = [(record.meta.call, list(record.values)) for record in msdump.read_print(path) if record.meta]
    assert found == [(n, [np.float64(n)]) for n in range(17_000)]

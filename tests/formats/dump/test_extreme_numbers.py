"""Numbers that no program wrote, wherever files of a dump spell one: a problem with its place, never another error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msdump.dumps.opening import read_dump, read_renames
from msdump.errors import MsdumpError
from msdump.formats.dump.checking import check
from msdump.formats.dump.npy import MAGIC, NpyTensor, npy_bytes
from msdump.formats.dump.overflow import read_overflow
from msdump.formats.dump.reading import Dump
from msdump.formats.dump.statistic import read_statistic
from msdump.numerals import MOST_DIGITS
from tests.formats.dump.making import STAMP, order, put

F: Any = np.float32
EXTREME = [
    *("9" * 5000, "-" + "9" * 5000, "1e999", "-1e999", "1e-999", "nan", "-nan", "inf", "NaN(5)", "0x10", "1_000", "٣"),
    *(
        "²",
        "1" * 19,
        str(2**63),
        str(-(2**63) - 1),
        str(2**64),
        "-1",
        "-0",
        "+",
        "",
        ".",
        "1e",
        "1" * 400 + ".5",
        "1,2",
    ),
    *("1" * 400 + ".5", "1,2", "  7 ", "7\x00", "１２", "1e" + "9" * 5000, "0." + "0" * 5000 + "1"),
]
numbers = st.one_of(
    st.sampled_from(EXTREME),
    st.integers().map(str),
    st.floats().map(repr),
    st.text("0123456789+-.eE_xnaif٣", max_size=30),
)


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """What is read inside is read, or refused with the path."""
    told = ""
    try:
        yield
    except MsdumpError as error:
        told = str(error)
    assert not told or str(path) in told


HEAD = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Count,NaN Count"
ROW = ["Add", "a", "0", "0", "17", "output", "0", "8", "float32", "(2)", "1", "2", "0"]
quietly = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)


@given(column=st.sampled_from([2, 3, 4, 6, 7, 9, 10, 11, 12]), number=numbers)
@quietly
def test_a_cell_of_statistics(tmp_path: Path, column: int, number: str) -> None:
    path = tmp_path / "statistic.csv"
    cells = [*ROW]
    cells[column] = f'"{number}"'
    path.write_text(f"{HEAD}\n{','.join(cells)}\n{','.join(ROW)}\n", "utf-8", newline="")
    table = read_statistic(str(path))
    assert len(table.rows) + len(table.problems) == 2
    assert all(problem.where is not None and problem.line.endswith("(line 2)") for problem in table.problems)


@pytest.mark.parametrize("number", ["9" * 5000, "1e999", "٣", "1_000", "NaN(5)"])
@pytest.mark.parametrize("column", [6, 10, 11])
def test_what_is_no_number_is_told(tmp_path: Path, column: int, number: str) -> None:
    path = tmp_path / "statistic.csv"
    cells = [*ROW]
    cells[column] = number
    path.write_text(f"{HEAD}\n{','.join(cells)}\n")
    assert [p.where.line for p in read_statistic(str(path)).problems if p.where is not None] == [2]  # type: ignore[union-attr]  # places in text


@given(number=numbers, key=st.sampled_from(["descr", "fortran_order", "shape"]), dims=st.integers(1, 200))
@quietly
def test_a_header_of_npy(tmp_path: Path, number: str, key: str, dims: int) -> None:
    fields = {"descr": "'<f4'", "fortran_order": "False", "shape": "(2,)"}
    fields[key] = (
        f"'<f{number}'" if key == "descr" else number if key == "fortran_order" else f"({number}, {'1, ' * dims})"
    )
    text = "{" + ", ".join(f"'{k}': {v}" for k, v in fields.items()) + "}\n"
    content = text.encode()
    path = tmp_path / f"Add.a.0.0.{STAMP}.output.0.DefaultFormat.npy"
    path.write_bytes(MAGIC + b"\x03\x00" + len(content).to_bytes(4, "little") + content + bytes(64))
    with refused(path):
        NpyTensor(str(path)).numpy()
    _looked_at(path)


def _looked_at(path: Path) -> None:
    """Whatever there is is listed, read and checked, and what cannot be is told."""
    dump = Dump(str(path))
    for record in dump:
        with refused(path):
            if record.tensor is not None:
                record.tensor.numpy()
    list(check(Dump(str(path))))


NAMES = [
    "Add.a.{}.0.17.output.0.DefaultFormat.npy",
    "Add.a.0.{}.17.output.0.npy",
    "Add.a.0.0.{}.output.0.DefaultFormat.Float32.npy",
    "Add.a.0.0.17.output.{}.DefaultFormat.npy",
    "Add.a.{}.0.1796092485879026",
    "Add.a.0.0.{}",
    "Add.a.0.0.17.{}.1.2",
    "Default--Add-op1_output_{}_shape_2_2_Float32_NCHW.bin",
    "Default--Add-op1_output_0_shape_{}_2_Float32_NCHW.bin",
    "a_Float32_{}.npy",
    "{}_a.npy",
    "Opdebug.Node_OpDebug.{}.0.17",
    "Default--Add-op{}_output_0_shape_" + "1_" * 90 + "Float32_NCHW.bin",
]


@given(name=st.sampled_from(NAMES), number=numbers)
@quietly
def test_a_file_name(tmp_path: Path, name: str, number: str) -> None:
    number = number.replace("/", "").replace("\0", "")[:120]
    called = name.format(number)
    if len(called.encode()) > 255:
        return
    path = tmp_path / called
    path.write_bytes(npy_bytes(F([1, 2])))
    _looked_at(path)
    path.unlink()


@given(number=numbers)
@quietly
def test_folders_names_and_orders(tmp_path: Path, number: str) -> None:
    short = number.replace("/", "").replace("\0", "")[:80] or "x"
    folder = tmp_path / f"rank_{short}" / "Net" / short / short
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1.npy").write_bytes(npy_bytes(F([1])))
    (folder / "mapping.csv").write_text(
        f"1,Add.Default_Add-op{number}.0.0.{STAMP}.output.0.DefaultFormat.npy\n{number},b\n"
    )
    _looked_at(tmp_path)
    order(tmp_path, [f"Default/Add-op{number}", f"Default/Add-op{number}7"])
    orders = tmp_path / "rank_0/execution_order"
    (orders / "ms_global_execution_order_graph_0.csv").write_text(f"{number}\n0\n")
    put(tmp_path, "Add", F([1]), name=f"Default_Add-op{short}"[:100])
    metadata = tmp_path / "rank_0/.dump_metadata"
    metadata.mkdir(exist_ok=True)
    (metadata / "config.json").write_text(f'{{"a": {number}}}')
    (metadata / "data_dump.json").write_text(f'{{"common_dump_settings": {{"dump_mode": {number}}}}}')
    dump = read_dump(tmp_path)
    list(dump)
    dump.metadata()
    list(check(dump))


@given(number=numbers)
@quietly
def test_an_overflow_report(tmp_path: Path, number: str) -> None:
    path = tmp_path / f"Opdebug.Node_OpDebug.0.0.{STAMP}.output.0.json"
    path.write_text(f'{{"AI Core": {{"status": {number}}}}}')
    with refused(path):
        assert read_overflow(str(path)) == json.loads(path.read_text())


@pytest.mark.parametrize("text", ["a.output.{0}: b", "a: {0}", "{0}: b", "[{0}]"])
@pytest.mark.parametrize("suffix", ["yaml", "json"])
@pytest.mark.parametrize("number", EXTREME)
def test_a_map_of_names(tmp_path: Path, suffix: str, text: str, number: str) -> None:
    path = tmp_path / f"map.{suffix}"
    path.write_text(text.format(number) if suffix == "yaml" else f'{{"a.output.0": {number}}}')
    with refused(path):
        read_renames(str(path))


def test_the_numbers_are_beyond_the_bound() -> None:
    assert len(EXTREME[0]) > MOST_DIGITS

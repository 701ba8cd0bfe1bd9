"""What file names of dumps say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msdump.formats.dump.file_names import UNKNOWN_ID, DumpName, npy_name, parse_name
from msdump.formats.dump.sidecars import mapped_name
from msdump.records import mangle

STAMP = 1796092485879026

CASES: list[tuple[str, DumpName]] = [
    (
        "Conv2D.Default_net-Net_conv-Conv2d_Conv2D-op0.3.7.1796092485879026.input.1.NCHW.Float16.npy",
        DumpName("npy", "Conv2D", "Default_net-Net_conv-Conv2d_Conv2D-op0", "input", 1, 3, 7, STAMP, "NCHW", "Float16"),
    ),
    (
        "Add.Add-op26.0.0.1796092485879026.output.0.DefaultFormat.npy",
        DumpName("npy", "Add", "Add-op26", "output", 0, 0, 0, STAMP, "DefaultFormat"),
    ),
    (
        "Parameter.data-4.0.0.1796092485879026.output.0.DefaultFormat.float32.npy",
        DumpName("npy", "Parameter", "data-4", "output", 0, 0, 0, STAMP, "DefaultFormat", "float32"),
    ),
    # An operator's name may be a number, hold dots, or look like the rest.
    ("Parameter.0.0.0.17.output.0.NC.npy", DumpName("npy", "Parameter", "0", "output", 0, 0, 0, 17, "NC")),
    ("A.b.c.1.2.17.input.0.ND.npy", DumpName("npy", "A", "b.c", "input", 0, 1, 2, 17, "ND")),
    ("A.x.output.3.1.2.17.input.0.ND.npy", DumpName("npy", "A", "x.output.3", "input", 0, 1, 2, 17, "ND")),
    ("A.new\nline\t.1.2.17.output.0.ND.npy", DumpName("npy", "A", "new\nline\t", "output", 0, 1, 2, 17, "ND")),
    (
        "Cast.trans.45.1796092485879026.output.0.npy",
        DumpName("npy", "Cast", "trans", "output", 0, 45, UNKNOWN_ID, STAMP),
    ),
    ("Conv2D.conv.3.7.1796092485879026", DumpName("async", "Conv2D", "conv", "", -1, 3, 7, STAMP)),
    ("Conv2D.conv.3.1796092485879026", DumpName("async", "Conv2D", "conv", "", -1, 3, UNKNOWN_ID, STAMP)),
    ("Conv2D.conv.3.7.1796092485879026.6.12.0", DumpName("async", "Conv2D", "conv", "", -1, 3, 7, STAMP)),
    ("Conv2D.conv.3.7.1796092485879026.6.12.0.1.bin", DumpName("async", "Conv2D", "conv", "", -1, 3, 7, STAMP)),
    ("Conv2D.conv.3.1796092485879026.6.12.0", DumpName("async", "Conv2D", "conv", "", -1, 3, UNKNOWN_ID, STAMP)),
    ("Conv2D.1.2.3.7.1796092485879026", DumpName("async", "Conv2D", "1.2", "", -1, 3, 7, STAMP)),
    ("A.b.3.7.17", DumpName("async", "A", "b", "", -1, 3, 7, 17)),
    (
        "A.b.3.7.1796092485879026.output.0.ND.bfloat16",
        DumpName("raw", "A", "b", "output", 0, 3, 7, STAMP, "ND", "bfloat16"),
    ),
    (
        "Default--net-Net--Cast-op28_input_0_shape_128_3_Float32_NC1HWC0.bin",
        DumpName(
            "sync",
            "Cast",
            "Default_net-Net_Cast-op28",
            "input",
            0,
            format="NC1HWC0",
            dtype="Float32",
            shape=(128, 3),
            full_name="Default/net-Net/Cast-op28",
        ),
    ),
    (
        "x_output_1_shape_Int32_DefaultFormat.bin",
        DumpName("sync", "x", "x", "output", 1, format="DefaultFormat", dtype="Int32", shape=(), full_name="x"),
    ),
    ("loss_float32_12.npy", DumpName("npy", "TensorDump", "loss", "output", 0, dtype="float32", serial=12)),
    ("q_k_in_bfloat16_0.npy", DumpName("npy", "TensorDump", "q_k", "input", 0, dtype="bfloat16")),
    ("7_loss.npy", DumpName("npy", "TensorDump", "loss", "output", 0, serial=7)),
    ("conv1.npy", DumpName("npy", "", "conv1", "output", 0)),
    ("layers.0.conv1.input.2.npy", DumpName("npy", "", "layers.0.conv1", "input", 2)),
    ("layers.0.conv1.output.npy", DumpName("npy", "", "layers.0.conv1", "output", 0)),
    ("output.npy", DumpName("npy", "", "output", "output", 0)),
    (
        "Opdebug.Node_OpDebug.1.5.1796092485879026",
        DumpName("overflow", "Opdebug", "Node_OpDebug", "", -1, 1, 5, STAMP),
    ),
    (
        "Opdebug.Node_OpDebug.1.5.1796092485879026.output.0.json",
        DumpName("overflow", "Opdebug", "Node_OpDebug", "output", 0, 1, 5, STAMP),
    ),
]


@pytest.mark.parametrize(("name", "expected"), CASES, ids=[c[0][:60] for c in CASES])
def test_a_name_says(name: str, expected: DumpName) -> None:
    assert parse_name(name) == expected


@pytest.mark.parametrize(
    "name", ["statistic.csv", "mapping.csv", "config.json", "Conv2D.Conv2D-op0.json", "a", "a.b", ""]
)
def test_other_names_say_nothing(name: str) -> None:
    assert parse_name(name) is None


def test_what_the_file_system_forbids_becomes_an_underscore() -> None:
    assert mangle("Default/a.b\\c d-op1") == "Default_a_b_c_d-op1"


def test_mapped_names() -> None:
    mapping = {"123": "Add.long.0.0.17.output.0.ND", "456.npy": "Mul.long.0.0.17.output.0.ND.npy"}
    assert mapped_name("123.npy", mapping) == "Add.long.0.0.17.output.0.ND.npy"
    assert mapped_name("456.npy", mapping) == "Mul.long.0.0.17.output.0.ND.npy"
    assert mapped_name("123", mapping) == "Add.long.0.0.17.output.0.ND"
    assert mapped_name("789.npy", mapping) == "789.npy"


NUMBER = st.integers(0, 10**9)


@given(
    op_type=st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,12}", fullmatch=True),
    op_name=st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=30),
    io=st.sampled_from(["input", "output"]),
    slot=st.integers(0, 99),
    task=NUMBER,
    stream=NUMBER,
    timestamp=st.integers(10**15, 10**16 - 1),
    dtype=st.sampled_from(["", "Float32", "bool"]),
)
def test_what_is_written_is_read(
    op_type: str, op_name: str, io: str, slot: int, task: int, stream: int, timestamp: int, dtype: str
) -> None:
    name = DumpName("npy", op_type, op_name, io, slot, task, stream, timestamp, "DefaultFormat", dtype)
    assert parse_name(npy_name(name)) == name


@given(st.text(max_size=60))
def test_any_text_is_a_name_or_none(text: str) -> None:
    for name in (text, text + ".npy", text + ".bin"):
        found = parse_name(name)
        assert found is None or isinstance(found, DumpName)

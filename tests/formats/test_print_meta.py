"""The metadata's bytes: as proto/print.proto has them, found again, and checked."""

from __future__ import annotations

import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msdump._proto import print_pb2
from msdump.formats import print_meta
from msdump.records import PrintMeta
from tests.conftest import ROOT
from tests.formats.print_bytes import call, string

metas = st.builds(
    PrintMeta,
    call=st.integers(0, (1 << 64) - 1),
    time_ns=st.integers(0, (1 << 64) - 1),
    rank=st.integers(0, (1 << 32) - 1),
    step=st.none() | st.integers(-(1 << 63), (1 << 63) - 1),
    file=st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
    line=st.integers(0, (1 << 32) - 1),
)


@given(metas, st.lists(st.binary(max_size=50), max_size=4))
def test_what_is_noted_is_read_again(meta: PrintMeta, chunks: list[bytes]) -> None:
    payload = b"".join(chunks)
    record = b"!!" + print_meta.encode(meta, chunks) + payload + b"??"
    header = print_meta.decode(record, 2)
    assert header is not None
    assert header.meta == meta
    assert (header.start, header.end) == (2, len(record) - 2)
    assert record[header.payload : header.end] == payload
    assert header.crc32 == zlib.crc32(record[header.covered : header.end])
    assert print_meta.is_whole(record, header)


@given(metas)
def test_protobuf_reads_it_as_the_schema_has_it(meta: PrintMeta) -> None:
    payload = string("loss:")
    message = print_pb2.Print.FromString(print_meta.encode(meta, [payload]) + payload)
    assert [value.desc for value in message.value] == ["loss:"]
    found = message.meta
    assert (found.payload_length, found.call, found.time_ns) == (len(payload), meta.call, meta.time_ns)
    assert (found.rank, found.file, found.line) == (meta.rank, meta.file, meta.line)
    assert found.HasField("step") == (meta.step is not None)
    assert found.step == (meta.step or 0)


def test_any_one_changed_bit_is_noticed() -> None:
    record = call(string("loss:"), 3, file="net.py", line=26)
    for at in range(len(record)):
        for bit in range(8):
            damaged = bytearray(record)
            damaged[at] ^= 1 << bit
            header = print_meta.decode(bytes(damaged), 0)
            assert header is None or not print_meta.is_whole(bytes(damaged), header)


def test_every_prefix_is_not_whole() -> None:
    record = call(string("loss:"), 3, file="net.py", line=26)
    for size in range(len(record)):
        header = print_meta.decode(record[:size], 0)
        assert header is None or not print_meta.is_whole(record[:size], header)


def test_a_path_longer_than_the_length_can_tell_is_cut() -> None:
    header = print_meta.decode(print_meta.encode(PrintMeta(0, 0, file="é" * 20_000), []), 0)
    assert header is not None
    assert header.meta.file.startswith("é" * 8_000)


def test_the_generated_modules_are_those_of_the_schemas() -> None:
    pytest.importorskip("grpc_tools", reason="the generator is a development package")
    done = subprocess.run(
        [sys.executable, str(ROOT / "proto" / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")

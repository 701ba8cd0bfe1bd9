"""The wire by hand: what protobuf's own runtime writes is walked, what is broken says where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msdump.errors import DecodeError, TruncatedError
from msdump.formats.framing import (
    DELIMITED,
    Broken,
    Field,
    encode_delimited,
    encode_varint,
    read_field,
    read_varint,
    signed,
)
from tests.formats.print_bytes import varint


@pytest.mark.parametrize(
    ("number", "wire"),
    [
        (0, b"\x00"),
        (1, b"\x01"),
        (127, b"\x7f"),
        (128, b"\x80\x01"),
        (300, b"\xac\x02"),
        (1 << 32, b"\x80\x80\x80\x80\x10"),
        ((1 << 64) - 1, b"\xff" * 9 + b"\x01"),
    ],
)
def test_varint_both_ways(number: int, wire: bytes) -> None:
    assert encode_varint(number) == wire
    assert read_varint(wire + b"\xff", 0, len(wire)) == (number, len(wire))


def test_negative_numbers_are_twos_complement_of_64_bits() -> None:
    wire = encode_varint(-3)
    assert wire == b"\xfd" + b"\xff" * 8 + b"\x01"
    assert signed(read_varint(wire, 0, 10)[0]) == -3


@given(st.integers(0, (1 << 64) - 1))
def test_varint_round_trip(number: int) -> None:
    wire = encode_varint(number)
    assert wire == varint(number)
    assert read_varint(wire, 0, len(wire)) == (number, len(wire))


@pytest.mark.parametrize(
    ("wire", "what", "offset", "cut"),
    [
        (b"", "the end comes inside a varint", 0, True),
        (b"\x80\x80", "the end comes inside a varint", 0, True),
        (b"\xff" * 11, "a varint is longer than 10 bytes", 0, False),
        (b"\x00\x01", "0 is no field number", 0, False),
        (encode_varint((1 << 29) << 3) + b"\x00", f"{1 << 29} is no field number", 0, False),
        (b"\x0e", "there is no wire type 6", 0, False),
        (b"\x0f", "there is no wire type 7", 0, False),
        (b"\x0c", "a group ends that did not begin", 0, False),
        (b"\x0a\x05abc", "field 1 has 5 bytes, 3 are there", 0, True),
        (b"\x0a" + encode_varint((1 << 64) - 1), "field 1 has 18,446,744,073,709,551,615 bytes, 0 are there", 0, True),
        (b"\x09abc", "field 1 has 8 bytes, 3 are there", 0, True),
        (b"\x0dabc", "field 1 has 4 bytes, 3 are there", 0, True),
        (b"\x0b\x08\x01", "the end comes inside a group", 1, True),
        (b"\x0b\x14", "a group ends that did not begin", 1, False),
        (b"\x0b" * 102, "groups are nested deeper than 100", 100, False),
    ],
)
def test_broken_wire_says_what_and_where(wire: bytes, what: str, offset: int, cut: bool) -> None:
    with pytest.raises(Broken) as caught:
        read_field(wire, 0, len(wire))
    assert (caught.value.what, caught.value.offset, caught.value.cut) == (what, offset, cut)
    error = caught.value.error("x.pb")
    assert type(error) is (TruncatedError if cut else DecodeError)
    assert str(error) == f"x.pb: byte {offset}: {what}"


def test_each_wire_type() -> None:
    assert read_field(b"\x08\x96\x01", 0, 3) == Field(1, 0, 1, 3, 150, 3)
    assert read_field(b"\x11" + bytes(8), 0, 9) == Field(2, 1, 1, 9, 0, 9)
    assert read_field(b"\x1a\x03abc", 0, 5) == Field(3, 2, 2, 5, 3, 5)
    assert read_field(b"\x25" + bytes(4), 0, 5) == Field(4, 5, 1, 5, 0, 5)
    # A group with a field and a group in it: its content is what stands between its own tags.
    nested = b"\x2b" + b"\x08\x01" + b"\x33\x0a\x01a\x34" + b"\x2c"
    assert read_field(nested, 0, len(nested)) == Field(5, 3, 1, len(nested) - 1, 0, len(nested))


@given(st.integers(1, (1 << 29) - 1), st.binary(max_size=300))
def test_delimited_round_trip(number: int, content: bytes) -> None:
    wire = encode_delimited(number, len(content)) + content
    field = read_field(b"??" + wire + b"!!", 2, 2 + len(wire))
    assert (field.number, field.wire, field.after) == (number, DELIMITED, 2 + len(wire))
    assert wire[field.start - 2 : field.stop - 2] == content


@given(st.binary(max_size=60))
def test_any_bytes_give_a_field_or_broken(wire: bytes) -> None:
    try:
        field = read_field(wire, 0, len(wire))
    except Broken as broken:
        offsets = [0, broken.offset, len(wire)]
    else:
        offsets = [0, field.start, field.stop, field.after, len(wire)]
    assert offsets == sorted(offsets)

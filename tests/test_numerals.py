"""What the one door from text to numbers takes, and where JSON that cannot be read is wrong."""

from __future__ import annotations

import math

import pytest

from msdump import numerals
from msdump.errors import ParseError
from msdump.json_text import parse_json
from msdump.source import TextPlace

NINES = "9" * 5000


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-0", 0),
        ("007", 7),
        ("+5", 5),
        (str(1 << 64), 1 << 64),
        ("9" * 300, int("9" * 300)),
        *((text, None) for text in (NINES, "9" * 301, "", "-", "--1", "1.0", "1e5", "1_0", " 3", "3\n", "0x10")),
        *((text, None) for text in ("\u0663", "\u00b2", "\uff17", "nan", "inf", "None")),
    ],
)
def test_an_integer_is_ascii_digits_of_a_bounded_length(text: str, number: int | None) -> None:
    assert numerals.integer(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5),
        ("-1.", -1.0),
        (".5", 0.5),
        ("1e-07", 1e-7),
        ("1.79769e+308", 1.79769e308),
        ("5e-324", 5e-324),
        ("inf", math.inf),
        ("-INF", -math.inf),
        *(
            (text, None)
            for text in ("1e999", "-1e999", NINES, "", ".", "e5", "1_0.0", " 1.5", "infinit", "\u0663.5", "0x1p3")
        ),
    ],
)
def test_a_float_is_what_a_stream_writes(text: str, number: float | None) -> None:
    assert numerals.real(text) == number


def test_a_float_keeps_nan_and_the_sign_of_zero() -> None:
    assert math.isnan(numerals.real("nan") or 0.0)
    assert math.copysign(1, numerals.real("-0.0") or -1.0) == -1


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("", ()),
        ("2, 3", (2, 3)),
        ("2 -1", (2, -1)),
        ("2,3,", (2, 3)),
        (str((1 << 63) - 1), ((1 << 63) - 1,)),
        *((text, None) for text in (str(1 << 63), NINES, "2, x", "\u0663", "1.0", "--2", "2,,x")),
    ],
)
def test_a_shape_is_sizes_of_64_bits(text: str, sizes: tuple[int, ...] | None) -> None:
    assert numerals.shape(text) == sizes


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        (f'{{"a": "{NINES}",\n "b": -{NINES}}}', 2, 7, "an integer of 5,000 digits cannot be read"),
        ('{"a": 1,\n "b" 2}', 2, 6, "not JSON: Expecting ':' delimiter"),
        (b'{"a": 1,\n "b\xff": 2}', 2, 4, "not JSON: the text is not UTF-8"),
        ("[" * 100_000, 1, 1, "not JSON that can be read: it is nested too deep"),
    ],
    ids=["digits", "grammar", "encoding", "depth"],
)
def test_json_that_cannot_be_read_has_a_place(text: str | bytes, line: int, column: int, what: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_json(text, "a.json", line=10)
    assert isinstance(caught.value.where, TextPlace)
    assert (caught.value.what, caught.value.where.line, caught.value.where.column) == (what, line + 9, column)

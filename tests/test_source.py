"""Places in files, as errors tell them."""

from __future__ import annotations

from msdump.source import WHOLE, BytePlace


def test_a_byte_is_told_with_its_field() -> None:
    place = BytePlace("print.pb", 12, "value.tensor")
    assert (str(place), place.short()) == ("print.pb: byte 12 (value.tensor)", "byte 12 (value.tensor)")


def test_a_folder_has_no_byte() -> None:
    place = BytePlace("graphs", WHOLE)
    assert (str(place), place.short()) == ("graphs", "")

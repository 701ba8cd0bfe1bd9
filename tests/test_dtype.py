"""TypeId numbers, as dumps of the releases show them."""

from __future__ import annotations

import pytest

from msdump.dtype import by_number


@pytest.mark.parametrize(
    ("schema", "number", "name"),
    [
        ("type_id", 30, "Bool"),
        ("type_id", 32, "Int8"),
        ("type_id", 37, "UInt8"),
        ("type_id", 42, "Float16"),
        ("type_id", 45, "BFloat16"),
        ("type_id", 46, "Float8E4M3FN"),
        ("type_id", 51, "Complex64"),
        ("type_id", 52, "Complex128"),
        ("type_id", 53, "Int4"),
        ("type_id_2.5", 43, "Float32"),
        ("type_id_2.5", 48, "Complex64"),
        ("type_id_2.5", 49, "Complex128"),
        ("type_id_1", 44, "Float64"),
        ("type_id_1", 46, "Complex64"),
        ("type_id_1", 47, "Complex128"),
    ],
)
def test_a_number_means_what_its_release_writes(schema: str, number: int, name: str) -> None:
    found = by_number(schema, number)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(("schema", "number"), [("type_id", 31), ("type_id_1", 51), ("type_id_2.5", 53)])
def test_a_number_that_stands_for_no_type(schema: str, number: int) -> None:
    assert by_number(schema, number) is None

"""Layouts as data and back; what is not of its type is refused."""

from __future__ import annotations

import json

import pytest

from msdump.graph.layout import AnfLayout, FuncLayout, IrLayout, Layout, MindirLayout, layout_data, layout_from

FUNC = FuncLayout(
    "g",
    label="h",
    between=((0, "B"), (2, "C")),
    numbers={"%0": 3, "%1": None},
    params=(1, None),
    order_items={"%0": (("Primitive", "Add"), ("", "x"))},
)


@pytest.mark.parametrize(
    "layout",
    [
        Layout(),
        Layout("dat", "1.6"),
        AnfLayout("anf_pb", bare=True),
        MindirLayout("mindir", model_version="2.10.0", mind_ir_version=1),
        IrLayout(
            "ir", "2.0", {"gap": 3, "typed": True, "header": ("a", "b")}, totals={"params": (2, 1)}, funcs=(FUNC,)
        ),
    ],
)
def test_a_layout_comes_back_from_its_data(layout: Layout) -> None:
    assert layout_from(json.loads(json.dumps(layout_data(layout)))) == layout


def test_fields_with_their_usual_value_are_left_out() -> None:
    assert layout_data(IrLayout(dialect="1.1", funcs=(FuncLayout("g"),))) == {
        "format": "ir",
        "dialect": "1.1",
        "funcs": [{"name": "g"}],
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "a layout is a mapping"),
        ({"format": "ir", "trimmed": 1}, "source.trimmed cannot be 1"),
        ({"format": "ir", "funcs": [{"name": "g", "numbers": {"%0": "1"}}]}, "source.funcs.numbers cannot be '1'"),
        ({"format": "ir", "totals": {"params": [1]}}, "source.totals cannot be [1]"),
    ],
)
def test_data_of_another_type_are_refused(data: object, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("[", r"\[")):
        layout_from(data)

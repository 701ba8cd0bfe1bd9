"""The rooms of the format have one direction."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from msdump.formats import ir

HERE = Path(ir.__file__).parent
ROOMS = ("syntax", "dialects", "elements", "print", "lower")
"""Each imports from those before it."""


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_those_before_it(room: str) -> None:
    later = set(ROOMS[ROOMS.index(room) + 1 :])
    modules = sorted((HERE / room).glob("*.py"))
    assert modules
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("msdump.formats.ir."):
                assert (node.module or "").split(".")[3] not in later, (path.name, node.module)


def test_every_module_stands_in_a_room() -> None:
    assert {path.name for path in HERE.glob("*.py")} == {"__init__.py", "loss.py", "summary.py"}
    assert {path.name for path in HERE.iterdir() if path.is_dir()} - {"__pycache__"} == set(ROOMS)

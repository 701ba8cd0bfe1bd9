"""docs/json.md has every schema that the code names."""

from __future__ import annotations

import re

from tests.conftest import ROOT

SCHEMA = re.compile(r"\bmsdump\.[a-z][a-z-]*/\d+")


def test_every_schema_is_documented() -> None:
    named = {
        found
        for path in (ROOT / "msdump").rglob("*.py")
        for found in re.findall(r'"(msdump\.[a-z][a-z-]*/\d+)"', path.read_text(encoding="utf-8"))
    }
    documented = {s for path in (ROOT / "docs").glob("*.md") for s in SCHEMA.findall(path.read_text(encoding="utf-8"))}
    assert named
    assert sorted(named - documented) == []

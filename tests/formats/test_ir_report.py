"""Reports of the runtime with the suffix .ir."""

from __future__ import annotations

from pathlib import Path

import pytest

from msdump import io
from msdump.errors import ParseError
from msdump.formats import ir_report
from tests.conftest import every, real

ACTORS = (
    "[Device tensor stores]\n\tgraph_id:0\n\t\tdevice tensor key:w\n\n"
    "[Kernel actors:2]\n\tactor_name:a\n\tactor_name:b\n"
)
SOMAS = "\n\nAll Tensors:\n\nindex:\tsize:\n%0T\t#512S\n\n\nAll Nodes:\n\n$0\tGreater-op78\n"


def test_an_actor_set() -> None:
    report = ir_report.parse(ACTORS)
    assert report.kind == "actor set"
    assert [(s.title, s.count, len(s.lines)) for s in report.sections] == [
        ("Device tensor stores", None, 2),
        ("Kernel actors", 2, 2),
    ]
    assert str(report) == "actor set report of the runtime, no graph: Device tensor stores (2), Kernel actors (2)"


def test_a_memory_report() -> None:
    report = ir_report.parse(SOMAS)
    assert (report.kind, [s.title for s in report.sections]) == ("somas", ["All Tensors", "All Nodes"])


def test_another_text_is_refused() -> None:
    with pytest.raises(ParseError, match="neither an actor set nor a memory report"):
        ir_report.parse("subgraph @g() {\n}\n")


@pytest.mark.parametrize("path", every(9, real("notgraph/**/*.ir")), ids=lambda p: p.name)
def test_a_report_is_not_taken_for_a_graph(path: Path) -> None:
    assert io.sniff(path).name == "ir.report"
    assert ir_report.read(path).kind == ("somas" if path.name.startswith("somas") else "actor set")

"""Which source lines are the user's own."""

from __future__ import annotations

import pytest

from msdump.graph.find import own_line
from msdump.graph.names import in_library
from msdump.graph.node import CNode, Location


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("/venv/lib/python3.11/site-packages/mindspore/nn/layer/conv.py", True),
        ("/usr/lib/python3/dist-packages/anything.py", True),
        ("/src/mindspore/ops/operations/math_ops.py", True),
        ("/src/msdump/runtime/nn/normalization.py", True),
        (r"C:\Python\Lib\site-packages\mindspore\nn\cell.py", True),
        ("/home/me/mindspore/train.py", False),
        ("/home/me/msdump/net.py", False),
        ("net.py", False),
    ],
)
def test_a_library_is_told_by_its_place(path: str, library: bool) -> None:
    assert in_library(path) is library


def test_the_innermost_own_line_is_taken() -> None:
    lines = (Location("/a/net.py", 9), Location("/a/net.py", 21), Location("/src/msdump/runtime/nn/basic.py", 66))
    assert own_line(CNode("%0", "MatMul", (), locations=lines)) == lines[1]
    assert own_line(CNode("%0", "MatMul", (), locations=lines[2:])) == lines[2]
    assert own_line(CNode("%0", "MatMul", ())) is None

"""Formats by kind, and what asking for one kind imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from msdump.formats import Kind, all_formats, formats_of


@pytest.mark.parametrize("kind", ["print", "graph", "dump", "tensor", "table", "report"])
def test_the_formats_of_a_kind_are_all_of_that_kind(kind: Kind) -> None:
    assert formats_of(kind) == tuple(found for found in all_formats() if found.kind == kind)


def test_listing_the_graph_formats_imports_no_numpy() -> None:
    code = "import sys, msdump.formats as f; f.formats_of('graph'); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

"""A real MindSpore 2.7: the Python that MSDUMP_MINDSPORE_PYTHON names, or this one when it has it."""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest


@pytest.fixture(scope="session")
def mindspore_python() -> str:
    """A Python that imports MindSpore; tests that ask for it are skipped where there is none."""
    if named := os.environ.get("MSDUMP_MINDSPORE_PYTHON"):
        return named
    if importlib.util.find_spec("mindspore") is not None:
        return sys.executable
    pytest.skip("no MindSpore here; MSDUMP_MINDSPORE_PYTHON names a Python that has it (.ci/mindspore_env makes one)")

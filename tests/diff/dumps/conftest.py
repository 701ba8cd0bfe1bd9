"""What tests of comparing dumps share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Two roots, with dots in their names."""
    return tmp_path / "v.1", tmp_path / "v.2"

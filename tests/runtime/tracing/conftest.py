"""What tests of graphs share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of one's own for what a failed compilation leaves."""
    monkeypatch.chdir(tmp_path)

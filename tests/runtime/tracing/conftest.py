"""What tests of graphs share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from msdump import context


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of one's own for what a failed compilation leaves, and the mode that is the default again."""
    monkeypatch.chdir(tmp_path)
    yield
    context.set_context(mode=context.PYNATIVE_MODE)

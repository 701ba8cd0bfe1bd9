"""Where test data lies: fixtures/ in the project, and the corpus beside it when it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
CORPUS = ROOT.parent / "shared" / "corpus"


@pytest.fixture
def corpus() -> Path:
    """The folder of real files; tests that ask for it are skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real files is not beside this checkout")
    return CORPUS

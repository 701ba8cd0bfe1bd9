"""Where test data lies: fixtures/ in the project, and the corpus beside it when it is there."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

# A shell that runs something in the background has it ignore Ctrl-C; what tests interrupt must not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
CORPUS = ROOT.parent / "shared" / "corpus"


@pytest.fixture
def corpus() -> Path:
    """The folder of real files; tests that ask for it are skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real files is not beside this checkout")
    return CORPUS

"""Where test data lies: fixtures/ in the project, and the corpus beside it when it is there.

MSDUMP_CORPUS names another folder for the corpus. The laws over real files run over all of it, or over
the selection of it in fixtures/real where it is absent; a law that finds no file fails.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

# A shell that runs something in the background has it ignore Ctrl-C; what tests interrupt must not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
CORPUS = Path(os.environ.get("MSDUMP_CORPUS") or ROOT.parent / "shared" / "corpus")
REAL = CORPUS if CORPUS.is_dir() else FIXTURES / "real"
"""Graph files that MindSpore wrote, KIND/RELEASE/NETWORK/FILE."""


def real(*patterns: str) -> list[Path]:
    """The real files that match one of these patterns; that there are none is an error."""
    found = sorted({path for pattern in patterns for path in REAL.glob(pattern) if path.is_file()})
    assert found, f"no real file is {' or '.join(patterns)}"
    return found


def every(number: int, files: list[Path]) -> list[Any]:
    """Parameters of a law: each `number`th file of the corpus, the others marked slow; the whole selection."""
    return [
        pytest.param(path, marks=() if REAL != CORPUS or at % number == 0 else pytest.mark.slow)
        for at, path in enumerate(files)
    ]


@pytest.fixture
def corpus() -> Path:
    """The folder of real files; tests that ask for it are skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real files is not beside this checkout")
    return CORPUS

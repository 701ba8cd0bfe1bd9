"""Running the command line: in this process where the result counts, as a process where its end does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES

MINDSPORE = FIXTURES / "print" / "mindspore"
MSDUMP = [sys.executable, "-m", "msdump"]


@dataclass(frozen=True)
class Ran:
    """What a run of msdump gave."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run msdump with these words; `stdin` are bytes for a process of its own."""
    from msdump.cli import main

    def call(*words: str | Path, stdin: bytes | None = None, **environment: str) -> Ran:
        arguments = [str(word) for word in words]
        if stdin is not None or environment:
            done = subprocess.run(
                [*MSDUMP, *arguments], input=stdin, capture_output=True, env=os.environ | environment, check=False
            )
            return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Ran(ended.value.code, out, err)

    return call

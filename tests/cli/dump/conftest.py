"""What tests of the commands on dumps share."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.npy import NpyTensor, npy_bytes
from tests.conftest import FIXTURES

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
F: Any = np.float32


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """The real dump with one output of its Add changed."""
    root = tmp_path / "edited"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    victim.write_bytes(npy_bytes(NpyTensor(str(victim)).numpy() + F([0.5, 0])))
    return root

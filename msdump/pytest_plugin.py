"""The pytest plugin: fixtures for files that MindSpore, or msdump, writes during a test.

pytest loads it in every run where msdump is installed, so it imports nothing until it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from msdump.testing import Artifacts


@pytest.fixture
def msdump_artifacts(tmp_path: Path) -> Artifacts:
    """A folder of the test's own, and readers of what is written there: `.graph(…)`, `.prints(…)`."""
    from msdump.testing import Artifacts

    return Artifacts(tmp_path)

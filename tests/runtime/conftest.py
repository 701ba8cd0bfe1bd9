"""Each test of the runtime has a Session of its own: what it sets and opens is gone after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from msdump.runtime.session import Session


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with Session.fresh() as made:
        yield made

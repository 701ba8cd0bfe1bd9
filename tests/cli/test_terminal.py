"""The progress bar: only on a terminal, only for long work."""

from __future__ import annotations

import pytest

from msdump.cli import terminal
from msdump.cli.terminal import Bar, watched


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("on_terminal", "seconds", "shown"), [(True, 2.0, True), (True, 0.9, False), (False, 9.0, False)]
)
def test_the_bar(monkeypatch: pytest.MonkeyPatch, on_terminal: bool, seconds: float, shown: bool) -> None:
    clock = Clock()
    monkeypatch.setattr(terminal, "time", clock)
    monkeypatch.setattr("sys.stderr.isatty", lambda: on_terminal, raising=False)
    with Bar("working", 100) as bar:
        for done in range(10):
            bar.at(done)
        clock.now = seconds
        bar.at(50)
        assert (bar._progress is not None) is shown


def test_watched_gives_the_items() -> None:
    assert list(watched([3, 1, 2], "x", 10, float)) == [3, 1, 2]

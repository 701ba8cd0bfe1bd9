"""Alignment of two sequences: shortest, in order, and with gaps where the contents say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import msdump.diff.align as module
from msdump.diff.align import Pair, align


def shown(pairs: list[Pair], a: str, b: str) -> list[str]:
    return [("-" if i is None else a[i]) + ("-" if j is None else b[j]) for i, j in pairs]


def longest_common(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        above, row = row, [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(row[-1], above[j + 1]))
    return row[-1]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("abc", "abc", ["aa", "bb", "cc"]),
        ("abc", "ac", ["aa", "b-", "cc"]),
        ("ac", "abc", ["aa", "-b", "cc"]),
        ("", "ab", ["-a", "-b"]),
        ("axc", "ayc", ["aa", "x-", "-y", "cc"]),
    ],
)
def test_small_cases(a: str, b: str, expected: list[str]) -> None:
    assert shown(align(a, b), a, b) == expected


@given(st.text("abcd", max_size=25), st.text("abcd", max_size=25))
def test_it_is_shortest_and_in_order(a: str, b: str) -> None:
    pairs = align(a, b)
    assert [i for i, _ in pairs if i is not None] == list(range(len(a)))
    assert [j for _, j in pairs if j is not None] == list(range(len(b)))
    both = [(i, j) for i, j in pairs if i is not None and j is not None]
    assert all(a[i] == b[j] for i, j in both)
    assert len(both) == longest_common(a, b)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30, unique=True), st.data())
def test_a_gap_among_equal_keys_goes_where_the_contents_say(contents: list[int], data: Any) -> None:
    missing = data.draw(st.integers(0, len(contents) - 1))
    other = contents[:missing] + contents[missing + 1 :]
    for a, b in ((contents, other), (other, contents)):
        pairs = align(["loss"] * len(a), ["loss"] * len(b), lambda i, j, a=a, b=b: a[i] == b[j])  # type: ignore[misc]  # bound values
        assert all(a[i] == b[j] for i, j in pairs if i is not None and j is not None)
        assert sorted(i for i, _ in pairs if i is not None) == list(range(len(a)))
        assert sorted(j for _, j in pairs if j is not None) == list(range(len(b)))


def test_a_gap_stays_low_when_the_contents_say_nothing() -> None:
    assert align("aaa", "aa", lambda i, j: False) == [(0, 0), (1, 1), (2, None)]


def test_far_apart_sequences_are_paired_by_occurrence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FARTHEST", 2)
    a, b = "abcabcab", "cbacbaxx"
    pairs = align(a, b)
    assert sorted(i for i, _ in pairs if i is not None) == list(range(len(a)))
    assert sorted(j for _, j in pairs if j is not None) == list(range(len(b)))
    assert all(a[i] == b[j] for i, j in pairs if i is not None and j is not None)
    assert sum(i is not None and j is not None for i, j in pairs) == 6

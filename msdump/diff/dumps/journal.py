"""What a comparison has done so far, so that a killed one goes on where it was.

A text file of JSON lines: the first says which comparison it is, each further one holds the result of
one pair, with the size and time of writing of both files. A torn last line is what a kill leaves
behind, and is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, TypeAlias

import numpy as np

from msdump.diff.dumps.measure import Rule
from msdump.diff.dumps.pairs import Pair
from msdump.diff.dumps.result import TensorResult

SCHEMA = "msdump.dump-journal/1"
Fingerprint: TypeAlias = "Callable[[str], tuple[int, int]]"
"""path → (size, time of writing)."""

_TUPLES = ("dtype", "nan", "inf", "statistics", "path")


def default_path(a: str, b: str) -> str:
    """The journal of a comparison of two dumps in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = hashlib.sha256(f"{os.path.abspath(a)}\n{os.path.abspath(b)}".encode()).hexdigest()[:24]
    return os.path.join(cache, "msdump", f"dump-diff-{name}.jsonl")


class Journal:
    """Results by pair, kept in a file while the comparison runs.

    Args:
        path: the file; its directory is made.
        rule: results of another rule are not taken over.
        fingerprint: what tells that a file has been written again.
    """

    def __init__(self, path: str, rule: Rule, fingerprint: Fingerprint) -> None:
        self.path = path
        tolerance = rule.tolerance
        self._head = {
            "schema": SCHEMA,
            "rule": [tolerance.rtol, tolerance.atol, tolerance.equal_nan, rule.strict_dtype],
        }
        self._fingerprint = fingerprint
        self._file: IO[str] | None = None

    def done(self, pairs: list[Pair]) -> dict[int, TensorResult]:
        """Results of an earlier run that still hold, by place in `pairs`."""
        known: dict[str, dict[str, Any]] = {}
        try:
            with open(self.path, encoding="utf-8") as file:
                if _parsed(file.readline()) != self._head:
                    return {}
                for line in file:
                    entry = _parsed(line)
                    if isinstance(entry, dict) and "key" in entry:
                        known[str(entry["key"])] = entry
        except (OSError, UnicodeDecodeError):
            return {}
        found: dict[int, TensorResult] = {}
        for index, pair in enumerate(pairs):
            entry = known.get(_key(pair))
            if entry is not None and entry.get("files") == self._files(pair):
                with suppress(KeyError, TypeError, ValueError):
                    found[index] = _result(entry["result"])
        return found

    def start(self, keep: bool) -> None:
        """Begin to write; `keep` leaves what is there. Where it cannot be written, nothing is kept."""
        with suppress(OSError):
            os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
            if keep and os.path.exists(self.path):
                self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115  # closed by `end`
                self._file.write("\n")  # ends a line that a kill may have torn
            else:
                self._file = open(self.path, "w", encoding="utf-8")  # noqa: SIM115  # closed by `end`
                self._file.write(json.dumps(self._head) + "\n")

    def add(self, pair: Pair, result: TensorResult) -> None:
        """Note one result. What could not be read is not noted: it may be there the next time."""
        if self._file is None or result.what == "unreadable":
            return
        entry = {"key": _key(pair), "files": self._files(pair), "result": _plain(result)}
        with suppress(OSError):
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()

    def end(self, finished: bool) -> None:
        """Stop; a finished comparison needs no journal."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
        if finished:
            with suppress(OSError):
                os.unlink(self.path)

    def _files(self, pair: Pair) -> list[list[int]]:
        try:
            return [list(self._fingerprint(side.record.path)) for side in (pair.a, pair.b)]
        except OSError:
            return []


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _key(pair: Pair) -> str:
    a, b = pair.a, pair.b
    return json.dumps(
        [a.record.path, a.record.io, a.record.slot, a.occurrence, b.record.path, b.record.io, b.record.slot]
    )


def _plain(result: TensorResult) -> dict[str, Any]:
    """A result as Python's json holds it, NaN and infinities included."""
    found = result.to_dict()
    del found["share"]
    if found["worst_values"] is not None:
        found["worst_values"] = [_number(v) for v in found["worst_values"]]
    return found


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item() if value.dtype.kind in "biufc" else float(value)
    return [value.real, value.imag] if isinstance(value, complex) else value


def _value(value: Any) -> Any:
    return complex(*value) if isinstance(value, list) else value


def _result(content: dict[str, Any]) -> TensorResult:
    given = dict(content)
    for name in _TUPLES:
        given[name] = tuple(given[name])
    given["shape"] = tuple(None if s is None else tuple(s) for s in given["shape"])
    given["worst"] = None if given["worst"] is None else tuple(given["worst"])
    if given["worst_values"] is not None:
        given["worst_values"] = tuple(_value(v) for v in given["worst_values"])
    return TensorResult(**given)

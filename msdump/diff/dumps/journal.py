"""What a comparison has done so far, so that a killed one goes on where it was.

A text file of JSON lines: the first says which comparison it is, each further one is about one pair:
which it is, the size and time of writing of both files, and how they compare. A torn last line is what
a kill leaves behind, and is left out.
"""

from __future__ import annotations

import hashlib
import json
import operator
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import IO, Any, TypeAlias

import numpy as np

from msdump.diff.dumps.measure import Outcome, Rule, result_of
from msdump.diff.dumps.pairs import Pair
from msdump.diff.dumps.result import TensorResult, Verdict
from msdump.diff.tensor.metrics import TensorDiff
from msdump.dtype import by_name
from msdump.errors import MsdumpError, WriteError

SCHEMA = "msdump.dump-journal/1"
Fingerprint: TypeAlias = "Callable[[str], tuple[int, int]]"
"""path → (size, time of writing)."""

# What is noted of a result; which tensors it is about, the pair says.
_VERDICT, _DIFF = (tuple(f.name for f in fields(part)) for part in (Verdict, TensorDiff))
_verdict, _diff = operator.attrgetter(*_VERDICT), operator.attrgetter(*_DIFF)
_FLUSH_AFTER = 0.2
"""Seconds of work that a kill may cost."""


def default_path(a: str, b: str) -> str:
    """The journal of a comparison of two dumps in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = hashlib.sha256(os.fsencode(f"{os.path.abspath(a)}\n{os.path.abspath(b)}")).hexdigest()[:24]
    return os.path.join(cache, "msdump", f"dump-diff-{name}.jsonl")


class Journal:
    """Results by pair, kept in a file while the comparison runs.

    Args:
        path: the file.
        rule: results of another rule are not taken over.
        fingerprint: what tells that a file has been written again.
        asked: whether somebody named the file. Then it must be one that can be written; else its folder
            is made, and where that cannot be, nothing is kept.
    """

    def __init__(self, path: str, rule: Rule, fingerprint: Fingerprint, *, asked: bool = False) -> None:
        self.path = path
        self._asked = asked
        tolerance = rule.tolerance
        self._head = {
            "schema": SCHEMA,
            "rule": [tolerance.rtol, tolerance.atol, tolerance.equal_nan, rule.strict_dtype],
        }
        self._fingerprint = fingerprint
        self._file: IO[str] | None = None
        self._flushed = 0.0

    def done(self, pairs: list[Pair]) -> dict[int, TensorResult]:
        """Results of an earlier run that still hold, by place in `pairs`."""
        known: dict[tuple[Any, ...], list[Any]] = {}
        try:
            with open(self.path, encoding="utf-8") as file:
                if _parsed(file.readline()) != self._head:
                    return {}
                for line in file:
                    entry = _parsed(line)
                    if isinstance(entry, list) and len(entry) == 3 and isinstance(entry[0], list):
                        known[tuple(map(str, entry[0]))] = entry
        except (OSError, UnicodeDecodeError):
            return {}
        found: dict[int, TensorResult] = {}
        for index, pair in enumerate(pairs):
            entry = known.get(tuple(map(str, _key(pair))))
            if entry is not None and entry[1] == self._files(pair):
                with suppress(TypeError, ValueError, OverflowError, AttributeError):
                    found[index] = result_of(pair, _outcome(entry[2]))
        return found

    def start(self, keep: bool) -> None:
        """Begin to write; `keep` leaves what is there.

        Raises:
            WriteError: a file that was asked for cannot be written.
        """
        try:
            if not self._asked:
                os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
            keep = keep and os.path.exists(self.path)
            self._file = open(self.path, "a" if keep else "w", encoding="utf-8")  # noqa: SIM115  # closed by `end`
            # An empty line ends one that a kill may have torn.
            self._file.write("\n" if keep else json.dumps(self._head) + "\n")
        except OSError as error:
            if self._asked:
                raise WriteError(f"{self.path}: {error.strerror or error}") from None

    def check(self) -> None:
        """Before the work: that a file which was asked for can be made, or is a journal.

        Raises:
            WriteError: it is not so.
        """
        folder = os.path.dirname(self.path) or "."
        if not os.path.isdir(folder):
            raise WriteError(f"{self.path}: there is no folder {folder}")
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                head = file.readline(1 << 16)
        except FileNotFoundError:
            return
        except OSError as error:
            raise WriteError(f"{self.path}: {error.strerror or error}") from None
        found = _parsed(head) if head else {"schema": SCHEMA}
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise WriteError(f"{self.path}: is there, and is no journal", hint="give another name")

    def add(self, pair: Pair, result: TensorResult) -> None:
        """Note one result. What could not be read is not noted: it may be there the next time."""
        if self._file is None or result.verdict.what == "unreadable":
            return
        with suppress(OSError):
            self._file.write(json.dumps([_key(pair), self._files(pair), _plain(result)]) + "\n")
            now = time.monotonic()
            if now - self._flushed > _FLUSH_AFTER:
                self._file.flush()
                self._flushed = now

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
        except MsdumpError:
            return []


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _key(pair: Pair) -> tuple[Any, ...]:
    a, b = pair.a, pair.b
    return a.record.path, a.record.io, a.record.slot, a.occurrence, b.record.path, b.record.io, b.record.slot


def _plain(result: TensorResult) -> list[Any]:
    """What is noted of a result, as Python's json holds it, NaN and infinities included."""
    found = [*_verdict(result.verdict), *_diff(result.diff)]
    if result.diff.worst_values is not None:
        at = len(_VERDICT) + _DIFF.index("worst_values")
        found[at] = [_number(v) for v in result.diff.worst_values]
    return found


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item() if value.dtype.kind in "biufc" else float(value)
    return [value.real, value.imag] if isinstance(value, complex) else value


def _outcome(noted: list[Any]) -> Outcome:
    """The outcome that was noted. Raises TypeError or ValueError for what is none."""
    verdict, known = noted[: len(_VERDICT)], dict(zip(_DIFF, noted[len(_VERDICT) :], strict=True))
    given = dict(zip(_VERDICT, verdict, strict=True))
    given["statistics"] = tuple(given["statistics"])
    for name in ("dtype", "nan", "inf"):
        known[name] = tuple(known[name])
    known["shape"] = tuple(None if s is None else tuple(s) for s in known["shape"])
    known["worst"] = None if known["worst"] is None else tuple(known["worst"])
    if known["worst_values"] is not None:
        known["worst_values"] = tuple(map(_typed, known["worst_values"], known["dtype"]))
    return Outcome(Verdict(**given), TensorDiff(**known))


def _typed(value: Any, dtype: str) -> Any:
    """A noted number in the tensor's own type, in which it prints as the tensor's elements do."""
    if isinstance(value, list):
        value = complex(*value)
    known = by_name(dtype)
    return value if known is None or isinstance(value, str) else known.np.type(value)

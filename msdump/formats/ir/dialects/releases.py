"""The dialects that are known, by the release they first appear in."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib import import_module

from msdump.formats.ir.dialects.dialect import Dialect, differing, features
from msdump.graph.layout import Feature

NAMES = ("1.0", "1.1", "1.3", "1.6", "1.8", "1.10", "2.0", "2.5", "2.10")
"""Releases from which on something is written in another way, oldest first."""
LATEST = NAMES[-1]
_NAME = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4})*")


@functools.cache
def dialect(name: str) -> Dialect:
    """The dialect of a release ("1.8"; "1.8.1" and "1.9" are the last one known before).

    KeyError when there is none as old.
    """
    wanted = _version(name)
    older = [n for n in NAMES if _version(n) <= wanted]
    if not older:
        raise KeyError(name)
    module = import_module(f"msdump.formats.ir.dialects.v{older[-1].replace('.', '_')}")
    found: Dialect = module.DIALECT
    return found


def _version(name: str) -> tuple[int, ...]:
    if not _NAME.fullmatch(name):
        raise KeyError(name)
    return tuple(int(part) for part in name.split(".")[:2])


def dialects() -> tuple[Dialect, ...]:
    """Every known dialect, oldest first."""
    return tuple(dialect(name) for name in NAMES)


def nearest(given: Mapping[str, Feature]) -> Dialect:
    """The dialect that agrees with most of the features given, with the others replaced.

    Of equally near ones the newest.
    """

    def agreement(one: Dialect) -> int:
        known = features(one)
        return sum(known.get(feature) == value for feature, value in given.items())

    return differing(max(reversed(dialects()), key=agreement), given)


def differences(found: Dialect) -> dict[str, Feature]:
    """The features in which `found` is not the dialect of its name."""
    plain = features(dialect(found.name))
    return {feature: value for feature, value in features(found).items() if value != plain[feature]}

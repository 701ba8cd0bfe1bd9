"""`from msdump.ops import operations as P`: the primitives of `msdump.ops`, each a class."""

from __future__ import annotations

from typing import Any

from msdump.ops import members as ops


def __getattr__(name: str) -> Any:
    found = None if name.startswith("__") else getattr(ops, name, None)
    if not isinstance(found, type):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return [name for name in dir(ops) if name[0].isupper()]

"""`from msdump.ops import functional as F`: the functions of `msdump.ops`, and none of its classes."""

from __future__ import annotations

from typing import Any

from msdump.ops import members as ops


def __getattr__(name: str) -> Any:
    found = None if name.startswith("__") else getattr(ops, name, None)
    if not callable(found) or isinstance(found, type):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return [name for name in dir(ops) if not name.startswith("_") and name in {*vars(ops), *ops.PRIMITIVES}]

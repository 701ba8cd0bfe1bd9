"""`from msdump.ops import composite as C`: functions again; what is a class there is in `msdump.ops` alone."""

from __future__ import annotations

from typing import Any

from msdump.ops import functional
from msdump.ops.functional import __dir__ as __dir__


def __getattr__(name: str) -> Any:
    try:
        return getattr(functional, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None

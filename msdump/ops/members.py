"""All that `msdump.ops` has: functions, and primitives as classes, made when they are asked for."""

from __future__ import annotations

from typing import Any

from msdump.runtime import tensor_methods as _tensor_methods  # noqa: F401 - what the functions give can compute
from msdump.runtime.functions import *  # noqa: F403 - the functions, all public
from msdump.runtime.functions.names import PRIMITIVES
from msdump.runtime.ops.registry import OPERATORS
from msdump.runtime.primitive import Primitive, primitive_class, shared
from msdump.runtime.print_op import Print

print_ = Print()
"""Print as a function."""


def __getattr__(name: str) -> Any:
    if name in PRIMITIVES:
        return shared(PRIMITIVES[name])
    if name in OPERATORS and name[0].isupper() and name.isidentifier():
        return primitive_class(name)
    raise AttributeError(f"module 'msdump.ops' has no attribute {name!r}")


def __dir__() -> list[str]:
    classes = (name for name in OPERATORS if name[0].isupper() and name.isidentifier())
    own = (name for name, value in globals().items() if callable(value) or name.startswith("_"))
    return sorted({*own, *PRIMITIVES, *classes})


__all__ = ["PRIMITIVES", "Primitive", "Print"]

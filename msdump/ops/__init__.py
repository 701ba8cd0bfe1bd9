"""`ops` as MindSpore has it: `ops.matmul(a, b)`, and primitives as classes: `ops.MatMul()(a, b)`.

Every operator of the registry (msdump.runtime.ops) is a class here under each of its names that begins
with a capital; a lower-case name is a function. `functional`, `operations` and `composite` are parts of
it, for programs that import those.
"""

from __future__ import annotations

from typing import Any

from msdump.ops import composite, functional, members, operations
from msdump.ops.members import PRIMITIVES, Primitive, Print, print_
from msdump.runtime.functions import *  # noqa: F403 - the functions, all public


def __getattr__(name: str) -> Any:
    return getattr(members, name)


def __dir__() -> list[str]:
    return sorted({*dir(members), "composite", "functional", "operations"})


__all__ = ["PRIMITIVES", "Primitive", "Print", "composite", "functional", "operations", "print_"]

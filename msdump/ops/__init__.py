"""`ops` as MindSpore has it: `ops.matmul(a, b)`, and primitives as classes: `ops.MatMul()(a, b)`.

Every operator of the registry (msdump.runtime.ops) is a class here under each of its names that begins
with a capital; a lower-case name is a function. `functional`, `operations` and `composite` are parts of
it, for programs that import those.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from msdump.runtime import tensor_methods as _tensor_methods  # noqa: F401 - what the functions give can compute
from msdump.runtime.functions import *  # noqa: F403 - the functions, all public
from msdump.runtime.functions.names import PRIMITIVES
from msdump.runtime.ops.registry import OPERATORS
from msdump.runtime.primitive import Primitive, primitive_class, shared
from msdump.runtime.print_op import Print

_PARTS = ("composite", "functional", "operations")
print_ = Print()
"""Print as a function."""


def __getattr__(name: str) -> Any:
    if name in PRIMITIVES:
        return shared(PRIMITIVES[name])
    if name in OPERATORS and name[0].isupper() and name.isidentifier():
        return primitive_class(name)
    if name in _PARTS:
        return import_module(f"msdump.ops.{name}")
    raise AttributeError(f"module 'msdump.ops' has no attribute {name!r}")


def __dir__() -> list[str]:
    classes = (name for name in OPERATORS if name[0].isupper() and name.isidentifier())
    own = (name for name, value in globals().items() if callable(value) or name.startswith("_"))
    return sorted({*own, *PRIMITIVES, *classes, *_PARTS})


__all__ = ["PRIMITIVES", "Primitive", "Print"]

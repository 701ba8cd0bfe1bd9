"""`ops` as MindSpore has it: `ops.matmul(a, b)`, and primitives as classes: `ops.MatMul()(a, b)`.

Every operator of the registry (msdump.runtime.ops) is a class here under each of its names.
"""

from __future__ import annotations

from typing import Any

from msdump.runtime import tensor_methods as _tensor_methods  # noqa: F401 - what the functions give can compute
from msdump.runtime.functions import *  # noqa: F403 - the functions, all public
from msdump.runtime.ops.registry import OPERATORS
from msdump.runtime.primitive import Primitive, primitive_class
from msdump.runtime.print_op import Print


def __getattr__(name: str) -> Any:
    if name in OPERATORS and name.isidentifier():
        return primitive_class(name)
    raise AttributeError(f"module 'msdump.ops' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in OPERATORS if name.isidentifier())})


__all__ = ["Primitive", "Print"]

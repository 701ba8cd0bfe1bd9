"""How the functions of `msdump.ops` get their primitives: made once, kept by their attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from msdump.dtype import by_name
from msdump.runtime.primitive import Primitive, shared
from msdump.runtime.tensor import Tensor

Op = Callable[..., Tensor]


@functools.lru_cache(maxsize=4096)
def _kept(name: str, items: tuple[tuple[str, Any], ...], types: tuple[type, ...]) -> Any:
    return Primitive(name, **dict(items))


def prim(name: str, **attrs: Any) -> Any:
    """The primitive with these attributes, made once; attributes that cannot be hashed make a new one."""
    try:
        # 1, 1.0 and True hash alike and mean different things.
        return _kept(name, tuple(attrs.items()), tuple(map(type, attrs.values())))
    except TypeError:
        return Primitive(name, **attrs)


def op(name: str) -> Op:
    """A primitive without attributes as a function."""
    return shared(name)


def _type(name: str) -> Any:
    found = by_name(name)
    assert found is not None  # the table has these
    return found


BOOL, INT32, INT64 = _type("Bool"), _type("Int32"), _type("Int64")
FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = _type("Float16"), _type("BFloat16"), _type("Float32"), _type("Float64")

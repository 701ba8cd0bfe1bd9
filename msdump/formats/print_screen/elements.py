"""The text of one tensor on the screen, back to its value."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from msdump.dtype import DType, by_name
from msdump.records import BadValue, PrintValue

NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)"
ELEMENT = rf"(?:{NUMBER}[-+](?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)j|{NUMBER}|True|False|\.\.\.)"
QUOTED = r"""(?:b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")"""
STRING = "String"
_ELEMENTS = re.compile(ELEMENT)
_STRINGS = re.compile(rf"{QUOTED}|\.\.\.")
_INTEGERS = re.compile(r"U?Int\d+")


def value_of(text: str, shape: tuple[int, ...], dtype_name: str) -> tuple[PrintValue, bool]:
    """(the value of a tensor's text, whether digits were lost), or (BadValue, False).

    Args:
        text: the elements, with their brackets.
        shape: the shape that the screen names.
        dtype_name: the element type in any spelling; a tensor of strings comes back as its text on
            the screen, since print logs hold no such tensor.
    """

    def bad(what: str) -> tuple[BadValue, bool]:
        return BadValue(text.encode("utf-8", "surrogateescape"), dtype_name, shape, what), False

    dtype = by_name(dtype_name)
    strings = dtype is None and dtype_name == STRING
    if dtype is None and not strings:
        return bad(f"unknown type {dtype_name}")
    if any(size < 0 for size in shape):
        return bad(f"the shape {list(shape)} has a negative size")
    wanted = prod(shape)
    items = (_STRINGS if strings else _ELEMENTS).findall(text)
    if "..." in items:
        return bad(f"the screen shows {len(items) - items.count('...')} of {wanted} elements")
    if len(items) != wanted and not (strings and not shape):
        return bad(f"{len(items)} elements, but the shape {list(shape)} has {wanted}")
    brackets = (_STRINGS.sub("", text) if strings else text).count("[")
    if wanted and brackets and brackets != _brackets(shape):
        return bad(f"the elements are not nested as the shape {list(shape)} is")
    if dtype is None:
        return f"Tensor(shape={list(shape)}, dtype={STRING}, value={text})", False
    try:
        array = _array(items, dtype).reshape(shape)
    except (ValueError, OverflowError) as error:
        return bad(f"an element is not of the type {dtype_name}: {error}")
    array.flags.writeable = False
    value: PrintValue = array if shape else array[()]
    return value, _lossy(dtype, items, shape)


def _array(items: list[str], dtype: DType) -> np.ndarray[Any, Any]:
    if dtype.name == "Bool":
        if not set(items) <= {"True", "False"}:
            raise ValueError("neither True nor False")
        return np.array([item == "True" for item in items], np.bool_)
    if _INTEGERS.fullmatch(dtype.name):
        whole = np.array([int(item) for item in items], object)
        low, high = _integer_range(dtype)
        if any(not low <= item <= high for item in whole):
            raise OverflowError("out of range")
        return whole.astype(np.int64 if low < 0 else np.uint64).astype(dtype.np)
    if dtype.name.startswith("Complex"):
        return np.array([complex(item) for item in items], dtype.np)
    with np.errstate(over="ignore"):
        return np.array([float(item) for item in items], np.float64).astype(dtype.np)


def _integer_range(dtype: DType) -> tuple[int, int]:
    if dtype.name.startswith("UInt"):
        return 0, (1 << dtype.bits) - 1
    return -(1 << dtype.bits - 1), (1 << dtype.bits - 1) - 1


def _lossy(dtype: DType, items: list[str], shape: tuple[int, ...]) -> bool:
    """Whether the screen's digits do not tell the value: 0-d and BFloat16 have six, Float64 nine."""
    if dtype.name in ("Bool", "Float16", "BFloat16") or _INTEGERS.fullmatch(dtype.name):
        return False
    if dtype.name == "Float32" and shape:
        return False
    digits = 6 if not shape or dtype.name.startswith("Complex") else 9
    return any(sum(char.isdigit() for char in item.split("e")[0]) >= digits for item in items)


def _brackets(shape: tuple[int, ...]) -> int:
    total = count = 1
    for size in shape[:-1]:
        count *= size
        total += count
    return total

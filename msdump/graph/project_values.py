"""Constants and attributes cut down to what a format can hold (see `msdump.graph.project`)."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace

from msdump.dtype import by_name
from msdump.graph.abstract import Abstract, MonadType, ScalarType, SequenceType, TensorType
from msdump.graph.project_types import Keep
from msdump.graph.value import (
    DictValue,
    Monad,
    Named,
    NoneValue,
    Opaque,
    Scalar,
    Sequence,
    Str,
    TensorValue,
    TypeValue,
    Value,
)
from msdump.numerals import integer, real

_TOLD_BY_NAME = re.compile(
    r"Problem |class |Key |Primitive (?:S-Prim-|MetaFuncGraph-|MultitypeFuncGraph)|NameSpace [A-Za-z]+: '[^']*'$"
)
"""Kinds and names of Named values whose text says what they are."""
_FLOAT = re.compile(r"-?(?:\d+\.\d*|\d+(?:\.\d*)?e[-+]?\d+|inf|nan)")


def cut_value(value: Value, abstract: Abstract | None, keep: Keep, held: Container[str]) -> Value:
    """A value without what is not held; `abstract` is its type, where the file tells that beside it.

    Without "value_kinds" what shows the same text is the same: a number where the text is one, else
    a string; but for values whose type says what they are.
    """
    value = _cut(value, keep)
    if "value_kinds" in held or isinstance(value, Monad | NoneValue | TensorValue) or _told(value, abstract):
        return value
    found: Value = keep("value_kinds", value, untyped(value))
    return found


def untyped(value: Value) -> Value:
    """What the text of a value stands for where nothing tells its kind."""
    if isinstance(value, Scalar):
        return Scalar("Bool" if isinstance(value.value, bool) else "", value.value)
    if isinstance(value, Sequence):
        return Sequence(value.kind, tuple(map(untyped, value.items)))
    if isinstance(value, DictValue):
        return DictValue(tuple((untyped(key), untyped(item)) for key, item in value.items))
    if isinstance(value, TensorValue | Monad | NoneValue):
        return value
    if isinstance(value, Named) and _TOLD_BY_NAME.match(f"{value.kind} {value.name}"):
        return value
    text = plain(value)
    if text in ("true", "false"):
        return Scalar("Bool", text == "true")
    if text == "None":
        return NoneValue()
    number: int | float | None = integer(text)
    if number is None and _FLOAT.fullmatch(text):
        number = real(text)
    return Str(text) if number is None else Scalar("", number)


def _told(value: Value, abstract: Abstract | None) -> bool:
    """Whether a type tells what kind of value this is."""
    if isinstance(abstract, SequenceType) and isinstance(value, Sequence) and abstract.elements is not None:
        items = value.items
        return len(items) == len(abstract.elements) and all(map(_told, items, abstract.elements))
    if isinstance(value, Opaque):
        return isinstance(abstract, TensorType | MonadType)
    if not isinstance(abstract, ScalarType):
        return False
    if isinstance(value, Str):
        return abstract.name == "String"
    if isinstance(value, TypeValue) or (isinstance(value, Named) and value.kind == "Symbol"):
        return "TypeType" in abstract.name
    known = by_name(abstract.name)
    return isinstance(value, Scalar) and known is not None and known.name == value.kind


def _cut(value: Value, keep: Keep) -> Value:
    found: Value = value
    if isinstance(value, Scalar):
        if isinstance(value.value, float) and value.value == value.value and not value.spelling:
            number = keep("small_floats", value.value, float(f"{value.value:f}"))
            found = replace(value, value=keep("exact_floats", number, float(f"{number:g}")))
    elif isinstance(value, Named):
        found = keep("named_values", value, Named("", ""))
    elif isinstance(value, TypeValue):
        found = keep("type_values", value, TypeValue(""))
    elif isinstance(value, TensorValue):
        text, data = keep("tensor_numbers", (value.text, value.data), (None, None))
        found = TensorValue(value.dtype, value.shape, text, keep("tensor_data", data, None))
    elif isinstance(value, Sequence):
        found = Sequence(value.kind, tuple(_cut(item, keep) for item in value.items))
    elif isinstance(value, DictValue):
        found = DictValue(tuple((_cut(key, keep), _cut(item, keep)) for key, item in value.items))
    return found


def plain(value: Value) -> str:
    """A value as a label shows it, without telling a number from a string."""
    if isinstance(value, Scalar):
        if isinstance(value.value, bool):
            return "true" if value.value else "false"
        return repr(value.value).removesuffix(".0") if isinstance(value.value, float) else str(value.value)
    if isinstance(value, Str):
        return value.value
    if isinstance(value, NoneValue):
        return "None"
    if isinstance(value, TypeValue | Named):
        return value.name
    if isinstance(value, Monad):
        return value.kind
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, Sequence):
        inner = ", ".join(plain(item) for item in value.items)
        return f"[{inner}]" if value.kind == "List" else f"({inner})"
    if isinstance(value, DictValue):
        return "{" + ", ".join(f"{plain(key)}: {plain(item)}" for key, item in value.items) + "}"
    return f"Tensor({value.dtype}, {list(value.shape)}, {value.text})"

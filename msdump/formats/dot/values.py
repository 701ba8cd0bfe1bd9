"""Values as MindSpore prints them into the labels of a .dot: without quotes, split at every comma.

`(1<br/>2)` was `(1, 2)`; a string keeps its text, and nobody can tell whether a comma in it had a
space behind it. Attributes (`pad_mode 1`) do not tell the kind of a number.
"""

from __future__ import annotations

import re

from msdump import graph as model
from msdump.dtype import by_name
from msdump.formats.brackets import split
from msdump.numerals import integer, real, shape

_IMMEDIATE = re.compile(r"(Int|UInt|FP|BF|Bool)(\d*)Imm$")
_KINDS = {"Int": "Int", "UInt": "UInt", "FP": "Float", "BF": "BFloat", "Bool": "Bool"}
_TENSOR = re.compile(r"Tensor\(shape=\[([-\d, ]*)\], dtype=(\w+)(?:, value=(.*))?\)$", re.S)
_TYPES = {"Float", "Int", "UInt", "Bool", "Complex", "TensorType", "Number", "String", "TypeType", "TypeNone"}
_BRACKETS = {"(": ("Tuple", ")"), "[": ("List", "]")}
DEPTH = 64


def joined(text: str) -> str:
    """A label's text with its line breaks back as commas, and its entities as characters."""
    return text.replace("<br/>", ", ") if "<br/>" in text else text


def value_of(kind: str, text: str) -> model.Value:
    """The value of a value node: MindSpore's class of it, and its text."""
    immediate = _IMMEDIATE.match(kind)
    if immediate:
        return _immediate(immediate[1], immediate[2], text)
    if kind == "StringImm":  # 1.0 and 1.1 draw a dead node as this string
        return model.Named("Problem", text) if text == "Dead Node" else model.Str(text)
    if kind == "None":
        return model.NoneValue()
    if kind in ("UMonad", "IOMonad"):
        return model.Monad(text)
    if kind in ("ValueTuple", "ValueList"):
        return plain(text) if text[:1] in _BRACKETS else model.Named(kind, text)
    if kind == "Tensor":
        tensor = _TENSOR.match(text)
        if tensor:
            sizes = shape(tensor[1])
            if sizes is not None:
                return model.TensorValue(tensor[2], sizes, None if tensor[3] is None else tensor[3].strip())
    if kind in _TYPES:
        return model.TypeValue(text)
    return model.Named("Problem" if kind in ("ValueProblem", "ErrorValue") else kind, text)


def _immediate(kind: str, bits: str, text: str) -> model.Value:
    if kind == "Bool":
        return model.Scalar("Bool", text == "true")
    number = real(text) if kind in ("FP", "BF") else integer(text)
    return model.Named(kind + bits + "Imm", text) if number is None else model.Scalar(_KINDS[kind] + bits, number)


def plain(text: str, depth: int = 0) -> model.Value:
    """A value whose kind nothing tells: a number, a bool, a sequence, else a string."""
    text = text.strip()
    if text[:1] in _BRACKETS and depth < DEPTH:
        kind, close = _BRACKETS[text[0]]
        if text.endswith(close):
            return model.Sequence(kind, tuple(plain(part, depth + 1) for part in split(text[1:-1])))
    if text in ("true", "false"):
        return model.Scalar("", text == "true")
    if text == "None":
        return model.NoneValue()
    number: int | float | None = integer(text)
    if number is None:
        number = real(text)
    if number is not None:
        return model.Scalar("", number)
    known = by_name(text) if text[:1].isupper() else None
    if known is not None and known.name == text:
        return model.TypeValue(text)
    return model.Str(text)


def attributes(text: str) -> dict[str, model.Value]:
    """`groups 1<br/>output_names [output]<br/>…`: the attributes of a primitive."""
    found: dict[str, model.Value] = {}
    for line in text.split("<br/>"):
        name, space, value = line.partition(" ")
        if space or name:
            found[name] = plain(value)
    return found

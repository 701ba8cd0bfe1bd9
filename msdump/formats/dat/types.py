"""Types as .dat spells them: `Tensor(F32)[2, 3]`, `Ref[Tensor(F32)][4]`, `Tuple[I64*2]`, `BoolNoShape`."""

from __future__ import annotations

import re
from dataclasses import replace

from msdump import graph as model
from msdump import numerals
from msdump.dtype import by_name
from msdump.formats.brackets import closing, split

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TENSOR = re.compile(r"Tensor\(([A-Za-z0-9]+)\)(?:\[([-\d, ]*)\])?(\(\.\.\.\))?")
_TIMES = re.compile(r"\*(\d+)")
_SHAPE = re.compile(r"\[([-\d, ]*)\]")
_ATOMS: dict[str, model.Abstract] = {
    "Undefined": model.NULL_TYPE,
    "Func": model.FuncType(),
    "UMonad": model.MonadType("UMonad"),
    "IOMonad": model.MonadType("IOMonad"),
    "ProblemType": model.ScalarType("unknown"),  # of a dead node; "unknown" is the .ir's word for it
}
DEPTH = 64
"""Nesting that types and values are followed to; deeper text is kept as it is."""
ELEMENTS = 100_000
"""How many elements `*N` may stand for in one sequence; no real sequence comes near."""


def dtype_name(word: str) -> str:
    """MindSpore's 2.x spelling of a short one: "F32" → "Float32", "Bool" → "Bool"."""
    found = by_name(word)
    return found.name if found else word


def scan_type(text: str, at: int, depth: int = 0) -> tuple[model.Abstract, int]:
    """The type that begins at an offset, and where it ends."""
    tensor = _TENSOR.match(text, at)
    if tensor:
        dtype, sizes, value = tensor.groups()
        shape = None if sizes is None else numerals.shape(sizes)
        if shape is None and sizes is not None:
            return _opaque(text, at)
        kind = model.TensorType(dtype_name(dtype), shape)
        return (replace(kind, value="...") if value else kind), tensor.end()
    word = _WORD.match(text, at)
    if not word:
        return _opaque(text, at)
    name, end = word[0], word.end()
    opened = text.startswith("[", end)
    if name == "Ref" and opened:
        inner, end = scan_type(text, end + 1, depth + 1)
        own = _SHAPE.match(text, end + 1) if text.startswith("]", end) else None
        if isinstance(inner, model.TensorType):
            if own:
                inner = replace(inner, shape=numerals.shape(own[1]))
            return model.RefType(inner), own.end() if own else end + text.startswith("]", end)
        return _opaque(text, at)
    if name in ("Tuple", "List"):
        if not opened:
            return model.SequenceType(name, None), _skip_shapes(text, end)[1]
        if depth > DEPTH:
            return _opaque(text, at)
        elements, end = _elements(text, end + 1, depth)
        if elements is None:
            return _opaque(text, at)
        shapes, end = _skip_shapes(text, end)
        return model.SequenceType(name, _shaped(elements, shapes)), end
    if opened or text.startswith("(", end):
        return _opaque(text, at)
    name = name.removesuffix("NoShape") or name
    return _ATOMS.get(name) or model.ScalarType(dtype_name(name)), end


def _elements(text: str, at: int, depth: int) -> tuple[tuple[model.Abstract, ...] | None, int]:
    """Element types up to the closing bracket; `T*3` stands for three of them."""
    found: list[model.Abstract] = []
    while at < len(text) and text[at] != "]":
        element, end = scan_type(text, at, depth + 1)
        times = _TIMES.match(text, end)
        count = numerals.integer(times[1]) if times else 1
        if end == at or count is None or len(found) + count > ELEMENTS:
            return None, at
        found.extend([element] * count)
        at = times.end() if times else end
        while at < len(text) and text[at] in ", ":
            at += 1
    return tuple(found), at + 1


def _skip_shapes(text: str, at: int) -> tuple[str, int]:
    """The `TupleShape(…)` behind a sequence (1.10), and where it ends; "" when there is none."""
    if text.startswith(("TupleShape(", "ListShape("), at):
        start = text.index("(", at)
        end = closing(text, start)
        return text[start + 1 : end - 1], end
    return "", at + 7 if text.startswith("NoShape", at) else at


def _shaped(elements: tuple[model.Abstract, ...], shapes: str) -> tuple[model.Abstract, ...]:
    """Elements with the shapes of a TupleShape, which lists one for each, nested ones in brackets."""
    parts = split(shapes) if shapes else []
    if len(parts) != len(elements):
        return elements
    return tuple(_with_shape(element, part) for element, part in zip(elements, parts, strict=True))


def _with_shape(element: model.Abstract, text: str) -> model.Abstract:
    if isinstance(element, model.TensorType) and element.shape is None and text.startswith("("):
        return replace(element, shape=numerals.shape(text[1:-1]))
    if isinstance(element, model.RefType):
        tensor = _with_shape(element.tensor, text)
        return replace(element, tensor=tensor) if isinstance(tensor, model.TensorType) else element
    if isinstance(element, model.SequenceType) and element.elements and text.startswith(("TupleShape(", "ListShape(")):
        return replace(element, elements=_shaped(element.elements, text[text.index("(") + 1 : -1]))
    return element


def _opaque(text: str, at: int) -> tuple[model.Abstract, int]:
    """Text up to the comma or bracket that ends it."""
    end = at
    while end < len(text) and text[end] not in ",)]}* ":
        end = closing(text, end) if text[end] in "([{" else end + 1
    return model.OpaqueType(text[at:end]), end

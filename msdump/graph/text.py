"""Values, types and operands in the words a person reads, the same for every release.

This is how reports and canonical text spell things; a file format's own printer keeps that
format's spelling.
"""

from __future__ import annotations

import re

from msdump import graph as model

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}|(?<![\d.])\d{12,}(?![\d.])")
_PATH = re.compile(r"(?<![\w.])/(?:[\w.+@~-]+/)+(?=[\w.+-])")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})


def stable_text(text: str) -> str:
    """`text` without what changes from run to run: heap addresses, object ids, machine paths."""
    if "0x" in text or "::" in text or len(text) > 12:
        text = _ADDRESS.sub("ADDR", text)
        if "/" in text:
            text = _PATH.sub("", text)
    return text


def number_text(value: int | float | bool) -> str:
    """A number as Python writes it; a float that is whole keeps its ".0"."""
    return repr(value)


def value_text(value: model.Value) -> str:
    """A constant: `(1, 1)`, `"same"`, `Float32`, `Tensor[Float32](2, 2)=[…]`."""
    if isinstance(value, model.Scalar):
        return number_text(value.value)
    if isinstance(value, model.Str):
        return '"' + value.value.translate(_ESCAPES) + '"'
    if isinstance(value, model.NoneValue):
        return "None"
    if isinstance(value, model.TypeValue):
        return value.name
    if isinstance(value, model.Monad):
        return value.kind
    if isinstance(value, model.TensorValue):
        shape = "(" + ", ".join(map(str, value.shape)) + ")"
        if value.text is None:
            return f"Tensor[{value.dtype}]{shape}"
        return f"Tensor[{value.dtype}]{shape}={' '.join(value.text.split())}"
    if isinstance(value, model.Sequence):
        inner = ", ".join(value_text(item) for item in value.items)
        return f"[{inner}]" if value.kind == "List" else f"({inner})"
    if isinstance(value, model.DictValue):
        return "{" + ", ".join(f"{value_text(k)}: {value_text(v)}" for k, v in value.items) + "}"
    if isinstance(value, model.Named):
        return f"{value.kind} {value.name}" if value.kind else value.name
    if isinstance(value, model.Opaque):
        return stable_text(value.text)
    return stable_text(str(value))


def type_text(abstract: model.Abstract) -> str:
    """A type: `Tensor[Float32] (2, 3)`, `(Int64, Bool)`; "" when none was inferred."""
    if isinstance(abstract, model.TensorType):
        if abstract.shape is None:
            return f"{abstract.kind}[{abstract.dtype}]"
        sizes = ", ".join("?" if size < 0 else str(size) for size in abstract.shape)
        return f"{abstract.kind}[{abstract.dtype}] ({sizes})"
    if isinstance(abstract, model.RefType):
        return type_text(abstract.tensor)
    if isinstance(abstract, model.ScalarType):
        return abstract.name
    if isinstance(abstract, model.SequenceType):
        if abstract.elements is None:
            return abstract.kind
        inner = ", ".join(type_text(e) or "?" for e in abstract.elements)
        return f"[{inner}]" if abstract.kind == "List" else f"({inner})"
    if isinstance(abstract, model.DictType):
        pairs = zip(abstract.keys, abstract.elements, strict=False)
        return "{" + ", ".join(f"{k}: {type_text(e) or '?'}" for k, e in pairs) + "}"
    if isinstance(abstract, model.KeywordType):
        return f"{abstract.key}={type_text(abstract.element) or '?'}"
    if isinstance(abstract, model.FuncType):
        return "Func"
    if isinstance(abstract, model.MonadType):
        return abstract.kind
    if isinstance(abstract, model.NullType):
        return ""
    if isinstance(abstract, model.OpaqueType):
        return stable_text(abstract.text)
    return stable_text(str(abstract))


def operand_text(operand: model.Operand) -> str:
    """An operand by name: `%3`, `@construct`, `2.0`."""
    if isinstance(operand, model.NodeRef):
        return operand.name if operand.graph is None else f"@{operand.graph}:{operand.name}"
    if isinstance(operand, model.GraphRef):
        return "@" + operand.name
    assert isinstance(operand, model.ValueNode)
    return value_text(operand.value)

"""Types as text: `<Tensor[Float32], (2, 3)>` and what stands for it in each dialect.

Each distinct text is read once. A type whose text would not be printed back the same is kept as an
OpaqueType, so that nothing is lost of what a newer release may write.
"""

from __future__ import annotations

import re
from dataclasses import replace

from msdump.dtype import by_name
from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.number import shape_of, shape_text, short_kind
from msdump.formats.ir.syntax.lexer import split_items
from msdump.graph.abstract import (
    NULL_TYPE,
    Abstract,
    DictType,
    FuncType,
    KeywordType,
    MonadType,
    NullType,
    OpaqueType,
    RefType,
    ScalarType,
    SequenceNode,
    SequenceType,
    Shape,
    TensorType,
)

_DEPTH = 64
"""How deep types may nest; deeper ones are opaque."""

_VECTOR = re.compile(r"(Ref\[)?Tensor[\[(](\w+)[\])](\])?x(\[const vector\]\[|\()([-\d, ]*)[\])]")
_TENSOR = re.compile(r"(Tensor|Any\(Tensor\)|\w+Tensor)\[(\w+)\]")
_REF = re.compile(r"Ref\[Tensor[\[(](\w+)[\])]\]")
_SHAPE = re.compile(r"\((-?\d+(?:, -?\d+)*)?\)")
_RANGE = re.compile(r"\{shape:\((.*?)\)\|min shape:\((.*?)\)\|max shape:\((.*?)\)\}")
_MARKS = re.compile(r"((?:, is_\w+)*)$")
_FLAGS = re.compile(r"elements_use_flags=\{(?:\[const vector\]\{(.*)\})?\}")
_NUMBERED = 10
"""Vectors of so many elements tell the index of each."""
_NODE_FLAGS = re.compile(r", elements_use_flags: \{ptr: (\w+), value: \[const vector\]\[([\d, ]*)\]\}$")


class _Unreadable(Exception):
    """The text is no type this module knows."""


class Types:
    """Reads and prints the types of one dialect; keeps what it has read."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._read: dict[str, Abstract] = {}
        self._printed: dict[int, tuple[Abstract, str]] = {}

    def parse(self, text: str) -> Abstract:
        """The type that `text` (with its angle brackets) stands for."""
        found = self._read.get(text)
        if found is None:
            try:
                found = self._parse(text)
            except (_Unreadable, ValueError):
                found = OpaqueType(text)
            if self._format(found) != text:
                found = OpaqueType(text)
            self._read[text] = found
        return found

    def format(self, abstract: Abstract) -> str:
        """The text of a type."""
        found = self._printed.get(id(abstract))
        if found is None:
            found = self._printed[id(abstract)] = (abstract, self._format(abstract))
        return found[1]

    # Reading

    def _parse(self, text: str) -> Abstract:
        if text == "<null>":
            return NULL_TYPE
        if not (text.startswith("<") and text.endswith(">")):
            raise _Unreadable
        inner = text[1:-1]
        if match := _VECTOR.fullmatch(inner):
            tensor = TensorType(_dtype(match[2]), shape_of(match[5]))
            return RefType(tensor) if match[1] else tensor
        ref, key, flags = inner, None, ()
        if inner.startswith("Ref["):
            marks = _MARKS.search(inner)
            assert marks is not None
            flags = tuple(marks[1].split(", ")[1:])
            ref, found, key = inner[: marks.start()].partition(", ref_key=")
            if not found:
                key = None
        parts = split_items(ref)
        if not parts:
            raise _Unreadable
        if match := _REF.fullmatch(parts[0]):
            return self._ref(TensorType(_dtype(match[1])), parts[1:], key, flags)
        if match := _TENSOR.fullmatch(parts[0]):
            return _tensor(TensorType(_dtype(match[2]), kind=match[1]), parts[1:])
        return self._other(parts)

    def _ref(self, tensor: TensorType, parts: list[str], key: str | None, flags: tuple[str, ...]) -> Abstract:
        if key is not None and self._dialect.types.ref_colon:
            if not key.startswith(":"):
                raise _Unreadable
            key = key[1:]
        return RefType(
            _tensor(tensor, parts), key, "is_parameter" in flags, tuple(f for f in flags if f != "is_parameter")
        )

    def _other(self, parts: list[str]) -> Abstract:
        nodes: tuple[SequenceNode, ...] = ()
        flags: tuple[int, ...] | None = None
        shape = value = None
        for part in parts[1:]:
            if part.startswith("sequence_nodes={") and part.endswith("}"):
                nodes = tuple(_sequence_node(n) for n in split_items(part[16:-1]))
            elif match := _FLAGS.fullmatch(part):
                flags = shape_of(re.sub(r"\[\d+\]:\{(\d+)\}", r"\1", match[1] or ""))
            elif part.startswith("value="):
                value = part[6:]
            else:
                shape = part
        found = _element(parts[0], _DEPTH)
        if isinstance(found, SequenceType):
            if shape is not None and shape != "NoShape":
                found = _with_shapes(found, shape, _DEPTH)
            return SequenceType(found.kind, found.elements, flags, nodes)
        if isinstance(found, ScalarType):
            return ScalarType(found.name, value)
        return found

    # Printing

    def _format(self, abstract: Abstract) -> str:
        if isinstance(abstract, OpaqueType):
            return abstract.text
        if isinstance(abstract, NullType):
            return "<null>"
        style = self._dialect
        if isinstance(abstract, RefType):
            return f"<{self._format_ref(abstract)}>"
        if isinstance(abstract, TensorType):
            return f"<{self._format_tensor(abstract, f'{abstract.kind}[{abstract.dtype}]')}>"
        parts = [self._format_element(abstract)]
        if style.types.no_shape and not isinstance(abstract, SequenceType):
            parts.append("NoShape")
        if isinstance(abstract, ScalarType) and abstract.value is not None:
            parts.append(f"value={abstract.value}")
        if isinstance(abstract, SequenceType):
            if abstract.kind == "Slice":
                if style.types.no_shape:
                    parts.append("NoShape")
            elif style.types.tuple_shape and abstract.elements is not None:
                parts.append(self._format_shape(abstract))
            if abstract.use_flags is not None:
                parts.append(f"elements_use_flags={{{_flags(abstract)}}}")
            if abstract.nodes:
                parts.append("sequence_nodes={" + ", ".join(_format_node(n) for n in abstract.nodes) + "}")
        return f"<{', '.join(parts)}>"

    def _format_tensor(self, tensor: TensorType, name: str) -> str:
        style = self._dialect.types.shape
        if tensor.shape is None:
            text = name
        elif style == "vector":
            text = f"{name}x[const vector][{shape_text(tensor.shape)}]"
        elif style == "x":
            text = f"{name}x({shape_text(tensor.shape)})"
        elif tensor.min_shape is not None and tensor.max_shape is not None:
            text = (
                f"{name}, {{shape:({shape_text(tensor.shape)})|min shape:({shape_text(tensor.min_shape)})"
                f"|max shape:({shape_text(tensor.max_shape)})}}"
            )
        else:
            text = f"{name}, ({shape_text(tensor.shape)})"
        return text if tensor.value is None or style != "paren" else f"{text}, value={tensor.value}"

    def _format_ref(self, ref: RefType) -> str:
        text = self._format_tensor(ref.tensor, self._format_element(ref))
        if ref.ref_key is not None and self._dialect.types.ref_keys:
            text += f", ref_key={':' if self._dialect.types.ref_colon else ''}{ref.ref_key}"
        if self._dialect.types.shape != "paren":
            return text
        if ref.is_parameter:
            text += ", is_parameter"
        return text + "".join(f", {mark}" for mark in ref.marks)

    def _format_element(self, abstract: Abstract, depth: int = _DEPTH) -> str:
        """A type as an element of a tuple: without shape."""
        if isinstance(abstract, RefType):
            if self._dialect.types.ref == "Tensor(F32)":
                return f"Ref[Tensor({short_kind(abstract.tensor.dtype)})]"
            return f"Ref[Tensor[{abstract.tensor.dtype}]]"
        if isinstance(abstract, TensorType):
            return f"{abstract.kind}[{abstract.dtype}]"
        if isinstance(abstract, FuncType):
            return "Func"
        if isinstance(abstract, (ScalarType, MonadType)):
            return abstract.name if isinstance(abstract, ScalarType) else abstract.kind
        if isinstance(abstract, SequenceType):
            if abstract.elements is None or not depth:
                return abstract.kind
            if abstract.kind == "Slice":
                return f"Slice[{' : '.join(self._format_element(e, depth - 1) for e in abstract.elements)}]"
            return f"{abstract.kind}[{self._format_run(abstract.elements, depth - 1)}]"
        if isinstance(abstract, DictType):
            keys = "".join(f"{key}," for key in abstract.keys)
            return f"Dictionary[[{keys}],[{self._format_run(abstract.elements, depth - 1)}]]" if depth else "Dictionary"
        if isinstance(abstract, KeywordType):
            inner = self._format_element(abstract.element, depth - 1) if depth else ""
            return f"Keyword[key : {abstract.key}, value : {inner}]"
        return "null" if isinstance(abstract, NullType) else getattr(abstract, "text", "").strip("<>")

    def _format_run(self, elements: tuple[Abstract, ...], depth: int) -> str:
        """Elements with those that repeat counted: `Tensor[Float32]*2,Bool`."""
        runs: list[list[str | int]] = []
        last: Abstract | None = None
        text = ""
        for element in elements:
            if element is not last:
                text, last = self._format_element(element, depth), element
            if runs and runs[-1][0] == text:
                runs[-1][1] = int(runs[-1][1]) + 1
            else:
                runs.append([text, 1])
        return ",".join(f"{text}*{count}" if count != 1 else str(text) for text, count in runs)

    def _format_shape(self, abstract: Abstract, depth: int = _DEPTH) -> str:
        if isinstance(abstract, RefType):
            abstract = abstract.tensor
        if isinstance(abstract, TensorType) and abstract.shape is not None:
            return f"({shape_text(abstract.shape)})"
        if isinstance(abstract, SequenceType) and abstract.elements is not None and depth:
            inner = ", ".join(self._format_shape(e, depth - 1) for e in abstract.elements)
            return f"{abstract.kind}Shape({inner})"
        return "NoShape"


def _flags(sequence: SequenceType) -> str:
    values = sequence.use_flags or ()
    if not values and sequence.elements:
        return ""
    if len(values) >= _NUMBERED:
        return "[const vector]{" + ", ".join(f"[{i}]:{{{value}}}" for i, value in enumerate(values)) + "}"
    return f"[const vector]{{{shape_text(values)}}}"


def _dtype(spelling: str) -> str:
    """MindSpore's 2.x name of an element type; unknown ones as they are."""
    known = by_name(spelling)
    return known.name if known is not None else spelling


def _tensor(tensor: TensorType, parts: list[str]) -> TensorType:
    """A tensor with what stands behind its element type: shape, value."""
    shape: Shape | None = None
    least = most = None
    value: str | None = None
    for number, part in enumerate(parts):
        if not number and (match := _SHAPE.fullmatch(part)):
            shape = shape_of(match[1] or "")
        elif not number and (match := _RANGE.fullmatch(part)):
            shape, least, most = shape_of(match[1]), shape_of(match[2]), shape_of(match[3])
        elif part.startswith("value="):
            value = ", ".join([part[6:], *parts[number + 1 :]])
            break
        else:
            raise _Unreadable
    return replace(tensor, shape=shape, min_shape=least, max_shape=most, value=value)


def _element(text: str, depth: int) -> Abstract:
    """A type without shape, as it stands inside a tuple."""
    if not depth:
        raise _Unreadable
    if match := _TENSOR.fullmatch(text):
        return TensorType(_dtype(match[2]), kind=match[1])
    if match := _REF.fullmatch(text):
        return RefType(TensorType(_dtype(match[1])))
    for kind in ("Tuple", "List"):
        if text == kind:
            return SequenceType(kind, None)
        if text.startswith(kind + "[") and text.endswith("]"):
            return SequenceType(kind, _elements(text[len(kind) + 1 : -1], depth - 1))
    if text.startswith("Dictionary[[") and text.endswith("]]"):
        keys, found, elements = text[12:-2].partition("],[")
        if found:
            return DictType(tuple(keys.split(",")[:-1]), _elements(elements, depth - 1))
    if text.startswith("Slice[") and text.endswith("]"):
        parts = text[6:-1].split(" : ")
        return SequenceType("Slice", tuple(_element(part, depth - 1) for part in parts))
    if match := re.fullmatch(r"Keyword\[key : (.*), value : (.*)\]", text):
        return KeywordType(match[1], _element(match[2], depth - 1))
    if text == "Func":
        return FuncType()
    if text in ("UMonad", "IOMonad"):
        return MonadType(text)
    if re.fullmatch(r"[A-Za-z_][\w:.]*", text):
        return ScalarType(text)
    raise _Unreadable


def _elements(text: str, depth: int) -> tuple[Abstract, ...]:
    found: list[Abstract] = []
    for piece in _commas(text):
        name, star, count = piece.rpartition("*")
        if star and count.isdecimal() and len(count) < 6:
            found.extend([_element(name, depth)] * int(count))
        else:
            found.append(_element(piece, depth))
    return tuple(found)


def _commas(text: str) -> list[str]:
    """Pieces between commas outside of brackets (no space stands after these)."""
    pieces: list[str] = []
    depth = start = 0
    for match in re.finditer(r"[\[\](){},]", text):
        mark = match[0]
        if mark in "[({":
            depth += 1
        elif mark in "])}":
            depth -= 1
        elif not depth:
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]] if text else []


def _with_shapes(sequence: SequenceType, text: str, depth: int) -> SequenceType:
    """A sequence whose elements get the shapes of `TupleShape(…)`."""
    prefix = f"{sequence.kind}Shape("
    elements = sequence.elements
    if not depth or elements is None or not text.startswith(prefix) or not text.endswith(")"):
        raise _Unreadable
    shapes = split_items(text[len(prefix) : -1])
    if len(shapes) != len(elements):
        raise _Unreadable
    return SequenceType(
        sequence.kind, tuple(_with_shape(e, s, depth - 1) for e, s in zip(elements, shapes, strict=True))
    )


def _with_shape(element: Abstract, text: str, depth: int) -> Abstract:
    if text == "NoShape":
        return element
    if isinstance(element, SequenceType):
        return _with_shapes(element, text, depth)
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise _Unreadable
    if isinstance(element, RefType):
        return RefType(TensorType(element.tensor.dtype, shape_of(match[1] or "")))
    if isinstance(element, TensorType):
        return replace(element, shape=shape_of(match[1] or ""))
    raise _Unreadable


def _sequence_node(text: str) -> SequenceNode:
    if not (text.startswith("node={") and text.endswith("}")):
        raise _Unreadable
    inner = text[6:-1]
    if match := _NODE_FLAGS.search(inner):
        return SequenceNode(inner[: match.start()], shape_of(match[2]), match[1])
    return SequenceNode(inner)


def _format_node(node: SequenceNode) -> str:
    flags = ""
    if node.flags is not None:
        flags = f", elements_use_flags: {{ptr: {node.pointer}, value: [const vector][{shape_text(node.flags)}]}}"
    return f"node={{{node.node}{flags}}}"

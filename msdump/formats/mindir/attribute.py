"""AttributeProto of mind_ir.proto: to a value, and, where a node keeps its type in one, to an abstract.

Two manners of writing one are known. Since 1.7 the `type` says all, and `values` nests. Before, the
shape of the value stands as text in `ref_attr_name` ("scalar:Tuple[value1,value2,],") and the leaves
in `ints`, `strings`, `tensors`, … in their order (mindspore/core/load_mindir of those releases).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from msdump.formats.mindir.tensor import constant, dtype_name
from msdump.graph.abstract import (
    NULL_TYPE,
    Abstract,
    DictType,
    FuncType,
    MonadType,
    OpaqueType,
    ScalarType,
    SequenceType,
    TensorType,
)
from msdump.graph.value import DictValue, Monad, NoneValue, Opaque, Scalar, Sequence, Str, TypeValue, Value

T = TypeVar("T")

# AttributeProto.AttributeType by number (formats/graph-proto: enum AttributeProto.AttributeType).
STRING, BOOL = 8, 9
TENSOR, TENSORS, TUPLE, LIST, DICT, UMONAD, IOMONAD, NONE = 17, 19, 20, 21, 22, 23, 24, 25
CLOSURES = {26, 27, 28, 29}
SCALAR = 39
TYPE_NULL = 36
_INTS = {2, 3, 4, 5, 6, 7, 9, 12, 13}
_SINGULAR = {1: "f", 10: "f", 16: "f", 11: "d", STRING: "s", **dict.fromkeys(_INTS, "i")}
_REPEATED = {"f": "floats", "d": "doubles", "s": "strings", "i": "ints"}
_NAMES = {30: "CSRTensor", 31: "COOTensor", 32: "RowTensor", 33: "ClassType", 34: "NameSpace", 35: "Symbol"}
_NAMES |= {37: "MapTensor", 38: "Functor", 40: "ScalarGraphHolder"}


def value_of(attr: Any, little_endian: bool = True) -> Value:
    """The value of an AttributeProto."""
    if attr.ref_attr_name:
        return _old_value(attr, little_endian)
    kind = attr.type
    if kind in (TUPLE, LIST):
        items = tuple(value_of(item, little_endian) for item in attr.values)
        return Sequence("List" if kind == LIST else "Tuple", items)
    if kind == DICT:
        return DictValue(tuple(_entry(item, little_endian) for item in attr.values))
    if kind in (TENSOR, TENSORS):
        tensors = [attr.t] if attr.HasField("t") else list(attr.tensors)
        values = tuple(constant(t, little_endian) for t in tensors)
        return values[0] if len(values) == 1 else Sequence("Tuple", values)
    if kind in (UMONAD, IOMONAD):
        return Monad("U" if kind == UMONAD else "IO")
    if kind == NONE:
        return NoneValue()
    if kind == TYPE_NULL:
        return TypeValue("TypeNull")
    if kind in _SINGULAR:
        return _plain(attr, kind)
    return Opaque(_text(attr, kind))


def _entry(item: Any, little_endian: bool) -> tuple[Value, Value]:
    """One item of a dictionary: a pair of key and value, or a value under its own name."""
    if item.type == TUPLE and len(item.values) == 2 and not item.name:
        return value_of(item.values[0], little_endian), value_of(item.values[1], little_endian)
    return Str(item.name), value_of(item, little_endian)


def _plain(attr: Any, kind: int) -> Value:
    """A number, bool or string; without any, the type itself (Cast's target)."""
    single = _SINGULAR[kind]
    if attr.HasField(single):
        return _atom(getattr(attr, single), kind)
    many = getattr(attr, _REPEATED[single])
    if not many:
        return TypeValue("String" if kind == STRING else dtype_name(kind))
    atoms = tuple(_atom(item, kind) for item in many)
    return atoms[0] if len(atoms) == 1 else Sequence("Tuple", atoms)


def _atom(item: Any, kind: int) -> Value:
    if kind == STRING:
        return Str(item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else item)
    return Scalar(dtype_name(kind), bool(item) if kind == BOOL else item)


def _text(attr: Any, kind: int) -> str:
    """What stands for a value that has no place in the model: its kind and the names in it."""
    name = _NAMES.get(kind, "Closure" if kind in CLOSURES else f"AttributeType{kind}")
    inner = attr.functor.name if attr.HasField("functor") else attr.s.decode("utf-8", "replace")
    parts = [inner] if inner else []
    parts += [item.s.decode("utf-8", "replace") for item in attr.values if item.s]
    return f"{name}[{', '.join(parts)}]"


def abstract_of(attr: Any) -> Abstract:
    """The type an AttributeProto describes: a node's "shape", or a graph input's `attr_info`."""
    if attr.ref_attr_name:
        return _old_abstract(attr)
    kind = attr.type
    if kind in (TUPLE, LIST):
        name = "List" if kind == LIST else "Tuple"
        if attr.HasField("seq_info") and attr.seq_info.is_dyn_len:
            return SequenceType(name, None)
        return SequenceType(name, tuple(abstract_of(item) for item in attr.values))
    if kind == DICT:
        return DictType(tuple(item.name for item in attr.values), tuple(abstract_of(item) for item in attr.values))
    if kind in (TENSOR, TENSORS):
        types = tuple(tensor_type(t) for t in ([attr.t] if attr.HasField("t") else attr.tensors))
        return types[0] if len(types) == 1 else SequenceType("Tuple", types)
    if kind in (UMONAD, IOMONAD):
        return MonadType("UMonad" if kind == UMONAD else "IOMonad")
    if kind == NONE:
        return ScalarType("None")
    if kind == SCALAR:
        return ScalarType(dtype_name(attr.tensors[0].data_type) if attr.tensors else "")
    if kind in CLOSURES:
        return FuncType()
    if kind in _SINGULAR:
        return ScalarType("String" if kind == STRING else dtype_name(kind))
    return OpaqueType(_text(attr, kind)) if kind else NULL_TYPE


def tensor_type(tensor: Any) -> Abstract:
    """The type of a TensorProto that carries only dtype and dims; a string's is a scalar's."""
    if tensor.data_type == STRING:
        return ScalarType("String")
    low, high = tuple(tensor.min_dims), tuple(tensor.max_dims)
    return TensorType(dtype_name(tensor.data_type), tuple(tensor.dims), low or None, high or None)


# The old manner: a little language of nested sequences whose leaves are told in order.
_TOKEN = re.compile(r"(Tuple|List)\[|(\])|([^,\[\]]+)|,")


def _tree(text: str, leaf: Callable[[str], T], sequence: Callable[[str, tuple[T, ...]], T]) -> T | None:
    """The value a text such as "Tuple[value1,List[value2,],]," stands for; None when there is none."""
    stack: list[tuple[str, list[T]]] = [("", [])]
    for token in _TOKEN.finditer(text):
        opened, closed, name = token.groups()
        if opened:
            stack.append((opened, []))
        elif closed and len(stack) > 1:
            kind, items = stack.pop()
            stack[-1][1].append(sequence(kind, tuple(items)))
        elif name:
            stack[-1][1].append(leaf(name))
    while len(stack) > 1:
        kind, items = stack.pop()
        stack[-1][1].append(sequence(kind, tuple(items)))
    return stack[0][1][0] if stack[0][1] else None


def _old_value(attr: Any, little_endian: bool) -> Value:
    form, _, text = attr.ref_attr_name.partition(":")
    if form == "Monad":
        return Monad("IO" if text.startswith("IO") else "U")
    if form == "none":
        return NoneValue()
    if form == "type":
        return TypeValue(dtype_name(attr.tensors[0].data_type if attr.tensors else attr.type))
    leaves = _leaves(attr, form, little_endian)
    if text.strip(",") == "value0":
        return next(leaves, NoneValue())
    found = _tree(text, lambda name: next(leaves, Opaque(name)), Sequence)
    return Opaque(attr.ref_attr_name) if found is None else found


def _leaves(attr: Any, form: str, little_endian: bool) -> Iterator[Value]:
    if form == "tensor":
        yield from (constant(t, little_endian) for t in attr.tensors)
        return
    single = _SINGULAR.get(attr.type)
    if single is None:
        return
    if attr.HasField(single):
        yield _atom(getattr(attr, single), attr.type)
    yield from (_atom(item, attr.type) for item in getattr(attr, _REPEATED[single]))


def _old_abstract(attr: Any) -> Abstract:
    tensors = iter(attr.tensors)

    def leaf(name: str) -> Abstract:
        if name.endswith("MonadType"):
            return MonadType(name.removesuffix("Type"))
        tensor = next(tensors, None)
        return NULL_TYPE if tensor is None else tensor_type(tensor)

    found = _tree(attr.ref_attr_name.partition(":")[2], leaf, SequenceType)
    return NULL_TYPE if found is None else found

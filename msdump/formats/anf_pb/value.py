"""ValueProto and TypeProto of anf_ir.proto.

The numbers of DataType are those of the newest release; older ones told monads by a number that
now means something else, so the reader decides what a monad is (reader.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump import graph as model
from msdump.dtype import by_number
from msdump.errors import DecodeError
from msdump.formats.framing import DELIMITED, VARINT
from msdump.formats.window import Window

# Numbers of DataType that are no element type (anf_ir.proto).
UNDEFINED, STRING, TENSOR, GRAPH, TUPLE, LIST, DICT, NONE, TYPE = 0, 13, 14, 15, 31, 32, 33, 34, 39
_WORDS = {
    STRING: "String",
    GRAPH: "Func",
    NONE: "None",
    35: "SymInst",
    36: "Int",
    37: "UInt",
    38: "Float",
    TYPE: "TypeType",
    40: "Any",
    41: "RefKey",
    42: "Ref",
    45: "Complex",
    49: "Slice",
}
_SINGULAR = ("bool_val", "int_val", "uint_val", "float_val", "double_val", "str_val")
_PLURAL = {16: "bool_vals", 28: "str_vals", 29: "tensor_vals"}
_PLURAL |= dict.fromkeys(range(17, 21), "int_vals") | dict.fromkeys(range(21, 25), "uint_vals")
_PLURAL |= {25: "float_vals", 26: "float_vals", 27: "double_vals", 47: "float_vals"}
_ELEMENT = {16: 1, 28: STRING, 25: 10, 26: 11, 27: 12, 47: 46} | {n: n - 15 for n in range(17, 25)}


def type_name(number: int) -> str:
    """MindSpore's spelling of a DataType."""
    found = by_number("anf", number)
    return found.name if found else _WORDS.get(number, f"DataType{number}")


def abstract_of(kind: Any, inside: bool = False) -> model.Abstract:
    """The type a TypeProto describes. A tensor without a shape is a scalar one, save inside a
    sequence, where no shape is ever told."""
    number = kind.data_type
    if number == TENSOR:
        tensor = kind.tensor_type
        shape = None if inside and not tensor.HasField("shape") else tuple(dim.size for dim in tensor.shape.dim)
        return model.TensorType(type_name(tensor.elem_type), shape)
    if number in (TUPLE, LIST):
        elements = tuple(abstract_of(element, True) for element in kind.sequence_type.elem_types)
        return model.SequenceType("List" if number == LIST else "Tuple", elements)
    if number == DICT:
        return model.DictType((), tuple(abstract_of(element, True) for element in kind.sequence_type.elem_types))
    if number == UNDEFINED:
        return model.NULL_TYPE
    found = by_number("anf", number)
    if found or number in _WORDS:
        return model.ScalarType(type_name(number))
    return model.OpaqueType(type_name(number))


def value_of(value: Any) -> model.Value:
    """The value of a ValueProto (tensors: see `tensor_of`)."""
    number = value.dtype
    if not value.HasField("dtype"):
        if value.HasField("str_val") and value.str_val in ("U", "IO"):
            return model.Monad(value.str_val)
        return model.Str(value.str_val) if value.HasField("str_val") else model.Opaque("")
    if number in (TUPLE, LIST):
        return model.Sequence("List" if number == LIST else "Tuple", tuple(value_of(item) for item in value.values))
    if number == DICT:
        return model.DictValue(tuple((model.Str(item.key), value_of(item.value)) for item in value.dict_val))
    if number == NONE:
        return model.NoneValue()
    if number == TYPE:
        return model.TypeValue(type_name(value.type_val.data_type))
    if number == TENSOR:
        return _tensor(value.tensor_val)
    if number == GRAPH:
        return model.Named("FuncGraph", value.graph.name or value.str_val)
    if number in _PLURAL:
        items = getattr(value, _PLURAL[number])
        if _PLURAL[number] == "tensor_vals":
            return model.Sequence("Tuple", tuple(_tensor(item) for item in items))
        return model.Sequence("Tuple", tuple(_atom(item, _ELEMENT[number]) for item in items))
    for name in _SINGULAR:
        if value.HasField(name):
            return _atom(getattr(value, name), number)
    return model.Named("Type", type_name(number)) if number in _WORDS else model.Opaque(type_name(number))


def _atom(item: Any, number: int) -> model.Value:
    if number == STRING or isinstance(item, str):
        return model.Str(item)
    return model.Scalar(type_name(number), item)


_NUMBERS = {"float_data": "<f4", "int32_data": "<i4", "int64_data": "<i8", "double_data": "<f8", "uint64_data": "<u8"}


def _tensor(tensor: Any) -> model.TensorValue:
    data: bytes | None = tensor.raw_data if tensor.HasField("raw_data") else None
    found = by_number("anf", tensor.data_type)
    if data is None and found is not None:
        for field, kind in _NUMBERS.items():
            if numbers := getattr(tensor, field):
                data = np.array(numbers, kind).astype(found.np.newbyteorder("<")).tobytes()
    return _checked(type_name(tensor.data_type), tuple(tensor.dims), data)


def _checked(name: str, shape: tuple[int, ...], data: bytes | None) -> model.TensorValue:
    """A TensorValue whose bytes fill its shape, or without them."""
    from msdump.dtype import by_name

    dtype, count = by_name(name), 1
    for size in shape:
        count *= size
    fits = data is not None and dtype is not None and len(data) * 8 == count * dtype.bits
    return model.TensorValue(name, shape, data=data if fits else None)


def early_tensor(window: Window) -> model.TensorValue | None:
    """A TensorProto as the first releases had it: dims 1, content 3 (bytes), data_type 5.

    None when the message is a later one (data_type is field 2 there).
    """
    dims: list[int] = []
    data, number = None, None
    try:
        for field in window.fields("tensor_val"):
            if field.number == 2:
                return None
            if field.number == 1 and field.wire == VARINT:
                dims.append(field.value)
            elif field.number == 3 and field.wire == DELIMITED:
                data = window.part(field).bytes()
            elif field.number == 5 and field.wire == VARINT:
                number = field.value
    except DecodeError:
        return None
    return None if number is None else _checked(type_name(number), tuple(dims), data)

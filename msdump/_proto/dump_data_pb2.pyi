from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Shape(_message.Message):
    __slots__ = ("dim",)
    DIM_FIELD_NUMBER: _ClassVar[int]
    dim: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dim: _Optional[_Iterable[int]] = ...) -> None: ...

class OriginalOp(_message.Message):
    __slots__ = ("name", "output_index", "data_type", "format")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_INDEX_FIELD_NUMBER: _ClassVar[int]
    DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    name: str
    output_index: int
    data_type: int
    format: int
    def __init__(self, name: _Optional[str] = ..., output_index: _Optional[int] = ..., data_type: _Optional[int] = ..., format: _Optional[int] = ...) -> None: ...

class OpOutput(_message.Message):
    __slots__ = ("data_type", "format", "shape", "original_op", "data", "size", "original_shape", "sub_format")
    DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_OP_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_SHAPE_FIELD_NUMBER: _ClassVar[int]
    SUB_FORMAT_FIELD_NUMBER: _ClassVar[int]
    data_type: int
    format: int
    shape: Shape
    original_op: OriginalOp
    data: bytes
    size: int
    original_shape: Shape
    sub_format: int
    def __init__(self, data_type: _Optional[int] = ..., format: _Optional[int] = ..., shape: _Optional[_Union[Shape, _Mapping]] = ..., original_op: _Optional[_Union[OriginalOp, _Mapping]] = ..., data: _Optional[bytes] = ..., size: _Optional[int] = ..., original_shape: _Optional[_Union[Shape, _Mapping]] = ..., sub_format: _Optional[int] = ...) -> None: ...

class OpInput(_message.Message):
    __slots__ = ("data_type", "format", "shape", "data", "size", "original_shape", "sub_format")
    DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_SHAPE_FIELD_NUMBER: _ClassVar[int]
    SUB_FORMAT_FIELD_NUMBER: _ClassVar[int]
    data_type: int
    format: int
    shape: Shape
    data: bytes
    size: int
    original_shape: Shape
    sub_format: int
    def __init__(self, data_type: _Optional[int] = ..., format: _Optional[int] = ..., shape: _Optional[_Union[Shape, _Mapping]] = ..., data: _Optional[bytes] = ..., size: _Optional[int] = ..., original_shape: _Optional[_Union[Shape, _Mapping]] = ..., sub_format: _Optional[int] = ...) -> None: ...

class OpBuffer(_message.Message):
    __slots__ = ("buffer_type", "data", "size")
    BUFFER_TYPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    buffer_type: int
    data: bytes
    size: int
    def __init__(self, buffer_type: _Optional[int] = ..., data: _Optional[bytes] = ..., size: _Optional[int] = ...) -> None: ...

class DumpData(_message.Message):
    __slots__ = ("version", "dump_time", "output", "input", "buffer", "op_name")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DUMP_TIME_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    BUFFER_FIELD_NUMBER: _ClassVar[int]
    OP_NAME_FIELD_NUMBER: _ClassVar[int]
    version: str
    dump_time: int
    output: _containers.RepeatedCompositeFieldContainer[OpOutput]
    input: _containers.RepeatedCompositeFieldContainer[OpInput]
    buffer: _containers.RepeatedCompositeFieldContainer[OpBuffer]
    op_name: str
    def __init__(self, version: _Optional[str] = ..., dump_time: _Optional[int] = ..., output: _Optional[_Iterable[_Union[OpOutput, _Mapping]]] = ..., input: _Optional[_Iterable[_Union[OpInput, _Mapping]]] = ..., buffer: _Optional[_Iterable[_Union[OpBuffer, _Mapping]]] = ..., op_name: _Optional[str] = ...) -> None: ...

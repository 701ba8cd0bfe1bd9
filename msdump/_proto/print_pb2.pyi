from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TensorProto(_message.Message):
    __slots__ = ("dims", "tensor_type", "tensor_content")
    DIMS_FIELD_NUMBER: _ClassVar[int]
    TENSOR_TYPE_FIELD_NUMBER: _ClassVar[int]
    TENSOR_CONTENT_FIELD_NUMBER: _ClassVar[int]
    dims: _containers.RepeatedScalarFieldContainer[int]
    tensor_type: str
    tensor_content: bytes
    def __init__(self, dims: _Optional[_Iterable[int]] = ..., tensor_type: _Optional[str] = ..., tensor_content: _Optional[bytes] = ...) -> None: ...

class Value(_message.Message):
    __slots__ = ("desc", "tensor")
    DESC_FIELD_NUMBER: _ClassVar[int]
    TENSOR_FIELD_NUMBER: _ClassVar[int]
    desc: str
    tensor: TensorProto
    def __init__(self, desc: _Optional[str] = ..., tensor: _Optional[_Union[TensorProto, _Mapping]] = ...) -> None: ...

class Meta(_message.Message):
    __slots__ = ("payload_length", "crc32", "call", "time_ns", "rank", "step", "file", "line")
    PAYLOAD_LENGTH_FIELD_NUMBER: _ClassVar[int]
    CRC32_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    TIME_NS_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    payload_length: int
    crc32: int
    call: int
    time_ns: int
    rank: int
    step: int
    file: str
    line: int
    def __init__(self, payload_length: _Optional[int] = ..., crc32: _Optional[int] = ..., call: _Optional[int] = ..., time_ns: _Optional[int] = ..., rank: _Optional[int] = ..., step: _Optional[int] = ..., file: _Optional[str] = ..., line: _Optional[int] = ...) -> None: ...

class Print(_message.Message):
    __slots__ = ("value", "meta")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedCompositeFieldContainer[Value]
    meta: Meta
    def __init__(self, value: _Optional[_Iterable[_Union[Value, _Mapping]]] = ..., meta: _Optional[_Union[Meta, _Mapping]] = ...) -> None: ...

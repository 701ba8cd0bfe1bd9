"""TensorProto of mind_ir.proto: constants with their bytes, weights by reference to the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from msdump._proto import mind_ir_pb2
from msdump.dtype import DType, by_number
from msdump.errors import DecodeError, TruncatedError
from msdump.formats.framing import DELIMITED
from msdump.formats.window import Window, parse
from msdump.graph.value import TensorValue
from msdump.source import BytePlace, Note
from msdump.tensor import TensorData

RAW_DATA = 9
# TensorProto's other fields of numbers, by number: their name and the type on the wire.
_TYPED = {
    3: ("float_data", "float32"),
    4: ("int32_data", "int32"),
    6: ("int64_data", "int64"),
    10: ("double_data", "float64"),
    11: ("uint64_data", "uint64"),
}


def dtype_name(number: int) -> str:
    """MindSpore's spelling for a TensorProto.DataType (AttributeType has the same numbers)."""
    found = by_number("mindir", number)
    return found.name if found else f"DataType{number}"


def count(shape: tuple[int, ...]) -> int:
    """How many elements a shape has; -1 when a dimension is not known."""
    total = 1
    for size in shape:
        total *= size
    return total if min(shape, default=0) >= 0 else -1


def constant(tensor: Any, little_endian: bool) -> TensorValue:
    """A constant in the graph, with its bytes; None for them where they do not fit the shape."""
    shape, name = tuple(tensor.dims), dtype_name(tensor.data_type)
    dtype = by_number("mindir", tensor.data_type)
    data = None if dtype is None else _decode(tensor, dtype, little_endian)
    if dtype is None or data is None or len(data) != count(shape) * dtype.bits // 8:
        return TensorValue(name, shape)
    return TensorValue(name, shape, data=data)


def _decode(tensor: Any, dtype: DType, little_endian: bool) -> bytes | None:
    """The little-endian bytes of a whole TensorProto, from whichever field holds them."""
    if tensor.HasField("raw_data"):
        return _in_order(tensor.raw_data, dtype, little_endian)
    for field, wire in _TYPED.values():
        values = getattr(tensor, field)
        if values:
            numbers = np.array(values, wire)
            if field == "int32_data" and dtype.name in ("Float16", "BFloat16"):  # their bits
                return numbers.astype("<u2").tobytes()
            return numbers.astype(dtype.np.newbyteorder("<")).tobytes()
    return None


def _in_order(raw: bytes, dtype: DType, little_endian: bool) -> bytes:
    """Raw bytes as little-endian; complex numbers are swapped part by part."""
    width = dtype.bits // (16 if dtype.name.startswith("Complex") else 8)
    if little_endian or width < 2 or len(raw) % width:
        return raw
    return np.frombuffer(raw, f">u{width}").astype(f"<u{width}").tobytes()


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes that stay where they are: a file and a span in it, or memory when there is no file."""

    file: str
    start: int
    size: int
    memory: bytes | None = None

    def read(self) -> bytes:
        """The bytes, read from the file anew.

        Raises:
            DecodeError: the file is gone, or shorter than it was.
        """
        place = BytePlace(self.file, self.start, "raw_data")
        if self.memory is not None:
            return self.memory[self.start : self.start + self.size]
        try:
            with open(self.file, "rb") as file:
                file.seek(self.start)
                data = file.read(self.size)
        except OSError as error:
            raise DecodeError(f"the weights cannot be read: {error.strerror or error}", place) from error
        if len(data) < self.size:
            raise TruncatedError(f"{self.size} bytes of weights expected, {len(data)} are there", place)
        return data


def header(window: Window, what: str) -> tuple[Any, tuple[int, int] | None]:
    """A TensorProto without its numbers, and the span of its raw_data if it has one."""
    kept, raw, begin = [], None, window.start
    for item in window.fields(what):
        if item.number == RAW_DATA and item.wire == DELIMITED:
            raw = (item.start, item.stop)
        elif item.number not in _TYPED:
            kept.append(window.data[begin : item.after])
        begin = item.after
    message = parse(mind_ir_pb2.TensorProto, b"".join(kept), window, what)
    return message, raw


def weight(window: Window, tensor: Any, raw: tuple[int, int] | None, little_endian: bool) -> TensorData | Note:
    """The values of a parameter by reference; a Note saying why when they cannot be had."""
    place = window.place("graph.parameter")
    name, shape = tensor.ref_key or tensor.name.rpartition(":")[2], tuple(tensor.dims)
    dtype = by_number("mindir", tensor.data_type)
    if dtype is None:
        return Note(f"weight {name}: element type {tensor.data_type} is not known", place, "warning")
    if tensor.compression_type or tensor.quant_params:
        return Note(f"weight {name} is stored compressed; its values are not given", place, "warning")
    size = count(shape) * dtype.bits // 8
    span = _span(window, tensor, raw)
    if isinstance(span, str):
        return Note(f"weight {name}: {span}", place, "warning")
    blank = Window(b"", window.file, window.start, window.end)  # for errors: no hold on the file
    numbers = raw is None and not tensor.HasField("external_data")
    if not numbers and span.size != size:
        return Note(f"weight {name}: {span.size} bytes do not fill the shape {shape} of {dtype.name}", place, "warning")

    def load() -> np.ndarray[Any, Any]:
        data: bytes | None = span.read()
        if numbers:
            data = _decode(parse(mind_ir_pb2.TensorProto, data or b"", blank, "graph.parameter"), dtype, little_endian)
        else:
            data = _in_order(data or b"", dtype, little_endian)
        if data is None or len(data) != size:
            raise DecodeError(f"weight {name}: its numbers do not fill the shape {shape} of {dtype.name}", place)
        return np.frombuffer(data, dtype.np.newbyteorder("<")).reshape(shape)

    return TensorData(dtype, shape, load, name, size)


def _span(window: Window, tensor: Any, raw: tuple[int, int] | None) -> Span | str:
    """Where the bytes of a weight stand, or why they cannot be had.

    MindSpore 1.6 and later splits models over 1 GB: NAME_graph.mindir and a folder NAME_variables of
    files data_0, data_1, … beside it, named relative to the model.
    """
    memory = window.data if isinstance(window.data, bytes) else None
    if raw is not None:
        return Span(window.file, raw[0], raw[1] - raw[0], memory)
    if not tensor.HasField("external_data"):
        return Span(window.file, window.start, window.end - window.start, memory)
    external = tensor.external_data
    inner = PurePosixPath(external.location.replace("\\", "/"))
    if inner.is_absolute() or ".." in inner.parts or ":" in external.location or "\0" in external.location:
        return f"its file {external.location!r} is not below the model's folder, and is not read"
    path = Path(window.file).parent / inner
    try:
        size = path.stat().st_size
    except OSError:
        return f"its file {external.location} is not beside the model"
    if min(external.offset, external.length) < 0 or external.offset + external.length > size:
        return f"its file {external.location} has {size} bytes, not {external.offset + external.length}"
    return Span(str(path), external.offset, external.length)

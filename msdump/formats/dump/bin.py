"""Asynchronous dump files of Ascend: a header that describes, then the tensors' bytes.

A little-endian uint64 with the header's length, the header (DumpData of proto/dump_data.proto), then
the payloads of inputs, outputs and buffers, each as long as its `size` says. Fields of newer releases
are skipped.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from msdump.dtype import DType, by_name, by_number, by_numpy
from msdump.errors import DecodeError, TruncatedError, WriteError
from msdump.formats.atomic import new_file
from msdump.formats.dump import storage
from msdump.formats.dump.device_format import FORMATS, format_name
from msdump.formats.dump.payload import PayloadTensor
from msdump.formats.packed import pack, packed_bytes
from msdump.source import BytePlace, Note
from msdump.tensor import MOST_AXES

Array: TypeAlias = "np.ndarray[Any, Any]"

_FIRST = 1 << 13
_LONGEST_HEADER = 1 << 26


@dataclass(frozen=True, slots=True)
class BinSlot:
    """One input or output: `io`, its position `slot`, the tensor, and the format's name in the file."""

    io: str
    slot: int
    tensor: PayloadTensor
    format: str


@dataclass(frozen=True, slots=True)
class BinFile:
    """One asynchronous dump file.

    Attributes:
        version, op_name: as the header has them.
        time: microseconds since the epoch, or 0.
        slots: inputs, then outputs; only those whose bytes are all there.
        buffers: type and place (offset, size) of buffers.
        data_start: byte where the payloads begin.
        problem: what is missing at the end of the file, or None.
        notes: odd things.
    """

    version: str
    op_name: str
    time: int
    slots: tuple[BinSlot, ...]
    buffers: tuple[tuple[int, int, int], ...]
    data_start: int
    problem: TruncatedError | None = None
    notes: tuple[Note, ...] = ()


def looks_like_bin(head: bytes, size: int) -> bool:
    """Whether a file of `size` bytes that begins with `head` has this structure."""
    if len(head) < 8:
        return False
    length = struct.unpack_from("<Q", head)[0]
    if not 0 < length <= min(size - 8, _LONGEST_HEADER):
        return False
    # Tags of fields 1 to 6 with their wire types; the header begins with one of them.
    return len(head) > 8 and head[8] in (0x0A, 0x10, 0x1A, 0x22, 0x2A, 0x32)


def read_bin(path: str) -> BinFile:
    """Read the header of an asynchronous dump file; the tensors read their bytes when asked for.

    Raises:
        TruncatedError: the file ends inside its header.
        DecodeError: the header does not follow its schema.
    """
    size = storage.size(path)
    head = storage.read_range(path, 0, min(size, _FIRST))
    if len(head) < 8:
        raise TruncatedError("the file ends inside the length of its header", BytePlace(path, len(head)))
    length = struct.unpack_from("<Q", head)[0]
    if length > _LONGEST_HEADER:
        raise DecodeError(f"a header of {length} bytes is absurd", BytePlace(path, 0, "header length"))
    if 8 + length > size:
        raise TruncatedError(f"the header has {length} bytes, the file ends before", BytePlace(path, size))
    if len(head) < 8 + length:
        head = storage.read_range(path, 0, 8 + length)
    return _decode(path, head[8 : 8 + length], 8 + length, size)


def _decode(path: str, header: bytes, start: int, size: int) -> BinFile:
    from google.protobuf.message import DecodeError as WireError

    from msdump._proto.dump_data_pb2 import DumpData

    try:
        message = DumpData.FromString(header)
    except WireError as error:
        raise DecodeError(f"the header does not follow its schema: {error}", BytePlace(path, 8, "DumpData")) from None
    slots: list[BinSlot] = []
    notes: list[Note] = []
    problem: TruncatedError | None = None
    offset = start
    described: tuple[tuple[str, Iterable[Any]], ...] = (("input", message.input), ("output", message.output))
    for io, entries in described:
        for index, entry in enumerate(entries):
            field = f"{io}[{index}]"
            if offset + entry.size > size:
                problem = problem or TruncatedError(
                    f"{field} has {entry.size} bytes, the file ends after {max(0, size - offset)}",
                    BytePlace(path, size, field),
                )
            elif entry.size or not entry.data:
                slots.append(BinSlot(io, index, _tensor(path, offset, entry, field, notes), format_name(entry.format)))
            else:
                place = header.find(entry.data) + 8  # a payload inside the header
                slots.append(BinSlot(io, index, _tensor(path, place, entry, field, notes), format_name(entry.format)))
            offset += entry.size
    buffers: list[tuple[int, int, int]] = []
    for buffer in message.buffer:
        buffers.append((buffer.buffer_type, offset, buffer.size))
        offset += buffer.size
    return BinFile(
        message.version, message.op_name, message.dump_time, tuple(slots), tuple(buffers), start, problem, tuple(notes)
    )


def _tensor(path: str, offset: int, entry: Any, field: str, notes: list[Note]) -> PayloadTensor:
    size = int(entry.size) or len(entry.data)
    dtype = by_number("dump", entry.data_type)
    shape = tuple(entry.shape.dim)
    original = tuple(entry.original_shape.dim)
    place = BytePlace(path, offset, field)
    if dtype is None:
        # Strings, and types newer than msdump: the bytes as they are.
        if entry.data_type != 13:
            notes.append(Note(f"data type {entry.data_type} is unknown; its bytes are given", place, "warning"))
        dtype = by_name("UInt8")
        assert dtype is not None
        return PayloadTensor(path, offset, size, dtype, None, name=field, unknown=entry.data_type != 13)
    if len(shape) > MOST_AXES or len(original) > MOST_AXES or max((*shape, *original), default=0) >= 1 << 62:
        notes.append(Note(f"shape {shape[:4]}… is absurd; its bytes are given flat", place, "warning"))
        shape = original = ()
    kind = format_name(entry.format)
    if entry.format not in FORMATS:
        notes.append(Note(f"format {entry.format} is unknown; values are given as they lie", place, "warning"))
    elif kind in ("FRACTAL_ZN_RNN", "ND_RNN_BIAS") and original and original != shape:
        notes.append(Note(f"{kind} needs sizes that are not in the file; values are given as they lie", place))
    # No sizes are those of a scalar, where there is one element; else the file does not tell them.
    stored = shape if shape or size in (0, packed_bytes(1, dtype)) else None
    groups = max(1, int(entry.sub_format))
    return PayloadTensor(path, offset, size, dtype, stored, kind, original, groups, field)


def bin_bytes(inputs: Sequence[Array], outputs: Sequence[Array], *, op_name: str = "", time: int = 0) -> bytes:
    """An asynchronous dump file with these tensors in format ND, every type of the schema.

    Raises:
        WriteError: a type that the schema does not have.
    """
    from msdump._proto.dump_data_pb2 import DumpData

    message = DumpData(version="1.0", dump_time=time, op_name=op_name)
    payloads: list[bytes] = []
    for entries, arrays in ((message.input, inputs), (message.output, outputs)):
        for array in arrays:
            dtype = _schema_type(array)
            content = pack(array, dtype)
            entry: Any = entries.add(data_type=dtype.dump, format=2, size=len(content))
            entry.shape.dim.extend(array.shape)
            entry.original_shape.dim.extend(array.shape)
            payloads.append(content)
    header = message.SerializeToString()
    return b"".join([struct.pack("<Q", len(header)), header, *payloads])


def _schema_type(array: Array) -> DType:
    dtype = by_numpy(array.dtype)
    if dtype is None or dtype.dump is None:
        raise WriteError(f"type {array.dtype} is none that a dump file has")
    return dtype


def write_bin(
    path: str | os.PathLike[str],
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    *,
    op_name: str = "",
    time: int = 0,
    force: bool = False,
) -> None:
    """Write an asynchronous dump file; see `bin_bytes`.

    Raises:
        WriteError: a type the schema does not have, or the file exists (and not `force`).
    """
    content = bin_bytes([np.asarray(a) for a in inputs], [np.asarray(a) for a in outputs], op_name=op_name, time=time)
    with new_file(path, force=force) as file:
        file.write(content)

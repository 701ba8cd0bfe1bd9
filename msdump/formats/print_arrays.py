"""Print records as named arrays with an index: .npz, a folder of .npy, safetensors.

Each tensor is an array of its own, named after its record and its label (`000003.0.loss`), so that
numpy and others load it by themselves. The index, JSON, holds what arrays cannot: strings, calls,
MindSpore's types, values that could not be understood. Types the container does not have are stored
as bytes of the same size (complex numbers of safetensors as pairs), and the index has the real one.
Schema: docs/json.md, msdump.print-arrays/1.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from msdump.dtype import by_name, name_of
from msdump.errors import DecodeError
from msdump.formats.atomic import new_file, new_folder
from msdump.formats.format import Format
from msdump.json_values import record_from_json, record_json
from msdump.records import PrintRecord, PrintValue
from msdump.source import BytePlace

Array: TypeAlias = "np.ndarray[Any, Any]"
Where: TypeAlias = "str | os.PathLike[str]"
SCHEMA = "msdump.print-arrays/1"
INDEX = "index.json"
_FILES = re.compile(r"[^\w.-]+")


class Index:
    """The index as it is made: what each record holds, arrays by name."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self._label = ""

    def add(self, record: PrintRecord) -> Iterator[tuple[str, Array]]:
        """Note a record; gives the name and the array of each of its tensors."""
        strings = tuple(v for v in record.values if not _is_tensor(v))
        entry = record_json(PrintRecord(record.index, strings, record.offset, record.meta))
        others = iter(entry["values"])
        values: list[dict[str, Any]] = []
        if record.meta is not None:
            self._label = ""
        for slot, value in enumerate(record.values):
            if not isinstance(value, np.ndarray | np.generic):
                self._label = value if isinstance(value, str) else self._label
                values.append(next(others))
                continue
            array = np.asarray(value)
            label = _FILES.sub("_", self._label).strip("_.")[:60]
            name = f"{record.index:06d}.{slot}" + (f".{label}" if label else "")
            values.append({"kind": "array", "name": name, "dtype": name_of(array.dtype), "shape": list(array.shape)})
            yield name, array
        entry["values"] = values
        self.records.append(entry)

    def document(self) -> bytes:
        """The index as JSON."""
        return json.dumps({"schema": SCHEMA, "records": self.records}, allow_nan=False).encode()


def _is_tensor(value: PrintValue) -> bool:
    return isinstance(value, np.ndarray | np.generic)


def _records(index: bytes, load: Callable[[str], Array], name: str) -> Iterator[PrintRecord]:
    """The records an index and its arrays stand for."""

    def fail(what: str) -> DecodeError:
        return DecodeError(what, BytePlace(name, 0, "index"))

    try:
        document = json.loads(index)
        if document["schema"] != SCHEMA:
            raise fail(f"the schema is {document['schema']!r}, not {SCHEMA!r}")
        entries = list(document["records"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise fail(f"the index does not read: {error}") from None
    for number, entry in enumerate(entries):
        try:
            given = entry["values"]
            plain = [v for v in given if v.get("kind") != "array"]
            others = iter(record_from_json({**entry, "values": plain}, number).values)
            values = tuple(_array(v, load) if v.get("kind") == "array" else next(others) for v in given)
            head = record_from_json({**entry, "values": []}, number)
        except (KeyError, TypeError, AttributeError, ValueError, OSError, zipfile.BadZipFile) as error:
            raise fail(f"record {number}: {error}") from None
        yield PrintRecord(number, values, head.offset, head.meta)


def _array(entry: Mapping[str, Any], load: Callable[[str], Array]) -> PrintValue:
    known = by_name(entry["dtype"])
    if known is None:
        raise ValueError(f"unknown dtype {entry['dtype']!r}")
    found, shape = load(entry["name"]), tuple(map(int, entry["shape"]))
    if found.dtype != known.np:
        # Bytes of a type the container has no name for, or pairs that stand for complex numbers.
        found = np.frombuffer(np.ascontiguousarray(found).tobytes(), known.np)
    found = found.reshape(shape)
    found.flags.writeable = False
    value: PrintValue = found if found.ndim else found[()]
    return value


def _storable(array: Array) -> Array:
    """As numpy stores it without pickle: contiguous, ml_dtypes' types as unsigned integers."""
    if array.dtype.isbuiltin == 2:  # a type numpy was taught
        return np.asarray(array, order="C").view(f"u{array.dtype.itemsize}")
    return np.asarray(array, order="C")


# --- .npz ---------------------------------------------------------------------------------------


def write_npz(records: Iterable[PrintRecord], path: Where, *, force: bool = False, lossy: bool = False) -> None:
    """Write an .npz: an array a tensor, and the index as `index.json` in the archive."""
    index = Index()
    with new_file(path, force=force) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for record in records:
            for name, array in index.add(record):
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, _storable(array), allow_pickle=False)
        archive.writestr(zipfile.ZipInfo(INDEX), index.document())


def read_npz(path: Where) -> Iterator[PrintRecord]:
    """The records of an .npz that `write_npz` made.

    Raises:
        DecodeError: it is no such archive.
    """
    name = os.fspath(path)
    try:
        archive = zipfile.ZipFile(path)
        index = archive.read(INDEX)
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, struct.error) as error:
        raise DecodeError(f"is no .npz of print records: {error}", BytePlace(name, 0)) from None

    def load(array: str) -> Array:
        with archive.open(f"{array}.npy") as member:
            found: Array = np.lib.format.read_array(member, allow_pickle=False)
        return found

    with archive:
        yield from _records(index, load, name)


# --- a folder of .npy ---------------------------------------------------------------------------


def write_folder(records: Iterable[PrintRecord], path: Where, *, force: bool = False, lossy: bool = False) -> None:
    """Write a folder with a .npy file a tensor and index.json; it appears whole or not at all.

    Raises:
        WriteError: the folder exists and not `force`; or it holds other things than such a folder does.
    """
    index = Index()
    with new_folder(path, force=force, ours=_is_ours) as folder:
        for record in records:
            for name, array in index.add(record):
                np.save(folder / f"{name}.npy", _storable(array), allow_pickle=False)
        (folder / INDEX).write_bytes(index.document())


def _is_ours(place: Path) -> bool:
    try:
        with open(place / INDEX, "rb") as stream:
            return SCHEMA.encode() in stream.read(200)
    except OSError:
        return False


def read_folder(path: Where) -> Iterator[PrintRecord]:
    """The records of a folder that `write_folder` made.

    Raises:
        DecodeError: the index or an array does not read.
    """
    place = Path(path)

    def load(name: str) -> Array:
        if os.path.basename(name) != name:
            raise ValueError(f"{name!r} is no name of a file in this folder")
        found: Array = np.load(place / f"{name}.npy", mmap_mode=None, allow_pickle=False)
        return found

    yield from _records((place / INDEX).read_bytes(), load, str(place / INDEX))


# --- safetensors --------------------------------------------------------------------------------

# Names of the safetensors specification; what it lacks is stored as bytes of the same size.
_SAFE = {
    "Bool": "BOOL", "Int8": "I8", "Int16": "I16", "Int32": "I32", "Int64": "I64",
    "UInt8": "U8", "UInt16": "U16", "UInt32": "U32", "UInt64": "U64",
    "Float16": "F16", "Float32": "F32", "Float64": "F64", "BFloat16": "BF16",
    "Float8E5M2": "F8_E5M2", "Float8E4M3FN": "F8_E4M3",
}  # fmt: skip


def write_safetensors(records: Iterable[PrintRecord], path: Where, *, force: bool = False, lossy: bool = False) -> None:
    """Write a .safetensors file, the index in its metadata as "msdump".

    The header stands before the data and needs all shapes, so data goes through a file beside it.
    """
    index = Index()
    header: dict[str, Any] = {}
    at = 0
    with new_file(path, force=force) as stream, tempfile.TemporaryFile(dir=Path(path).resolve().parent) as body:
        for record in records:
            for name, array in index.add(record):
                little = np.asarray(array, order="C")
                if little.dtype.isbuiltin != 2:
                    little = little.astype(little.dtype.newbyteorder("<"), copy=False)
                shape, kind = list(array.shape), _SAFE.get(name_of(array.dtype))
                if kind is None:
                    kind, shape = (
                        ("F32", [*shape, 2])
                        if array.dtype == np.complex64
                        else (("F64", [*shape, 2]) if array.dtype == np.complex128 else ("U8", shape))
                    )
                header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + little.nbytes]}
                body.write(_storable(little).reshape(-1).view(np.uint8).data)
                at += little.nbytes
        header = {"__metadata__": {"msdump": index.document().decode()}, **header}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        stream.write(struct.pack("<Q", len(text)) + text)
        body.seek(0)
        shutil.copyfileobj(body, stream, 1 << 20)


def read_safetensors(path: Where) -> Iterator[PrintRecord]:
    """The records of a .safetensors file that `write_safetensors` made.

    Raises:
        DecodeError: it is none, or is cut.
    """
    name = os.fspath(path)
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        try:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > size - 8:
                raise ValueError("the header is longer than the file")
            header = json.loads(stream.read(length))
            index = header["__metadata__"]["msdump"].encode()
        except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DecodeError(f"is no .safetensors of print records: {error}", BytePlace(name, 0)) from None

        def load(array: str) -> Array:
            begin, end = header[array]["data_offsets"]
            if not 0 <= begin <= end <= size - 8 - length:
                raise ValueError(f"{array}: the data lies outside of the file")
            stream.seek(8 + length + begin)
            return np.frombuffer(stream.read(end - begin), np.uint8)

        yield from _records(index, load, name)


_HELD = frozenset({"calls", "values", "meta"})
FORMATS = (
    Format("npz", "print", "print log, an array a tensor", read_npz, write_npz, _HELD),
    Format("npy", "print", "print log as a folder of .npy", read_folder, write_folder, _HELD),
    Format(
        "safetensors",
        "print",
        "print log as safetensors, the index in its metadata",
        read_safetensors,
        write_safetensors,
        _HELD,
    ),
)

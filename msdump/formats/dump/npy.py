""".npy files: read without pickle, block by block where wanted, and written.

Source: numpy's format description (versions 1.0 to 3.0). MindSpore writes bfloat16 with the type
code `<E2`, which numpy itself refuses; files made with ml_dtypes have `<V2` or `|V1`, and then the
dtype in the file's name says what the bytes are.
"""

from __future__ import annotations

import ast
import functools
import math
import os
import struct
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from msdump.dtype import DType, by_name, by_numpy
from msdump.errors import DecodeError, TruncatedError
from msdump.formats.atomic import new_file
from msdump.formats.dump import storage
from msdump.source import WHOLE, BytePlace, Note
from msdump.tensor import MOST_AXES, TensorData

Array: TypeAlias = "np.ndarray[Any, Any]"

MAGIC = b"\x93NUMPY"
_FIRST = 1 << 14
"""Bytes read at first: the header, and the whole of a small tensor."""
_LONGEST_HEADER = 1 << 16


class Header:
    """What the header of one .npy file says.

    `dtype` is msdump's type, `stored` the numpy type as it lies in the file (byte order included),
    `shape` the sizes, `start` the byte where the data begins, `fortran` column-major order.
    """

    __slots__ = ("count", "dtype", "fortran", "shape", "start", "stored")

    def __init__(self, dtype: DType, stored: np.dtype[Any], shape: tuple[int, ...], start: int, fortran: bool) -> None:
        self.dtype = dtype
        self.stored = stored
        self.shape = shape
        self.start = start
        self.fortran = fortran and len(shape) > 1
        self.count = math.prod(shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the data."""
        return self.count * self.stored.itemsize


def header_length(head: bytes) -> int:
    """Where the data begins, from the first 12 bytes; -1 when they are no .npy header."""
    if len(head) < 10 or not head.startswith(MAGIC):
        return -1
    if head[6] == 1:
        return 10 + int(struct.unpack_from("<H", head, 8)[0])
    if head[6] in (2, 3) and len(head) >= 12:
        return 12 + int(struct.unpack_from("<I", head, 8)[0])
    return -1


class _Bad(Exception):
    """What is wrong with a header, before the file is known."""


@functools.lru_cache(maxsize=4096)
def _parse(head: bytes, token: str) -> Header:
    """Headers repeat in a dump, so each distinct one is parsed once."""
    text = head[12 if head[6] > 1 else 10 :]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes, which Python would tell to the user
            fields = ast.literal_eval(text.decode("utf-8" if head[6] == 3 else "latin-1").strip())
        descr, fortran, shape = fields["descr"], fields["fortran_order"], fields["shape"]
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError, UnicodeDecodeError):
        raise _Bad("its header is no dictionary of descr, fortran_order and shape") from None
    if not isinstance(shape, tuple) or not all(type(d) is int and 0 <= d < 1 << 62 for d in shape):
        raise _Bad(f"shape {str(shape)[:40]} is not a tuple of sizes")
    if len(shape) > MOST_AXES:
        raise _Bad(f"it has {len(shape)} axes, and no tensor more than {MOST_AXES}")
    dtype, stored = _element(descr, token)
    return Header(dtype, stored, shape, len(head), bool(fortran))


def _element(descr: object, token: str) -> tuple[DType, np.dtype[Any]]:
    if not isinstance(descr, str):
        raise _Bad("it holds records, not a tensor")
    named = by_name(token) if token else None
    if descr.lstrip("<>=|") == "E2":
        bfloat16 = by_name("BFloat16")
        assert bfloat16 is not None
        return bfloat16, bfloat16.np.newbyteorder(">") if descr.startswith(">") else bfloat16.np
    try:
        stored = np.dtype(descr)
    except (TypeError, ValueError, SyntaxError, OverflowError):  # "<02f4" is a number that Python refuses
        raise _Bad(f"element type {descr!r} is unknown") from None
    if stored.kind == "O":
        raise _Bad("it holds pickled Python objects, which are never loaded")
    if named is not None and named.ml and stored.kind in "Vui" and named.np.itemsize == stored.itemsize:
        if stored.kind == "V" or named.bits >= 8:
            return named, named.np
    elif descr.lstrip("<=|") == "V2":
        bfloat16 = by_name("BFloat16")
        assert bfloat16 is not None
        return bfloat16, bfloat16.np
    found = by_numpy(stored.newbyteorder("="))
    if found is None or stored.kind not in "biufc":
        raise _Bad(f"element type {descr!r} is none that MindSpore has")
    return found, stored


def parse_header(head: bytes, path: str, token: str = "") -> Header:
    """The header at the start of `head`; `token` is the dtype's spelling in the file's name, or "".

    Raises:
        TruncatedError: the file ends inside the header.
        DecodeError: it is no .npy file, or holds what is no tensor.
    """
    if not head.startswith(MAGIC):
        if len(head) < len(MAGIC):
            raise TruncatedError("the file ends inside the magic bytes of .npy", BytePlace(path, len(head)))
        raise DecodeError("not a .npy file: the magic bytes are missing", BytePlace(path, 0))
    length = header_length(head)
    if length < 0:
        if len(head) >= 12:
            raise DecodeError(f"version {head[6]}.{head[7]} of .npy is unknown", BytePlace(path, 6))
        raise TruncatedError("the file ends inside the .npy header", BytePlace(path, len(head)))
    if length > _LONGEST_HEADER:
        raise DecodeError(f"a .npy header of {length} bytes is absurd", BytePlace(path, 8))
    if len(head) < length:
        raise TruncatedError("the file ends inside the .npy header", BytePlace(path, len(head)))
    try:
        return _parse(head[:length], token)
    except _Bad as error:
        raise DecodeError(str(error), BytePlace(path, 10, "header")) from None


def mislabelled(token: str, dtype: DType) -> str:
    """What is to be said where a file's name spells another type than its header has, which is the one that is
    read; "" where the two agree, or the name tells none."""
    named = by_name(token) if token else None
    if named is None or named.name == dtype.name:
        return ""
    return f"the file's name says {named.name}, its header {dtype.name}, which is read"


class NpyTensor(TensorData):
    """The tensor in a .npy file; the file is opened when dtype, shape or values are asked for.

    `token` is the type's spelling in the file's name, `on_note` is told when the header has another one.
    """

    __slots__ = ("_header", "_on_note", "_size", "path", "token")

    path: str
    token: str
    _header: Header | None
    _size: int
    _on_note: Callable[[Note], None] | None

    def __init__(
        self,
        path: str,
        token: str = "",
        name: str = "",
        size: int = -1,
        on_note: Callable[[Note], None] | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "path", path)
        put(self, "token", token)
        put(self, "name", name)
        put(self, "_header", None)
        put(self, "_size", size)
        put(self, "_on_note", on_note)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return NpyTensor, (self.path, self.token, self.name, self._size)

    def header(self) -> Header:
        """The header, read once. Raises DecodeError or TruncatedError."""
        if self._header is None:
            head = storage.read_range(self.path, 0, _FIRST)
            if len(head) == _FIRST and header_length(head) > _FIRST:
                head = storage.read_range(self.path, 0, min(header_length(head), _LONGEST_HEADER + 1))
            self._keep(parse_header(head, self.path, self.token))
        assert self._header is not None
        return self._header

    def _keep(self, header: Header) -> None:
        object.__setattr__(self, "_header", header)
        said = mislabelled(self.token, header.dtype)
        if said and self._on_note is not None:
            self._on_note(Note(said, BytePlace(self.path, WHOLE), "warning"))

    @property
    def dtype(self) -> DType:
        """Element type, from the header and the name."""
        return self.header().dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes, from the header."""
        return self.header().shape

    @property
    def nbytes(self) -> int:
        """Bytes of the data; of the whole file while its header has not been read."""
        if self._header is not None:
            return self._header.nbytes
        if self._size < 0:
            object.__setattr__(self, "_size", storage.size(self.path))
        return self._size

    @property
    def surplus(self) -> int:
        """Bytes of the file behind the data."""
        header = self.header()
        return max(0, storage.size(self.path) - header.start - header.nbytes)

    @property
    def load(self) -> Callable[[], Array]:
        """Gives the values; a large file is mapped, not read."""
        return self._load

    @property
    def sliceable(self) -> bool:
        """Any part can be read without the others, in column-major files too."""
        return True

    def _load(self) -> Array:
        if self._header is None:
            # Most tensors of a dump are small: header and data come with one read.
            head = storage.read_head(self.path, _FIRST)
            if header_length(head) > 0 and len(head) > header_length(head):
                header = parse_header(head, self.path, self.token)
                self._keep(header)
                if len(head) >= header.start + header.nbytes:
                    return _values(memoryview(head), header)
        header = self.header()
        content = storage.view(self.path)
        self._check_length(header, len(content))
        return _values(content, header)

    def _check_length(self, header: Header, length: int) -> None:
        if length < header.start + header.nbytes:
            raise TruncatedError(
                f"{header.nbytes} bytes of data are announced, {max(0, length - header.start)} are there",
                BytePlace(self.path, length),
            )

    def flat(self, start: int, stop: int, into: memoryview | None = None) -> Array:
        """Elements `start` to `stop`, read from the file without the others."""
        header = self.header()
        if header.fortran:
            content = storage.view(self.path)
            self._check_length(header, len(content))
            # Where the file is mapped, only these elements are gathered from it.
            return _native(_stored(content, header).flat[start:stop], header.dtype)
        stop = min(stop, header.count)
        width = header.stored.itemsize
        place = header.start + start * width
        wanted = max(0, stop - start) * width
        if into is not None and len(into) >= wanted:
            got = storage.read_into(self.path, place, into[:wanted])
            read: memoryview | bytes = into[:got]
        else:
            read = storage.read_range(self.path, place, wanted)
        if len(read) < wanted:
            self._check_length(header, place + len(read))
        return _native(np.frombuffer(read, header.stored), header.dtype)


def _native(array: Array, dtype: DType) -> Array:
    if array.dtype == dtype.np:
        return array
    if dtype.ml:
        return array.view(np.uint16).byteswap().view(dtype.np)
    return array.astype(dtype.np)


def _values(content: memoryview, header: Header) -> Array:
    return _native(_stored(content, header), header.dtype)


def _stored(content: memoryview, header: Header) -> Array:
    flat = np.frombuffer(content, header.stored, header.count, header.start)
    return flat.reshape(header.shape, order="F" if header.fortran else "C")


def npy_bytes(array: Array) -> bytes:
    """A tensor as the bytes of a .npy file, version 1.0.

    Types that numpy lacks are written as numpy writes those of ml_dtypes, with the code `<V2` or
    `|V1`, which every reader of .npy opens; what they are belongs into the file's name.
    """
    array = np.asarray(array)
    known = by_numpy(array.dtype)
    if known is not None and known.ml:
        descr = f"{'|' if array.dtype.itemsize == 1 else '<'}V{array.dtype.itemsize}"
    else:
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        descr = array.dtype.str
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {array.shape!r}, }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return MAGIC + b"\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin-1") + array.tobytes()


def write_npy(array: Array, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a tensor as .npy; `path` appears whole or not at all. See `npy_bytes` for the types.

    Raises:
        WriteError: the file exists (and not `force`), or cannot be written.
    """
    with new_file(path, force=force) as file:
        file.write(npy_bytes(array))

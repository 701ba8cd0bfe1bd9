"""The Print operator: values of any library to the screen or into the print file.

`emit_print` is what runs one call, in either mode; `Print` is the operator as users meet it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

import numpy as np

from msdump.dtype import by_name, by_numpy
from msdump.ms_text import Style, value_text
from msdump.runtime.session import current
from msdump.runtime.sink import PrintSink

_TAKEN = "a string, a tensor or array, a number, a bool, None, or a tuple, list or dict of these"
_NUMBERS = (int, float, complex)
_PLAIN = frozenset({str, float, bool})
"""Types that a print file takes as they are; arrays of known types are the others."""


@functools.lru_cache(maxsize=256)
def _known(dtype: np.dtype[Any]) -> bool:
    return by_numpy(dtype) is not None


class Print:
    """MindSpore's Print operator: `Print()("loss:", loss)`.

    Each argument is a string, a Tensor, a numpy array or scalar, a Python number, a bool, None, a
    tuple, list or dict of these, or anything with `__array__` or DLPack, such as tensors of torch
    and jax and MindSpore's own. An argument of another type is a TypeError that names it.

    With `context.set_context(print_file_path=…)` a call is one record of that file: numbers become
    0-d tensors (Int64, Float64, Bool, Complex128), None the string "None", tuples and lists are
    written item by item, and a dict with each key as a string before its value (keys of dicts in
    dicts joined by dots). Otherwise it goes to the screen in MindSpore 2.x's text form.
    """

    name = "Print"
    _site: tuple[CodeType | None, int, str, int] = (None, 0, "", 0)
    """The call before this one: code, offset in it, and its file and line, which take long to find."""

    def __call__(self, *values: Any) -> None:
        """Print the values; nothing at all when there are none."""
        session = current()
        recorder = session.thread.recorder
        if recorder is not None:
            recorder.record_print(values)
            return
        sink = session.print_file
        if sink is None:
            emit_print(values)
        elif values:
            frame = sys._getframe(1)
            code, at, file, line = self._site
            if frame.f_code is not code or frame.f_lasti != at:
                code, at, file, line = frame.f_code, frame.f_lasti, frame.f_code.co_filename, frame.f_lineno
                self._site = code, at, file, line
            _write(sink, values, file, line)

    def __getstate__(self) -> dict[str, Any]:
        """Without the call before: code cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if name != "_site"}

    def __repr__(self) -> str:
        return "Prim[Print]"


def emit_print(values: Sequence[Any], place: tuple[str, int] | None = None, style: Style = "pynative") -> None:
    """Run one call of Print.

    Args:
        values: the arguments, as users gave them.
        place: file and line (from 1) of the call in the user's source, None when unknown.
        style: which text form the screen gets; a compiled graph gives "graph".

    Raises TypeError that names the argument and its type; then nothing of the call is printed.
    """
    if not values:
        return
    sink = current().print_file
    if sink is None:
        texts = [value_text(as_printable(value, f"argument {at}"), style) + "\n" for at, value in enumerate(values, 1)]
        _to_screen("".join(texts), flush=style == "graph")
        return
    file, line = place or ("", 0)
    _write(sink, values, file, line)


def _write(sink: PrintSink, values: Sequence[Any], file: str, line: int) -> None:
    for value in values:
        kind = type(value)
        if not (kind in _PLAIN or (kind is np.ndarray and _known(value.dtype))):
            printable = [as_printable(value, f"argument {at}") for at, value in enumerate(values, 1)]
            values = list(_file_items(printable, ""))
            break
    sink.write(values, step=current().step, file=file, line=line)


def as_printable(value: Any, name: str = "value") -> Any:
    """A value with every tensor in it as a numpy array or scalar; containers keep their kind.

    Arrays are not copied. TypeError names what cannot be printed by `name`.
    """
    return _printable(value, name, ())


def _printable(value: Any, name: str, inside: tuple[int, ...]) -> Any:
    if isinstance(value, np.ndarray):
        return _checked(np.asarray(value), name)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, np.generic):
        return _checked(value, name)
    if value is None or isinstance(value, _NUMBERS):
        return value
    if isinstance(value, (tuple, list, dict)):
        if id(value) in inside:
            raise TypeError(f"Print: {name} is a {type(value).__name__} that holds itself")
        inside = (*inside, id(value))
        if isinstance(value, dict):
            return {key: _printable(item, f"{name}[{key!r}]", inside) for key, item in value.items()}
        items = [_printable(item, f"{name}[{at}]", inside) for at, item in enumerate(value)]
        return items if isinstance(value, list) else tuple(items)
    array = _foreign_tensor(value, name)
    return array if array.ndim else array[()]


def _checked(array: Any, name: str) -> Any:
    dtype = array.dtype
    if not _known(dtype):
        raise TypeError(f"Print: {name} is an array of the type {dtype}, which MindSpore has no tensors of")
    return array


def _foreign_tensor(value: Any, name: str) -> np.ndarray[Any, Any]:
    """A tensor of another library by what it can do, without importing that library."""
    kind = type(value)
    if isinstance(value, type) or not any(hasattr(kind, way) for way in ("asnumpy", "__array__", "__dlpack__")):
        raise TypeError(f"Print: {name} is of type {kind.__name__}; it should be {_TAKEN}")
    if hasattr(kind, "detach"):
        value = value.detach()
    try:
        array = _to_numpy(value)
    except Exception as error:
        # numpy has no name for some types, bfloat16 above all; Float32 holds all its values.
        known = by_name(str(getattr(value, "dtype", "")).rpartition(".")[2])
        if known is None or not known.ml or not hasattr(kind, "float"):
            raise TypeError(f"Print: {name} is of type {kind.__name__} and gives no array: {error}") from error
        array = _to_numpy(value.float()).astype(known.np)
    return np.asarray(_checked(array, name))


def _to_numpy(value: Any) -> np.ndarray[Any, Any]:
    if getattr(getattr(value, "device", None), "type", "cpu") != "cpu" and hasattr(value, "cpu"):
        value = value.cpu()
    kind = type(value)
    if hasattr(kind, "asnumpy"):
        return np.asarray(value.asnumpy())
    if hasattr(kind, "__array__"):
        return np.asarray(value)
    return np.from_dlpack(value)


def _file_items(values: Any, path: str) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (str, np.ndarray, np.generic)):
            yield value
        elif isinstance(value, dict) and value:
            for key, item in value.items():
                label = f"{path}.{key}" if path else str(key)
                if not isinstance(item, dict) or not item:
                    yield label
                yield from _file_items((item,), label)
        elif isinstance(value, (tuple, list)) and value:
            yield from _file_items(value, path)
        else:
            yield _file_scalar(value)


def _file_scalar(value: Any) -> Any:
    if isinstance(value, (bool, float)):
        return value if type(value) in _PLAIN else float(value)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 64:
        return int(value)
    # None, an empty container, a number beyond 64 bits: as its text.
    return np.complex128(value) if isinstance(value, complex) else repr(value)


def _to_screen(text: str, flush: bool) -> None:
    stream = sys.stdout
    if stream is None:
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "utf-8"
        raw = text.encode("utf-8", "surrogateescape" if _only_escaped_bytes(text) else "backslashreplace")
        if hasattr(stream, "buffer"):
            stream.flush()
            stream.buffer.write(raw)
        else:
            stream.write(raw.decode("utf-8", "replace").encode(encoding, "backslashreplace").decode(encoding))
    if flush:
        stream.flush()


def _only_escaped_bytes(text: str) -> bool:
    return all(not 0xD800 <= ord(char) <= 0xDFFF or 0xDC80 <= ord(char) <= 0xDCFF for char in text)

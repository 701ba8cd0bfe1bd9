"""How what msdump reads stands in JSON, and back: one rule for every schema.

NaN and infinities are the strings "NaN", "Infinity", "-Infinity"; a complex number is [re, im];
bytes are base64; a dtype is MindSpore's spelling of 2.x. Floats of 16 and 32 bits are written with
as few digits as tell them apart in their own type: 0.1, not 0.10000000149011612.
"""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from msdump.dtype import by_name, name_of
from msdump.records import BadValue, PrintMeta, PrintRecord, PrintValue

Array = np.ndarray[Any, Any]
_ODD = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def number(value: Any) -> Any:
    """One number, None or bool: numpy scalars become Python's, odd floats their strings."""
    if isinstance(value, np.generic):
        return data(np.asarray(value))
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def data(array: Array) -> Any:
    """An array of any shape as nested lists, a 0-d one as its number."""
    kind = array.dtype.kind
    if kind == "c":
        half = np.float32 if array.dtype.itemsize == 8 else np.float64
        pairs = np.ascontiguousarray(array).reshape(-1).astype(array.dtype.newbyteorder("=")).view(half)
        return data(pairs.reshape((*array.shape, 2)))
    if kind in "biu":
        return array.tolist()
    if kind == "V" and array.dtype.name.startswith(("int", "uint")):
        return array.astype(np.int64).tolist()
    if kind == "f" and array.dtype.itemsize < 8:
        flat = [float(str(v)) for v in array.reshape(-1)]
    elif kind in "fV":
        flat = array.reshape(-1).astype(np.float64).tolist()
    else:
        return array.tolist()
    if not np.isfinite(flat).all():
        flat = [number(v) for v in flat]
    return _nest(flat, array.shape)


def _nest(flat: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return flat[0]
    for size in reversed(shape[1:]):
        if size == 0:
            return _nest_empty(shape)
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]
    return flat


def _nest_empty(shape: tuple[int, ...]) -> Any:
    return [_nest_empty(shape[1:]) for _ in range(shape[0])] if len(shape) > 1 else []


def array_from(content: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """The array that `data` made lists of.

    Raises:
        ValueError: the numbers do not fill the shape, or are no numbers.
    """
    flat = _leaves(content, dtype.kind == "c")
    if dtype.kind == "c":
        made = np.array([complex(_float(re), _float(im)) for re, im in flat], dtype)
    elif dtype.kind in "biu":
        made = np.array(flat, dtype)
    elif dtype.kind == "V" and dtype.name.startswith(("int", "uint")):
        made = np.array(flat, np.int64).astype(dtype)
    else:
        made = np.array([_float(v) for v in flat], np.float64).astype(dtype)
    return made.reshape(shape)


def _leaves(content: Any, pairs: bool) -> list[Any]:
    out = [content]
    # Lists of lists, level by level; a complex number is a list of two that are none.
    while out and isinstance(out[0], list) and not (pairs and out[0] and not isinstance(out[0][0], list)):
        out = [leaf for part in out for leaf in part]
    return out


def _float(value: Any) -> float:
    if isinstance(value, str):
        if value not in _ODD:
            raise ValueError(f"{value!r} is no number")
        return _ODD[value]
    return float(value)


def value_json(value: PrintValue) -> dict[str, Any]:
    """One printed value: {"kind": "string" | "tensor" | "bad", …}."""
    if isinstance(value, str):
        return {"kind": "string", "value": value}
    if isinstance(value, BadValue):
        raw = base64.b64encode(value.raw).decode("ascii")
        return {
            "kind": "bad",
            "dtype": value.dtype,
            "shape": list(value.shape),
            "what": value.what,
            "part": value.part,
            "raw": raw,
        }
    array = np.asarray(value)
    return {"kind": "tensor", "dtype": name_of(array.dtype), "shape": list(array.shape), "data": data(array)}


def value_from_json(content: Any) -> PrintValue:
    """The value `value_json` made this of.

    Raises:
        ValueError: it is not of that form; the message says what is wrong.
    """
    kind = content.get("kind") if isinstance(content, dict) else None
    try:
        if kind == "string":
            if not isinstance(content["value"], str):
                raise ValueError("the value of a string is no string")
            return str(content["value"])
        if kind == "bad":
            raw = base64.b64decode(content["raw"], validate=True)
            part = content.get("part", "content")
            if part not in ("content", "string", "value"):
                raise ValueError(f"unknown part {part!r} of a bad value")
            return BadValue(raw, str(content["dtype"]), tuple(map(int, content["shape"])), str(content["what"]), part)
        if kind == "tensor":
            dtype = by_name(content["dtype"])
            if dtype is None:
                raise ValueError(f"unknown dtype {content['dtype']!r}")
            array = array_from(content["data"], dtype.np, tuple(map(int, content["shape"])))
            array.flags.writeable = False
            return array if array.ndim else array[()]
    except KeyError as error:
        raise ValueError(f"a value of kind {kind!r} without {error}") from None
    except (TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"a value of kind {kind!r} that does not read: {error}") from None
    raise ValueError(f"a value of unknown kind {kind!r}")


def record_json(record: PrintRecord) -> dict[str, Any]:
    """One record: {"index", "offset", "values", "meta" where the file has it}."""
    made: dict[str, Any] = {"index": record.index, "offset": record.offset}
    if record.meta is not None:
        meta = record.meta
        made["meta"] = {
            "call": meta.call,
            "time_ns": meta.time_ns,
            "rank": meta.rank,
            "step": meta.step,
            "file": meta.file,
            "line": meta.line,
        }
    made["values"] = [value_json(v) for v in record.values]
    return made


def record_from_json(content: Any, index: int) -> PrintRecord:
    """The record `record_json` made this of, at position `index`.

    Raises:
        ValueError: it is not of that form.
    """
    if not isinstance(content, dict) or not isinstance(content.get("values"), list):
        raise ValueError("a record without a list of values")
    meta = None
    if isinstance(content.get("meta"), dict):
        given = {k: v for k, v in content["meta"].items() if k in PrintMeta.__dataclass_fields__}
        try:
            meta = PrintMeta(**{"call": index, "time_ns": 0} | given)
        except TypeError as error:
            raise ValueError(f"metadata that does not read: {error}") from None
    values = tuple(value_from_json(v) for v in content["values"])
    offset = content.get("offset", 0)
    return PrintRecord(index, values, offset if isinstance(offset, int) else 0, meta)

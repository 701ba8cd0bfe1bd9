"""The text MindSpore 2.x writes on the screen for a printed value, byte for byte.

MindSpore has two such texts, and both are here as a `Style`:

- "pynative": Print run operator by operator (PYNATIVE_MODE, the default of 2.x), and what `print`
  shows of a Tensor: elements with commas, and a 0-d tensor with its type,
  `Tensor(shape=[], dtype=Float32, value= 3)`.
- "graph": Print as a node of a compiled graph (GRAPH_MODE on CPU): elements without commas, and a
  0-d tensor as its bare value, as C++ streams write it (`3`; a Bool as 1 or 0, an 8-bit integer as
  the character it stands for, a complex number as `(re,im)`).

The rules, found out from MindSpore 2.7 and held to it by tests: 1-D tensors of up to 1000 elements
are whole, broken after each 12 (floats, Bool) or 24 (others); longer ones show three at each end.
With more dimensions every axis longer than six shows three at each end. Float32 and Float64 take 15
columns with 8 digits, Float16 11 with 4; integers and BFloat16 as many as the widest shown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from msdump.dtype import by_numpy, name_of

Style: TypeAlias = Literal["pynative", "graph"]
Array: TypeAlias = "np.ndarray[Any, Any] | np.generic"

_EDGE = 3
_WHOLE_ROW = 1000
_WHOLE_AXIS = 2 * _EDGE


def tensor_text(value: Array, style: Style = "pynative", dtype_name: str = "") -> str:
    """The text of one tensor, without a newline at its end.

    Args:
        value: an array of any shape, or a numpy scalar (a 0-d tensor). Only the elements that are
            shown are touched.
        style: which of MindSpore's two texts.
        dtype_name: how to call the type; "" asks the table of dtypes.
    """
    array = np.asarray(value)
    if style == "graph" and array.ndim == 0:
        return _bare(array)
    gap = "\n" if array.ndim > 1 else " " if style == "pynative" else ""
    shape = ", ".join(map(str, array.shape))
    name = dtype_name or name_of(array.dtype)
    return f"Tensor(shape=[{shape}], dtype={name}, value={gap}{elements_text(array, comma=style == 'pynative')})"


def elements_text(array: np.ndarray[Any, Any], comma: bool) -> str:
    """The elements alone: `[[1, 2],\\n [3, 4]]`; "" when there are none, a bare number when 0-d."""
    if array.size == 0:
        return ""
    if array.ndim == 0:
        return _scalar(array)
    whole = _WHOLE_ROW if array.ndim == 1 else _WHOLE_AXIS
    elided = [size > whole for size in array.shape]
    ends = [
        [*range(_EDGE), *range(size - _EDGE, size)] if cut else range(size)
        for size, cut in zip(array.shape, elided, strict=True)
    ]
    shown = array[np.ix_(*ends)] if any(elided) else array
    texts = _formatter(array.dtype)(shown.reshape(-1))
    separator = ", " if comma else " "
    if array.ndim == 1:
        return "[" + _row(texts, elided[0], separator, _line_length(array.dtype)) + "]"
    return _nested(iter(texts), shown.shape, elided, 0, separator)


def value_text(value: Any, style: Style = "pynative") -> str:
    """The text of one argument of Print: lines joined by newlines, none at the end.

    `value` is a string, a numpy array or scalar, a Python number, bool, None, or tuples, lists and
    dicts of these.
    """
    if isinstance(value, (str, np.ndarray, np.generic)):
        return _leaf(value, style)
    if style == "pynative":
        return _python_text(value)
    return "\n".join(_graph_lines(value))


def _leaf(value: Any, style: Style) -> str:
    return str(value) if isinstance(value, str) else tensor_text(value, style)


# --- containers ---------------------------------------------------------------------------------


def _python_text(value: Any) -> str:
    """What Python's print shows of a container: each leaf by its repr."""
    if isinstance(value, str):
        return str.__repr__(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return tensor_text(value)
    if isinstance(value, tuple):
        inner = ", ".join(map(_python_text, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(_python_text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_python_text(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _graph_lines(value: Any) -> Iterator[str]:
    """What a compiled Print shows: a sequence of equal numbers on a line, others leaf by leaf."""
    if (numbers := _numbers(value)) is not None:
        yield elements_text(numbers, comma=True).replace("[", "(").replace("]", ")")
    elif isinstance(value, (tuple, list, dict)):
        yield from _graph_leaves(value, _holds_tensor(value))
    else:
        yield _graph_leaf(value)


def _graph_leaves(value: Any, beside_tensors: bool) -> Iterator[str]:
    for item in value.values() if isinstance(value, dict) else value:
        if beside_tensors and (numbers := _numbers(item)) is not None:
            # In a tuple that is not constant MindSpore keeps an inner tuple of numbers as a tensor.
            yield tensor_text(numbers, "graph")
        elif isinstance(item, (tuple, list, dict)):
            yield from _graph_leaves(item, beside_tensors)
        else:
            yield _graph_leaf(item)


def _graph_leaf(value: Any) -> str:
    if isinstance(value, (str, np.ndarray, np.generic)):
        return _leaf(value, "graph")
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return _general(value)
    return f"({value.real:g},{value.imag:g})" if isinstance(value, complex) else str(value)


def _numbers(value: Any) -> np.ndarray[Any, Any] | None:
    items = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(items, (tuple, list)) or not items:
        return None
    kinds = {type(item) for item in items}
    if kinds == {int} and all(-(1 << 63) <= item < 1 << 63 for item in items):
        return np.array(items, np.int64)
    return np.array(items, np.float32) if kinds == {float} else None


def _holds_tensor(value: Any) -> bool:
    items = value.values() if isinstance(value, dict) else value
    return any(
        isinstance(item, (np.ndarray, np.generic)) or (isinstance(item, (tuple, list, dict)) and _holds_tensor(item))
        for item in items
    )


# --- layout -------------------------------------------------------------------------------------


def _row(texts: list[str], elided: bool, separator: str, line: int) -> str:
    if elided:
        return separator.join(texts[:_EDGE]) + " ... " + separator.join(texts[_EDGE:])
    if len(texts) <= _EDGE or line > len(texts):
        return separator.join(texts)
    # A break follows every full line, the last one too.
    lines = [separator.join(texts[at : at + line]) for at in range(0, len(texts), line)]
    return (separator + "\n ").join(lines) + ("\n " if len(texts) % line == 0 else "")


def _nested(texts: Iterator[str], shape: tuple[int, ...], elided: list[bool], depth: int, separator: str) -> str:
    size = shape[depth]
    if depth == len(shape) - 1:
        return "[" + _row([next(texts) for _ in range(size)], elided[depth], separator, size + 1) + "]"
    comma = separator.rstrip()
    indent = "\n" + " " * (depth + 1)
    parts: list[str] = []
    for at in range(size):
        if at == _EDGE and elided[depth]:
            parts.append(f"{comma}{indent}...{indent}")
        elif at:
            parts.append(comma + indent)
        parts.append(_nested(texts, shape, elided, depth + 1, separator))
    return "[" + "".join(parts) + "]"


# --- elements -----------------------------------------------------------------------------------


def _is_float(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "f" and dtype.name in ("float16", "float32", "float64")


@functools.cache
def _line_length(dtype: np.dtype[Any]) -> int:
    return 12 if _is_float(dtype) or dtype.kind == "b" else 24


@functools.cache
def _formatter(dtype: np.dtype[Any]) -> Callable[[np.ndarray[Any, Any]], list[str]]:
    if dtype.kind == "b":
        return lambda flat: [" True" if v else "False" for v in flat.tolist()]
    if dtype.kind == "c":
        return lambda flat: [_complex(v) for v in flat.tolist()]
    if _is_float(dtype):
        form = "%11.4e" if dtype.itemsize == 2 else "%15.8e"
        return lambda flat: [form % v if v == v else _nan(v, form) for v in flat.tolist()]
    if dtype.kind in "iu":
        return lambda flat: _aligned([str(v) for v in flat.tolist()])
    known = by_numpy(dtype)
    if known is not None and "Int" in known.name:
        return lambda flat: _aligned([str(v) for v in flat.astype(np.int64).tolist()])
    if known is not None:
        return lambda flat: _aligned([_general(v) for v in flat.astype(np.float32).tolist()])
    return lambda flat: _aligned([str(v) for v in flat.tolist()])


def _aligned(texts: list[str]) -> list[str]:
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts]


def _nan(value: float, form: str) -> str:
    return ("-nan" if np.signbit(value) else "nan").rjust(len(form % 0.0))


def _general(value: float) -> str:
    """As a C++ stream writes a float by default: six significant digits, the sign of a NaN too."""
    if value != value:
        return "-nan" if np.signbit(value) else "nan"
    return f"{value:g}"


def _complex(value: complex) -> str:
    imaginary = _general(value.imag)
    return f"{_general(value.real)}{'' if imaginary.startswith('-') else '+'}{imaginary}j"


def _scalar(array: np.ndarray[Any, Any]) -> str:
    kind = array.dtype.kind
    if kind == "b":
        return "True" if array.item() else "False"
    if _is_float(array.dtype):
        return _general(array.item())
    return _formatter(array.dtype)(array.reshape(-1))[0]


def _bare(array: np.ndarray[Any, Any]) -> str:
    if array.dtype.kind == "b":
        return str(int(array.item()))
    if array.dtype in (np.dtype(np.int8), np.dtype(np.uint8)):
        # One byte on the screen, whatever it is; above 127 it is no text of its own.
        return bytes([array.item() & 0xFF]).decode("utf-8", "surrogateescape")
    if array.dtype.kind == "c":
        value = array.item()
        return f"({_general(value.real)},{_general(value.imag)})"
    return _scalar(array)

"""An operator as files of failures spell it: `DoSignaturePrimitive::S-Prim-BiasAdd{prim_type=1}[format="NCHW"]`."""

from __future__ import annotations

import ast
import re

from msdump.graph.value import Attrs, NoneValue, Scalar, Sequence, Str, Value

_SPELLED = re.compile(
    r"(?:\w+::)?(?:S[-_]Prim[-_]|PrimFunc_|MetaFuncGraph-)?([^\[\]{}]+?)(?:\{prim_type=\d+\})?(?:\[(.*)\])?", re.DOTALL
)
_TYPED = re.compile(r"\b(?:[IUF]\d{1,2}|Bool)\(([^()]*)\)")


def split_operator(text: str) -> tuple[str, Attrs | None]:
    """(the operator's name, its attributes where the text has them).

    >>> name, attrs = split_operator('DoSignaturePrimitive::S-Prim-BiasAdd{prim_type=1}[format="NCHW"]')
    >>> name, attrs["format"].value
    ('BiasAdd', 'NCHW')
    """
    match = _SPELLED.fullmatch(text)
    if match is None:
        return text.split("[", 1)[0], None
    return match[1], None if match[2] is None else _attrs(match[2])


def _attrs(text: str) -> Attrs | None:
    """`axis=I64(0), format="NCHW"` as attributes; None when it has no such structure."""
    try:
        call = ast.parse("f(" + _TYPED.sub(r"(\1)", text) + ")", mode="eval").body
        assert isinstance(call, ast.Call)
        found = {word.arg: _value(ast.literal_eval(word.value)) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return Attrs({name: value for name, value in found.items() if name is not None and value is not None})


def _value(value: object) -> Value | None:
    if isinstance(value, bool | int | float):
        return Scalar("", value)
    if isinstance(value, str):
        return Str(value)
    if value is None:
        return NoneValue()
    if isinstance(value, tuple | list):
        items = [item for part in value if (item := _value(part)) is not None]
        return (
            Sequence("List" if isinstance(value, list) else "Tuple", tuple(items)) if len(items) == len(value) else None
        )
    return None

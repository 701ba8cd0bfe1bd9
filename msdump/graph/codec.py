"""Parts of a graph as plain data for JSON, and back: one spelling for every class of the model.

A dataclass becomes an object whose `kind` tells the class; a field that is itself called kind ("Tuple",
"Int64") is the key `type` there. Fields with their usual value are left out, and so are the weights and the
layout of a graph. Attrs are {"attrs": {…}}, tuples lists, bytes {"base64": …}, floats that JSON has no
spelling for {"float": "NaN" | "Infinity" | "-Infinity"}. Keys that are not known are passed over, so what
a newer msdump wrote can be read.

`Writer` and `Reader` go through many parts of one graph: a part that returns is written as its
number, {"#": 7}, which it was given where it stood first.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import MappingProxyType
from typing import Any

from msdump.errors import GraphError
from msdump.graph import abstract, graph, node, value
from msdump.graph.graph import Graph, undeclared
from msdump.graph.node import Operand
from msdump.graph.value import Attrs

KINDS: dict[str, type[Any]] = {
    # types
    "tensor_type": abstract.TensorType,
    "ref_type": abstract.RefType,
    "scalar_type": abstract.ScalarType,
    "sequence_type": abstract.SequenceType,
    "sequence_node": abstract.SequenceNode,
    "dict_type": abstract.DictType,
    "keyword_type": abstract.KeywordType,
    "func_type": abstract.FuncType,
    "monad_type": abstract.MonadType,
    "null_type": abstract.NullType,
    "opaque_type": abstract.OpaqueType,
    "device_type": abstract.DeviceType,
    # constants
    "scalar": value.Scalar,
    "string": value.Str,
    "none": value.NoneValue,
    "type": value.TypeValue,
    "monad": value.Monad,
    "tensor": value.TensorValue,
    "sequence": value.Sequence,
    "dict": value.DictValue,
    "named": value.Named,
    "opaque": value.Opaque,
    # operands and what is around them
    "node": node.NodeRef,
    "graph": node.GraphRef,
    "constant": node.ValueNode,
    "signature": node.Signature,
    "location": node.Location,
    "cnode": node.CNode,
    "parameter": node.Parameter,
    "func": graph.FuncGraph,
    "whole": Graph,
    "detached_node": graph.DetachedNode,
    "counts": graph.NodeCounts,
    "symbol_engine": graph.SymbolEngine,
}
"""What `kind` may be, and the class of the model that it stands for."""
NUMBER = "#"
"""The key of the number of a part that may return."""
_TAGS = {cls: tag for tag, cls in KINDS.items()}
_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _usual(field: Field[Any]) -> Any:
    """A field's value where nothing is said; MISSING when it has none."""
    return field.default if field.default_factory is MISSING else field.default_factory()


_FIELDS: dict[type, tuple[tuple[str, str, Any], ...]] = {
    cls: tuple(
        ("type" if f.name == "kind" else f.name, f.name, _usual(f))
        for f in fields(cls)
        if (cls, f.name) not in ((node.Parameter, "default"), (Graph, "source"), (Graph, "elsewhere"))
    )
    for cls in KINDS.values()
}
"""The fields of each class: their keys, names, and usual values."""


def encode(part: Any) -> Any:
    """A part of the model as plain data."""
    rows = _FIELDS.get(type(part))
    if rows is not None:
        data: dict[str, Any] = {"kind": _TAGS[type(part)]}
        for key, name, usual in rows:
            item = getattr(part, name)
            if item is usual or (type(item) is type(usual) and item == usual):
                continue
            data[key] = item if type(item) is str else encode(item)
        return data
    if part is None or isinstance(part, bool | int | str):
        return part
    if isinstance(part, float):
        if math.isfinite(part):
            return part
        return {"float": "NaN" if math.isnan(part) else "Infinity" if part > 0 else "-Infinity"}
    if isinstance(part, tuple | list):
        return [encode(item) for item in part]
    if isinstance(part, Attrs):
        return {"attrs": {key: encode(item) for key, item in part.items()}}
    if isinstance(part, bytes):
        return {"base64": base64.b64encode(part).decode("ascii")}
    if isinstance(part, Mapping):
        return [encode(func) for func in part.values()]
    raise GraphError(f"a {type(part).__name__} is no part of a graph")


def decode(data: Any, numbered: dict[int, Any] | None = None) -> Any:
    """The part of the model that plain data stands for; `numbered` keeps the parts that return.

    Raises:
        GraphError: it stands for none.
    """
    if isinstance(data, list):
        return tuple([decode(item, numbered) for item in data])
    if not isinstance(data, dict):
        return data
    try:
        made = _made(data, numbered)
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        what = error.what if isinstance(error, GraphError) else str(error) or type(error).__name__
        raise GraphError(f"no part of a graph: {data.get('kind', 'an object')!r}: {what}") from error
    if numbered is not None and NUMBER in data:
        numbered[data[NUMBER]] = made
    return made


def _made(data: dict[str, Any], numbered: dict[int, Any] | None) -> Any:
    kind = data.get("kind")
    if kind is not None:
        return _object(KINDS[kind], data, numbered)
    if "attrs" in data:
        return Attrs({str(key): decode(item, numbered) for key, item in data["attrs"].items()})
    if "tuple" in data:
        return tuple(decode(item, numbered) for item in data["tuple"])
    if "float" in data:
        return _FLOATS[data["float"]]
    if "base64" in data:
        return base64.b64decode(data["base64"], validate=True)
    return (numbered or {})[data[NUMBER]]


def _object(cls: type[Any], data: dict[str, Any], numbered: dict[int, Any] | None) -> Any:
    given = {name: decode(data[key], numbered) for key, name, _ in _FIELDS[cls] if key in data}
    if cls is Graph:
        given["funcs"] = MappingProxyType({func.name: func for func in given.get("funcs", ())})
    check(cls, given)
    if cls is Graph:
        given["elsewhere"] = undeclared(given["funcs"])
    return cls(**given)


# The first word of a field's annotation, and what may stand there.
_ALLOWED: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int, float),
    "bool": (bool,),
    "float": (int, float),
    "tuple": (tuple,),
    "Attrs": (Attrs,),
    "bytes": (bytes,),
    "Mapping": (dict, MappingProxyType),
    "Shape": (tuple,),
}


@functools.cache
def _rules(cls: Any) -> dict[str, tuple[tuple[type, ...], bool]]:
    """For each field what may stand there (nothing: any dataclass), and whether None may."""
    rules = {}
    for field in fields(cls):
        words = str(field.type).split(" | ")
        allowed = _ALLOWED.get(words[0].partition("[")[0], ())
        for word in words[1:]:
            allowed += _ALLOWED.get(word.partition("[")[0], ()) if allowed else ()
        rules[field.name] = (allowed, "None" in words)
    return rules


def check(cls: Any, given: dict[str, Any]) -> None:
    """TypeError when a field of a class of the model holds what cannot stand there."""
    rules = _rules(cls)
    for name, item in given.items():
        allowed, optional = rules[name]
        fits = isinstance(item, allowed) if allowed else is_dataclass(item)
        if not fits and not (optional and item is None):
            raise TypeError(f"{name} holds a {type(item).__name__}")


class Writer:
    """JSON texts of the parts of one graph, ASCII alone."""

    def __init__(self) -> None:
        self._numbers: dict[int, str] = {}
        self._kept: list[Any] = []
        self._operands: dict[Operand, str] = {}

    def _shared(self, part: Any) -> str:
        """A part that may return: readers intern types, attributes and places, so a few stand
        behind a hundred thousand nodes."""
        key = id(part)
        found = self._numbers.get(key)
        if found is not None:
            return found
        data = encode(part)
        if isinstance(data, list):
            data = {"tuple": data}
        if isinstance(data, dict):
            data[NUMBER] = len(self._kept)
            self._numbers[key] = f'{{"#":{len(self._kept)}}}'
            self._kept.append(part)
        return _dumps(data)

    def text(self, part: Any, leave: frozenset[str] = frozenset()) -> str:
        """The JSON text of a dataclass, without some of its fields."""
        kind: Any = type(part)
        rows, values_of = _getter(kind, leave)
        text = f'{{"kind":"{_TAGS[kind]}"'
        numbers = self._numbers
        for (key, own, usual), item in zip(rows, values_of(part), strict=True):
            if item is usual or (not item and item == usual):
                continue
            if type(item) is str:
                text += key + _string(item)
            elif own:
                text += key + (_dumps(encode(item)) if own == 1 else f"[{','.join(map(self._operand, item))}]")
            elif item is True or item is False or type(item) is int:
                text += key + _dumps(item)
            else:
                text += key + (numbers.get(id(item)) or self._shared(item))
        return text + "}"

    def _operand(self, operand: Operand) -> str:
        text = self._operands.get(operand)
        if text is None:
            text = self._operands[operand] = _dumps(encode(operand))
        return text


class Reader:
    """Parts of one graph from their JSON texts, in the order they were written."""

    def __init__(self) -> None:
        self._numbered: dict[int, Any] = {}

    def part(self, text: str) -> Any:
        """The part of the model that a JSON text stands for.

        Raises:
            GraphError: it is no JSON, is nested too deep, or stands for no part of the model.
        """
        try:
            return decode(json.loads(text), self._numbered)
        except (ValueError, RecursionError) as error:  # a GraphError is none of these
            raise GraphError(f"no part of a graph: {error}") from error


@functools.cache
def _getter(
    kind: Any, leave: frozenset[str]
) -> tuple[tuple[tuple[str, int, Any], ...], Callable[[Any], tuple[Any, ...]]]:
    """For each field but some: its key in JSON, whether its parts seldom return (1; 2 for a tuple of
    operands), its default; and what gets all their values at once."""
    kept = [row for row in _FIELDS[kind] if row[1] not in leave]
    rows = tuple((f',"{key}":', _OWN.get(name, 0), usual) for key, name, usual in kept)
    return rows, operator.attrgetter(*(name for _, name, _ in kept))


_dumps = json.JSONEncoder(separators=(",", ":")).encode
_string = json.encoder.encode_basestring_ascii
_OWN = {"inputs": 2, "callee": 1, "targets": 1}

"""Parts of a graph as JSON values and back: one spelling for every class of the model.

A dataclass becomes an object with its class name under "" and each field that is not at its
default; Attrs an object of class "Attrs" with a list of pairs; tuples lists; FuncGraphs of a Graph a
list; bytes and floats without a JSON spelling objects of class "bytes" and "float". What no
comparison sees (weights by reference, spellings) stays out.

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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import MappingProxyType
from typing import Any

import msdump.graph.abstract as abstract_module
import msdump.graph.graph as graph_module
import msdump.graph.node as node_module
import msdump.graph.value as value_module
from msdump.errors import GraphError
from msdump.graph.graph import Graph, undeclared
from msdump.graph.node import Operand, take_fullname
from msdump.graph.value import Attrs

CLASS = ""
"""The key an object's class stands under; no field has this name."""
NUMBER = "#"
"""The key of the number of a part that may return."""


def _classes() -> Iterator[tuple[str, type]]:
    for module in (abstract_module, value_module, node_module, graph_module):
        for name, found in vars(module).items():
            if isinstance(found, type) and is_dataclass(found) and found.__module__ == module.__name__:
                yield name, found


def _default(field: Field[Any]) -> Any:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


_CLASSES: dict[str, type] = dict(_classes())
_FIELDS: dict[type, tuple[tuple[str, Any], ...]] = {
    kind: tuple((f.name, _default(f)) for f in fields(kind) if f.compare) for kind in _CLASSES.values()
}
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
_ANNOTATIONS: dict[type, dict[str, tuple[tuple[type, ...], bool]]] = {}


def encode(part: Any) -> Any:
    """A part of the model as a JSON value."""
    kind = type(part)
    rows = _FIELDS.get(kind)
    if rows is not None:
        made: dict[str, Any] = {CLASS: kind.__name__}
        for name, default in rows:
            value = getattr(part, name)
            if value is not default and (default is MISSING or value != default):
                made[name] = value if type(value) is str else encode(value)
        return made
    if part is None or isinstance(part, bool | int | str):
        return part
    if isinstance(part, float):
        return part if math.isfinite(part) else {CLASS: "float", "value": repr(part)}
    if isinstance(part, tuple | list):
        return [encode(item) for item in part]
    if isinstance(part, Attrs):
        return {CLASS: "Attrs", "items": [[name, encode(value)] for name, value in part.items()]}
    if isinstance(part, bytes):
        return {CLASS: "bytes", "base64": base64.b64encode(part).decode("ascii")}
    if isinstance(part, Mapping):
        return [encode(func) for func in part.values()]
    raise GraphError(f"a {kind.__name__} is no part of a graph")


def decode(data: Any, numbered: dict[int, Any] | None = None) -> Any:
    """The part of the model that a JSON value stands for; `numbered` keeps the parts that return.

    Raises:
        GraphError: it stands for none.
    """
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if isinstance(data, list):
        return tuple([decode(item, numbered) for item in data])
    name = data.get(CLASS)
    try:
        if name is None:
            return (numbered or {})[data[NUMBER]]
        made = _made(name, data, numbered)
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise GraphError(f"no part of a graph: {name!r}: {error}") from error
    if numbered is not None and NUMBER in data:
        numbered[data[NUMBER]] = made
    return made


def _made(name: str, data: dict[str, Any], numbered: dict[int, Any] | None) -> Any:
    if name == "Attrs":
        return Attrs({str(key): decode(value, numbered) for key, value in data["items"]})
    if name == "tuple":
        return tuple(decode(item, numbered) for item in data["items"])
    if name == "bytes":
        return base64.b64decode(data["base64"], validate=True)
    if name == "float":
        return float(data["value"])
    kind = _CLASSES[name]
    given = {key: decode(value, numbered) for key, value in data.items() if key not in (CLASS, NUMBER)}
    if "fullname" in given:  # as it was written before it was derived
        take_fullname(given)
    if kind is Graph:
        given["funcs"] = MappingProxyType({func.name: func for func in given.get("funcs", ())})
    _check(kind, given)
    if kind is Graph:
        given["elsewhere"] = undeclared(given["funcs"])
    return kind(**given)


def _check(kind: type, given: dict[str, Any]) -> None:
    """TypeError when a field holds what cannot stand there."""
    rules = _ANNOTATIONS.get(kind)
    if rules is None:
        rules = _ANNOTATIONS[kind] = {}
        for field in fields(kind):
            words = str(field.type).split(" | ")
            first = words[0].partition("[")[0]
            allowed = _ALLOWED.get(first, ())
            for word in words[1:]:
                allowed += _ALLOWED.get(word.partition("[")[0], ()) if allowed else ()
            rules[field.name] = (allowed, "None" in words)
    for name, value in given.items():
        allowed, optional = rules[name]
        if allowed and not isinstance(value, allowed) and not (optional and value is None):
            raise TypeError(f"{name} holds a {type(value).__name__}")
        if not allowed and not is_dataclass(value) and not (optional and value is None):
            raise TypeError(f"{name} holds a {type(value).__name__}")


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
            data = {CLASS: "tuple", "items": data}
        if isinstance(data, dict):
            data[NUMBER] = len(self._kept)
            self._numbers[key] = f'{{"#":{len(self._kept)}}}'
            self._kept.append(part)
        return _dumps(data)

    def text(self, part: Any, leave: frozenset[str] = frozenset()) -> str:
        """The JSON text of a dataclass, without some of its fields."""
        kind: Any = type(part)
        rows, values_of = _getter(kind, leave)
        text = f'{{"":"{kind.__name__}"'
        numbers = self._numbers
        for (key, own, default), value in zip(rows, values_of(part), strict=True):
            if value is default or (not value and value == default):
                continue
            if type(value) is str:
                text += key + _string(value)
            elif own:
                text += key + (_dumps(encode(value)) if own == 1 else f"[{','.join(map(self._operand, value))}]")
            elif value is True or value is False or type(value) is int:
                text += key + _dumps(value)
            else:
                text += key + (numbers.get(id(value)) or self._shared(value))
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
        except (ValueError, RecursionError) as error:
            raise GraphError(f"no part of a graph: {error}") from error


@functools.cache
def _getter(
    kind: Any, leave: frozenset[str]
) -> tuple[tuple[tuple[str, int, Any], ...], Callable[[Any], tuple[Any, ...]]]:
    """For each field but some: its key in JSON, whether its parts seldom return (1; 2 for a tuple of
    operands), its default; and what gets all their values at once."""
    kept = [(name, default) for name, default in _FIELDS[kind] if name not in leave]
    rows = tuple((f',"{name}":', _OWN.get(name, 0), default) for name, default in kept)
    return rows, operator.attrgetter(*(name for name, _ in kept))


_dumps = json.JSONEncoder(separators=(",", ":")).encode
_string = json.encoder.encode_basestring_ascii
_OWN = {"inputs": 2, "callee": 1, "targets": 1}

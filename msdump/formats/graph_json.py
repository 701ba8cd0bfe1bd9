"""A whole graph as JSON: `{"schema": "msdump.graph/1", …}`, from which it can be made again.

Types, source locations and attributes stand once each in the tables "types", "locations" and
"attributes"; nodes and parameters refer to them by index. What a value looks like is told in
`msdump.graph.codec`. Fields that have their usual value are left out; keys that are not known are passed
over, so a newer file can be read.

    schema, entry, attrs, jit_config, counts, comments, source
    types: [type]   locations: [location]   attributes: [{name: value}]
    funcs: [{key, name, parent, parameters, nodes, attrs, flags, location, side_effects, order,
             symbol_engine, comments, constants}]
    parameter: {name, type, has_default, attrs, location, symbols, device, is_weight}
    node: {name, op, op_kind, type, inputs, callee, targets, instance, primitive_attrs, cnode_attrs,
           primal_attrs, other_attrs, scope, fullname, debug_name, locations, comments,
           side_effects, device, object_kinds, symbols, failure}
    input: {"kind": "node", "name", "graph"?} | {"kind": "graph", "name"} | {"kind": "constant", "value", "type"}
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msdump.capability import EVERYTHING
from msdump.errors import GraphError, ParseError
from msdump.formats.atomic import write_file
from msdump.formats.format import Format
from msdump.graph.codec import check, decode, encode
from msdump.graph.graph import FuncGraph, Graph, undeclared
from msdump.graph.layout import layout_data, layout_from
from msdump.graph.node import CNode, GraphRef, NodeRef, Parameter, ValueNode, take_fullname
from msdump.graph.project import refuse_loss
from msdump.graph.value import NO_ATTRS, Attrs
from msdump.graph.verify import require_sound
from msdump.json_text import parse_json
from msdump.source import TextPlace

SCHEMA = "msdump.graph/1"
_TYPES = {"abstract": "type"}
"""Fields of the model that refer to the table of types, and their keys."""
_GROUPS = ("primitive_attrs", "cnode_attrs", "primal_attrs", "attrs", "flags")
_WEIGHT = "default"


class _Table:
    """Things that occur often, each written once."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._index: dict[int, tuple[Any, int]] = {}
        self._known: dict[str, int] = {}

    def put(self, thing: Any) -> Any:
        """The index of a thing in the table."""
        found = self._index.get(id(thing))
        if found is None:
            data = encode(thing)
            if isinstance(thing, Attrs):
                data = data["attrs"]
            text = json.dumps(data)
            index = self._known.setdefault(text, len(self.rows))
            if index == len(self.rows):
                self.rows.append(data)
            found = self._index[id(thing)] = (thing, index)
        return found[1]


class _Writer:
    def __init__(self) -> None:
        self.types, self.locations, self.attributes = _Table(), _Table(), _Table()

    def graph(self, graph: Graph) -> dict[str, Any]:
        data: dict[str, Any] = {"schema": SCHEMA, "entry": graph.entry}
        if graph.attrs:
            data["attrs"] = encode(graph.attrs)["attrs"]
        if graph.jit_config is not None:
            data["jit_config"] = encode(graph.jit_config)["attrs"]
        if graph.counts is not None:
            data["counts"] = encode(graph.counts)
        if graph.comments:
            data["comments"] = list(graph.comments)
        funcs = [self.func(key, func) for key, func in graph.funcs.items()]
        data |= {"types": self.types.rows, "locations": self.locations.rows, "attributes": self.attributes.rows}
        data["funcs"] = funcs
        if graph.source.format:
            data["source"] = layout_data(graph.source)
        return data

    def func(self, key: str, func: FuncGraph) -> dict[str, Any]:
        data = self.fields(func, ("parameters", "nodes"))
        if key != func.name:
            data = {"key": key, **data}
        data["parameters"] = [self.fields(parameter, (_WEIGHT,)) for parameter in func.parameters]
        data["nodes"] = [self.fields(node, ()) for node in func.nodes]
        return data

    def fields(self, thing: Any, skip: tuple[str, ...]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for field in dataclasses.fields(thing):
            name, item = field.name, getattr(thing, field.name)
            if name in skip or item is field.default or (item == field.default and type(item) is type(field.default)):
                continue
            if name == "abstract":
                data["type"] = self.types.put(item)
            elif name in ("op_number", "op_label"):
                data["fullname"] = thing.fullname
            elif name == "location":
                data[name] = self.locations.put(item)
            elif name == "locations":
                data[name] = [self.locations.put(place) for place in item]
            elif name in _GROUPS:
                data[name] = self.attributes.put(item)
            elif name == "other_attrs":
                data[name] = [[label, self.attributes.put(group)] for label, group in item]
            elif name in ("inputs", "targets"):
                data[name] = [self.operand(operand) for operand in item]
            elif name == "callee":
                data[name] = self.operand(item)
            else:
                data[name] = encode(item)
        return data

    def operand(self, operand: Any) -> dict[str, Any]:
        if isinstance(operand, ValueNode):
            return {"kind": "constant", "value": encode(operand.value), "type": self.types.put(operand.abstract)}
        data: dict[str, Any] = {"kind": "graph" if isinstance(operand, GraphRef) else "node", "name": operand.name}
        if isinstance(operand, NodeRef) and operand.graph is not None:
            data["graph"] = operand.graph
        if operand.abstract is not None:
            data["type"] = self.types.put(operand.abstract)
        return data


class _InPlace(_Table):
    """No table: each thing stands where it is meant."""

    def put(self, thing: Any) -> Any:
        data = encode(thing)
        return data["attrs"] if isinstance(thing, Attrs) else data


class _Reader:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.types = [decode(row) for row in data.get("types", ())]
        self.locations = [decode(row) for row in data.get("locations", ())]
        self.attributes = [self.attrs(row) for row in data.get("attributes", ())]
        self.operands: dict[str, Any] = {}

    def attrs(self, row: Mapping[str, Any]) -> Attrs:
        return Attrs({str(key): decode(item) for key, item in row.items()}) if row else NO_ATTRS

    def graph(self) -> Graph:
        data = self.data
        funcs = dict(self.func(row) for row in data["funcs"])
        return Graph(
            _text(data["entry"]),
            MappingProxyType(funcs),
            self.attrs(data.get("attrs", {})),
            self.attrs(data["jit_config"]) if data.get("jit_config") is not None else None,
            decode(data.get("counts")),
            tuple(data.get("comments", ())),
            layout_from(data.get("source", {})),
            undeclared(funcs),
        )

    def func(self, row: Mapping[str, Any]) -> tuple[str, FuncGraph]:
        given = self.given(row, FuncGraph)
        given["parameters"] = tuple(Parameter(**self.given(p, Parameter)) for p in row.get("parameters", ()))
        given["nodes"] = tuple(CNode(**self.given(n, CNode)) for n in row.get("nodes", ()))
        func = FuncGraph(**given)
        return _text(row.get("key", func.name)), func

    def given(self, row: Mapping[str, Any], cls: type[Any]) -> dict[str, Any]:
        known = {field.name for field in dataclasses.fields(cls)}
        found: dict[str, Any] = {}
        for key, item in row.items():
            name = "abstract" if key == "type" else key
            if name in known and name not in ("parameters", "nodes", _WEIGHT):
                found[name] = self.value(name, item)
        if cls is CNode and "fullname" in row:
            found["fullname"] = _text(row["fullname"])
            take_fullname(found)
        check(cls, found)
        return found

    def value(self, name: str, item: Any) -> Any:
        if name == "abstract":
            return self.types[item]
        if name == "location":
            return self.locations[item]
        if name == "locations":
            return tuple(self.locations[index] for index in item)
        if name in _GROUPS:
            return self.attributes[item]
        if name == "other_attrs":
            return tuple((_text(label), self.attributes[index]) for label, index in item)
        if name in ("inputs", "targets"):
            return tuple(self.operand(operand) for operand in item)
        return self.operand(item) if name == "callee" else decode(item)

    def operand(self, data: Mapping[str, Any]) -> Any:
        kind = data["kind"]
        told = self.types[data["type"]] if "type" in data else None
        if kind == "constant":
            value = decode(data["value"])
            return ValueNode(value) if told is None else ValueNode(value, told)
        if kind == "graph":
            return GraphRef(_text(data["name"]), told)
        if kind != "node":
            raise ValueError(f"{kind!r} is no kind of operand")
        return NodeRef(_text(data["name"]), data.get("graph"), told)


def _text(thing: Any) -> str:
    if not isinstance(thing, str):
        raise TypeError(f"{thing!r} is no name")
    return thing


def to_data(graph: Graph) -> dict[str, Any]:
    """A graph as the data of one JSON document of schema `msdump.graph/1`."""
    return _Writer().graph(graph)


def node_data(node: CNode) -> dict[str, Any]:
    """One node as a document of schema `msdump.graph/1` has it, with types, locations and groups of
    attributes in place of their index."""
    writer = _Writer()
    writer.types, writer.locations, writer.attributes = _InPlace(), _InPlace(), _InPlace()
    return writer.fields(node, ())


def from_data(data: Any, name: str = "<json>") -> Graph:
    """The graph of such data. ParseError when it is none."""
    if not isinstance(data, Mapping) or not str(data.get("schema", "")).startswith("msdump.graph/"):
        raise ParseError(f'no graph: "schema" is not "{SCHEMA}"', TextPlace(name, 1))
    if data["schema"] != SCHEMA:
        raise ParseError(f'the schema is "{data["schema"]}"; this msdump reads "{SCHEMA}"', TextPlace(name, 1))
    try:
        return _Reader(data).graph()
    except (GraphError, KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        what = error.what if isinstance(error, GraphError) else str(error) or type(error).__name__
        raise ParseError(f"not a graph of schema {SCHEMA}: {what}", TextPlace(name, 1)) from error


def read(path: str | Path) -> Graph:
    """The graph of a JSON file. ParseError when it is not one; OSError when it cannot be read."""
    return from_data(parse_json(Path(path).read_bytes(), str(path)), str(path))


def write(
    graph: Graph, path: str | Path, *, force: bool = False, lossy: bool = False, indent: int | None = None
) -> None:
    """Writes a graph as JSON; everything but the values of weights is in it.

    LossError when the graph has those, unless `lossy`; WriteError when the file exists.
    """
    require_sound(graph, "graph.json")
    refuse_loss(graph, EVERYTHING - {"weights"}, "graph.json", lossy)
    text = json.dumps(to_data(graph), indent=indent, allow_nan=False)
    write_file(path, (text + "\n").encode("ascii"), force=force)


_READ: Callable[..., Graph] = read
FORMATS = (
    Format(
        "graph.json",
        "graph",
        "graph as one JSON document, complete",
        read=_READ,
        write=write,
        capabilities=EVERYTHING - {"weights"},
    ),
)

"""ModelProto of mind_ir.proto to a Graph.

A .mindir names things once for the whole file: graphs by name, a graph's parameters and nodes as
"GRAPH:NAME[:NUMBER]", constants as nodes of type "Constant". In the model a node is told by its
position ("%0", "%1", …), constants stand where they are used, and Return is a node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, cast

from msdump._proto import mind_ir_pb2
from msdump.errors import DecodeError
from msdump.formats.framing import DELIMITED, VARINT
from msdump.formats.mindir.attribute import abstract_of, tensor_type, value_of
from msdump.formats.mindir.tensor import header, weight
from msdump.formats.window import Window, parse
from msdump.graph.abstract import NULL_TYPE, Abstract, OpaqueType, RefType, SequenceType, TensorType
from msdump.graph.graph import RETURN, FuncGraph, Graph, undeclared
from msdump.graph.layout import MindirLayout
from msdump.graph.node import (
    CALL,
    CALL_VAR,
    CNode,
    GraphRef,
    NodeRef,
    Operand,
    Parameter,
    ValueNode,
    own_label,
    split_fullname,
)
from msdump.graph.value import NO_ATTRS, Attrs, Opaque, Value
from msdump.source import Note
from msdump.tensor import TensorData

# Field numbers of ModelProto, GraphProto and NodeProto (mind_ir.proto).
IR_VERSION, PRODUCER, MODEL_VERSION, GRAPH, FUNCTIONS, LITTLE_ENDIAN, PRIMITIVES, MIND_IR_VERSION = (
    1, 2, 5, 7, 8, 10, 12, 13,
)  # fmt: skip
G_NODE, G_NAME, G_PARAMETER, G_INPUT, G_OUTPUT, G_ATTRIBUTE, G_MAP_PARAMETER = 1, 2, 3, 5, 6, 8, 10
N_INPUT, N_OUTPUT, N_NAME, N_OP, N_ATTRIBUTE, N_DOMAIN, N_NODE_ATTR, N_PRIMAL_ATTR = 1, 2, 3, 4, 5, 7, 8, 9
_VERSIONS = {IR_VERSION: "ir_version", PRODUCER: "producer", MODEL_VERSION: "model_version"}
SHARED = 4096
"""Attributes up to this many bytes are parsed once for all nodes that have the same."""
PRIMITIVE_FUNCTION = 2
_NUMBER = re.compile(r":\d+$")


@dataclass(slots=True)
class _Node:
    """A NodeProto as it stands in the file."""

    inputs: list[str] = field(default_factory=list)
    output: str = ""
    name: str = ""
    op: str = ""
    domain: str = ""
    attributes: list[Window] = field(default_factory=list)
    node_attr: list[Window] = field(default_factory=list)
    primal_attr: list[Window] = field(default_factory=list)


@dataclass(slots=True)
class _Func:
    """A GraphProto as it stands in the file."""

    name: str
    nodes: list[_Node]
    parameters: list[Parameter]
    outputs: list[str]
    attrs: Attrs
    names: dict[str, str] = field(default_factory=dict)
    """Name in the file → name in the model, of parameters and CNodes."""
    taken: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Primitive:
    op: str
    kind: str
    instance: str
    attrs: Attrs


class Reader:
    """One reading of one file; `notes` fills as it goes, `error` is what ended it early."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.notes: list[Note] = []
        self.error: DecodeError | None = None
        self.little_endian = True
        self._attributes: dict[bytes, tuple[str, Value | Abstract]] = {}
        self._primitives: dict[str, _Primitive] = {}
        self._owners: dict[str, tuple[str, str]] = {}
        self._funcs: dict[str, _Func] = {}
        self._constants: dict[str, Operand] = {}

    def read(self) -> Graph:
        """The Graph of the file.

        Raises:
            DecodeError, TruncatedError: the bytes do not follow the schema.
        """
        return self._model()

    def _model(self) -> Graph:
        source = MindirLayout("mindir")
        graphs: list[Window] = []
        primitives: list[Window] = []
        try:
            for item in self.window.fields("ModelProto"):
                number = item.number
                if item.wire == DELIMITED and number in (GRAPH, FUNCTIONS, PRIMITIVES):
                    part = self.window.part(item)
                    if number == PRIMITIVES:
                        primitives.append(part)
                    elif number == GRAPH:
                        graphs.insert(0, part)
                    else:
                        graphs.append(part)
                elif item.wire == DELIMITED and number in _VERSIONS:
                    text = self.window.part(item).bytes().decode("utf-8", "replace")
                    source = replace(source, **cast("Any", {_VERSIONS[number]: text}))
                elif item.wire == VARINT and number == LITTLE_ENDIAN:
                    self.little_endian = bool(item.value)
                elif item.wire == VARINT and number == MIND_IR_VERSION:
                    source = replace(source, mind_ir_version=item.value)
        except DecodeError as error:
            self.error = error
            if not graphs:
                raise
        if not graphs:
            raise DecodeError("a model without a graph", self.window.place("ModelProto"))
        for part in primitives:
            self._primitive(part)
        for part in graphs:
            func = self._func(part)
            if func.name in self._funcs:
                self._note(part, f"two graphs are named {func.name}; the first is kept")
            else:
                self._funcs[func.name] = func
                self._owners.update((name, (func.name, own)) for name, own in func.names.items())
        funcs = {name: self._lower(func) for name, func in self._funcs.items()}
        return Graph(next(iter(funcs)), MappingProxyType(funcs), source=source, elsewhere=undeclared(funcs))

    def _note(self, window: Window, what: str) -> None:
        self.notes.append(Note(what, window.place(), "warning"))

    def _primitive(self, window: Window) -> None:
        proto = parse(mind_ir_pb2.PrimitiveProto, window.bytes(), window, "primitives")
        kind = "PrimFunc" if proto.prim_type == PRIMITIVE_FUNCTION else ""
        attrs = {attr.name: value_of(attr, self.little_endian) for attr in proto.attribute}
        op = proto.op_type or proto.name
        op, kind = (op.removeprefix("S-Prim-"), "S-Prim") if op.startswith("S-Prim-") else (op, kind)
        self._primitives[proto.name] = _Primitive(op, kind, proto.instance_name, _attrs(attrs))

    def _func(self, window: Window) -> _Func:
        parts: dict[int, list[Window]] = {}
        name = ""
        for item in window.fields("GraphProto"):
            if item.wire == DELIMITED and item.number == G_NAME:
                name = window.text(item)
            elif item.wire == DELIMITED:
                parts.setdefault(item.number, []).append(window.part(item))
        name = name or "graph"
        func = _Func(name, [], [], [], NO_ATTRS)
        for part in parts.get(G_INPUT, ()):
            self._input(func, part)
        for part in parts.get(G_PARAMETER, ()):
            self._weight(func, part)
        for part in parts.get(G_MAP_PARAMETER, ()):
            proto = parse(mind_ir_pb2.MapTensorProto, part.bytes(), part, "map_parameter")
            self._note(part, f"parameter {proto.name} is a map of tensors, which msdump does not read")
            self._parameter(func, proto.name, OpaqueType("MapTensor"), True)
        func.nodes = [self._node(part) for part in parts.get(G_NODE, ())]
        position = 0
        for node in func.nodes:
            if node.op != "Constant":
                func.names[node.output or node.name] = f"%{position}"
                position += 1
        for part in parts.get(G_OUTPUT, ()):
            func.outputs.append(parse(mind_ir_pb2.ValueInfoProto, part.bytes(), part, "output").name)
        func.attrs = self._values(parts.get(G_ATTRIBUTE, ()))
        return func

    def _parameter(
        self, func: _Func, name: str, abstract: Abstract, has_default: bool, default: TensorData | None = None
    ) -> None:
        own = name.removeprefix(func.name + ":")
        if own in func.taken:
            own = name if name not in func.taken else f"{own}#{len(func.taken)}"
        func.taken.add(own)
        func.names[name] = own
        func.parameters.append(Parameter(own, abstract, has_default, default=default))

    def _input(self, func: _Func, window: Window) -> None:
        proto = parse(mind_ir_pb2.ValueInfoProto, window.bytes(), window, "graph.input")
        types = tuple(tensor_type(tensor) for tensor in proto.tensor)
        abstract: Abstract = types[0] if len(types) == 1 else SequenceType("Tuple", types) if types else NULL_TYPE
        if proto.HasField("attr_info"):
            abstract = abstract_of(proto.attr_info)
        self._parameter(func, proto.name, abstract, False)

    def _weight(self, func: _Func, window: Window) -> None:
        tensor, raw = header(window, "graph.parameter")
        found = weight(window, tensor, raw, self.little_endian)
        if isinstance(found, Note):
            self.notes.append(found)
        abstract = tensor_type(tensor)
        if isinstance(abstract, TensorType):
            abstract = RefType(abstract, tensor.ref_key or tensor.name.removeprefix(func.name + ":"))
        self._parameter(func, tensor.name, abstract, True, found if isinstance(found, TensorData) else None)

    def _node(self, window: Window) -> _Node:
        node = _Node()
        lists = {N_ATTRIBUTE: node.attributes, N_NODE_ATTR: node.node_attr, N_PRIMAL_ATTR: node.primal_attr}
        for item in window.fields("NodeProto"):
            number = item.number
            if item.wire != DELIMITED:
                continue
            if number in lists:
                lists[number].append(window.part(item))
            elif number == N_INPUT:
                node.inputs.append(window.text(item))
            elif number == N_OUTPUT:
                node.output = node.output or window.text(item)
            elif number == N_NAME:
                node.name = window.text(item)
            elif number == N_OP:
                node.op = window.text(item)
            elif number == N_DOMAIN:
                node.domain = window.text(item)
        return node

    def _attribute(self, window: Window, abstract: bool = False) -> tuple[str, Any]:
        """Name and value (or type) of an attribute; the same bytes give the same object."""
        data = window.bytes()
        key = b"%d" % abstract + data
        found = self._attributes.get(key)
        if found is None:
            attr = parse(mind_ir_pb2.AttributeProto, data, window, "attribute")
            found = attr.name, abstract_of(attr) if abstract else value_of(attr, self.little_endian)
            if len(data) <= SHARED:
                self._attributes[key] = found
        return found

    def _values(self, windows: Iterable[Window]) -> Attrs:
        return _attrs(dict(self._attribute(window) for window in windows))

    def _lower(self, func: _Func) -> FuncGraph:
        constants: dict[str, Operand] = {}
        nodes: list[CNode] = []
        for node in func.nodes:
            if node.op == "Constant":
                value = self._attribute(node.attributes[0])[1] if node.attributes else Opaque("Constant")
                constants[node.output or node.name] = operand = ValueNode(value)
                self._constants.setdefault(node.output or node.name, operand)
            else:
                nodes.append(self._cnode(func, node, len(nodes), constants))
        results = tuple(self._operand(func, name, constants) for name in func.outputs)
        if len(results) > 1:  # releases before 1.5 list the elements of the tuple
            nodes.append(CNode(f"%{len(nodes)}", "MakeTuple", results))
            results = (NodeRef(nodes[-1].name),)
        if results:
            produced = {node.name: node.abstract for node in nodes}
            produced.update((parameter.name, parameter.abstract) for parameter in func.parameters)
            last = results[0]
            abstract = produced.get(last.name, NULL_TYPE) if isinstance(last, NodeRef) else NULL_TYPE
            nodes.append(CNode(f"%{len(nodes)}", RETURN, results, abstract))
        else:
            self.notes.append(Note(f"graph {func.name} returns nothing", None, "warning"))
        return FuncGraph(func.name, tuple(func.parameters), tuple(nodes), func.attrs)

    def _operand(self, func: _Func, name: str, constants: dict[str, Operand]) -> Operand:
        if name in constants:
            return constants[name]
        if name in func.names:
            return NodeRef(func.names[name])
        if name in self._funcs:
            return GraphRef(name)
        owner = self._owners.get(name)
        if owner is not None:
            return NodeRef(owner[1], owner[0])
        if name in self._constants:  # exported once, in the first graph that uses it
            return self._constants[name]
        if name.startswith("REF::"):
            primitive = self._primitives.get(name[5:])
            return ValueNode(Opaque(f"Primitive[{primitive.op if primitive else name[5:]}]"))
        self.notes.append(Note(f"graph {func.name} uses {name}, which nothing makes", None, "warning"))
        return NodeRef(name)

    def _cnode(self, func: _Func, node: _Node, position: int, constants: dict[str, Operand]) -> CNode:
        inputs = tuple(self._operand(func, name, constants) for name in node.inputs)
        abstract, values = NULL_TYPE, {}
        for window in node.attributes:
            name, value = self._attribute(window)
            if name == "shape" or not name:
                abstract = self._attribute(window, abstract=True)[1]
            else:
                values[name] = value
        target = node.op.removeprefix("REF::")
        primitive = self._primitives.get(target) if target != node.op else None
        callee: Operand | None = None
        op, kind, instance, attrs = node.op, "", "", _attrs(values)
        if primitive is not None:
            op, kind, instance = primitive.op, primitive.kind, primitive.instance
            attrs = primitive.attrs if not values else _attrs({**primitive.attrs, **values})
        elif target in self._funcs:
            op, callee = CALL, GraphRef(target)
        elif target != node.op:
            op, callee = CALL_VAR, self._operand(func, target, constants)
        elif op.startswith("S-Prim-"):
            op, kind = op.removeprefix("S-Prim-"), "S-Prim"
        label = _NUMBER.sub("", (node.output or node.name).removeprefix(func.name + ":"))
        scope, number, name = split_fullname(node.domain, own_label(op, callee))
        return CNode(
            name=f"%{position}",
            op=op,
            inputs=inputs,
            abstract=abstract,
            op_kind=kind,
            callee=callee,
            instance=instance,
            primitive_attrs=attrs,
            cnode_attrs=self._values(node.node_attr),
            primal_attrs=self._values(node.primal_attr),
            scope=scope,
            op_number=number,
            op_label=name,
            debug_name=label,
        )


def _attrs(values: dict[str, Value]) -> Attrs:
    return Attrs(values) if values else NO_ATTRS

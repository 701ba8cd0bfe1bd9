"""ModelProto or GraphProto of anf_ir.proto to a Graph.

The file holds one graph. Nodes are named by numbers, inputs name nodes, parameters or constants; in
the model a node is told by its position, constants stand where they are used, Return is a node.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from msdump._proto import anf_ir_pb2
from msdump.errors import DecodeError
from msdump.formats.anf_pb.value import UNDEFINED, abstract_of, early_tensor, value_of
from msdump.formats.framing import DELIMITED
from msdump.formats.window import Window, parse
from msdump.graph.abstract import NULL_TYPE, Abstract, MonadType
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.layout import AnfLayout
from msdump.graph.node import CNode, NodeRef, Operand, Parameter, ValueNode, split_fullname
from msdump.graph.value import NO_ATTRS, Attrs, Monad, Opaque, Sequence, Str, TensorValue, Value
from msdump.source import Note

# Field numbers of ModelProto, GraphProto, NamedValueProto and ValueProto (anf_ir.proto).
M_GRAPH = 4
G_NODE, G_NAME, G_PARAMETER, G_OUTPUT, G_CONST = 1, 2, 3, 4, 5
V_KEY, V_VALUE, V_TENSOR = 1, 2, 8
CONTROL_EDGE = 1
SHARED = 4096
_MONADS = {"U": MonadType("UMonad"), "IO": MonadType("IOMonad")}


class Reader:
    """One reading of one file; `notes` fills as it goes, `error` is what ended it early."""

    def __init__(self, window: Window, bare: bool) -> None:
        self.window = window
        self.bare = bare
        self.notes: list[Note] = []
        self.error: DecodeError | None = None
        self._types: dict[bytes, Abstract] = {}
        self._attrs: dict[bytes, tuple[str, Value]] = {}
        self._operands: dict[str, Operand] = {}
        self._monad_number = UNDEFINED

    def read(self) -> Graph:
        """The Graph of the file.

        Raises:
            DecodeError, TruncatedError: the bytes do not follow the schema.
        """
        return self._graph(self.window if self.bare else self._model())

    def _model(self) -> Window:
        try:
            for field in self.window.fields("ModelProto"):
                if field.number == M_GRAPH and field.wire == DELIMITED:
                    return self.window.part(field)
        except DecodeError:
            graph = self._cut_graph()
            if graph is None:
                raise
            return graph
        raise DecodeError("a model without a graph", self.window.place("ModelProto"))

    def _cut_graph(self) -> Window | None:
        """The graph of a file that ends inside it: what is left of it."""
        from msdump.formats.framing import Broken, read_field, read_varint

        at = self.window.start
        try:
            while at < self.window.end:
                tag, start = read_varint(self.window.data, at, self.window.end)
                if tag == M_GRAPH << 3 | DELIMITED:
                    begin = read_varint(self.window.data, start, self.window.end)[1]
                    return Window(self.window.data, self.window.file, begin, self.window.end)
                at = read_field(self.window.data, at, self.window.end).after
        except Broken:
            pass
        return None

    def _graph(self, window: Window) -> Graph:
        parts: dict[int, list[Window]] = {}
        name = ""
        try:
            for field in window.fields("graph"):
                if field.wire != DELIMITED:
                    continue
                if field.number == G_NAME:
                    name = window.text(field)
                else:
                    parts.setdefault(field.number, []).append(window.part(field))
        except DecodeError as error:
            self.error = error
            if not parts:
                raise
        if not parts and not name:
            raise DecodeError("a graph that says nothing", window.place("graph"))
        name = name or "graph"
        for part in parts.get(G_CONST, ()):
            self._constant(part)
        names: list[str] = []
        for part in parts.get(G_NODE, ()):  # parsed twice, so that no message is kept
            node = self._node(part)
            names.append(node.name)
            if node.op_type == "UpdateState" and node.HasField("output_type"):
                self._monad_number = self._monad_number or node.output_type.data_type
        parameters = [self._parameter(part) for part in parts.get(G_PARAMETER, ())]
        self._operands.update((own, NodeRef(f"%{position}")) for position, own in enumerate(names))
        made: list[CNode] = []
        kinds: dict[str, Abstract] = {p.name: p.abstract for p in parameters}
        for position, part in enumerate(parts.get(G_NODE, ())):
            made.append(self._cnode(self._node(part), position, kinds))
        results = [parse(anf_ir_pb2.OutputProto, p.bytes(), p, "graph.outputs") for p in parts.get(G_OUTPUT, ())]
        if len(results) > 1:
            made.append(CNode(f"%{len(made)}", "MakeTuple", tuple(self._operand(r.name) for r in results)))
            made.append(CNode(f"%{len(made)}", RETURN, (NodeRef(made[-1].name),)))
        elif results:
            operand = self._operand(results[0].name)
            known = kinds.get(operand.name, NULL_TYPE) if isinstance(operand, NodeRef) else NULL_TYPE
            made.append(CNode(f"%{len(made)}", RETURN, (operand,), known))
        else:
            self._note(window, f"graph {name} has no output")
        func = FuncGraph(name, tuple(parameters), tuple(made))
        return Graph(name, MappingProxyType({name: func}), source=AnfLayout("anf_pb", bare=self.bare))

    def _node(self, window: Window) -> Any:
        return parse(anf_ir_pb2.NodeProto, window.bytes(), window, "graph.node")

    def _note(self, window: Window, what: str) -> None:
        if len(self.notes) < 1000:
            self.notes.append(Note(what, window.place(), "warning"))

    def _constant(self, window: Window) -> None:
        tensor: TensorValue | None = None
        key = ""
        for field in window.fields("graph.const_vals"):
            if field.number == V_KEY and field.wire == DELIMITED:
                key = window.text(field)
            elif field.number == V_VALUE and field.wire == DELIMITED:
                inner = window.part(field)
                for own in inner.fields("graph.const_vals.value"):
                    if own.number == V_TENSOR and own.wire == DELIMITED:
                        tensor = early_tensor(inner.part(own))
        if tensor is not None:
            self._operands[key] = ValueNode(tensor)
            return
        proto = parse(anf_ir_pb2.NamedValueProto, window.bytes(), window, "graph.const_vals")
        self._operands[proto.key] = ValueNode(value_of(proto.value))

    def _parameter(self, window: Window) -> Parameter:
        proto = parse(anf_ir_pb2.ParameterProto, window.bytes(), window, "graph.parameters")
        kind = self._type(proto.type) if proto.HasField("type") else NULL_TYPE
        if proto.HasField("type") and proto.type.data_type == self._monad_number != UNDEFINED:
            kind = _MONADS["U"]
        self._operands[proto.name] = NodeRef(proto.name)
        return Parameter(proto.name, kind, proto.HasField("default_val"))

    def _type(self, proto: Any) -> Abstract:
        key = proto.SerializeToString()
        found = self._types.get(key)
        if found is None:
            found = self._types[key] = abstract_of(proto)
        return found

    def _attributes(self, node: Any) -> Attrs:
        if not node.attribute:
            return NO_ATTRS
        found: dict[str, Value] = {}
        for attr in node.attribute:
            key = attr.SerializeToString()
            item = self._attrs.get(key)
            if item is None:
                item = attr.name, value_of(attr.value)
                if len(key) <= SHARED:
                    self._attrs[key] = item
            found[item[0]] = item[1]
        return Attrs(found)

    def _operand(self, name: str) -> Operand:
        found = self._operands.get(name)
        if found is None:
            self._note(self.window, f"{name} is used, and nothing makes it")
            found = NodeRef(name, "")  # a control edge may name a node that the compiler left out
        return found

    def _cnode(self, node: Any, position: int, kinds: dict[str, Abstract]) -> CNode:
        inputs = tuple(self._operand(i.name) for i in node.input if i.type != CONTROL_EDGE)
        control = tuple(self._operand(i.name) for i in node.input if i.type == CONTROL_EDGE)
        name = f"%{position}"
        kind = self._type(node.output_type) if node.HasField("output_type") else NULL_TYPE
        if node.op_type == "UpdateState" and inputs:
            kind = self._monad(inputs[0], kinds)
        kinds[name] = kind
        op, bound = node.op_type, ""
        if op.startswith("S-Prim-"):
            op, bound = op.removeprefix("S-Prim-"), "S-Prim"
        op = RETURN if op == "return" else op
        scope, number, label = split_fullname(node.full_name, op, node.scope)
        made = CNode(
            name,
            op,
            inputs,
            kind,
            op_kind=bound,
            instance=node.instance_name,
            primitive_attrs=self._attributes(node),
            scope=scope,
            op_number=number,
            op_label=label,
        )
        if control:
            names = Sequence(
                "Tuple", tuple(Str(c.name) if isinstance(c, NodeRef) else Opaque(repr(c)) for c in control)
            )
            made = replace(made, cnode_attrs=Attrs({"control_inputs": names}))
        return made

    def _monad(self, first: Operand, kinds: dict[str, Abstract]) -> Abstract:
        """The type of an UpdateState: the one of the token it continues."""
        if isinstance(first, ValueNode):
            return _MONADS.get(first.value.kind, _MONADS["U"]) if isinstance(first.value, Monad) else _MONADS["U"]
        known = kinds.get(first.name) if isinstance(first, NodeRef) else None
        return known if isinstance(known, MonadType) else _MONADS["U"]

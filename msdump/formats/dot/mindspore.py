"""MindSpore's own .dot to a Graph (formats/ir: the .dot section).

Nodes are told by heap addresses. Each CNode is a box with a port for each input, port 0 being what
it applies; constants, parameters and subgraphs are boxes of their own, one for each use.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from types import MappingProxyType

from msdump import numerals
from msdump.errors import ParseError
from msdump.formats.dot.statements import Cluster, Edge, statements
from msdump.formats.dot.values import attributes, joined, value_of
from msdump.graph.graph import RETURN, FuncGraph, Graph, undeclared
from msdump.graph.layout import Layout
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.value import NO_ATTRS, Attrs, Named, Scalar, Sequence
from msdump.source import Note, TextPlace

_CELL = re.compile(r"<td(?: colspan='\d+')?(?: bgcolor='cornsilk')?>(.*?)</td></tr>", re.S)
_VALUE = re.compile(r"bgcolor='lavender'><tr><td bgcolor='white'>(.*?)</td></tr><tr><td>(.*)</table>", re.S)
_ROWS = re.compile(r"</td></tr><tr><td(?: align='left')?>")
_SHAPE = re.compile(r"(.*?)(?:\[((?:-?\d+,)*)\])?$", re.S)
_PRIMITIVES = {"Primitive", "PrimitivePy", "PrimitiveC"}
_BOUND = {"DoSignaturePrimitive", "UnpackCall", "UnpackGraphPrimitive", "MultitypeFuncGraph", "HyperMapPy"}
Id = tuple[str, str]


@dataclass(slots=True)
class _CNode:
    """A CNode's box: what its rows say, and what its edges bring."""

    line: int
    debug_name: str
    op: str
    attrs: Attrs
    ports: dict[int, Id] = field(default_factory=dict)
    callee: Id | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Primitive:
    kind: str
    name: str
    instance: str
    attrs: Attrs


@dataclass(slots=True)
class _Func:
    name: str
    cluster: Cluster
    parameters: list[Parameter] = field(default_factory=list)
    cnodes: dict[Id, _CNode] = field(default_factory=dict)


class Reader:
    """One reading of one text; `notes` fills as it goes, `error` is what ended it early."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.notes: list[Note] = []
        self.error: ParseError | None = None
        self._clusters, self._edges, strange, whole = statements(text)
        for line, statement in strange[:100]:
            self._note(line, f"a statement outside a subgraph: {statement[:60]!r}")
        if not whole:
            line = text.count("\n") + 1
            self.error = ParseError("the file ends before the graph's closing brace", TextPlace(file, line))
        self._funcs: list[_Func] = []
        self._names: dict[str, str] = {}
        self._shown: dict[Id, str] = {}  # box of a graph → the graph's address
        self._attrs: dict[str, Attrs] = {}
        self._owners: dict[Id, _Func] = {}
        self._addresses: dict[str, NodeRef] = {}
        self._spare = len(self._edges)  # operands without an edge: a damaged port is no reason for a billion
        self._values: dict[Id, Operand | _Primitive] = {}  # a box may be drawn in any graph that uses it

    def read(self) -> Graph:
        """The Graph of the text.

        Raises:
            ParseError: there is no subgraph in it.
        """
        if not self._clusters:
            raise ParseError("no subgraph in it", TextPlace(self.file, 1))
        self._name_graphs()
        for cluster in self._clusters:
            self._funcs.append(self._func(cluster))
        for edge in sorted(self._edges, key=lambda edge: -1 if edge.port is None else edge.port):
            self._tie(edge)
        for func in self._funcs:
            for position, node in enumerate(_order(func)):
                node.name = f"%{position}"
        funcs = {func.name: self._lower(func) for func in self._funcs}
        return Graph(self._funcs[0].name, MappingProxyType(funcs), source=Layout("dot"), elsewhere=undeclared(funcs))

    def _note(self, line: int, what: str) -> None:
        self.notes.append(Note(what, TextPlace(self.file, line), "warning"))

    def _name_graphs(self) -> None:
        """Names of the graphs: what their users call them ("NAME[LABEL]"), else their labels, which
        tell where they come from, and nothing in 2.x.

        A box that stands for a graph is tied by a blue edge to one of its nodes; the address in the
        box's link is not always the graph's.
        """
        home = {(a, k): c.address for c in self._clusters for _, a, k, _ in c.nodes if k == "0"}
        for edge in self._edges:
            if edge.port is None and edge.target in home:
                self._shown[edge.source] = home[edge.target]
        labels = {c.address: _without_manager(html.unescape(c.label)) for c in self._clusters}
        shown: dict[str, str] = {}
        for cluster in self._clusters:
            for _, address, number, body in cluster.nodes:
                if 'URL="#cluster_' in body:
                    known = self._shown.get((address, number), "")
                    text = _label(body)
                    text = text.removesuffix(f"[{labels[known]}]") if known else text
                    shown.setdefault(known, _without_manager(text))
        taken: set[str] = set()
        for cluster in self._clusters:
            name = shown.get(cluster.address) or labels[cluster.address] or "graph"
            unique, count = name, 1
            while unique in taken:
                count += 1
                unique = f"{name}.{count}"
            taken.add(unique)
            self._names[cluster.address] = unique

    def _func(self, cluster: Cluster) -> _Func:
        func = _Func(self._names[cluster.address], cluster)
        names: set[str] = set()
        for row in cluster.parameters.split("<tr><td>")[2:]:
            text = html.unescape(row.rstrip("\n").removesuffix("</td></tr>"))
            match = _SHAPE.match(text)
            name, shape = (match[1], match[2]) if match else (text, None)
            attrs = NO_ATTRS
            if shape is not None:
                sizes = tuple(Scalar("", size) for size in numerals.shape(shape.rstrip(",")) or ())
                attrs = Attrs({"shape": Sequence("Tuple", sizes)})
            if name in names:
                name = f"{name}#{len(names)}"
            names.add(name)
            func.parameters.append(Parameter(name, has_default=shape is not None, attrs=attrs))
        if not cluster.parameters and self.error is None:
            where = TextPlace(self.file, cluster.line)
            self.error = ParseError(f"graph {func.name} is not closed: the file ends inside it", where)
        for line, address, number, body in cluster.nodes:
            self._box((address, number), line, body, func, names)
        return func

    def _box(self, key: Id, line: int, body: str, func: _Func, names: set[str]) -> None:
        if "shape=octagon" in body or "shape=ellipse" in body:
            name = _label(body)
            if name in names:
                self._addresses.setdefault(key[0], NodeRef(name, func.name))
            self._values[key] = NodeRef(name)
        elif 'URL="#cluster_' in body:
            address = self._shown.get(key, "")
            self._values[key] = GraphRef(self._names.get(address, _without_manager(_label(body))))
        elif "bgcolor='lavender'" in body:
            self._values[key] = self._value(line, body)
        else:
            rows = _CELL.findall(body)
            name, op, attrs = "", "", NO_ATTRS
            if rows:
                # A CNode(NAME), or (ModelDigraph) the operator, attributes, the word CNode at the end.
                if rows[0].startswith("CNode("):
                    name = html.unescape(rows[0][6:-1])
                else:
                    op = html.unescape(rows[0].removesuffix("CNode"))
                    if len(rows) > 1:
                        attrs = self._attributes(rows[1].removesuffix("CNode"))
            func.cnodes[key] = _CNode(line, name, op, attrs)
            self._owners[key] = func

    def _attributes(self, text: str) -> Attrs:
        found = self._attrs.get(text)
        if found is None:
            items = {html.unescape(name): value for name, value in attributes(text).items()}
            found = self._attrs[text] = Attrs(items) if items else NO_ATTRS
        return found

    def _value(self, line: int, body: str) -> Operand | _Primitive:
        match = _VALUE.search(body)
        if not match:
            self._note(line, f"a value that cannot be read: {body[:60]!r}")
            return ValueNode(Named("Symbol", ""))
        kind, rest = match[1], match[2].removesuffix("</td></tr>")
        if kind in _PRIMITIVES or kind in _BOUND:
            rows = _ROWS.split(rest)
            instance = ""
            attrs = NO_ATTRS
            for row in rows[1:]:
                if row.startswith("instance name: "):
                    instance = html.unescape(row[15:].removesuffix("<br/>"))
                elif row:
                    attrs = self._attributes(row)
            return _Primitive(kind, html.unescape(rows[0]), instance, attrs)
        return ValueNode(value_of(kind, html.unescape(joined(rest))))

    def _tie(self, edge: Edge) -> None:
        owner = self._owners.get(edge.target)
        if owner is None:
            return
        node = owner.cnodes[edge.target]
        if edge.port is None:
            return
        if edge.port < 0:
            node.callee = edge.source
            return
        missing = edge.port - next(reversed(node.ports), -1) - 1
        if missing > self._spare:
            self._note(edge.line, f"an edge to operand {edge.port}, far behind all others of its node")
            return
        self._spare -= max(missing, 0)
        node.ports.setdefault(edge.port, edge.source)

    def _operand(self, func: _Func, key: Id | None) -> Operand:
        if key is None:
            return ValueNode(Named("Symbol", ""))
        node = func.cnodes.get(key)
        if node is not None:
            return NodeRef(node.name)
        value = self._values.get(key)
        if isinstance(value, NodeRef):
            owner = self._addresses.get(key[0])
            if owner is None or owner.graph == func.name:
                return value if owner is None else NodeRef(owner.name)
            return owner
        if isinstance(value, _Primitive):
            return ValueNode(Named(value.kind if value.kind in _BOUND else "Primitive", value.name))
        if value is not None:
            return value
        home = (key[0], "0")  # a CNode of another graph has a number of its own where it is used
        owner_func = self._owners.get(home)
        if owner_func is not None:
            name = owner_func.cnodes[home].name
            return NodeRef(name) if owner_func is func else NodeRef(name, owner_func.name)
        return NodeRef(f"node{key[0]}_{key[1]}")

    def _lower(self, func: _Func) -> FuncGraph:
        nodes = sorted(func.cnodes.values(), key=lambda node: int(node.name[1:]))
        return FuncGraph(func.name, tuple(func.parameters), tuple(self._cnode(func, node) for node in nodes))

    def _cnode(self, func: _Func, node: _CNode) -> CNode:
        first = 0 if node.op or node.callee is not None else 1
        count = max(node.ports, default=-1) + 1
        inputs = tuple(self._operand(func, node.ports.get(port)) for port in range(first, count))
        if node.op:
            op, kind = _bound("Primitive", node.op)
            return CNode(node.name, op, inputs, op_kind=kind, primitive_attrs=node.attrs)
        applied = self._values.get(node.ports[0]) if first and 0 in node.ports else None
        if isinstance(applied, _Primitive):
            op, kind = _bound(applied.kind, applied.name)
            return CNode(
                node.name,
                op,
                inputs,
                op_kind=kind,
                instance=applied.instance,
                primitive_attrs=applied.attrs,
                debug_name=node.debug_name,
            )
        callee = self._operand(func, node.ports.get(0) if first else node.callee)
        op = CALL if isinstance(callee, GraphRef) else CALL_VAR
        return CNode(node.name, op, inputs, callee=callee, debug_name=node.debug_name)


def _bound(kind: str, name: str) -> tuple[str, str]:
    """Operator and how it is bound, as the model tells them."""
    if name == "return":
        return RETURN, ""
    if name.startswith("S-Prim-"):
        return name.removeprefix("S-Prim-"), "S-Prim"
    if name.startswith("PrimFunc_"):
        return name.removeprefix("PrimFunc_"), "PrimFunc"
    return name, "" if kind in _PRIMITIVES else kind


def _label(body: str) -> str:
    """The text of a quoted label, which may hold quotes itself."""
    begin = body.find('label="')
    end = body.find('",style=filled', begin)
    return html.unescape(body[begin + 7 : end if end >= 0 else len(body)]) if begin >= 0 else ""


def _without_manager(text: str) -> str:
    """A graph's name without the manager's state in brackets that MindSpore puts behind it."""
    return text[: text.rindex("[")] if text.endswith("]") and "[" in text else text


def _order(func: _Func) -> list[_CNode]:
    """The CNodes so that each comes after what it uses, the way 1.3 and later sort them: from
    the Return, the first input first. Nodes that the Return does not reach stand before it."""
    found: list[_CNode] = []
    state: dict[Id, int] = {}
    reached = 0
    for root in func.cnodes:
        if len(found) and not reached:
            reached = len(found)
        stack = [root]
        while stack:
            key = stack[-1]
            if state.get(key) is None:
                state[key] = 0
                node = func.cnodes[key]
                sources = [node.ports[port] for port in sorted(node.ports)]
                if node.callee is not None:
                    sources.insert(0, node.callee)
                stack.extend(s for s in reversed(sources) if s in func.cnodes and state.get(s) is None)
            else:
                stack.pop()
                if state[key] == 0:
                    state[key] = 1
                    found.append(func.cnodes[key])
    return found[: reached - 1] + found[reached:] + found[reached - 1 : reached] if reached else found

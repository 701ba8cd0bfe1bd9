"""Nodes of a subgraph: in a first pass each line is cut, in a second names and types are resolved.

Between the passes the names and types of all subgraphs are known, so a free variable may refer to a
node further down.
"""

from __future__ import annotations

from dataclasses import replace

from msdump.formats.ir.elements import operator as op_text
from msdump.formats.ir.elements.attribute import NOTHING
from msdump.formats.ir.elements.call import NODE, Call, split_comment
from msdump.formats.ir.elements.location import ROLES
from msdump.formats.ir.lower.raw import Parts, RawFunc, Readers
from msdump.formats.ir.lower.under import Under, UnderReader
from msdump.formats.ir.syntax.body import RawNode
from msdump.graph.abstract import NULL_TYPE, Abstract
from msdump.graph.graph import RETURN
from msdump.graph.node import (
    CALL,
    CNode,
    GraphRef,
    NodeRef,
    Operand,
    Parameter,
    ValueNode,
    own_label,
    split_fullname,
)
from msdump.graph.value import Opaque

_DONE = Call("", (), "", True)
_NOTHING: list[str] = []
_NO_TYPES: dict[str, Abstract] = {}


class NodeReader:
    """Reads the nodes of all subgraphs of a file."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._types: dict[str, dict[str, Abstract]] = {}
        self._numbers: dict[str, dict[str, str]] = {}
        self._undeclared: dict[str, set[str]] = {}
        self._under = UnderReader(readers.notes)
        self._scopes: dict[str, str] = {}
        self._ops: dict[str, tuple[str, str, str, str | None]] = {}
        self._local: dict[str, NodeRef] = {}
        self._known: dict[str, tuple[NodeRef, dict[str, Abstract]]] = {}
        self._node_names: list[str] = []
        self._direct: dict[str, str] = {}
        """Operands that write parameters of another graph as if these were this one's → that graph."""
        self._plain = readers.dialect.nodes.free == "plain"
        self._at = readers.dialect.nodes.free == "at"

    def declare(self, graph: str, parameters: list[Parameter]) -> None:
        """Enters the parameters of a graph that stands in another file."""
        self._types[graph] = {parameter.name: parameter.abstract for parameter in parameters}

    def read(self, func: RawFunc) -> None:
        """First pass: cuts the lines of a subgraph's nodes."""
        readers = self._readers
        debug = readers.names.debug.setdefault(func.name, {})
        numbers = self._numbers[func.name] = {}
        types = self._types[func.name] = {p.name: p.abstract for p in func.parameters}
        root = func.preamble.parameters is not None or readers.dialect.parts.block_head
        declared = root or not func.head.parameters
        self._undeclared[func.name] = set() if declared else {p.name for p in func.parameters}
        for index, raw in enumerate(func.body.nodes):
            parts = self._cut(raw, func.indent + 4)
            func.parts.append(parts)
            name = self._name(index)
            if parts.number is not None:
                numbers.setdefault("%" + parts.number, name)
            if parts.debug_name:
                debug.setdefault(parts.debug_name, name)
            if parts.under.types is not None:
                types[name] = self._output(parts.under)
            if "@" in raw.text:
                self._use(func.name, parts.call)
            raw.text, raw.notes = "", _NOTHING  # all of it is in the parts

    def _name(self, index: int) -> str:
        """The name of the node at an index; one string for all subgraphs."""
        names = self._node_names
        while index >= len(names):
            names.append(f"%{len(names)}")
        return names[index]

    def _use(self, func: str, call: Call) -> None:
        """Enters which graphs a call uses."""
        names = self._readers.names
        for text in (call.callee.removeprefix("call "), *call.operands):
            if text.startswith("@"):
                key = names.graphs.get(text[1:])
                if key is not None:
                    names.users.setdefault(key, {})[func] = None

    def _output(self, under: Under) -> Abstract:
        types = under.types
        if types is None:
            return NULL_TYPE
        if types.output is not None:
            return types.output
        return types.inputs[0] if types.inputs else NULL_TYPE

    def _cut(self, raw: RawNode, width: int) -> Parts:
        readers = self._readers
        match = NODE.fullmatch(raw.text)
        number, debug, text = match.groups() if match else (None, None, raw.text.lstrip(" "))
        under = self._under.read(raw.notes, width)
        if under.comments:
            self._unread(raw, under, width)
        types = under.types.inputs if under.types else None
        call = readers.calls.cut(text, types) if match or text[:1] != "%" else None
        comments, layout = under.comments, under.layout
        if call is None:
            readers.document.note("this node cannot be read", raw.line, warn=True)
            call = Call(text, (), "", False)
            return Parts(raw, number, debug or "", call, NOTHING, under, layout, comments, debug is not None, True)
        attrs = readers.attrs.parse(call.rest)
        if attrs is None:
            rest, comment = split_comment(call.rest)
            attrs = readers.attrs.parse(rest)
            if attrs is None:
                readers.document.note("what stands behind this node's operands cannot be read", raw.line, warn=True)
                attrs, comment = NOTHING, call.rest
            comments, layout = (comment, *comments), "R" + layout
        elif not call.sure:
            readers.document.note("operands and types do not count the same", raw.line)
        if under.types is not None and len(under.types.inputs) != len(call.operands):
            before = layout[: layout.index("T")].count("C") + layout.count("R")
            line = readers.notes.format_types(under.types)  # types that belong to no operands stay text
            comments, layout = (*comments[:before], line, *comments[before:]), layout.replace("T", "C", 1)
        return Parts(raw, number, debug or "", call, attrs, under, layout, comments, debug is not None)

    def _unread(self, raw: RawNode, under: Under, width: int) -> None:
        """Notes the lines under a node that tell nothing known."""
        comments = list(under.comments)
        line = raw.line + 1 + raw.text.count("\n")
        within = False
        for text in raw.notes:
            if comments and text in (comments[0], " " * width + comments[0]):
                comments.pop(0)
                if not (within and text[width:].startswith("  # ")) and text[width:] not in ROLES:
                    within = text[width:] == "# Comment:"
                    if not within:
                        self._readers.document.unread(line)
            line += 1 + text.count("\n")

    def build(self, func: RawFunc) -> None:
        """Second pass: the CNodes."""
        self._known = {}
        self._direct = {}
        for index, parts in enumerate(func.parts):
            func.nodes.append(self._node(func, index, parts))
            for text in parts.call.operands if self._direct else ():
                if text in self._direct:
                    func.borrowed[func.nodes[-1].name] = self._direct[text]
            parts.call = _DONE

    def type_parameters(self, func: RawFunc) -> None:
        """Gives parameters that are declared without a type the one they are first used with."""
        types = self._types[func.name]
        func.parameters = [
            p if types[p.name] is p.abstract else replace(p, abstract=types[p.name]) for p in func.parameters
        ]

    def _node(self, func: RawFunc, index: int, parts: Parts) -> CNode:
        call, attrs = parts.call, parts.attrs
        op, kind, callee_text, targets_text = call.callee, "", "", None
        if not parts.no_call:
            told_op = self._ops.get(op)
            if told_op is None:
                told_op = self._ops[op] = _op(op)
            op, kind, callee_text, targets_text = told_op
        callee: Operand | None = None
        targets: tuple[Operand, ...] = ()
        if callee_text:
            callee = self._callee(op, callee_text, func, index)
            if targets_text is not None:
                targets = self._targets(targets_text)
        elif parts.number is None and call.callee in op_text.RETURNS:
            op, kind = RETURN, ""
        under = parts.under
        types = under.types
        inputs = types.inputs if types is not None else ()
        told = len(inputs) == len(call.operands)
        operands: list[Operand] = []
        known = self._known
        for at, text in enumerate(call.operands):
            expected = inputs[at] if told else None
            seen = known.get(text)
            if seen is not None and (expected is None or seen[1].get(seen[0].name) is expected):
                operands.append(seen[0])
            else:
                operands.append(self._operand(text, func, index, expected))
        scope, number, label = under.scope, None, ""
        if under.fullname:
            told_scope = scope if "S" in parts.layout else None
            scope, number, label = split_fullname(under.fullname, own_label(op, callee), told_scope)
            scope = self._scopes.setdefault(scope, scope)
        return CNode(
            self._node_names[index],
            op,
            tuple(operands),
            self._output(under),
            kind,
            callee,
            attrs.instance,
            attrs.primitive,
            attrs.cnode,
            attrs.primal,
            scope,
            number,
            label,
            parts.debug_name,
            under.locations,
            parts.comments,
            targets,
            under.side_effects,
            attrs.other,
            under.device,
            under.kinds,
            under.symbols,
            parts.raw.failure,
        )

    def _callee(self, op: str, text: str, func: RawFunc, index: int) -> Operand:
        readers = self._readers
        if op == CALL:
            return GraphRef(readers.names.graphs.get(text, text))
        if readers.dialect.nodes.free == "plain" and text[:1] == "%" and text[1:].isdecimal():
            free = self._free_node(text, func.name, index, None)
            if free is not None:
                return free
        found = readers.operands.reference(text, func.name, self._numbers[func.name])
        if self._at and isinstance(found, NodeRef) and found.graph and text[0] == "%":
            func.borrowed[self._name(index)] = found.graph
        return found if found is not None else NodeRef(text, "")

    def _targets(self, text: str) -> tuple[Operand, ...]:
        names = op_text.split_targets(text, self._readers.dialect.nodes.calls == "at")
        if names is None:
            return (ValueNode(Opaque(text)),)
        graphs = self._readers.names.graphs
        return tuple(GraphRef(graphs.get(name, name)) for name in names)

    def _free_node(self, text: str, func: str, index: int, abstract: Abstract | None) -> NodeRef | None:
        """The node of another graph that 1.0 writes as if it were one of this: one not yet made here.

        The nearest graph that uses this one and has a node of that number and type.
        """
        own = self._numbers[func].get(text)
        if own is not None and int(own[1:]) < index:
            return None
        found: NodeRef | None = None
        for owner in self._readers.names.above(func):
            name = self._numbers.get(owner, {}).get(text)
            if name is not None:
                found = found or NodeRef(name, owner)
                if abstract is None or self._types[owner].get(name) == abstract:
                    return NodeRef(name, owner)
        return found or NodeRef(text, "")

    def _operand(self, text: str, func: RawFunc, index: int, abstract: Abstract | None) -> Operand:
        readers = self._readers
        first = text[:1]
        if first not in ("%", "@", "$"):
            return readers.operands.constant(text, abstract)
        found = self._reference(text, func, index, abstract)
        if found is None:
            return readers.operands.constant(text, abstract)
        if isinstance(found, GraphRef):
            if abstract is None or abstract == readers.operands.func_type:
                return found
            return replace(found, abstract=abstract)
        owner = found.graph or func.name
        if self._at and found.graph and first == "%":
            self._direct[text] = found.graph
        types = self._types.get(owner, _NO_TYPES)
        if not self._plain:
            self._known[text] = (found, types)
        if abstract is None or types.get(found.name, NULL_TYPE) is abstract:
            return found
        undeclared = self._undeclared.get(owner, ())
        if found.name in undeclared:
            self._undeclared[owner].discard(found.name)
            types[found.name] = abstract
            return found
        return replace(found, abstract=abstract)

    def _reference(self, text: str, func: RawFunc, index: int, abstract: Abstract | None) -> NodeRef | GraphRef | None:
        if self._plain and text[0] == "%" and text[1:].isdecimal():
            free = self._free_node(text, func.name, index, abstract)
            if free is not None:
                return free
        name = self._numbers[func.name].get(text)
        if name is not None:
            local = self._local.get(name)
            if local is None:
                local = self._local[name] = NodeRef(name)
            return local
        return self._readers.operands.reference(text, func.name, self._numbers[func.name])


def _op(text: str) -> tuple[str, str, str, str | None]:
    """(op, op_kind, callee, targets) of what stands before a call's bracket."""
    op, callee, targets = op_text.split_callee(text)
    if callee:
        return op, "", callee, targets
    op, kind = op_text.split_op(op)
    return op, kind, "", None

"""Nodes of a subgraph: in a first pass each line is cut, in a second names and types are resolved.

Between the passes the names and types of all subgraphs are known, so a free variable may refer to a
node further down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from msdump.formats.ir import op_text
from msdump.formats.ir.attr_text import NOTHING, NodeAttrs
from msdump.formats.ir.body import RawNode
from msdump.formats.ir.call_text import NODE, Call, split_comment
from msdump.formats.ir.note_text import Types2
from msdump.graph.abstract import NULL_TYPE, Abstract
from msdump.graph.graph import RETURN
from msdump.graph.node import CALL, CNode, GraphRef, Location, NodeRef, Operand, Signature, ValueNode
from msdump.graph.value import Opaque

if TYPE_CHECKING:
    from msdump.formats.ir.lower import Lowering, RawFunc

_NO_CALL = Call("", (), "", False)


@dataclass(slots=True)
class Parts:
    """A node between the passes."""

    raw: RawNode
    number: str | None
    debug_name: str
    call: Call
    attrs: NodeAttrs
    types: Types2 | None = None
    layout: str = ""
    scope: str = ""
    fullname: str = ""
    locations: list[Location] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    side_effects: tuple[str, ...] | None = None
    device: Signature[Any] | None = None
    kinds: Signature[Any] | None = None
    symbols: Signature[Any] | None = None
    named: bool = True
    no_call: bool = False


class NodeReader:
    """Reads the nodes of all subgraphs of a file."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._types: dict[str, dict[str, Abstract]] = {}
        self._numbers: dict[str, dict[str, str]] = {}
        self._undeclared: dict[str, set[str]] = {}
        self._references: dict[str, NodeRef] = {}

    def read(self, func: RawFunc) -> None:
        """First pass: cuts the lines of a subgraph's nodes."""
        lowering = self._lowering
        debug = lowering.names.debug.setdefault(func.name, {})
        numbers = self._numbers[func.name] = {}
        types = self._types[func.name] = {p.name: p.abstract for p in func.parameters}
        root = func.preamble.parameters is not None or lowering.dialect.block_head
        declared = root or not func.head.parameters
        self._undeclared[func.name] = set() if declared else {p.name for p in func.parameters}
        for index, raw in enumerate(func.body.nodes):
            parts = self._cut(raw)
            func.parts.append(parts)
            name = f"%{index}"
            if parts.number is not None:
                numbers.setdefault("%" + parts.number, name)
            if parts.debug_name:
                debug.setdefault(parts.debug_name, []).append(name)
            if parts.types is not None:
                types[name] = self._output(parts)
            self._use(func.name, parts.call)

    def _use(self, func: str, call: Call) -> None:
        """Enters which graphs a call uses."""
        names = self._lowering.names
        for text in (call.callee.removeprefix("call "), *call.operands):
            if text.startswith("@"):
                key = names.graphs.get(text[1:])
                if key is not None and func not in (users := names.users.setdefault(key, [])):
                    users.append(func)

    def _output(self, parts: Parts) -> Abstract:
        assert parts.types is not None
        if parts.types.output is not None:
            return parts.types.output
        return parts.types.inputs[0] if parts.types.inputs else NULL_TYPE

    def _cut(self, raw: RawNode) -> Parts:
        match = NODE.fullmatch(raw.text)
        if match:
            parts = Parts(raw, match[1], match[2] or "", _NO_CALL, NOTHING, named=match[2] is not None)
            text = match[3]
        else:
            parts = Parts(raw, None, "", _NO_CALL, NOTHING, named=False)
            text = raw.text.lstrip(" ")
        self._notes(parts)
        calls, attrs = self._lowering.calls, self._lowering.attrs
        found = calls.cut(text, parts.types.inputs if parts.types else None)
        rest, comment = split_comment(found.rest) if found is not None else ("", "")
        if comment:
            parts.comments.insert(0, comment)
            parts.layout = "R" + parts.layout
        if found is None or (told := attrs.parse(rest)) is None:
            self._lowering.document.note("this node cannot be read", raw.line, warn=True)
            parts.call = Call(text, (), "", False) if found is None else replace(found, rest="")
            parts.no_call = found is None
            if found is not None:
                parts.comments[: bool(comment)] = [found.rest]
                parts.layout = "R" + parts.layout.removeprefix("R")
            return parts
        if not found.sure:
            self._lowering.document.note("operands and types do not count the same", raw.line)
        parts.call, parts.attrs = found, told
        return parts

    def _notes(self, parts: Parts) -> None:
        role, group = "", 0
        notes = self._lowering.notes
        layout = ""
        lines = [notes.parse(text) for text in parts.raw.notes]
        for at, text in enumerate(parts.raw.notes):
            code, value = lines[at].code, lines[at].value
            if code == "H" and (at + 1 == len(lines) or lines[at + 1].code not in "LMN"):
                code = "C"  # a heading of nothing
            if code in "LMN":
                group += code == "M"
                parts.locations.append(value if not role else replace(value, role=role, group=group))
            elif code == "T" and parts.types is None:
                parts.types = value
            elif code == "S" and "S" not in layout:
                parts.scope = value
            elif code == "F" and "F" not in layout:
                parts.fullname = value
            elif code == "H":
                group = group + 1 if value == role else 0
                role = value
            elif code == "X" and "X" not in layout:
                parts.side_effects = value
            elif code == "D" and parts.device is None:
                parts.device = value
            elif code == "K" and parts.kinds is None:
                parts.kinds = value
            elif code == "Y" and parts.symbols is None:
                parts.symbols = value
            elif code != "E":
                code = "C"
                parts.comments.append(text)
            layout += code
        parts.layout = layout

    def build(self, func: RawFunc) -> None:
        """Second pass: the CNodes."""
        for index, parts in enumerate(func.parts):
            func.nodes.append(self._node(func, index, parts))

    def type_parameters(self, func: RawFunc) -> None:
        """Gives parameters that are declared without a type the one they are first used with."""
        types = self._types[func.name]
        func.parameters = [
            p if types[p.name] is p.abstract else replace(p, abstract=types[p.name]) for p in func.parameters
        ]

    def _node(self, func: RawFunc, index: int, parts: Parts) -> CNode:
        call, attrs = parts.call, parts.attrs
        op, callee_text, targets_text = (
            op_text.split_callee(call.callee) if not parts.no_call else (call.callee, "", None)
        )
        callee: Operand | None = None
        targets: tuple[Operand, ...] = ()
        kind = ""
        if callee_text:
            callee = self._callee(op, callee_text, func, index)
            if targets_text is not None:
                targets = self._targets(targets_text)
        elif op in op_text.RETURNS and parts.number is None:
            op = RETURN
        elif not parts.no_call:
            op, kind = op_text.split_op(op)
        types = parts.types
        inputs = types.inputs if types is not None else ()
        told = len(inputs) == len(call.operands)
        operands = tuple(
            self._operand(text, func, index, inputs[i] if told else None) for i, text in enumerate(call.operands)
        )
        scope = parts.scope
        if parts.fullname and "/" in parts.fullname:
            scope = parts.fullname.rpartition("/")[0] if "S" not in parts.layout else scope
        return CNode(
            f"%{index}",
            op,
            operands,
            self._output(parts) if types is not None else NULL_TYPE,
            kind,
            callee,
            attrs.instance,
            attrs.primitive,
            attrs.cnode,
            attrs.primal,
            scope,
            parts.fullname,
            parts.debug_name,
            tuple(parts.locations),
            tuple(parts.comments),
            targets,
            parts.side_effects,
            attrs.other,
            parts.device,
            parts.kinds,
            parts.symbols,
            parts.raw.failure,
        )

    def _callee(self, op: str, text: str, func: RawFunc, index: int) -> Operand:
        lowering = self._lowering
        if op == CALL:
            return GraphRef(lowering.names.graphs.get(text, text))
        if lowering.dialect.free == "plain" and text[:1] == "%" and text[1:].isdecimal():
            free = self._free_node(text, func.name, index, None)
            if free is not None:
                return free
        found = lowering.operands.reference(text, func.name, self._numbers[func.name])
        return found if found is not None else NodeRef(text, "")

    def _targets(self, text: str) -> tuple[Operand, ...]:
        names = op_text.split_targets(text, self._lowering.dialect.calls == "at")
        if names is None:
            return (ValueNode(Opaque(text)),)
        graphs = self._lowering.names.graphs
        return tuple(GraphRef(graphs.get(name, name)) for name in names)

    def _free_node(self, text: str, func: str, index: int, abstract: Abstract | None) -> NodeRef | None:
        """The node of another graph that 1.0 writes as if it were one of this: one not yet made here.

        The nearest graph that uses this one and has a node of that number and type.
        """
        own = self._numbers[func].get(text)
        if own is not None and int(own[1:]) < index:
            return None
        found: NodeRef | None = None
        for owner in self._lowering.names.above(func):
            name = self._numbers.get(owner, {}).get(text)
            if name is not None:
                found = found or NodeRef(name, owner)
                if abstract is None or self._types[owner].get(name) == abstract:
                    return NodeRef(name, owner)
        return found or NodeRef(text, "")

    def _operand(self, text: str, func: RawFunc, index: int, abstract: Abstract | None) -> Operand:
        lowering = self._lowering
        first = text[:1]
        if first not in "%@$" or not first:
            return lowering.operands.constant(text, abstract)
        found: NodeRef | GraphRef | None = None
        if first == "%" and lowering.dialect.free == "plain" and text[1:].isdecimal():
            found = self._free_node(text, func.name, index, abstract)
        if found is None:
            found = lowering.operands.reference(text, func.name, self._numbers[func.name])
        if found is None:
            return lowering.operands.constant(text, abstract)
        if isinstance(found, GraphRef):
            if abstract is None or abstract == lowering.operands.func_type:
                return found
            return replace(found, abstract=abstract)
        if abstract is None:
            return found
        owner = found.graph or func.name
        known = self._types.get(owner, {}).get(found.name)
        if known is abstract:
            return found
        if found.name in self._undeclared.get(owner, ()):
            self._undeclared[owner].discard(found.name)
            self._types[owner][found.name] = abstract
            return found
        return replace(found, abstract=abstract)


def is_reference(text: str) -> bool:
    """Whether a text has the look of a node, parameter or graph."""
    return re.match(r"%\d|%para|@|\$\(", text) is not None
